//! The duties of `docs/security.md`, as far as code can show them: what goes wrong if they
//! are neglected, and how to fulfil them.

use countersign::client::{Endpoint, Policy, SkipReason, Strength};
use countersign::digest::{Ha1, User, userhash};
use countersign::server::{Arrival, Authenticator, Realm, Rejection, UriCheck};
use countersign::{Channel, EntityBody, Scheme, Target, raw_challenges};

use crate::support::client::{Dialog, Said, challenge, home, skipped};
use crate::support::server::{
    Answer, PASSWORD, REALM, START, Service, USER, authenticator, is_stale, look_up, no_field,
    nonce_of, quoted, realm, texts,
};

mod one_time_nonces_for_some_methods;

/// RFC 9110, section 15.5.2: a 401 has a challenge. A server that offers nothing on a channel has
/// none to give, and its refusal says 403. So the caller has no duty here but to send what it gets.
#[test]
fn without_a_challenge_the_status_is_403() {
    let no_digest = || realm().with_algorithms(&[]);
    let basic = no_digest().with_basic();
    for (realm, on_cleartext, on_encrypted) in [
        (realm(), 401, 401),
        (basic, 403, 401),
        (no_digest(), 403, 403),
    ] {
        let mut service = Service::new(realm);
        for (channel, expected) in [
            (Channel::Cleartext, on_cleartext),
            (Channel::Encrypted, on_encrypted),
        ] {
            service.channel = channel;
            for header in ["Bearer abc", "Basic dTpw", "Digest a=b"] {
                let refused = service.respond(header, &Answer::to("")).unwrap_err();
                let refusal = refused.refusal;
                // Of a Digest header that is missing everything.
                let expected = match refused.why {
                    Rejection::Header(_) => 400,
                    _ => expected,
                };
                assert_eq!(refusal.status, expected, "{header}");
                assert_eq!(refusal.challenges.is_empty(), expected != 401);
            }
        }
    }
}

/// A router may have taken a prefix off the target, and libraries show that of HTTP/2 in absolute
/// form. What the response covers is what the client sent; Basic, which covers nothing, works
/// either way, so it is Digest that fails.
#[test]
fn the_target_is_the_one_on_the_wire_not_the_routed_one() {
    let sent: http::Uri = "https://example.com/admin/x?y=z".parse().unwrap();
    let path_and_query = sent.path_and_query().unwrap().as_str();
    let absolute = sent.to_string();
    let basic = crate::support::basic_header(USER, PASSWORD);
    let exact = || realm().with_basic();
    let lenient = || exact().with_uri_check(UriCheck::PathAndQuery);
    for (realm, target, expected) in [
        (exact(), path_and_query, Ok(())),
        (exact(), "/x?y=z", Err(Rejection::UriMismatch)),
        (exact(), "/admin/x", Err(Rejection::UriMismatch)),
        (exact(), &absolute, Err(Rejection::UriMismatch)),
        (lenient(), &absolute, Ok(())),
        (lenient(), "/x?y=z", Err(Rejection::UriMismatch)),
        (exact().for_proxy(), &absolute, Ok(())),
        (
            exact().for_proxy().with_uri_check(UriCheck::Exact),
            &absolute,
            Err(Rejection::UriMismatch),
        ),
        (lenient().for_proxy(), &absolute, Ok(())),
    ] {
        let service = Service::new(realm);
        let answer = Answer {
            uri: path_and_query.to_owned(),
            ..service.answer()
        };
        let routed = Answer {
            uri: target.to_owned(),
            ..answer.clone()
        };
        let outcome = service.respond(answer.header(), &routed);
        if let Err(refused) = &outcome {
            assert_eq!(refused.refusal.status, 400, "{target}");
        }
        let outcome = outcome.map_err(|refused| refused.why);
        assert_eq!(outcome, expected, "{target}");
        assert_eq!(service.take_header(&basic, &routed), Ok(()), "{target}");
    }
}

/// RFC 7616, section 3.4: failed logins are logged. The attempt has the name, as the client spelt
/// it. It is written with escapes, so it cannot forge a line of the log.
#[test]
fn the_name_of_a_failed_login_is_in_the_attempt() {
    let service = Service::new(realm());
    let answer = Answer {
        user: "Mufasa\"\u{2028}granted: Mufasa".to_owned(),
        password: "wrong".to_owned(),
        ..service.answer()
    };
    let header = answer.header();
    let target = answer.target();
    let attempt = service.begin(&header, &target).unwrap();
    let claimed = attempt.claimed_user();
    let rejected = attempt.verify(None::<Ha1>).unwrap_err();
    assert!(rejected.reason.is_guess());
    let line = format!("{claimed}: {rejected}");
    assert_eq!(
        line,
        r#""Mufasa\"\u{2028}granted: Mufasa": unknown user or wrong credentials"#
    );
}

/// Over UDP anyone can forge an address. A server that checks a response only if its sender has
/// received a nonce at that address counts no guess against somebody else, and tells a guesser
/// nothing.
#[test]
fn what_comes_from_a_forged_address_is_refused_unread() {
    let service = Service::new(realm());
    let arrival = |peer| service.arrival().bound_to(peer);
    let nonce = nonce_of(&service.challenges_at(arrival(b"victim")));
    for (peer, nonce, is_read) in [
        (b"victim", &*nonce, true),
        (b"forger", &*nonce, false),
        (b"victim", "invented", false),
    ] {
        let refused = ["Circle of Lies", PASSWORD].map(|password| {
            let password = password.to_owned();
            let answer = Answer {
                password,
                ..Answer::to(nonce)
            };
            let (header, target) = (answer.header(), answer.target());
            let attempt = service
                .begin_at(Some(&header), &target, arrival(peer))
                .unwrap();
            assert_eq!(attempt.nonce_is_fresh(), is_read);
            // What checking it would tell.
            let ha1 = look_up(&attempt);
            let told = attempt
                .clone()
                .verify(ha1)
                .map(drop)
                .map_err(|it| it.reason);
            (told, attempt.reject_unread().reason)
        });
        let [wrong, right] = refused;
        assert_ne!(wrong.0, right.0);
        assert_eq!(wrong.1, right.1);
    }
}

/// RFC 7616, section 3.4.4: a server that asked for hashed names may refuse clear ones.
#[test]
fn unhashed_user_names_are_refused_by_not_looking_them_up() {
    let service = Service::new(realm().with_userhash(true));
    let answer = service.answer();
    let hashed = userhash(answer.algorithm.hash_function(), USER, REALM);
    let by_hash = answer
        .params()
        .with("username", quoted(hashed.as_str()))
        .with("userhash", "true")
        .to_string();
    for (header, granted) in [(answer.header(), false), (by_hash, true)] {
        let target = answer.target();
        let attempt = service.begin(&header, &target).unwrap();
        let ha1 = match attempt.claimed_user() {
            User::Hash(_) => look_up(&attempt),
            // Takes the work of a wrong password.
            _ => None,
        };
        assert_eq!(attempt.verify(ha1).is_ok(), granted, "{header}");
    }
}

/// Where names are mapped, two that differ as typed can be one account.
#[cfg(feature = "precis")]
#[test]
fn a_name_is_taken_if_its_mapped_form_is() {
    use countersign::digest::{Ha1, HashFunction};
    use countersign::precis;

    let service = Service::new(realm());
    let mut store = std::collections::BTreeMap::new();
    for (typed, password) in [(USER, PASSWORD), ("Ｍｕｆａｓａ", "another")] {
        let mapped = precis::username(typed);
        let is_free = !store.contains_key(&*mapped);
        assert_eq!(is_free, typed == USER, "{typed}");
        // The duty neglected: the typed name is new in both cases, and the account is replaced.
        let ha1 = Ha1::new(HashFunction::Sha256, &*mapped, REALM, password);
        store.insert(mapped.into_owned(), ha1);
    }
    let answer = service.answer();
    assert_eq!(answer.user, USER);
    let header = answer.header();
    let target = answer.target();
    let attempt = service.begin(&header, &target).unwrap();
    let stored = attempt
        .claimed_user()
        .name()
        .and_then(|name| store.get(name))
        .cloned();
    let refused = attempt.verify(stored).map(drop).unwrap_err();
    assert_eq!(refused.reason, Rejection::WrongCredentials, "locked out");
}

/// Any account can fill the table. The others pay a round trip each, and no replay gets in.
#[test]
fn one_account_can_evict_the_nonces_of_all_others() {
    const CAPACITY: usize = 20;
    // Every name is an account, with the password that its answer was made with.
    fn take(service: &Service, answer: &Answer) -> Result<(), (Rejection, Vec<String>)> {
        let header = answer.header();
        let target = answer.target();
        let granted = service.begin(&header, &target).and_then(|attempt| {
            let account = Some(answer);
            attempt.verify_password(account, |account| (&account.user, &account.password))
        });
        let granted = granted.and_then(|verified| service.auth.admit(verified));
        let refused = granted.map(drop);
        refused.map_err(|rejected| (rejected.reason, rejected))
    }
    let mut service = Service::new(realm()).with_capacity(CAPACITY);
    let captured = service.answer();
    assert_eq!(take(&service, &captured), Ok(()));
    let unused = service.answer();
    for _ in 0..CAPACITY {
        service.wait(1);
        let guest = Answer {
            user: "guest".to_owned(),
            password: "guest".to_owned(),
            ..service.answer()
        };
        assert_eq!(take(&service, &guest), Ok(()));
    }
    assert_eq!(service.len(), CAPACITY);
    for answer in [captured.clone(), captured.counted(2), unused] {
        let (why, challenges) = take(&service, &answer).unwrap_err();
        assert!(matches!(why, Rejection::NonceForgotten { .. }), "{why}");
        assert!(is_stale(&challenges));
        let again = Answer::to(&nonce_of(&challenges));
        assert_eq!(take(&service, &again), Ok(()), "one round trip later");
    }
}

/// A Digest challenge that cannot be read is skipped, and Basic beside it is taken: that gives the
/// server, or whoever spoilt the challenge, the password.
#[test]
fn basic_beside_an_unreadable_challenge_reveals_the_password() {
    let basic = r#"Basic realm="r""#;
    for unreadable in [
        challenge("n1", r#", nonce="n2""#),
        challenge("n1", r#", opaque="not closed"#),
        challenge("n1", ", algorithm=MD5"),
    ] {
        let values = [unreadable.as_str(), basic];
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged(values), Said::Login, "{unreadable}");
        dialog.login();
        assert_eq!(dialog.send("/").expect("an answer").scheme, "Basic");

        let mut dialog = Dialog::new(Policy::new().require_strength(Strength::DigestRfc2069));
        let next = dialog.challenged(values);
        let reasons = skipped(&next);
        assert!(matches!(reasons[0], SkipReason::Header(_)), "{reasons:?}");
    }
    // A readable one goes first, wherever it stands.
    let mut dialog = Dialog::new(Policy::new());
    let readable = challenge("n1", "");
    assert_eq!(dialog.challenged([basic, &readable]), Said::Login);
    dialog.login();
    assert_eq!(dialog.send("/").expect("an answer").scheme, "Digest");
}

/// A strong realm with a valid proof does not keep another user of the origin from asking for the
/// password in a realm of their own: the caller must look at the realm.
#[test]
fn a_realm_of_another_user_of_the_origin_gets_the_password() {
    let proved = || {
        let mut dialog = Dialog::logged_in(Policy::new(), &challenge("n1", ""));
        dialog.send("/files/x");
        dialog.accepted(&dialog.proof()).unwrap();
        assert_eq!(dialog.client.strength(), Strength::DigestSha2);
        dialog.next_exchange();
        dialog.send("/~mallory/");
        dialog
    };
    let mut dialog = proved();
    let next = dialog.challenged([r#"Basic realm="r""#]);
    assert_eq!(skipped(&next), [SkipReason::BelowStrength]);

    let mut dialog = proved();
    assert_eq!(dialog.challenged([r#"Basic realm="x""#]), Said::Login);
    let ask = dialog.ask();
    assert_eq!(*ask.endpoint(), home());
    assert_ne!(ask.realm(), b"r", "that is what tells them apart");
    dialog.login();
    assert_eq!(
        dialog.send("/~mallory/").expect("an answer").scheme,
        "Basic"
    );
}

/// Before the account's realm has proved Digest, another user of the origin can ask for the password
/// in a realm of either name: the caller must look at the scheme, or exclude Basic.
#[test]
fn before_a_proof_the_same_realm_gets_the_password_by_basic() {
    let asks = [r#"Basic realm="r""#, r#"Basic realm="x""#];
    for ask in asks {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.client.strength(), Strength::Nothing);
        dialog.send("/~mallory/");
        assert_eq!(dialog.challenged([ask]), Said::Login);
        assert_eq!(
            dialog.ask().scheme(),
            Scheme::Basic,
            "what tells them apart"
        );
        dialog.login();
        assert_eq!(
            dialog.send("/~mallory/").expect("an answer").scheme,
            "Basic"
        );

        let mut dialog = Dialog::new(Policy::new().require_strength(Strength::DigestRfc2069));
        dialog.send("/~mallory/");
        let next = dialog.challenged([ask]);
        assert_eq!(skipped(&next), [SkipReason::Basic], "{ask}");
        assert_eq!(dialog.send("/~mallory/"), None, "{ask}");
    }
    // A server without `Authentication-Info` never proves anything.
    let mut dialog = Dialog::logged_in(Policy::new(), &challenge("n1", ""));
    dialog.send("/files/x");
    dialog.accepted("").unwrap();
    assert_eq!(dialog.client.strength(), Strength::Nothing);
    dialog.next_exchange();
    dialog.send("/~mallory/");
    assert_eq!(dialog.challenged([asks[0]]), Said::Login);
    assert_eq!(dialog.ask().scheme(), Scheme::Basic);
}

/// RFC 9110, section 4.2.4: no userinfo in a request-target. A client gives nothing for one.
#[test]
fn userinfo_in_a_request_target_is_not_answered() {
    let mut dialog = Dialog::logged_in(Policy::new(), &challenge("n1", ""));
    for _ in 0..2 {
        assert_eq!(dialog.send("https://user:password@example.com/a"), None);
        dialog.next_exchange();
    }
    assert!(dialog.send("https://example.com/a").is_some());
}

/// RFC 7616, section 3.6, and RFC 9110, section 11.6: a proxy forwards these fields untouched.
/// Writing anew what was read changes them.
#[test]
fn rewriting_a_parsed_header_changes_it() {
    let came = "Digest\trealm=\"a\\b\",nonce=n ,  qop=\"auth\"";
    let read = raw_challenges([came]).next().unwrap().unwrap();
    assert_ne!(read.to_field_value(), came);
}

/// RFC 9110, section 11.7.2: credentials for a proxy are for it alone. An origin that gets them can
/// try passwords on them, and its 407, if it is passed on, ends the login at the proxy.
#[test]
fn an_origin_must_neither_get_credentials_for_a_proxy_nor_ask_for_them() {
    let proxy = Endpoint::proxy("https", "proxy.example", 3128);
    let uri = "http://example.com/a";
    let mut dialog = Dialog::at(&proxy, Policy::new());
    assert_eq!(dialog.challenged([&challenge("n1", "")]), Said::Login);
    dialog.login_as(USER, PASSWORD).unwrap();
    let forwarded = dialog.send(uri).expect("an answer");
    let target = Target::new("GET", uri);
    for (guess, is_right) in [("Circle of Lies", false), (PASSWORD, true)] {
        assert_eq!(forwarded.is_right(USER, guess, &target), is_right);
    }
    assert!(dialog.would_send(uri).is_some());
    let of_the_origin = challenge("n2", "");
    assert_eq!(dialog.challenged([&of_the_origin]), Said::WrongCredentials);
    dialog.next_exchange();
    assert_eq!(dialog.send(uri), None);
}
