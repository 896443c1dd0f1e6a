//! The state `ready`: a challenge and a login.

use countersign::client::{ServerProof, ServerProofError};
use countersign::digest::{Ha1, HashFunction};
use countersign::wire::{QopParams, rspauth};

use super::{BASIC, BOTH, State, UNUSABLE, ready, state};
use crate::support::client::{CHALLENGE, PASSWORD, Said, USER, challenge};

#[test]
fn challenged_by_another_scheme_is_chosen() {
    for (first, second) in [(CHALLENGE, BASIC), (BASIC, CHALLENGE)] {
        let mut dialog = ready(first);
        assert_eq!(dialog.challenged([second]), Said::Login);
        assert_eq!(state(&dialog, second), State::Chosen);
    }
}

#[test]
fn challenged_by_another_realm_is_chosen() {
    for (first, second) in [
        (CHALLENGE, CHALLENGE.replace("\"r\"", "\"R\"")),
        (BASIC, BASIC.replace("\"r\"", "\"R\"")),
    ] {
        let mut dialog = ready(first);
        assert_eq!(dialog.challenged([&second]), Said::Login);
        assert_eq!(state(&dialog, &second), State::Chosen);
    }
}

#[test]
fn challenged_by_another_hash_is_chosen() {
    let other = CHALLENGE.replace("SHA-256", "SHA-512-256");
    let mut dialog = ready(CHALLENGE);
    assert_eq!(dialog.challenged([&other]), Said::Login);
    assert_eq!(state(&dialog, &other), State::Chosen);
}

/// The same hash is the same secret.
#[test]
fn challenged_by_the_session_algorithm_of_the_hash_is_ready() {
    let other = CHALLENGE
        .replace("SHA-256", "SHA-256-sess")
        .replace("n1", "n2");
    let mut dialog = ready(CHALLENGE);
    dialog.send("/");
    dialog.accepted("").unwrap();
    dialog.next_exchange();
    dialog.send("/");
    assert_eq!(dialog.challenged([&other]), Said::Retry);
    assert_eq!(dialog.send("/").unwrap().get("algorithm"), "SHA-256-sess");
}

/// Ten tasks that log in with one password cost no more requests than one.
#[test]
fn login_with_the_same_is_ready_as_before() {
    for by in BOTH {
        let mut dialog = ready(by);
        assert!(!dialog.client.wants(dialog.ask()));
        for count in 1..4 {
            dialog.login();
            let sent = dialog.send("/").unwrap();
            if by == CHALLENGE {
                assert_eq!(sent.get("nc"), format!("{count:08x}"));
            }
            dialog.next_exchange();
        }
    }
}

/// A form or a path that a challenge adds is no other login.
#[test]
fn a_realm_that_is_logged_in_to_is_answered_before_others() {
    let other = CHALLENGE.replace("\"r\"", "\"s\"");
    let stronger = other.replace("256", "512-256");
    for others in [
        [&*other, CHALLENGE],
        [CHALLENGE, &*other],
        [&*stronger, CHALLENGE],
    ] {
        let mut dialog = ready(CHALLENGE);
        dialog.next_exchange();
        assert_eq!(dialog.challenged(others), Said::Retry);
        assert_eq!(dialog.send("/").unwrap().get("realm"), "r");
    }
}

#[test]
fn login_is_ready_without_a_nonce() {
    let mut dialog = ready(CHALLENGE);
    assert!(dialog.would_send("/").is_some());
    dialog.login_as("Scar", "Be prepared").unwrap();
    assert_eq!(dialog.send("/"), None);
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
    let sent = dialog.send("/").unwrap();
    assert_eq!((sent.get("username"), sent.get("nc")), ("Scar", "00000001"));
}

/// Basic has no nonce.
#[test]
fn login_to_basic_is_ready_for_the_same_space() {
    let mut dialog = ready(BASIC);
    assert!(dialog.send("/a/b").is_some());
    dialog.login_as("Scar", "Be prepared").unwrap();
    dialog.next_exchange();
    let sent = dialog.send("/a/c").unwrap();
    assert_eq!(sent.token68.as_deref(), Some("U2NhcjpCZSBwcmVwYXJlZA=="));
    assert_eq!(dialog.would_send_unasked("/d"), None);
}

#[test]
fn authorize_is_an_answer_and_counts() {
    let mut dialog = ready(CHALLENGE);
    for count in ["00000001", "00000002", "00000003"] {
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n1", count));
        dialog.next_exchange();
    }
}

#[test]
fn authorize_without_a_nonce_is_none() {
    let mut dialog = ready(CHALLENGE);
    dialog.login_as("Scar", "Be prepared").unwrap();
    // Asked or not.
    assert_eq!(dialog.would_send_unasked("/"), None);
    let _ = dialog.challenged([UNUSABLE]);
    assert_eq!(dialog.send("/"), None);
}

#[test]
fn authorize_outside_of_the_protection_space_is_none() {
    let mut dialog = ready(&challenge("n1", r#", domain="/in""#));
    assert!(dialog.send("/asked/here").is_some());
    dialog.next_exchange();
    assert_eq!(dialog.send("/out"), None);
    // What was not sent does not count.
    assert_eq!(dialog.send("/in/side").unwrap().get("nc"), "00000002");
}

#[test]
fn accepted_checks_the_proof() {
    let right = |uri| {
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
        let protection = QopParams::new("auth", "00000001", "c1").unwrap();
        let proof = rspauth(&ha1, "n1", Some(&protection), uri, None);
        format!("rspauth=\"{}\"", proof.as_str())
    };
    let mut dialog = ready(CHALLENGE);
    dialog.send("/");
    assert_eq!(dialog.clone().accepted(&right("/")), Ok(ServerProof::Valid));
    assert_eq!(
        dialog.clone().accepted(&right("/other")),
        Err(ServerProofError::Wrong)
    );
    assert_eq!(
        dialog.clone().accepted("rspauth"),
        Ok(ServerProof::Unreadable)
    );
    assert_eq!(dialog.accepted(""), Ok(ServerProof::Absent));
    assert_eq!(state(&dialog, CHALLENGE), State::Ready);
}

/// RFC 7615, section 3, gives the field no meaning for Basic.
#[test]
fn accepted_does_not_read_what_follows_a_basic_answer() {
    let rspauth = format!("rspauth=\"{}\"", "0".repeat(64));
    for info in [&*rspauth, "rspauth", "nextnonce=a, nextnonce=b", "=", "\""] {
        let mut dialog = ready(BASIC);
        assert!(dialog.send("/").is_some());
        assert_eq!(dialog.accepted(info), Ok(ServerProof::Absent), "{info}");
        assert_eq!(state(&dialog, BASIC), State::Ready);
    }
}

#[test]
fn accepted_takes_a_next_nonce_and_counts_anew() {
    let mut dialog = ready(CHALLENGE);
    for count in ["00000001", "00000002"] {
        assert_eq!(dialog.send("/").unwrap().get("nc"), count);
    }
    assert!(dialog.accepted(r#"nextnonce="n2""#).is_ok());
    dialog.next_exchange();
    let sent = dialog.send("/").unwrap();
    assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
}
