//! Which algorithms a policy lets a client answer, and which of several it prefers.

use countersign::Target;
#[cfg(feature = "md5")]
use countersign::client::Strength;
use countersign::client::{Policy, SkipReason};
use countersign::digest::HashFunction;

use super::{answer, with_algorithm};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, USER};

#[cfg(feature = "md5")]
#[test]
fn without_md5_skips_md5() {
    let md5 = with_algorithm("MD5");
    let none = CHALLENGE.replace(", algorithm=SHA-256", "");
    for value in [md5, with_algorithm("MD5-sess"), none] {
        assert!(answer(Policy::new(), &[&value]).is_ok());
        let policy = Policy::new().require_strength(Strength::DigestSha2);
        assert_eq!(
            answer(policy, &[&value]),
            Err(vec![SkipReason::BelowStrength])
        );
        let sent = answer(policy, &[&value, CHALLENGE]).unwrap();
        assert_eq!(sent.get("algorithm"), "SHA-256");
    }
}

#[cfg(not(feature = "md5"))]
#[test]
fn md5_is_recognised_and_not_supported() {
    use crate::support::errors::problem;

    for value in ["MD5", "MD5-sess", "md5"].map(with_algorithm) {
        let skipped = answer(Policy::new(), &[&value]).unwrap_err();
        let [SkipReason::Header(error)] = skipped[..] else {
            panic!("{skipped:?}");
        };
        assert_eq!(error.name(), Some("algorithm"));
        assert_eq!(problem(&error), "not supported");
    }
}

#[test]
fn equally_strong_challenges_are_tried_in_server_order() {
    for (first, second) in [
        ("SHA-256", "SHA-256"),
        ("SHA-256", "SHA-256-sess"),
        ("SHA-256-sess", "SHA-256"),
        ("SHA-512-256-sess", "SHA-512-256"),
    ] {
        let first = with_algorithm(first);
        let second = with_algorithm(second).replace("n1", "n2");
        let sent = answer(Policy::new(), &[&first, &second]).unwrap();
        assert_eq!(sent.get("nonce"), "n1");
    }
}

/// RFC 7616, section 3.4: `opaque` and `algorithm` are those of the challenge that is answered. So is
/// all the rest, whichever it is of several.
#[test]
fn what_is_sent_is_of_one_challenge() {
    let names = ["realm", "nonce", "opaque", "algorithm"];
    let values = ["SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess"].map(|name| {
        format!(
            r#"Digest realm="of {name}", nonce="n of {name}", opaque="o of {name}", qop="auth", algorithm={name}"#
        )
    });
    for first in 0..values.len() {
        let mut values = values.each_ref().map(String::as_str);
        values.rotate_left(first);
        for policy in [
            Policy::new(),
            Policy::new().require_hash(HashFunction::Sha256),
        ] {
            let sent = answer(policy, &values).unwrap();
            let name = sent.get("algorithm");
            let expected = [
                format!("of {name}"),
                format!("n of {name}"),
                format!("o of {name}"),
                name.to_owned(),
            ];
            assert_eq!(names.map(|name| sent.get(name)), expected);
            assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
        }
    }
}

/// A peer may make the session key anew for each request, or keep that of the first: with one
/// cnonce it is the same.
#[test]
fn a_session_keeps_its_cnonce_for_as_long_as_its_nonce() {
    let value = with_algorithm("SHA-256-sess");
    let mut dialog = Dialog::logged_in(Policy::new(), &value);
    let mut cnonces = Vec::new();
    for info in ["", "", r#"nextnonce="n2""#, ""] {
        let sent = dialog.send("/").unwrap();
        assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
        cnonces.push(sent.get("cnonce").to_owned());
        dialog.accepted(info).unwrap();
        dialog.next_exchange();
    }
    assert!(cnonces[..3].iter().all(|it| *it == cnonces[0]));
    assert_ne!(cnonces[3], cnonces[0]);
    // Others have one a request.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    let mut cnonce = || dialog.send("/").unwrap().get("cnonce").to_owned();
    assert_ne!(cnonce(), cnonce());
}
