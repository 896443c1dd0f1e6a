//! The forms of the response without a count (RFC 2069, and those with `qop` unhashed).

use countersign::client::{Policy, Quirk, SkipReason};
use countersign::digest::{Ha1, HashFunction};
use countersign::wire::{ha2, response};

#[cfg(feature = "md5")]
use super::with_algorithm;
use super::{answer, legacy};
use crate::support::client::{CHALLENGE, PASSWORD, USER};

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
