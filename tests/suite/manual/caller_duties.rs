//! The duties of `docs/security.md`, as far as code can show them: what goes wrong if they
//! are neglected, and how to fulfil them.

use countersign::client::{Policy, SkipReason, Strength};
use countersign::digest::{Ha1, User, userhash};
use countersign::server::Reason;
use countersign::{Scheme, raw_challenges};

use crate::support::client::{Dialog, Said, accept, challenge, home, skipped};
use crate::support::server::{Answer, REALM, Service, USER, is_stale, look_up, quoted, realm};

mod one_time_nonces_for_some_methods;

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
    let line = format!("{claimed}: {}", rejected.reason);
    assert_eq!(
        line,
        r#""Mufasa\"\u{2028}granted: Mufasa": unknown user or wrong credentials"#
    );
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

/// Another user of the origin can ask for the password in a realm of their own, and before the
/// account's realm has proved Digest in that one, too: the caller must look at realm and scheme, or
/// exclude Basic.
#[test]
fn a_realm_of_another_user_of_the_origin_gets_the_password() {
    // Nobody has answered yet; a server without `Authentication-Info`; and one that proves itself.
    for (is_proved, realm) in [
        (None, "r"),
        (Some(false), "r"),
        (Some(true), "r"),
        (None, "x"),
    ] {
        let asked = |policy| {
            let mut dialog = Dialog::new(policy);
            if let Some(is_proved) = is_proved {
                accept(&mut dialog.client, &challenge("n1", ""), is_proved);
            }
            dialog.send("/~mallory/");
            let said = dialog.challenged([&format!(r#"Basic realm="{realm}""#)]);
            (dialog, said)
        };
        let (mut dialog, said) = asked(Policy::new());
        if is_proved == Some(true) {
            assert_eq!(skipped(&said), [SkipReason::BelowStrength]);
            continue;
        }
        assert_eq!(said, Said::Login);
        // The endpoint, the scheme and the realm of the ask tell the user what the password is for.
        let ask = dialog.ask();
        assert_eq!((ask.endpoint(), ask.scheme()), (&home(), Scheme::Basic));
        assert_eq!(ask.realm(), realm.as_bytes());
        dialog.login();
        let sent = dialog.send("/~mallory/").expect("an answer");
        assert_eq!(sent.scheme, "Basic");

        let (_, said) = asked(Policy::new().require_strength(Strength::DigestRfc2069));
        assert_eq!(skipped(&said), [SkipReason::BelowStrength]);
    }
}

/// RFC 7616, section 3.6, and RFC 9110, section 11.6: a proxy forwards these fields untouched.
/// Writing anew what was read changes them.
#[test]
fn rewriting_a_parsed_header_changes_it() {
    let came = "Digest\trealm=\"a\\b\",nonce=n ,  qop=\"auth\"";
    let read = raw_challenges([came]).next().unwrap().unwrap();
    assert_ne!(read.to_field_value(), came);
}
