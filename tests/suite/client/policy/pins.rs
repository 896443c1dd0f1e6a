//! Pins: the strength that a server once had is what it is held to.

#[cfg(feature = "md5")]
use countersign::client::ServerProof;
use countersign::client::{Policy, Quirk, SkipReason};

#[cfg(feature = "md5")]
use super::with_algorithm;
use super::{BASIC, legacy};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge, skipped};

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

/// An answer that was in flight before is proved by less.
#[cfg(feature = "md5")]
#[test]
fn what_was_proved_stays() {
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
    let next = dialog.challenged([&with_algorithm("MD5")]);
    assert_eq!(skipped(&next), [SkipReason::BelowStrength]);
}

/// A proof that comes late holds for what was asked for before it, too.
#[test]
fn a_login_by_less_than_what_was_proved_since_is_not_sent() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let (digest, proof) = (dialog.keep(), dialog.proof());
    dialog.next_exchange();
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    dialog.login();
    let basic = dialog.keep();
    assert!(dialog.would_send("/").is_some());
    dialog.resume(digest);
    dialog.accepted(&proof).unwrap();
    dialog.resume(basic);
    assert_eq!(dialog.send("/"), None);
    assert_eq!(dialog.would_send_unasked("/"), None);
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
