//! Bounds on answers, and what is required of the proof of a server.

use countersign::client::{Error, Policy, Quirk, ServerProof, SkipReason, Strength};
use countersign::digest::{Ha1, HashFunction};
use countersign::wire::{QopParams, rspauth};

use super::{BASIC, answer};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge};

/// How many requests an exchange takes with a server that calls each nonce stale that was
/// accepted before, and takes none.
fn requests(policy: Policy) -> usize {
    let mut dialog = Dialog::logged_in(policy, CHALLENGE);
    dialog.send("/");
    dialog.accepted("").unwrap();
    dialog.next_exchange();
    for request in 1.. {
        dialog.send("/");
        let realm = format!(r#"Digest realm="{request}", nonce=n, qop=auth, algorithm=SHA-256"#);
        match dialog.challenged([&realm]) {
            Said::Login => dialog.login(),
            Said::Retry => {}
            end => {
                assert_eq!(end, Said::TooManyAnswers);
                return request;
            }
        }
    }
    unreachable!("it ends")
}

#[test]
fn max_answers_per_exchange() {
    assert_eq!(requests(Policy::new()), 3);
    for (answers, expected) in [(0, 1), (1, 1), (2, 2), (7, 7), (254, 254)] {
        let policy = Policy::new().with_max_answers(answers);
        assert_eq!(requests(policy), expected);
    }
}

#[test]
fn require_server_proof() {
    let policy = Policy::new().require_server_proof();
    let mut dialog = Dialog::logged_in(policy, CHALLENGE);
    dialog.send("/");
    assert_eq!(dialog.accepted(""), Err(Error::MissingProof));
    // Then its next nonce is not taken either, and the present one is in doubt.
    let next = dialog.accepted(r#"nextnonce="n2""#);
    assert_eq!(next, Err(Error::MissingProof));
    dialog.next_exchange();
    assert_eq!(dialog.send("/"), None);
    assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
    assert_eq!(dialog.send("/").unwrap().get("nonce"), "n3");
    // Whoever never asks for credentials cannot prove anything either.
    let mut dialog = Dialog::new(policy);
    dialog.send("/");
    assert_eq!(dialog.accepted(""), Err(Error::MissingProof));
    // Where it cannot prove itself it is not shown any credentials.
    let rfc2069 = CHALLENGE.replace(", qop=\"auth\"", "");
    for value in [BASIC, &rfc2069] {
        let policy = policy.with_quirk(Quirk::Rfc2069);
        assert_eq!(
            answer(policy, &[value]),
            Err(vec![SkipReason::NoServerProof])
        );
        assert!(answer(policy, &[value, CHALLENGE]).is_ok());
    }
}

/// The requirement counts for more, whichever is said first.
#[test]
fn ignore_wrong_server_proof() {
    let wrong = format!("rspauth={}, nextnonce=n2", "0".repeat(64));
    let ignoring = Policy::new().with_quirk(Quirk::IgnoreWrongProof);
    for (policy, expected) in [
        (Policy::new(), Err(Error::WrongProof)),
        (ignoring, Ok(ServerProof::Wrong)),
        (ignoring.require_server_proof(), Err(Error::WrongProof)),
        (
            Policy::new()
                .require_server_proof()
                .with_quirk(Quirk::IgnoreWrongProof),
            Err(Error::WrongProof),
        ),
    ] {
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        dialog.send("/");
        assert_eq!(dialog.accepted(&wrong), expected, "{policy:?}");
        // As without a proof, its nonce is taken.
        assert_eq!(dialog.client.strength(), Strength::Nothing);
        dialog.next_exchange();
        let sent = dialog.send("/");
        let nonce = sent.as_ref().map(|sent| sent.get("nonce"));
        assert_eq!(nonce, expected.ok().map(|_| "n2"));
    }
    // A right one is still told from it, and from what cannot be read.
    let mut dialog = Dialog::logged_in(ignoring, CHALLENGE);
    dialog.send("/");
    let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
    let protection = QopParams::new("auth", "00000001", "c1").unwrap();
    let right = rspauth(&ha1, "n1", Some(&protection), "/", None);
    let right = format!("rspauth={}", right.as_str());
    assert_eq!(dialog.clone().accepted(&right), Ok(ServerProof::Valid));
    assert_eq!(dialog.clone().accepted(""), Ok(ServerProof::Absent));
    let unreadable = dialog.accepted("rspauth");
    assert!(matches!(unreadable, Ok(ServerProof::Unreadable)));
}

/// What a proof is made with comes back with it, and must be the client's own.
#[test]
fn parameters_beside_rspauth_are_checked() {
    let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
    let protection = QopParams::new("auth", "00000001", "c1").unwrap();
    let proof = rspauth(&ha1, "n1", Some(&protection), "/", None);
    let proof = proof.as_str();
    let upper = proof.to_uppercase();
    for (info, expected) in [
        (format!("rspauth={proof}"), Ok(ServerProof::Valid)),
        (format!("rspauth=\"{upper}\""), Ok(ServerProof::Valid)),
        (
            format!("rspauth={proof}, qop=auth, nc=00000001, cnonce=c1"),
            Ok(ServerProof::Valid),
        ),
        (
            format!("rspauth={proof}, qop=auth-int, nc=00000001, cnonce=c1"),
            Err(Error::WrongProof),
        ),
        (
            format!("rspauth={proof}, qop=auth, nc=00000002, cnonce=c1"),
            Err(Error::WrongProof),
        ),
        (
            format!("rspauth={proof}, qop=auth, nc=00000001, cnonce=c2"),
            Err(Error::WrongProof),
        ),
        (
            format!("rspauth={}", "0".repeat(64)),
            Err(Error::WrongProof),
        ),
        // Of another hash function.
        (format!("rspauth={}", &proof[..32]), Err(Error::WrongProof)),
        ("x=y".to_owned(), Ok(ServerProof::Absent)),
    ] {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        let next = format!("{info}, nextnonce=n2");
        assert_eq!(dialog.accepted(&next), expected, "{info}");
        // A server that is not known to know the secret sets no nonce, and may not have made the
        // present one.
        dialog.next_exchange();
        let sent = dialog.send("/");
        let nonce = sent.as_ref().map(|sent| sent.get("nonce"));
        assert_eq!(nonce, expected.ok().map(|_| "n2"));
    }
}
