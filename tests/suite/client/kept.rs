//! Answers to challenges that a program keeps itself.

use countersign::client::{
    Account, Client, Endpoint, Error, Exchange, GiveUp, LoginError, Policy, Quirk, SkipReason,
};
use countersign::digest::{Ha1, HashFunction, User};
use countersign::wire::DigestChallenge;
use countersign::{Authorization, Challenge, EntityBody, InvalidText, Target, challenges};

use crate::support::client::{PASSWORD, Sends, USER};

fn read(value: &str) -> DigestChallenge<'_> {
    match challenges([value]).next() {
        Some(Ok(Challenge::Digest(challenge))) => challenge,
        other => panic!("{value}: {other:?}"),
    }
}

fn ha1(challenge: &DigestChallenge<'_>) -> Ha1 {
    let hash = challenge.algorithm().hash_function();
    Ha1::new(hash, USER, challenge.realm, PASSWORD)
}

/// Byte for byte, for each kind of challenge, and three counts.
#[test]
fn answers_are_those_of_a_client() {
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    for parameters in [
        "algorithm=SHA-256, qop=\"auth\"",
        "algorithm=SHA-256-sess, qop=\"auth,auth-int\"",
        "algorithm=SHA-256, qop=\"auth-int\", opaque=\"o\"",
        "algorithm=SHA512-256, qop=auth, charset=UTF-8",
        #[cfg(feature = "md5")]
        "algorithm=MD5-sess, qop=\"auth\"",
        #[cfg(feature = "md5")]
        "algorithm=MD5",
        #[cfg(feature = "md5")]
        "opaque=\"o\"",
    ] {
        let value = format!("Digest realm=\"r\", nonce=\"n\", {parameters}");
        let target = Target::new("GET", "/a?b").with_body(EntityBody::Bytes(b"body"));
        let endpoint = Endpoint::origin("https", "h", None).unwrap();
        let client = Client::from_seed(endpoint, policy, [7; 32]);
        let mut client = client.with_account(Account::new(USER, PASSWORD)).unwrap();
        let mut exchange = Exchange::new();
        let _ = client.challenged(&mut exchange, challenges([&value]));
        for count in 1..=3 {
            let expected = client.sends(&mut exchange, &target).expect("an answer");
            let Ok(Authorization::Digest(sent)) = Authorization::parse(expected) else {
                panic!("{expected:?}")
            };
            let cnonce = sent
                .qop_params
                .map(|it| it.cnonce().to_str().unwrap().into_owned());
            let challenge = read(&value);
            let answer = challenge.answer(
                &User::from(USER),
                &ha1(&challenge),
                &target,
                count,
                cnonce.as_deref().unwrap_or("unused"),
            );
            assert_eq!(answer.as_ref(), Ok(expected), "{parameters}");
            exchange = Exchange::new();
        }
    }
}

#[test]
fn what_cannot_be_answered_says_why() {
    let session = GiveUp::NoUsableChallenge([SkipReason::SessionAlgorithm].into());
    let sha_256 = HashFunction::Sha256;
    let ha1 = Ha1::new(sha_256, USER, "r", PASSWORD);
    for (parameters, uri, cnonce, error) in [
        (
            "SHA-512-256, qop=auth",
            "/",
            "c",
            LoginError::OtherHash.into(),
        ),
        (
            "SHA-256, qop=auth-int",
            "/",
            "c",
            Error::BodyNeeded(sha_256),
        ),
        ("SHA-256-sess", "/", "c", session.into()),
        (
            "SHA-256, qop=auth",
            "/\n",
            "c",
            InvalidText::Control(1).into(),
        ),
        (
            "SHA-256, qop=auth",
            "/",
            "c\n",
            InvalidText::Control(1).into(),
        ),
    ] {
        let value = format!("Digest realm=\"r\", nonce=\"n\", algorithm={parameters}");
        let target = Target::new("GET", uri);
        let answer = read(&value).answer(&User::from(USER), &ha1, &target, 1, cnonce);
        assert_eq!(answer, Err(error), "{parameters}");
    }
}

/// From a form that has no field for it.
#[cfg(feature = "md5")]
#[test]
fn a_challenge_without_an_algorithm_is_answered_without_one() {
    use countersign::digest::Algorithm;

    let challenge = DigestChallenge::new("r", "n", Algorithm::SHA_256).unwrap();
    let challenge = challenge.without_algorithm();
    assert_eq!(challenge.algorithm(), Algorithm::MD5);
    assert_eq!(
        challenge,
        read(r#"Digest realm="r", nonce="n", qop="auth""#)
    );
    let target = Target::new("GET", "/");
    let value = challenge.answer(&User::from(USER), &ha1(&challenge), &target, 1, "c");
    assert!(!value.unwrap().to_str().unwrap().contains("algorithm"));
}
