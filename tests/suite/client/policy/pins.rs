//! Pins: the strength that a server once had is what it is held to.

use countersign::client::{Policy, Quirk, ServerProof, SkipReason, Strength};
use countersign::{EntityBody, Target};

use super::{BASIC, legacy, with_algorithm};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge, required, skipped};

/// A server that has proved itself to the first request, before the second.
fn proved(policy: Policy) -> Dialog {
    let mut dialog = Dialog::logged_in(policy, CHALLENGE);
    dialog.send("/");
    dialog.accepted(&dialog.proof()).unwrap();
    dialog.next_exchange();
    dialog.send("/");
    dialog
}

/// What was counted must stay so: whoever takes the qop out of a challenge gets no request that
/// they could send again.
#[test]
fn a_challenge_with_its_qop_taken_out_is_not_answered() {
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    for more in ["", ", stale=true"] {
        let next = proved(policy).challenged([&(legacy("n2") + more)]);
        assert_eq!(skipped(&next), [SkipReason::BelowStrength]);
        // Without a proof it may be what the server is. But the credentials do not follow by
        // themselves.
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        dialog.send("/");
        dialog.goes_on();
        dialog.send("/");
        assert_eq!(dialog.challenged([&(legacy("n2") + more)]), Said::Login);
        assert_eq!(dialog.send("/"), None);
    }
    // A device that never knew better stays what it is.
    let mut dialog = Dialog::logged_in(policy, &legacy("n1"));
    for n in 2..5 {
        assert!(dialog.send("/").is_some());
        dialog.goes_on();
        assert_eq!(dialog.challenged([&legacy(&format!("n{n}"))]), Said::Retry);
    }
}

#[test]
fn a_pin_rises_with_a_proof() {
    for (value, pin) in [
        #[cfg(feature = "md5")]
        (&*with_algorithm("MD5"), Strength::DigestMd5),
        (CHALLENGE, Strength::DigestSha2),
        (&*with_algorithm("SHA-512-256-sess"), Strength::DigestSha2),
    ] {
        // Not when they are asked for, chosen, sent or accepted, nor where the proof is wrong.
        let mut dialog = Dialog::logged_in(Policy::new(), value);
        dialog.clone().accepted("").unwrap();
        dialog.send("/");
        assert_eq!(required(&mut dialog.client, "r"), Strength::Nothing);
        let wrong = format!("rspauth={}", "0".repeat(64));
        for info in ["", &wrong] {
            let mut dialog = dialog.clone();
            assert_eq!(dialog.accepted(info).is_ok(), info.is_empty());
            assert_eq!(required(&mut dialog.client, "r"), Strength::Nothing);
        }
        dialog.accepted(&dialog.proof()).unwrap();
        assert_eq!(required(&mut dialog.client, "r"), pin);
        dialog.logout();
        assert_eq!(required(&mut dialog.client, "r"), pin);
    }
}

/// Neither does what comes without a proof, and what was proved by less.
#[test]
fn what_was_proved_stays() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    for is_proven in [true, false, false, true] {
        dialog.send("/");
        let proof = dialog.proof();
        dialog
            .accepted(if is_proven { &proof } else { "" })
            .unwrap();
        dialog.next_exchange();
        assert_eq!(required(&mut dialog.client, "r"), Strength::DigestSha2);
        assert_eq!(
            skipped(&dialog.challenged([BASIC])),
            [SkipReason::BelowStrength]
        );
    }
    // An answer that was in flight before is proved by less.
    #[cfg(feature = "md5")]
    {
        let mut dialog = Dialog::logged_in(Policy::new(), &with_algorithm("MD5"));
        dialog.send("/");
        let (md5, proof) = (dialog.keep(), dialog.proof());
        dialog.next_exchange();
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login();
        dialog.send("/");
        dialog.accepted(&dialog.proof()).unwrap();
        dialog.resume(md5);
        assert_eq!(dialog.accepted(&proof), Ok(ServerProof::Valid));
        assert_eq!(required(&mut dialog.client, "r"), Strength::DigestSha2);
    }
}

/// Eight realms are kept.
#[test]
fn a_proof_is_forgotten_for_another_proof_alone() {
    let accept = |dialog: &mut Dialog, realm: u32, is_proven: bool| {
        let value = CHALLENGE.replace("\"r\"", &format!("\"{realm}\""));
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&value]), Said::Login);
        dialog.login();
        dialog.send("/");
        let proof = if is_proven {
            dialog.proof()
        } else {
            String::new()
        };
        dialog.accepted(&proof).unwrap();
    };
    let allows_basic = |dialog: &Dialog, realm: u32| {
        let value = format!("Basic realm=\"{realm}\"");
        dialog.clone().challenged([&value]) == Said::Login
    };
    let mut dialog = Dialog::new(Policy::new());
    accept(&mut dialog, 0, true);
    (1..20).for_each(|realm| accept(&mut dialog, realm, false));
    assert!(!allows_basic(&dialog, 0));
    (20..28).for_each(|realm| accept(&mut dialog, realm, true));
    assert!(allows_basic(&dialog, 0));
    accept(&mut dialog, 28, false);
    assert!((20..28).all(|realm| !allows_basic(&dialog, realm)));
}

#[test]
fn a_pin_never_falls() {
    let pinned = Policy::new().require_strength(Strength::DigestSha2);
    let mut dialog = Dialog::new(pinned.require_strength(Strength::Basic));
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login();
    dialog.send("/");
    dialog.accepted("").unwrap();
    assert_eq!(required(&mut dialog.client, "r"), Strength::DigestSha2);
}

/// Two requests at a time: the second was challenged to weaker credentials, for which the user
/// had logged in, before the first was accepted. They were once sent nevertheless.
#[test]
fn nothing_is_sent_that_was_chosen_before_the_pin_rose() {
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    for weak in [
        BASIC,
        &legacy("n2"),
        #[cfg(feature = "md5")]
        &with_algorithm("MD5"),
    ] {
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        assert!(dialog.send("/").is_some());
        let (mut first, proof) = (dialog.exchange.clone(), dialog.proof());
        dialog.next_exchange();
        assert_eq!(dialog.challenged([weak]), Said::Login);
        dialog.login();
        assert!(dialog.would_send("/").is_some());
        // The weak login took the place of the other, and that one was right nevertheless.
        let values = [&proof].into_iter();
        let accepted = dialog
            .client
            .completed(&mut first, 200, values, EntityBody::Unknown);
        assert_eq!(accepted, Ok(ServerProof::Valid));
        assert_eq!(required(&mut dialog.client, "r"), Strength::DigestSha2);
        assert_eq!(dialog.send("/"), None, "{weak}");
    }
}

/// Two requests at a time: the first was challenged without a qop, the second with one, and proved.
#[test]
fn a_login_for_a_qop_is_not_used_without_one() {
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    for is_proved in [false, true] {
        let mut dialog = Dialog::new(policy);
        assert_eq!(dialog.challenged([&legacy("n2")]), Said::Login);
        let mut first = dialog.exchange.clone();
        dialog.next_exchange();
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login();
        assert!(dialog.send("/").is_some());
        if is_proved {
            let proof = dialog.proof();
            dialog.accepted(&proof).unwrap();
        }
        let target = Target::new("GET", "/");
        let field = dialog.client.authorize(&mut first, &target).unwrap();
        let sent = field.for_new_request();
        assert!(sent.is_none_or(|it| it.to_str().unwrap().contains("qop=")));
    }
}

/// The same login goes on with a qop, and not without one after that, whichever request was challenged.
#[test]
fn a_server_that_begins_to_offer_a_qop_asks_for_no_login() {
    for is_answer in [true, false] {
        let policy = Policy::new().with_quirk(Quirk::Rfc2069);
        let mut dialog = Dialog::logged_in(policy, &legacy("n1"));
        assert!(dialog.send("/").is_some());
        dialog.goes_on();
        if is_answer {
            assert!(dialog.send("/").is_some());
        }
        assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
        let unasked = dialog.would_send_unasked("/").unwrap();
        for sent in [unasked, dialog.send("/").unwrap()] {
            assert_eq!((sent.get("nonce"), sent.get("qop")), ("n2", "auth"));
        }
        dialog.goes_on();
        assert!(dialog.send("/").is_some());
        assert_eq!(dialog.challenged([&legacy("n3")]), Said::Login);
    }
}

/// Who takes the Digest challenge away later gets no password.
#[test]
fn a_client_raises_and_enforces_its_own_pin() {
    let mut dialog = proved(Policy::new());
    for _ in 0..2 {
        let next = dialog.challenged([BASIC]);
        assert_eq!(skipped(&next), [SkipReason::BelowStrength]);
        dialog.logout();
    }
}

#[test]
fn strengths_are_in_order() {
    let strengths = [
        Strength::Nothing,
        Strength::Basic,
        Strength::DigestRfc2069,
        Strength::DigestMd5,
        Strength::DigestSha2,
    ];
    assert!(strengths.is_sorted());
    assert_eq!(Strength::default(), Strength::Nothing);
}
