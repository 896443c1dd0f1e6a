//! `qop=auth-int`: when a body is hashed, and what its absence costs.

use countersign::client::{Error, Policy, Quirk, ServerProof, SkipReason};
use countersign::digest::{BodyHasher, Ha1, HashFunction, HexDigest};
use countersign::wire::QopParams;
use countersign::{EntityBody, Target};

use super::{BASIC, answer, legacy, with_algorithm, with_qop};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, USER};
use crate::support::digest::rspauth;

const BODY: &[u8] = b"a=1";

fn hashed(hash: HashFunction) -> HexDigest {
    let mut hasher = BodyHasher::new(hash);
    hasher.update(b"a=");
    hasher.update(b"1");
    hasher.finish()
}

/// The qop of the answer, by what is offered and what is known of the body.
fn qop(policy: Policy, offered: &str, body: EntityBody<'_>) -> Result<String, Error> {
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
    const NEEDED: &str = "needed";
    let whole = EntityBody::Bytes(BODY);
    let right = EntityBody::Hashed(hashed(HashFunction::Sha256));
    let wrong = EntityBody::Hashed(hashed(HashFunction::Sha512_256));
    let unknown = EntityBody::Unknown;
    let last_resort = Policy::new();
    let deferred = EntityBody::Deferred;
    let preferred = Policy::new().prefer_auth_int();
    // What is required stays so.
    let required = Policy::new().require_auth_int().prefer_auth_int();
    for (policy, offered, bodies, expected) in [
        (last_resort, "auth", &[whole, unknown][..], "auth"),
        (last_resort, "auth,auth-int", &[whole, unknown], "auth"),
        (last_resort, "auth-int", &[whole, right], "auth-int"),
        (last_resort, "auth-int", &[wrong, unknown], NEEDED),
        (preferred, "auth", &[whole], "auth"),
        (preferred, "auth,auth-int", &[whole, right], "auth-int"),
        (preferred, "auth,auth-int", &[wrong, unknown], "auth"),
        (preferred, "auth,auth-int", &[deferred], NEEDED),
        (last_resort, "auth,auth-int", &[deferred], "auth"),
        (last_resort, "auth-int", &[deferred], NEEDED),
        (preferred, "auth-int", &[unknown], NEEDED),
        (required, "auth,auth-int", &[whole, right], "auth-int"),
        (required, "auth,auth-int", &[wrong, unknown], NEEDED),
        (required, "auth-int", &[unknown], NEEDED),
    ] {
        for body in bodies {
            let found = qop(policy, offered, *body);
            let needed = Error::BodyNeeded(HashFunction::Sha256);
            let expected = match expected {
                NEEDED => Err(needed),
                qop => Ok(qop.to_owned()),
            };
            assert_eq!(found, expected, "{policy:?} {offered} {body:?}");
        }
    }
}

#[test]
fn requirement_skips_challenges_without_it() {
    let policy = Policy::new().require_auth_int();
    for value in [CHALLENGE, &legacy("n")] {
        let skipped = answer(policy.with_quirk(Quirk::Rfc2069), &[value]);
        assert_eq!(skipped, Err(vec![SkipReason::NoAuthInt]));
    }
    // Two bodies of one MD5 would share a response.
    #[cfg(feature = "md5")]
    {
        let skipped = answer(policy, &[&with_qop("auth-int").replace("SHA-256", "MD5")]);
        assert_eq!(skipped, Err(vec![SkipReason::WeakAlgorithm]));
    }
    assert_eq!(answer(policy, &[BASIC]), Err(vec![SkipReason::NoAuthInt]));
    // A weaker one that does is better than a stronger one that does not.
    let strong = with_algorithm("SHA-512-256");
    let sent = answer(policy, &[&strong, &with_qop("auth-int")]).unwrap();
    assert_eq!(sent.get("algorithm"), "SHA-256");
}

#[test]
fn a_value_that_is_too_long_uses_no_count() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    let long = "/".repeat(countersign::MAX_VALUE_BYTES);
    let long = Target::new("GET", &long);
    assert_eq!(dialog.try_send(&long), Err(Error::TooLong));
    dialog.next_exchange();
    assert_eq!(dialog.try_send(&long), Ok(None));
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
}

#[test]
fn preference_decides_between_equal_challenges() {
    let (auth, both) = (CHALLENGE, &*with_qop("auth,auth-int").replace("n1", "n2"));
    for (policy, nonces) in [
        (Policy::new(), ["n1", "n2"]),
        (Policy::new().prefer_auth_int(), ["n2", "n2"]),
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
    let body = hashed(HashFunction::Sha256);
    let unread = EntityBody::Hashed(hashed(HashFunction::Sha512_256));
    for (body, expected) in [
        (EntityBody::Bytes(BODY), Ok(ServerProof::Valid)),
        (EntityBody::Hashed(body), Ok(ServerProof::Valid)),
        (EntityBody::Bytes(b"a=2"), Err(Error::WrongProof)),
        (EntityBody::Unknown, Ok(ServerProof::Unchecked)),
        (unread, Ok(ServerProof::Unchecked)),
    ] {
        for policy in [Policy::new(), Policy::new().require_server_proof()] {
            let mut dialog = Dialog::logged_in(policy, &with_qop("auth-int"));
            let sent = dialog.send("/").unwrap();
            let params = QopParams::new("auth-int", "00000001", sent.get("cnonce")).unwrap();
            let covered = hashed(HashFunction::Sha256);
            let proof = rspauth(&ha1, b"n1", Some(&params), b"/", Some(&covered));
            let info = [format!("rspauth=\"{}\"", proof.as_str())];
            let (client, exchange) = (&mut dialog.client, &mut dialog.exchange);
            let found = client.completed(exchange, 200, info.iter(), body);
            let expected = match expected.clone() {
                Ok(ServerProof::Unchecked) if policy != Policy::new() => Err(Error::MissingProof),
                expected => expected,
            };
            assert_eq!(found, expected, "{body:?}");
        }
    }
}
