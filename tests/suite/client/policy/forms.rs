//! The forms of the response without a count (RFC 2069, and those with `qop` unhashed), and a
//! quoted `qop`.

use countersign::client::{Error, Policy, Quirk, Readiness, ServerProof, SkipReason};
use countersign::digest::{Ha1, HashFunction, HexDigest};
use countersign::wire::{QopParams, rspauth};

#[cfg(feature = "md5")]
use super::with_algorithm;
use super::{answer, with_qop};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, USER};

fn response(ha1: &Ha1, nonce: &str, protection: Option<&QopParams<'_>>) -> HexDigest {
    let ha2 = countersign::wire::ha2(HashFunction::Sha256, "GET", "/", None);
    countersign::wire::response(ha1, nonce, protection, &ha2)
}

#[test]
fn with_rfc2069() {
    let value = CHALLENGE.replace(", qop=\"auth\"", "");
    assert_eq!(
        answer(Policy::new(), &[&value]),
        Err(vec![SkipReason::Rfc2069])
    );
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    let sent = answer(policy, &[&value]).unwrap();
    assert_eq!(sent.param("qop"), None);
    let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
    let expected = response(&ha1, "n1", None);
    assert_eq!(sent.get("response"), expected.as_str());
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
    let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
    let uncounted = response(&ha1, "n1", None);
    let protection = QopParams::new("auth", "00000001", "c1").unwrap();
    assert_eq!(sent.get("response"), uncounted.as_str());
    // The server proves itself in the same form.
    let proof = |protection| {
        let proof = rspauth(&ha1, "n1", protection, "/", None);
        format!("rspauth=\"{}\"", proof.as_str())
    };
    assert_eq!(dialog.accepted(&proof(None)), Ok(ServerProof::Valid));
    dialog.send("/");
    let counted = dialog.accepted(&proof(Some(&protection)));
    assert_eq!(counted, Err(Error::WrongProof));

    let usual = answer(Policy::new(), &[CHALLENGE]).unwrap();
    let counted = response(&ha1, "n1", Some(&protection));
    assert_eq!(usual.get("response"), counted.as_str());
}

/// An answer in the uncounted form over a body is also one for another request-target: the hash
/// of the body would do as the end of that.
#[test]
fn with_uncounted_form_no_body_is_covered() {
    let uncounted = [
        Policy::new().with_quirk(Quirk::UncountedForm),
        Policy::new()
            .prefer_auth_int()
            .with_quirk(Quirk::UncountedForm),
        Policy::new()
            .with_quirk(Quirk::UncountedForm)
            .prefer_auth_int(),
    ];
    for policy in uncounted {
        for offered in ["auth", "auth,auth-int"] {
            let sent = answer(policy, &[&with_qop(offered)]).unwrap();
            assert_eq!(sent.get("qop"), "auth", "{offered}");
            let dialog = Dialog::logged_in(policy, &with_qop(offered));
            assert_eq!(dialog.client.readiness("/"), Readiness::Answer);
        }
        let only = with_qop("auth-int");
        let skipped = answer(policy, &[&only]);
        assert_eq!(skipped, Err(vec![SkipReason::UncountedAuthInt]));
        assert!(answer(policy, &[&only, CHALLENGE]).is_ok());
    }
    let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
    for policy in uncounted.map(Policy::require_auth_int) {
        for offered in ["auth", "auth-int", "auth,auth-int"] {
            let skipped = answer(policy, &[&with_qop(offered)]);
            assert_eq!(
                skipped,
                Err(vec![SkipReason::UncountedAuthInt]),
                "{offered}"
            );
        }
        let skipped = answer(policy.with_quirk(Quirk::Rfc2069), &[&legacy]);
        assert_eq!(skipped, Err(vec![SkipReason::NoAuthInt]));
    }
    assert!(answer(uncounted[0].with_quirk(Quirk::Rfc2069), &[&legacy]).is_ok());
}

/// The proof would not cover the cnonce either, so an attacker could have captured it.
#[test]
fn no_proof_is_required_in_a_form_that_leaves_the_cnonce_uncovered() {
    let policy = Policy::new().require_server_proof();
    let skipped = Err(vec![SkipReason::NoServerProof]);
    assert_eq!(
        answer(policy.with_quirk(Quirk::UncountedForm), &[CHALLENGE]),
        skipped
    );
    let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
    assert_eq!(
        answer(policy.with_quirk(Quirk::Rfc2069), &[&legacy]),
        skipped
    );
    assert!(answer(policy, &[CHALLENGE]).is_ok());
}

#[test]
fn with_quoted_qop() {
    let quoted = Policy::new().with_quirk(Quirk::QuotedQop);
    let quoted = answer(quoted, &[CHALLENGE]).unwrap();
    let usual = answer(Policy::new(), &[CHALLENGE]).unwrap();
    assert_eq!(quoted.params, usual.params);
    assert!(quoted.text().contains(r#"qop="auth""#));
    assert!(usual.text().contains("qop=auth,"));
}
