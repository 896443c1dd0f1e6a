//! `qop=auth-int` and `Authentication-Info`: bodies on both ways, the server's own proof, and the
//! nonce to use next.

use countersign::digest::{Algorithm, BodyHasher, HashFunction, HexDigest, QopSet};
use countersign::server::{Attempt, Quirk, Reason, Receipt};
use countersign::wire::{AuthenticationInfo, QopParams};
use countersign::{Authorization, EntityBody, FieldValue, Target};

use crate::support::basic_header;
use crate::support::digest::{body_hash, key, proof_for, rspauth};
use crate::support::server::{
    Answer, PASSWORD, START, Service, USER, Why, ha1, octets_with_response, realm, texts,
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
fn a_request_body_in_one_piece_or_many() {
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

            // With the request, as bytes or as a hash.
            let empty = body.is_empty().then_some(EntityBody::Empty);
            let known = [EntityBody::Bytes(body), EntityBody::Hashed(digest)];
            for known in known.into_iter().chain(empty) {
                assert_eq!(begin(known).required_body_hash_function(), None);
                assert_eq!(verify(begin(known)), Ok(()));
            }
            // Not at all, or hashed by another function.
            let other = HashFunction::ALL.iter().find(|it| **it != hash).unwrap();
            for unknown in [
                EntityBody::Unknown,
                EntityBody::Hashed(hashed(*other, &chunks)),
            ] {
                assert_eq!(begin(unknown).required_body_hash_function(), Some(hash));
                assert_eq!(verify(begin(unknown)), Err(Reason::BodyUnknown));
            }
            // Another one.
            let outcome = verify(begin(EntityBody::Bytes(b"other")));
            assert_eq!(outcome, Err(Reason::WrongCredentials));
        }
    }
}

/// A body that is too large for what is known of its sender: a nonce of ours first, then the body.
#[test]
fn the_nonce_is_judged_before_the_body_is_read() {
    let realm = realm().with_qop(QopSet::BOTH).with_basic();
    let mut service = Service::new(realm);
    let ours = service.answer();
    let foreign = Answer::to("foreign");
    let target = Target::new("POST", "/a?b=c");
    for (answer, wait, good, why) in [
        (&ours, 0, true, Reason::BodyUnknown),
        (&foreign, 0, false, Reason::NonceForeign),
        (&ours, 300, true, Reason::BodyUnknown),
        (&ours, 1, false, Reason::NonceExpired),
    ] {
        service.wait(wait);
        // Whoever sends it, and whatever the response is worth.
        for user in [USER, "nobody"] {
            let answer = Answer {
                user: user.to_owned(),
                qop: Some("auth-int"),
                ..answer.clone()
            };
            let header = answer.header();
            let attempt = service.begin(&header, &target).unwrap();
            let hash = Some(HashFunction::Sha256);
            assert_eq!(attempt.required_body_hash_function(), hash);
            assert_eq!(attempt.nonce_is_fresh(), good, "{why}");
            let refusal = attempt.reject_unread();
            let status = if good { 500 } else { 401 };
            assert_eq!((refusal.reason, refusal.status), (why, status));
            assert_eq!(texts(&refusal).is_empty(), good);
        }
    }
    assert_eq!(service.len(), 0, "it remembers nothing");
    // Basic has no nonce to judge.
    let header = basic_header(USER, PASSWORD);
    let attempt = service.begin(&header, &target).unwrap();
    assert!(attempt.nonce_is_fresh());
    assert_eq!(attempt.reject_unread().reason, Reason::BodyUnknown);
}

/// When a nonce is old, and with each use of a nonce that is good for one request.
#[test]
fn when_the_next_nonce_is_sent() {
    let with = |quirks: &[Quirk]| realm().with_quirks(quirks);
    let (uncounted, rfc2069) = (Quirk::UncountedForm, Quirk::Rfc2069);
    let reusable = Quirk::ReplayableNonces;
    // The form, where c is counted, u uncounted and r that of RFC 2069; and the age in milliseconds.
    for (realm, form, age, due) in [
        (realm(), 'c', 0, false),
        (realm(), 'c', 149_999, false),
        (realm(), 'c', 150_000, true),
        (realm(), 'c', 300_000, true),
        (realm().with_nonce_lifetime(1), 'c', 499, false),
        (realm().with_nonce_lifetime(1), 'c', 500, true),
        (realm().with_nonce_lifetime(0), 'c', 0, true),
        (realm().with_one_time_nonces(true), 'c', 0, true),
        // A form that was not used needs none.
        (with(&[uncounted]), 'c', 0, false),
        (with(&[rfc2069]), 'c', 0, false),
        (with(&[uncounted]), 'c', 150_000, true),
        (with(&[uncounted]), 'u', 0, true),
        (with(&[uncounted, reusable]), 'u', 0, false),
        (with(&[rfc2069]), 'r', 0, true),
        (with(&[rfc2069, reusable]), 'r', 0, false),
        (with(&[rfc2069, reusable]), 'r', 150_000, true),
        (
            with(&[rfc2069, reusable]).with_one_time_nonces(true),
            'r',
            0,
            true,
        ),
    ] {
        let mut service = Service::new(realm);
        let mut answer = Answer {
            qop: (form != 'r').then_some("auth"),
            uncounted: form == 'u',
            ..service.answer()
        };
        service.now = START.plus_millis(age);
        let next = next_nonce(&service, &answer);
        assert_eq!(next.is_some(), due, "{form} at {age}, {:?}", service.realm);
        if let Some(next) = next {
            answer.nonce = next;
            assert_eq!(service.take(&answer), Ok(()));
        }
    }
}

/// The next nonce, as the client reads it.
fn next_nonce(service: &Service, answer: &Answer) -> Option<String> {
    let header = answer.header();
    let grant = service.grant(&header, &answer.target()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown)?;
    let info = AuthenticationInfo::parse([&value]).unwrap();
    assert_eq!(info.rspauth.is_some(), answer.qop.is_some());
    let next = info.nextnonce?;
    Some(next.to_str().unwrap().into_owned())
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
                let quirks = [Quirk::UncountedForm, Quirk::ReplayableNonces];
                service.realm = service.realm.with_quirks(&quirks);
                answer.qop = Some(qop);
                answer.uncounted = uncounted;
                answer.cnonce = r#"c"\"#.to_owned();
                let header = answer.header();
                let grant = service.grant(&header, &answer.target()).unwrap();
                let value = grant.authentication_info(EntityBody::Bytes(PAGE)).unwrap();
                let info = AuthenticationInfo::parse([&value]).unwrap();

                let hash = algorithm.hash_function();
                let protection = QopParams::new(qop, &answer.nc, &answer.cnonce).unwrap();
                let body = body_hash(algorithm, Some(&protection), PAGE);
                let (nonce, cnonce) = (answer.nonce.as_bytes(), answer.cnonce.as_bytes());
                let key = key(algorithm, &ha1(hash), nonce, cnonce);
                let counted = Some(&protection).filter(|_| !uncounted);
                let expected = rspauth(&key, nonce, counted, answer.uri.as_bytes(), body.as_ref());
                assert!(info.has_proof(&expected), "{algorithm} {qop} {uncounted}");
                assert_ne!(expected, answer.response());
                assert_eq!(info.cnonce.unwrap(), answer.cnonce.as_str());
                assert_eq!(info.nc, Some(1));
                assert_eq!(info.qop.map(|it| it.to_string()).as_deref(), Some(qop));
                assert!(info.nextnonce.is_none());

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
    assert_eq!(info.cnonce.unwrap().to_bytes(), b"\xe9".as_slice());
    let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
        panic!("{header:?}");
    };
    let expected = proof_for(&sent, &ha1(HashFunction::Sha256), b"");
    assert!(info.has_proof(&expected));
    let (_, receipt) = grant.into_parts();
    let again = receipt.authentication_info(EntityBody::Unknown);
    assert_eq!(again, Some(value));
}

/// A receipt is for a response that is made later or elsewhere, so it borrows nothing. RFC 2069 has no
/// proof, and Basic has nothing to say.
#[test]
fn a_receipt_says_what_its_grant_says() {
    fn owned<T: Clone + Send + Sync + 'static>(value: T) -> T {
        value
    }
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    let hash = hashed(HashFunction::Sha256, &[PAGE]);
    let bodies = [
        EntityBody::Unknown,
        EntityBody::Bytes(PAGE),
        EntityBody::Hashed(hash),
    ];
    // How many of the bodies are said something of, without and with a next nonce.
    for (scheme, qop, uncounted, said) in [
        ("Digest", Some("auth"), false, [3, 3]),
        ("Digest", Some("auth-int"), false, [2, 3]),
        ("Digest", Some("auth"), true, [3, 3]),
        ("Digest", None, false, [0, 3]),
        ("Basic", None, false, [0, 0]),
    ] {
        for (has_next, said) in [false, true].into_iter().zip(said) {
            let mut quirks = vec![Quirk::Rfc2069];
            quirks.extend(uncounted.then_some(Quirk::UncountedForm));
            quirks.extend((!has_next).then_some(Quirk::ReplayableNonces));
            let realm = realm()
                .with_qop(QopSet::BOTH)
                .with_quirks(&quirks)
                .with_one_time_nonces(has_next)
                .with_basic();
            // Each is a proxy once.
            let realm = if has_next { realm.for_proxy() } else { realm };
            let service = Service::new(realm);
            let answer = Answer {
                qop,
                uncounted,
                cnonce: r#"c"\"#.to_owned(),
                uri: r#"/a"b\c"#.to_owned(),
                ..service.answer()
            };
            let header = match scheme {
                "Basic" => basic_header(USER, PASSWORD),
                _ => answer.header(),
            };
            let target = answer.target();
            let grant = service.grant(&header, &target).unwrap();
            let field = match has_next {
                true => "proxy-authentication-info",
                false => "authentication-info",
            };
            assert_eq!(grant.info_field(), field);
            let values = bodies.map(|body| grant.authentication_info(body));
            assert_eq!(values.iter().flatten().count(), said, "{scheme} {qop:?}");
            let shown = |value: &FieldValue| value.to_str().unwrap().contains("rspauth=");
            let proofs = values.iter().flatten().filter(|value| shown(value)).count();
            let expected = match qop {
                Some("auth-int") => 2,
                Some(_) => 3,
                None => 0,
            };
            assert_eq!(proofs, expected, "{scheme} {qop:?}");
            // It outlives header and service.
            let shown = format!("{grant:?}");
            let (account, receipt) = owned::<(_, Receipt)>(grant.into_parts());
            assert_eq!(account, ha1(HashFunction::Sha256));
            drop((header, service));
            for (body, value) in bodies.into_iter().zip(&values) {
                assert_eq!(receipt.clone().authentication_info(body), *value);
            }
            assert_eq!(receipt.info_field(), field);
            let shown = format!("{receipt:?} {receipt:#?} {shown}");
            for secret in [&answer.nonce, answer.response().as_str(), "auth-int", "/a"] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }
}
