//! Bounds on answers, and what is required of the proof of a server.

use countersign::client::{Error, Policy, Quirk, ServerProof, SkipReason};

use super::{BASIC, answer, legacy};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge};

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
    // Where it cannot prove itself, or could by a proof that was captured, it is not shown any
    // credentials.
    let rfc2069 = policy.with_quirk(Quirk::Rfc2069);
    for (policy, value) in [(rfc2069, BASIC), (rfc2069, &legacy("n"))] {
        assert_eq!(
            answer(policy, &[value]),
            Err(vec![SkipReason::NoServerProof])
        );
    }
    assert!(answer(rfc2069, &[BASIC, &legacy("n"), CHALLENGE]).is_ok());
}

/// The requirement counts for more, whichever is said first.
#[test]
fn ignore_wrong_server_proof() {
    let wrong = format!("rspauth={}, nextnonce=n2", "0".repeat(64));
    let ignoring = Policy::new().with_quirk(Quirk::IgnoreWrongProof);
    let requiring = Policy::new().require_server_proof();
    for (policy, expected) in [
        (Policy::new(), Err(Error::WrongProof)),
        (ignoring, Ok(ServerProof::Wrong)),
        (ignoring.require_server_proof(), Err(Error::WrongProof)),
        (
            requiring.with_quirk(Quirk::IgnoreWrongProof),
            Err(Error::WrongProof),
        ),
    ] {
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        dialog.send("/");
        assert_eq!(dialog.accepted(&wrong), expected, "{policy:?}");
        // As without a proof, its nonce is taken.
        let held = Said::NoUsableChallenge([SkipReason::BelowStrength].into());
        assert_ne!(dialog.clone().challenged([BASIC]), held);
        dialog.next_exchange();
        let sent = dialog.send("/");
        let nonce = sent.as_ref().map(|sent| sent.get("nonce"));
        assert_eq!(nonce, expected.ok().map(|_| "n2").or(Some("n1")));
    }
    // A right one is still told from it, and from what cannot be read.
    let mut dialog = Dialog::logged_in(ignoring, CHALLENGE);
    dialog.send("/");
    for (info, expected) in [
        (&*dialog.proof(), ServerProof::Valid),
        ("", ServerProof::Absent),
        ("rspauth", ServerProof::Unreadable),
    ] {
        assert_eq!(dialog.clone().accepted(info), Ok(expected));
    }
}

/// What a proof is made with comes back with it, and must be the client's own (RFC 7616, section
/// 3.5). What is malformed counts as no proof; what is not repeated is not missed.
#[test]
fn parameters_beside_rspauth_are_checked() {
    use ServerProof::{Absent, Unreadable, Valid};
    let wrong = || Err(Error::WrongProof);
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    let sent = dialog.send("/").unwrap();
    let own = sent.get("cnonce");
    let proof = dialog.proof();
    let upper = proof.to_uppercase();
    for (info, more, expected) in [
        (&*proof, "", Ok(Valid)),
        (&upper, "", Ok(Valid)),
        (
            &proof,
            &format!(", qop=auth, nc=00000001, cnonce={own}"),
            Ok(Valid),
        ),
        (
            &proof,
            &format!(", qop=auth-int, nc=00000001, cnonce={own}"),
            wrong(),
        ),
        (
            &proof,
            &format!(", qop=auth, nc=00000002, cnonce={own}"),
            wrong(),
        ),
        (&proof, ", qop=auth, nc=00000001, cnonce=c2", wrong()),
        (&proof, &format!(", qop=auth, cnonce={own}"), Ok(Unreadable)),
        (&format!("rspauth={}", "0".repeat(64)), "", wrong()),
        // Of another hash function.
        (&proof[..proof.len() - 32], "", wrong()),
        ("rspauth=fish", "", Ok(Unreadable)),
        ("x=y", "", Ok(Absent)),
    ] {
        let mut dialog = dialog.clone();
        let next = format!("{info}{more}, nextnonce=n2");
        assert_eq!(dialog.accepted(&next), expected, "{next}");
        // A server that is not known to know the secret sets no nonce.
        dialog.next_exchange();
        let sent = dialog.send("/");
        let nonce = match expected {
            Ok(Valid | Absent) => "n2",
            _ => "n1",
        };
        assert_eq!(sent.unwrap().get("nonce"), nonce, "{next}");
    }
    // Where a proof is required, what cannot be read is none.
    let policy = Policy::new().require_server_proof();
    let mut dialog = Dialog::logged_in(policy, CHALLENGE);
    dialog.send("/");
    assert_eq!(
        dialog.clone().accepted("rspauth=fish"),
        Err(Error::MissingProof)
    );
    assert_eq!(dialog.accepted(&dialog.proof()), Ok(Valid));
}
