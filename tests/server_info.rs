//! `qop=auth-int` and `Authentication-Info`: bodies on both ways, the server's own proof, and the
//! nonce to use next.

mod support;

use std::collections::HashSet;

use countersign::client::{Client, Endpoint, Exchange, Policy, ServerProof};
use countersign::digest::{
    Algorithm, BodyHasher, HashFunction, HexDigest, Qop, QopParams, QopSet, rspauth,
};
use countersign::server::{Attempt, BasicOffer, NextNonce, Realm, Receipt, Rejection};
use countersign::{AuthenticationInfo, Authorization, Challenger, EntityBody, Target};
use support::client::{ask_of, home};
use support::digest::{body_hash, key};
use support::server::{
    Answer, PASSWORD, START, Service, USER, Why, ha1, nonce_of, octets_with_response, realm,
};

fn hashed(hash: HashFunction, chunks: &[&[u8]]) -> HexDigest {
    let mut hasher = BodyHasher::new(hash);
    chunks.iter().for_each(|chunk| hasher.update(chunk));
    hasher.finish()
}

/// A server of both qop values, and an answer whose response covers a body.
fn with_body(algorithm: Algorithm, body: &[u8]) -> (Service, Answer) {
    let server = realm().with_algorithms(&[algorithm]);
    let service = Service::new(server.with_qop(QopSet::BOTH));
    let answer = Answer {
        algorithm,
        qop: Some("auth-int"),
        body: body.to_vec(),
        method: "POST".to_owned(),
        ..service.answer()
    };
    (service, answer)
}

#[test]
fn a_request_body_however_it_comes() {
    for &algorithm in Algorithm::ALL {
        let hash = algorithm.hash_function();
        for (body, chunks) in [
            (&b""[..], vec![]),
            (b"", vec![&b""[..]]),
            (b"a=1&b=2", vec![b"a=1", b"", b"&b=2"]),
            (&[0, 0xff, b'\r', b'\n'], vec![&[0, 0xff, b'\r', b'\n']]),
        ] {
            let (service, answer) = with_body(algorithm, body);
            let digest = hashed(hash, &chunks);
            let header = answer.header();
            let target = Target::new(&answer.method, &answer.uri);
            let begin = |body| {
                let attempt = service.begin(&header, &target.with_body(body));
                attempt.expect("in order")
            };
            let verify = |attempt: Attempt<'_>| attempt.verify(Some(ha1(hash))).map(|_| ()).why();

            // Before: with the request, as bytes or as a hash.
            for known in [EntityBody::Bytes(body), EntityBody::Hashed(digest)] {
                assert_eq!(begin(known).wants_body(), None);
                assert_eq!(verify(begin(known)), Ok(()));
            }
            // Afterwards, because it is asked for.
            assert_eq!(begin(EntityBody::Unknown).wants_body(), Some(hash));
            let attempt = begin(EntityBody::Unknown).with_body(digest);
            assert_eq!(attempt.wants_body(), None);
            assert_eq!(verify(attempt), Ok(()));
            // Not at all.
            let outcome = verify(begin(EntityBody::Unknown));
            assert_eq!(outcome, Err(Rejection::BodyUnknown));
            // Another one.
            let outcome = verify(begin(EntityBody::Bytes(b"other")));
            assert_eq!(outcome, Err(Rejection::WrongCredentials));
        }
    }
}

#[test]
fn a_body_hashed_with_another_function_is_not_known() {
    let (service, answer) = with_body(Algorithm::SHA_256, b"body");
    let digest = hashed(HashFunction::Sha512_256, &[b"body"]);
    let target = answer.target().with_body(EntityBody::Hashed(digest));
    let header = answer.header();
    let outcome = service.grant(&header, &target).map(|_| ()).why();
    assert_eq!(outcome, Err(Rejection::BodyUnknown));
}

/// With `qop=auth` the body is nobody's business.
#[test]
fn a_body_that_is_not_covered() {
    let (service, mut answer) = with_body(Algorithm::SHA_256, b"body");
    answer.qop = Some("auth");
    let header = answer.header();
    let target = answer.target();
    let attempt = service.begin(&header, &target);
    assert_eq!(attempt.unwrap().wants_body(), None);
    answer.body = b"changed on the way".to_vec();
    assert_eq!(service.take_header(&header, &answer), Ok(()));
}

/// The proof by the formula: as the response, with no method and the body of the response.
#[test]
fn the_server_proves_that_it_knows_the_secret() {
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    for &algorithm in Algorithm::ALL {
        for qop in ["auth", "auth-int"] {
            // The uncounted form has no place for a body.
            for &uncounted in &[false, true][..if qop == "auth" { 2 } else { 1 }] {
                let (mut service, mut answer) = with_body(algorithm, b"");
                service.realm = service
                    .realm
                    .with_uncounted_form(true)
                    .with_next_nonce(NextNonce::Never);
                answer.qop = Some(qop);
                answer.uncounted = uncounted;
                answer.cnonce = r#"c"\"#.to_owned();
                let header = answer.header();
                let grant = service.grant(&header, &answer.target()).unwrap();
                let value = grant.authentication_info(EntityBody::Bytes(PAGE)).unwrap();
                let info = AuthenticationInfo::parse([&value]).unwrap();

                let protection = QopParams::new(qop, &answer.nc, &answer.cnonce).unwrap();
                let body = body_hash(algorithm, Some(&protection), PAGE);
                let hash = algorithm.hash_function();
                let key = key(
                    algorithm,
                    &ha1(hash),
                    answer.nonce.as_bytes(),
                    answer.cnonce.as_bytes(),
                );
                let counted = Some(&protection).filter(|_| !uncounted);
                let expected = rspauth(&key, &answer.nonce, counted, &answer.uri, body.as_ref());
                assert!(info.proves(&expected), "{algorithm} {qop} {uncounted}");
                assert_ne!(expected, answer.response());
                assert_eq!(info.cnonce().unwrap(), *answer.cnonce);
                assert_eq!(info.nc(), Some(1));
                assert_eq!(info.qop().map(Qop::as_str), Some(qop));
                assert!(info.nextnonce().is_none());

                // The same by the hash, and none where it should cover what is not known.
                let digest = hashed(hash, &[PAGE]);
                let by_hash = grant.authentication_info(EntityBody::Hashed(digest));
                assert_eq!(by_hash, Some(value.clone()));
                let unknown = grant.authentication_info(EntityBody::Unknown);
                assert_eq!(unknown, (qop == "auth").then_some(value));
            }
        }
    }
}

#[test]
fn where_there_is_nothing_to_say() {
    for next_nonce in [NextNonce::Never, NextNonce::WhenOld, NextNonce::Always] {
        let realm = realm().with_rfc2069(true).with_basic(BasicOffer::Encrypted);
        let service = Service::new(realm.with_next_nonce(next_nonce));
        let header = support::basic_header(USER, PASSWORD);
        let target = Target::new("GET", "/");
        let grant = service.grant(&header, &target).unwrap();
        assert_eq!(grant.authentication_info(EntityBody::Bytes(b"")), None);

        let mut answer = service.answer();
        answer.qop = None;
        let header = answer.header();
        let grant = service.grant(&header, &answer.target()).unwrap();
        let Some(value) = grant.authentication_info(EntityBody::Bytes(b"")) else {
            assert_eq!(next_nonce, NextNonce::Never);
            continue;
        };
        // Without a proof, which RFC 2069 has not.
        let text = value.to_str().unwrap();
        let nonce = text.strip_prefix("nextnonce=\"").unwrap();
        let nonce = nonce.strip_suffix('"').unwrap();
        assert_eq!(nonce.len(), 40);
        assert_ne!(nonce, answer.nonce);
        assert_ne!(next_nonce, NextNonce::Never);
    }
}

/// What the client sent is returned byte for byte, whether it is text or not.
#[test]
fn a_cnonce_that_is_not_utf_8_is_returned_as_it_came() {
    let service = Service::new(realm());
    let answer = service.answer();
    let params = answer.params().with("cnonce", "\"\u{e9}\"");
    let header = octets_with_response(params, &ha1(HashFunction::Sha256), &answer.target());
    let grant = service.grant(&header, &answer.target()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown).unwrap();
    assert!(value.to_str().is_err());
    let info = AuthenticationInfo::parse([&value]).unwrap();
    assert_eq!(info.cnonce().unwrap().to_bytes(), b"\xe9".as_slice());
    let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
        panic!("{header:?}");
    };
    let expected = sent.expected_rspauth(&ha1(HashFunction::Sha256), EntityBody::Unknown);
    assert!(info.proves(&expected.unwrap()));
    assert_eq!(
        grant.receipt().authentication_info(EntityBody::Unknown),
        Some(value)
    );
}

#[test]
fn when_the_next_nonce_is_sent() {
    let old = |secs: u64| secs * 1000;
    let when_old = || realm().with_next_nonce(NextNonce::WhenOld);
    let never = |realm: Realm| realm.with_next_nonce(NextNonce::Never);
    for (realm, age, due) in [
        (realm(), 0, false),
        (realm(), old(150) - 1, false),
        (realm(), old(150), true),
        (realm(), old(300), true),
        (when_old().with_nonce_lifetime(1), 499, false),
        (when_old().with_nonce_lifetime(1), 500, true),
        (when_old().with_nonce_lifetime(0), 0, true),
        (never(realm()), old(300), false),
        (realm().with_next_nonce(NextNonce::Always), 0, true),
        (realm().with_one_time_nonces(true), 0, true),
        (never(realm().with_one_time_nonces(true)), 0, false),
        // A form that was not used needs none.
        (realm().with_uncounted_form(true), 0, false),
        (realm().with_rfc2069(true), 0, false),
        (realm().with_uncounted_form(true), old(150), true),
    ] {
        let mut service = Service::new(realm);
        let answer = service.answer();
        service.now = START.plus_millis(age);
        let next = next_nonce(&service, &answer);
        assert_eq!(next.is_some(), due, "at {age} with {:?}", service.realm);
        // It is one of the server's, and of now.
        if let Some(next) = next {
            assert_ne!(next, answer.nonce);
            assert_eq!(service.take(&Answer::to(&next)), Ok(()));
        }
    }
}

/// The forms whose nonces are good for one request come with the next one, unless their nonces are
/// good for more, or none is to be sent.
#[test]
fn the_next_nonce_of_forms_without_a_count() {
    let reusable = |realm: Realm| realm.with_reusable_nonces(true);
    let never = |realm: Realm| realm.with_next_nonce(NextNonce::Never);
    let always = |realm: Realm| realm.with_next_nonce(NextNonce::Always);
    for uncounted in [false, true] {
        let realm = || match uncounted {
            true => realm().with_uncounted_form(true),
            false => realm().with_rfc2069(true),
        };
        for (realm, age, due) in [
            (realm(), 0, true),
            (never(realm()), 0, false),
            (always(realm()), 0, true),
            (reusable(realm()), 0, false),
            (reusable(realm()), 150, true),
            (always(reusable(realm())), 0, true),
            (reusable(realm()).with_one_time_nonces(true), 0, true),
        ] {
            let mut service = Service::new(realm);
            let mut answer = service.answer();
            answer.uncounted = uncounted;
            if !uncounted {
                answer.qop = None;
            }
            service.wait(age);
            let next = next_nonce(&service, &answer);
            assert_eq!(next.is_some(), due, "{age} with {:?}", service.realm);
            if let Some(next) = next {
                answer.nonce = next;
                assert_eq!(service.take(&answer), Ok(()));
            }
        }
    }
}

/// A nonce that is not good any more is answered by a challenge, not by a next nonce.
#[test]
fn a_refused_request_uses_up_no_next_nonce() {
    let mut service = Service::new(realm().with_next_nonce(NextNonce::Always));
    let old = service.answer();
    service.wait(301);
    let foreign = Answer::to("foreign");
    let mut expected = Service::new(realm());
    expected.now = service.now;
    // Skips what was minted above.
    expected.nonce();
    for answer in [old, foreign] {
        let refused = service.respond(answer.header(), &answer).unwrap_err();
        assert!(refused.is_stale());
        // Each request of the two minted once: for the challenge.
        assert_eq!(refused.nonce(), expected.nonce());
    }
}

#[test]
fn next_nonces_are_unique() {
    const REQUESTS: u32 = 10_000;
    let service = Service::new(realm().with_next_nonce(NextNonce::Always));
    let answer = service.answer();
    let mut seen = HashSet::from([answer.nonce.clone()]);
    for nc in 1..=REQUESTS {
        let next = next_nonce(&service, &answer.counted(nc)).unwrap();
        assert!(seen.insert(next), "{nc}");
        assert!(nc % 100 != 0 || seen.insert(service.nonce()));
    }
}

/// The next nonce, as the client reads it.
fn next_nonce(service: &Service, answer: &Answer) -> Option<String> {
    let header = answer.header();
    let grant = service.grant(&header, &answer.target()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown)?;
    let info = AuthenticationInfo::parse([&value]).unwrap();
    let is_rfc2069 = answer.qop.is_none();
    assert_eq!(info.rspauth().is_some(), !is_rfc2069);
    // As often as it is asked for, it is the same.
    assert_eq!(
        grant.authentication_info(EntityBody::Unknown),
        Some(value.clone())
    );
    let next = info.nextnonce()?;
    Some(next.to_str().unwrap().into_owned())
}

#[test]
fn the_next_nonce_is_bound_as_the_last() {
    let service = Service::new(realm().with_next_nonce(NextNonce::Always));
    let here = service.arrival().bound_to(b"here");
    let answer = Answer::to(&nonce_of(&service.challenges_at(&here)));
    let header = answer.header();
    let attempt = service.begin_at(Some(&header), &answer.target(), &here);
    let verified = attempt
        .unwrap()
        .verify(Some(ha1(HashFunction::Sha256)))
        .unwrap();
    let grant = service.nonces.borrow_mut().admit(verified).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown).unwrap();
    let info = AuthenticationInfo::parse([&value]).unwrap();
    let answer = Answer::to(&info.nextnonce().unwrap().to_str().unwrap());
    let header = answer.header();
    let elsewhere = here.bound_to(b"elsewhere");
    for (arrival, good) in [(here, true), (elsewhere, false)] {
        let target = answer.target();
        let attempt = service.begin_at(Some(&header), &target, &arrival);
        let outcome = attempt.unwrap().verify(Some(ha1(HashFunction::Sha256)));
        assert_eq!(outcome.is_ok(), good);
    }
}

/// A receipt is for a response that is made later or elsewhere, so it borrows nothing.
#[test]
fn a_receipt_says_what_its_grant_says() {
    fn owned<T: Clone + Send + Sync + 'static>(value: T) -> T {
        value
    }
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    let mut compared = 0;
    for &algorithm in Algorithm::ALL {
        for (qop, uncounted) in [
            (Some("auth"), false),
            (Some("auth-int"), false),
            (Some("auth"), true),
            (None, false),
        ] {
            if qop.is_none() && algorithm.is_session() {
                continue;
            }
            for next_nonce in [NextNonce::Never, NextNonce::WhenOld, NextNonce::Always] {
                for proxy in [false, true] {
                    let realm = realm()
                        .with_algorithms(&[algorithm])
                        .with_qop(QopSet::BOTH)
                        .with_rfc2069(true)
                        .with_uncounted_form(uncounted)
                        .with_next_nonce(next_nonce);
                    let realm = if proxy { realm.for_proxy() } else { realm };
                    let service = Service::new(realm);
                    let answer = Answer {
                        algorithm,
                        qop,
                        uncounted,
                        cnonce: r#"c"\"#.to_owned(),
                        uri: r#"/a"b\c"#.to_owned(),
                        ..service.answer()
                    };
                    let header = answer.header();
                    let target = answer.target();
                    let grant = service.grant(&header, &target).unwrap();
                    let receipt: Receipt = owned(grant.receipt());
                    let hash = hashed(algorithm.hash_function(), &[PAGE]);
                    for body in [
                        EntityBody::Unknown,
                        EntityBody::Bytes(PAGE),
                        EntityBody::Hashed(hash),
                    ] {
                        let value = grant.authentication_info(body);
                        assert_eq!(receipt.authentication_info(body), value);
                        assert_eq!(receipt.clone().authentication_info(body), value);
                        compared += u32::from(value.is_some());
                    }
                    let is_rfc2069 = qop.is_none();
                    let has_next = next_nonce != NextNonce::Never;
                    let value = receipt.authentication_info(EntityBody::Bytes(PAGE));
                    assert_eq!(value.is_some(), !is_rfc2069 || has_next);
                    assert_eq!(receipt.info_field(), grant.info_field());
                    let field = match proxy {
                        true => "proxy-authentication-info",
                        false => "authentication-info",
                    };
                    assert_eq!(receipt.info_field(), field);
                    let shown = format!("{receipt:?} {receipt:#?} {grant:?}");
                    for secret in [&answer.nonce, answer.response().as_str(), "auth-int", "/a"] {
                        assert!(!shown.contains(secret), "{shown}");
                    }
                    // Borrows nothing, if the account does not: it outlives header and service.
                    let (account, parted) = owned(grant.into_parts());
                    assert_eq!(account, ha1(algorithm.hash_function()));
                    drop((header, service));
                    let body = EntityBody::Bytes(PAGE);
                    assert_eq!(parted.authentication_info(body), value);
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
    // Basic has nothing to say, whenever it is said.
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    let header = support::basic_header(USER, PASSWORD);
    let grant = service.grant(&header, &Target::new("GET", "/")).unwrap();
    let receipt = owned(grant.receipt());
    assert_eq!(receipt.authentication_info(EntityBody::Bytes(PAGE)), None);
    assert_eq!(receipt.info_field(), "authentication-info");
}

/// A body that is too large for what is known of its sender: a nonce of ours first, then the body.
#[test]
fn the_nonce_is_judged_before_the_body_is_read() {
    let realm = realm()
        .with_qop(QopSet::BOTH)
        .with_basic(BasicOffer::Encrypted);
    let mut service = Service::new(realm);
    let ours = service.answer();
    let foreign = Answer::to("foreign");
    for (answer, wait, good, why) in [
        (&ours, 0, true, Rejection::BodyUnknown),
        (&foreign, 0, false, Rejection::NonceForeign),
        (&ours, 300, true, Rejection::BodyUnknown),
        (&ours, 1, false, Rejection::NonceExpired),
    ] {
        service.wait(wait);
        for (user, password) in [(USER, PASSWORD), (USER, "wrong"), ("nobody", "")] {
            let answer = Answer {
                user: user.to_owned(),
                password: password.to_owned(),
                qop: Some("auth-int"),
                body: b"26 MB".to_vec(),
                ..answer.clone()
            };
            let header = answer.header();
            let target = Target::new(&answer.method, &answer.uri);
            let attempt = service.begin(&header, &target).unwrap();
            assert_eq!(attempt.wants_body(), Some(HashFunction::Sha256));
            // Whoever sends it, and whatever the response is worth.
            assert_eq!(attempt.nonce_is_ours(), good, "{why}");
            let rejected = attempt.reject_unread();
            assert_eq!(rejected.rejection(), why);
            assert_eq!(rejected.claimed_user().unwrap().name(), Some(user));
            let refusal = service.refusal(&rejected);
            if good {
                assert_eq!(refusal.status, 500);
                continue;
            }
            // An honest client comes back with a nonce that is good, and nobody is asked.
            assert_eq!(refusal.status, 401);
            let values = support::server::texts(&refusal);
            assert!(support::server::is_stale(&values));
            let again = Answer {
                nonce: nonce_of(&values),
                ..answer.clone()
            };
            let header = again.header();
            let attempt = service.begin(&header, &target).unwrap();
            assert!(attempt.nonce_is_ours());
            let attempt = attempt.with_body(hashed(HashFunction::Sha256, &[b"26 MB"]));
            let expected = (user, password) == (USER, PASSWORD);
            let known = Some(ha1(HashFunction::Sha256)).filter(|_| user == USER);
            assert_eq!(attempt.verify(known).is_ok(), expected);
        }
    }
    assert_eq!(service.len(), 0, "it remembers nothing");
    // Basic has no nonce to judge.
    let header = support::basic_header(USER, PASSWORD);
    let target = Target::new("GET", "/");
    let attempt = service.begin(&header, &target).unwrap();
    assert!(attempt.nonce_is_ours());
    let rejected = attempt.reject_unread();
    assert_eq!(rejected.rejection(), Rejection::BodyUnknown);
}

/// Against the client of this crate: it takes the proof, and the next nonce.
#[test]
fn the_own_client_is_satisfied() {
    const PAGE: &[u8] = b"page";
    for &algorithm in Algorithm::ALL {
        for qop in [QopSet::AUTH, QopSet::AUTH_INT, QopSet::BOTH] {
            for challenger in [Challenger::Origin, Challenger::Proxy] {
                let realm = realm().with_algorithms(&[algorithm]).with_qop(qop);
                let realm = match challenger {
                    Challenger::Origin => realm,
                    Challenger::Proxy => realm.for_proxy(),
                };
                for server in [realm.clone(), realm.with_one_time_nonces(true)] {
                    let service = Service::new(server);
                    let endpoint = match challenger {
                        Challenger::Origin => home(),
                        Challenger::Proxy => Endpoint::proxy("https", "example.com", 3128),
                    };
                    let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
                    converse(&service, &mut client, challenger, PAGE);
                }
            }
        }
    }
    assert_eq!(Challenger::Origin.info_field(), "authentication-info");
    assert_eq!(Challenger::Proxy.info_field(), "proxy-authentication-info");
}

/// Three requests, the first of which is refused, and what the server says to each.
fn converse(service: &Service, client: &mut Client, challenger: Challenger, page: &[u8]) {
    let target = Target::new("POST", "/form").with_body(EntityBody::Bytes(b"a=1"));
    let arrival = service.arrival();
    let rejected = service
        .begin_at(None::<&str>, &target, &arrival)
        .unwrap_err();
    let refusal = service.refusal(&rejected);
    assert_eq!(refusal.status, challenger.status());
    assert_eq!(refusal.field, challenger.challenge_field());
    let values = refusal.challenges;
    let mut exchange = Exchange::new();
    let next = client.challenged(&mut exchange, &values);
    let ask = ask_of(&next).expect("a login is asked for");
    client.login(ask, USER, PASSWORD).unwrap();
    let mut nonces = Vec::new();
    for _ in 0..3 {
        let answer = client.authorize(&mut exchange, &target).unwrap();
        let header = answer.unwrap().as_bytes().to_vec();
        let grant = service.grant(&header, &target).unwrap();
        assert_eq!(grant.info_field(), challenger.info_field());
        let value = grant.authentication_info(EntityBody::Bytes(page)).unwrap();
        let info = AuthenticationInfo::parse([&value]).unwrap();
        nonces.extend(
            info.nextnonce()
                .map(|next| next.to_str().unwrap().into_owned()),
        );

        let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
            panic!("{header:?}");
        };
        let ha1 = ha1(sent.algorithm().hash_function());
        let expected = sent
            .expected_rspauth(&ha1, EntityBody::Bytes(page))
            .unwrap();
        assert!(
            AuthenticationInfo::parse([&value])
                .unwrap()
                .proves(&expected)
        );
        let without_body = sent.expected_rspauth(&ha1, EntityBody::Unknown);
        assert_eq!(without_body.is_none(), sent.qop() == Some(Qop::AuthInt));

        let seen = client.accepted(&mut exchange, [&value], EntityBody::Bytes(page));
        assert_eq!(seen, Ok(ServerProof::Valid), "{value:?}");
        exchange = Exchange::new();
    }
    nonces.sort();
    let said = nonces.len();
    nonces.dedup();
    assert_eq!(nonces.len(), said);
}
