//! `qop=auth-int`: when a body is hashed, and what its absence costs.

use countersign::client::{
    AuthorizeError, Policy, Quirk, Readiness, ServerProof, ServerProofError, SkipReason,
};
use countersign::digest::{BodyHasher, Ha1, HashFunction, HexDigest};
use countersign::wire::{QopParams, rspauth};
use countersign::{EntityBody, Target};

use super::{answer, with_algorithm, with_qop};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, USER};

const BODY: &[u8] = b"a=1";

fn hashed(hash: HashFunction) -> HexDigest {
    let mut hasher = BodyHasher::new(hash);
    hasher.update(b"a=");
    hasher.update(b"1");
    hasher.finish()
}

/// The qop of the answer, by what is offered and what is known of the body.
fn qop(policy: Policy, offered: &str, body: EntityBody<'_>) -> Result<String, AuthorizeError> {
    let mut dialog = Dialog::logged_in(policy, &with_qop(offered));
    let target = Target::new("POST", "/").with_body(body);
    let answer = dialog.try_send(&target)?;
    let sent = answer.expect("logged in");
    let known = Target::new("POST", "/").with_body(EntityBody::Bytes(BODY));
    assert!(sent.is_right(USER, PASSWORD, &known));
    Ok(sent.get("qop").to_owned())
}

#[test]
fn qop_by_policy_offer_and_body() {
    let (sha256, sha512) = (
        hashed(HashFunction::Sha256),
        hashed(HashFunction::Sha512_256),
    );
    let whole = EntityBody::Bytes(BODY);
    let right = EntityBody::Hashed(sha256);
    let wrong = EntityBody::Hashed(sha512);
    let needed = Err(AuthorizeError::BodyNeeded(HashFunction::Sha256));
    let is = |qop: &str| Ok(qop.to_owned());
    let last_resort = Policy::new();
    let preferred = Policy::new().prefer_auth_int();
    // What is required stays so.
    let required = Policy::new().require_auth_int().prefer_auth_int();
    for (policy, offered, body, expected) in [
        (last_resort, "auth", whole, is("auth")),
        (last_resort, "auth,auth-int", whole, is("auth")),
        (last_resort, "auth-int", whole, is("auth-int")),
        (last_resort, "auth-int", right, is("auth-int")),
        (last_resort, "auth-int", wrong, needed.clone()),
        (last_resort, "auth-int", EntityBody::Unknown, needed.clone()),
        (preferred, "auth", whole, is("auth")),
        (preferred, "auth,auth-int", whole, is("auth-int")),
        (preferred, "auth,auth-int", right, is("auth-int")),
        (preferred, "auth,auth-int", wrong, is("auth")),
        (preferred, "auth,auth-int", EntityBody::Unknown, is("auth")),
        (
            preferred,
            "auth,auth-int",
            EntityBody::Deferred,
            needed.clone(),
        ),
        (
            last_resort,
            "auth,auth-int",
            EntityBody::Deferred,
            is("auth"),
        ),
        (
            last_resort,
            "auth-int",
            EntityBody::Deferred,
            needed.clone(),
        ),
        (preferred, "auth-int", EntityBody::Unknown, needed.clone()),
        (required, "auth,auth-int", whole, is("auth-int")),
        (required, "auth,auth-int", right, is("auth-int")),
        (required, "auth,auth-int", wrong, needed.clone()),
        (
            required,
            "auth,auth-int",
            EntityBody::Unknown,
            needed.clone(),
        ),
        (required, "auth-int", EntityBody::Unknown, needed),
    ] {
        let found = qop(policy, offered, body);
        assert_eq!(found, expected, "{policy:?} {offered} {body:?}");
    }
}

#[test]
fn requirement_skips_challenges_without_it() {
    let policy = Policy::new().require_auth_int();
    assert_eq!(
        answer(policy, &[CHALLENGE]),
        Err(vec![SkipReason::NoAuthInt])
    );
    let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
    let skipped = answer(policy.with_quirk(Quirk::Rfc2069), &[&legacy]);
    assert_eq!(skipped, Err(vec![SkipReason::NoAuthInt]));
    // A weaker one that does is better than a stronger one that does not.
    let strong = with_algorithm("SHA-512-256");
    let sent = answer(policy, &[&strong, &with_qop("auth-int")]).unwrap();
    assert_eq!(sent.get("algorithm"), "SHA-256");
}

/// Nor does a value that is too long.
#[test]
fn a_value_that_is_too_long_uses_no_count() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    let long = "/".repeat(countersign::MAX_VALUE_BYTES);
    let long = Target::new("GET", &long);
    for asked in [true, false] {
        if !asked {
            dialog.next_exchange();
        }
        let answer = dialog.try_send(&long);
        match asked {
            true => assert_eq!(answer.err(), Some(AuthorizeError::TooLong)),
            false => assert!(matches!(answer, Ok(None))),
        }
    }
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
}

/// Where the server has not asked, it is given the chance to ask for something else.
#[test]
fn an_unknown_body_is_no_error_without_a_requirement() {
    let mut dialog = Dialog::logged_in(Policy::new(), &with_qop("auth-int"));
    let unknown = Target::new("POST", "/");
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
    dialog.accepted("").unwrap();
    dialog.next_exchange();
    assert!(dialog.send_target(&unknown).is_none());
    // One that has yet to be hashed is asked for, also where the server has not asked.
    let deferred = unknown.with_body(EntityBody::Deferred);
    let needed = AuthorizeError::BodyNeeded(HashFunction::Sha256);
    assert_eq!(dialog.try_send(&deferred).err(), Some(needed));
    // It is told ahead, and a body that is known is covered.
    let over = Readiness::AnswerOverBody(HashFunction::Sha256);
    assert_eq!(dialog.client.readiness("/"), over);
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000002");
}

/// That the server asked is not forgotten meanwhile.
#[test]
fn an_unknown_body_can_be_given_later() {
    let value = with_qop("auth-int") + r#", domain="/in""#;
    let mut dialog = Dialog::logged_in(Policy::new(), &value);
    let post = Target::new("POST", "/out");
    let answer = dialog.try_send(&post);
    assert_eq!(
        answer.err(),
        Some(AuthorizeError::BodyNeeded(HashFunction::Sha256))
    );
    let post = post.with_body(EntityBody::Bytes(BODY));
    assert!(dialog.send_target(&post).is_some());
    // Nor if nobody has judged the answer, for example because a limit of requests was met.
    assert!(dialog.send_target(&post).is_some());
    // For this request-target, and until an answer is accepted.
    let other = Target::new("POST", "/out/2").with_body(EntityBody::Bytes(BODY));
    assert!(dialog.clone().send_target(&other).is_none());
    dialog.accepted("").unwrap();
    assert!(dialog.send_target(&post).is_none());
}

#[test]
fn preference_decides_between_equal_challenges() {
    let (auth, both) = (CHALLENGE, &*with_qop("auth,auth-int").replace("n1", "n2"));
    for (policy, nonces) in [
        (Policy::new(), ["n1", "n2"]),
        (Policy::new().prefer_auth_int(), ["n2", "n2"]),
        // This form never covers the body.
        (
            Policy::new()
                .prefer_auth_int()
                .with_quirk(Quirk::UncountedForm),
            ["n1", "n2"],
        ),
    ] {
        for (order, nonce) in [[auth, both], [both, auth]].iter().zip(nonces) {
            assert_eq!(answer(policy, order).unwrap().get("nonce"), nonce);
        }
    }
}

/// The response to a request with a body has one of its own, which the proof covers.
#[test]
fn the_servers_proof_covers_its_body() {
    let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
    let protection = QopParams::new("auth-int", "00000001", "c1").unwrap();
    let body = hashed(HashFunction::Sha256);
    let proof = rspauth(&ha1, "n1", Some(&protection), "/", Some(&body));
    let info = [format!("rspauth=\"{}\"", proof.as_str())];
    let other = hashed(HashFunction::Sha512_256);
    for (policy, body, expected) in [
        (
            Policy::new(),
            EntityBody::Bytes(BODY),
            Ok(ServerProof::Valid),
        ),
        (
            Policy::new(),
            EntityBody::Hashed(body),
            Ok(ServerProof::Valid),
        ),
        (
            Policy::new(),
            EntityBody::Bytes(b"a=2"),
            Err(ServerProofError::Wrong),
        ),
        (
            Policy::new(),
            EntityBody::Unknown,
            Ok(ServerProof::Unchecked),
        ),
        (
            Policy::new(),
            EntityBody::Hashed(other),
            Ok(ServerProof::Unchecked),
        ),
        (
            Policy::new().require_server_proof(),
            EntityBody::Unknown,
            Err(ServerProofError::Missing),
        ),
        (
            Policy::new().require_server_proof(),
            EntityBody::Bytes(BODY),
            Ok(ServerProof::Valid),
        ),
    ] {
        let mut dialog = Dialog::logged_in(policy, &with_qop("auth-int"));
        dialog.send("/").unwrap();
        let found = dialog
            .client
            .completed(&mut dialog.exchange, 200, info.iter(), body);
        assert_eq!(found, expected, "{body:?}");
    }
}
