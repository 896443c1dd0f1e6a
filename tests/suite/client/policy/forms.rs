//! The forms of the response without a count (RFC 2069, and those with `qop` unhashed).

use countersign::client::{Error, Policy, Quirk, ServerProof, SkipReason};
use countersign::digest::{Ha1, HashFunction};
use countersign::wire::{QopParams, ha2, response};

#[cfg(feature = "md5")]
use super::with_algorithm;
use super::{answer, legacy, with_qop};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, USER};
use crate::support::digest::rspauth;

fn ha1() -> Ha1 {
    Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD)
}

/// The response to `GET /` without a count.
fn uncounted() -> String {
    let ha2 = ha2(HashFunction::Sha256, "GET", "/", None);
    response(&ha1(), "n1", None, &ha2).as_str().to_owned()
}

#[test]
fn with_rfc2069() {
    let value = legacy("n1");
    assert_eq!(
        answer(Policy::new(), &[&value]),
        Err(vec![SkipReason::Rfc2069])
    );
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    let sent = answer(policy, &[&value]).unwrap();
    for name in ["qop", "nc", "cnonce"] {
        assert_eq!(sent.param(name), None);
    }
    assert_eq!(sent.get("response"), uncounted());
    // Of two that are as strong, the one with a qop.
    for order in [[&*value, CHALLENGE], [CHALLENGE, &*value]] {
        assert_eq!(answer(policy, &order).unwrap().get("qop"), "auth");
    }
    // It counts for more than a stronger hash,
    let strong = value.replace("SHA-256", "SHA-512-256");
    let sent = answer(policy, &[&strong, CHALLENGE]).unwrap();
    assert_eq!(sent.get("algorithm"), "SHA-256");
    // even where that is the weakest.
    #[cfg(feature = "md5")]
    for order in [
        [&*value, &with_algorithm("MD5")],
        [&with_algorithm("MD5"), &value],
    ] {
        let sent = answer(policy, &order).unwrap();
        assert_eq!((sent.get("algorithm"), sent.get("qop")), ("MD5", "auth"));
    }
}

#[test]
fn with_uncounted_form() {
    let policy = Policy::new().with_quirk(Quirk::UncountedForm);
    let mut dialog = Dialog::logged_in(policy, CHALLENGE);
    let sent = dialog.send("/").unwrap();
    for (name, value) in [("qop", "auth"), ("nc", "00000001"), ("cnonce", "c1")] {
        assert_eq!(sent.get(name), value);
    }
    assert_eq!(sent.get("response"), uncounted());
    // The server proves itself in the same form.
    let counted = QopParams::new("auth", "00000001", "c1").unwrap();
    for (qop, expected) in [
        (None, Ok(ServerProof::Valid)),
        (Some(&counted), Err(Error::WrongProof)),
    ] {
        let proof = rspauth(&ha1(), b"n1", qop, b"/", None);
        let accepted = dialog.clone().accepted(&format!("rspauth=\"{proof}\""));
        assert_eq!(accepted, expected);
    }
}

/// An answer in the uncounted form over a body is also one for another request-target: the hash
/// of the body would do as the end of that.
#[test]
fn with_uncounted_form_no_body_is_covered() {
    let uncounted = [Policy::new(), Policy::new().prefer_auth_int()];
    let uncounted = uncounted.map(|policy| policy.with_quirk(Quirk::UncountedForm));
    for policy in [uncounted[0], uncounted[1], uncounted[0].prefer_auth_int()] {
        for offered in ["auth", "auth,auth-int"] {
            let sent = answer(policy, &[&with_qop(offered)]).unwrap();
            assert_eq!(sent.get("qop"), "auth", "{offered}");
            let dialog = Dialog::logged_in(policy, &with_qop(offered));
            assert!(dialog.would_send_unasked("/").is_some());
        }
        let only = with_qop("auth-int");
        assert_eq!(
            answer(policy, &[&only]),
            Err(vec![SkipReason::UncountedAuthInt])
        );
        assert!(answer(policy, &[&only, CHALLENGE]).is_ok());

        let policy = policy.require_auth_int();
        for offered in ["auth", "auth-int", "auth,auth-int"] {
            let skipped = answer(policy, &[&with_qop(offered)]);
            assert_eq!(
                skipped,
                Err(vec![SkipReason::UncountedAuthInt]),
                "{offered}"
            );
        }
        let skipped = answer(policy.with_quirk(Quirk::Rfc2069), &[&legacy("n")]);
        assert_eq!(skipped, Err(vec![SkipReason::NoAuthInt]));
    }
    assert!(answer(uncounted[0].with_quirk(Quirk::Rfc2069), &[&legacy("n")]).is_ok());
}
