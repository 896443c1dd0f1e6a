//! Why challenges were skipped, and in which words a refusal says so.

use countersign::Channel;
use countersign::client::{Policy, SkipReason};
use countersign::digest::HashFunction;

use super::{BASIC, with_algorithm};
use crate::support::client::{CHALLENGE, Dialog, Said, skipped};
use crate::support::errors::param;

/// Why each of several challenges was skipped, in their order, on one line or more.
#[test]
fn skip_reasons_are_in_challenge_order() {
    let policy = Policy::new()
        .require_hash(HashFunction::Sha512_256)
        .require_auth_int();
    let strong = with_algorithm("SHA-512-256");
    let values = [
        "Newauth x=y",
        BASIC,
        CHALLENGE,
        &strong
            .replace("SHA-512-256", "SHA-512-256-sess")
            .replace(", qop=\"auth\"", ""),
        &strong.replace(", qop=\"auth\"", ""),
        &strong,
        "Digest realm=r",
        &strong.replace("SHA-512-256", "SHA-3"),
    ];
    for values in [values.to_vec(), vec![&values.join(", ")]] {
        let next = Dialog::on(Channel::Cleartext, policy).challenged(values);
        let [plain @ .., missing, unsupported] = skipped(&next) else {
            panic!("{next:?}");
        };
        assert_eq!(
            plain,
            [
                SkipReason::UnknownScheme,
                SkipReason::CleartextBasic,
                SkipReason::OtherHash,
                SkipReason::SessionAlgorithm,
                SkipReason::Rfc2069,
                SkipReason::NoAuthInt,
            ]
        );
        for (why, name, problem) in [
            (missing, "nonce", "missing"),
            (unsupported, "algorithm", "not supported"),
        ] {
            let SkipReason::Header(error) = why else {
                panic!("{why:?}");
            };
            assert_eq!(param(*error), Some((name, problem)));
        }
    }
    let next = Dialog::new(policy).challenged(["Digest realm=\"", CHALLENGE, "Digest =", ","]);
    let [
        SkipReason::Header(first),
        SkipReason::OtherHash,
        SkipReason::Header(last),
    ] = skipped(&next)
    else {
        panic!("{next:?}");
    };
    assert!(first.position().is_some() && last.position().is_some());
    let none: [&str; 0] = [];
    assert!(skipped(&Dialog::new(policy).challenged(none)).is_empty());
}

/// The limits are of what an answer repeats, with an escape for each quote, and for Basic of what
/// the client keeps.
#[test]
fn four_kilobytes_are_answered_and_one_byte_more_is_skipped() {
    const LIMIT: usize = 4096;
    let digest = |realm: &str| {
        format!(r#"Digest realm="{realm}", nonce="n", qop="auth", algorithm=SHA-256"#)
    };
    let basic = |realm: &str| format!(r#"Basic realm="{realm}""#);
    // The nonce takes one byte.
    for (fits, too_long) in [
        (digest(&"r".repeat(LIMIT - 1)), digest(&"r".repeat(LIMIT))),
        (
            digest(&r#"\""#.repeat(LIMIT / 2 - 1)),
            digest(&r#"\""#.repeat(LIMIT / 2)),
        ),
        (basic(&"r".repeat(LIMIT)), basic(&"r".repeat(LIMIT + 1))),
    ] {
        let challenged = |value: &str| Dialog::new(Policy::new()).challenged([value]);
        assert_eq!(challenged(&fits), Said::Login);
        assert_eq!(skipped(&challenged(&too_long)), [SkipReason::TooLong]);
    }
}
