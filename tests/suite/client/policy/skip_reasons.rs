//! Why challenges were skipped, and in which words a refusal says so.

use countersign::client::{
    Account, Exchange, Field, GiveUp, Next, Policy, Quirk, SkipReason, Strength,
};
use countersign::digest::HashFunction;
use countersign::{Channel, Target, challenges};

use super::{BASIC, on, with_algorithm, with_qop};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, client, client_on, skipped};
use crate::support::errors::param;

/// Why each of several challenges was skipped, in their order, on one line or more.
#[test]
fn skip_reasons_are_in_challenge_order() {
    let policy = Policy::new()
        .require_hash(HashFunction::Sha512_256)
        .with_quirk(Quirk::NoSessionAlgorithms)
        .require_auth_int();
    let strong = with_algorithm("SHA-512-256");
    let values = [
        "Newauth x=y",
        BASIC,
        CHALLENGE,
        &strong.replace("SHA-512-256", "SHA-512-256-sess"),
        &strong.replace(", qop=\"auth\"", ""),
        &strong,
        "Digest realm=r",
        &strong.replace("SHA-512-256", "SHA-3"),
    ];
    for values in [values.to_vec(), vec![&values.join(", ")]] {
        let next = on(Channel::Cleartext, policy).challenged(values);
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

/// A refusal can be shown.
#[test]
fn refusals_display_their_reasons() {
    let mut cleartext = client_on(Channel::Cleartext, Policy::new());
    let next = cleartext.challenged(&mut Exchange::new(), challenges(["Newauth", BASIC]));
    let Next::GiveUp(next) = next else {
        panic!("{next:?}")
    };
    let mut exchange = Exchange::new();
    let mut client = client(Policy::new());
    let asked = client.challenged(&mut exchange, challenges([CHALLENGE]));
    let Next::Login(ask) = asked else {
        panic!("{asked:?}")
    };
    client
        .login(&ask, &Account::new(USER, PASSWORD).with_basic())
        .unwrap();
    client
        .authorize(&mut exchange, &Target::new("GET", "/"))
        .map(Field::for_new_request)
        .unwrap();
    let wrong = client.challenged(&mut exchange, challenges([CHALLENGE]));
    let Next::GiveUp(wrong) = wrong else {
        panic!("{wrong:?}")
    };
    for (refused, text) in [
        (
            next,
            "no usable challenge: unknown scheme, Basic over a cleartext channel \
             without Policy::with_cleartext_basic",
        ),
        (
            GiveUp::NoUsableChallenge(Box::default()),
            "no usable challenge",
        ),
        (
            GiveUp::TooManyAnswers,
            "the server refused too many answers (Policy::with_max_answers)",
        ),
        (wrong, "wrong user name or password"),
    ] {
        assert_eq!(refused.to_string(), text);
    }
}

/// Every text names a method of the policy, or of the client, that has to do with it.
#[test]
fn skip_reasons_name_the_policy_setting() {
    let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
    let session = with_algorithm("SHA-256-sess");
    let auth_int = with_qop("auth-int");
    let policy = Policy::new;
    let usual = |policy| client(policy);
    for (client, value, settings) in [
        (
            usual(policy().without_basic()),
            BASIC,
            &["without_basic"][..],
        ),
        (
            client_on(Channel::Cleartext, policy()),
            BASIC,
            &["with_cleartext_basic"],
        ),
        (
            usual(policy().require_hash(HashFunction::Sha512_256)),
            CHALLENGE,
            &["require_hash"],
        ),
        (
            usual(policy().with_quirk(Quirk::NoSessionAlgorithms)),
            &session,
            &["NoSessionAlgorithms"],
        ),
        (usual(policy()), &legacy, &["Quirk::Rfc2069"]),
        (
            usual(policy().require_auth_int()),
            CHALLENGE,
            &["require_auth_int"],
        ),
        (
            usual(policy().with_quirk(Quirk::UncountedForm)),
            &auth_int,
            &["UncountedForm"],
        ),
        (
            usual(policy().require_server_proof()),
            BASIC,
            &["require_server_proof"],
        ),
        (
            usual(policy()).with_strength(Strength::DigestSha2),
            BASIC,
            &["with_strength"],
        ),
    ] {
        let mut client = client;
        let next = Said::from(&client.challenged(&mut Exchange::new(), challenges([value])));
        let [why] = skipped(&next) else {
            panic!("{next:?}");
        };
        for setting in settings {
            assert!(why.to_string().contains(setting), "{why}: {setting}");
        }
    }
    let mut dialog = Dialog::logged_in(policy(), CHALLENGE);
    dialog.send("/");
    let wrong = dialog.accepted(&format!("rspauth={}", "0".repeat(64)));
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.contains("IgnoreWrongProof"), "{wrong}");
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
        let challenged = |value: &str| on(Channel::Encrypted, Policy::new()).challenged([value]);
        assert_eq!(challenged(&fits), Said::Login);
        assert_eq!(skipped(&challenged(&too_long)), [SkipReason::TooLong]);
    }
}

/// Over an encrypted channel, where Basic is allowed.
#[test]
fn basic_covers_no_body() {
    let next = on(Channel::Encrypted, Policy::new().require_auth_int()).challenged([BASIC]);
    assert_eq!(skipped(&next), [SkipReason::NoAuthInt]);
}
