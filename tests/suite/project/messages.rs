//! The errors of one type differ in their messages, which are one line without a stop.

use std::collections::BTreeSet;

use countersign::client::{Endpoint, Error, GiveUp, LoginError, SkipReason};
use countersign::digest::{Algorithm, HashFunction};
use countersign::{InvalidText, challenges};

/// Checks the messages of one type.
fn differ(messages: &[String]) {
    let mut seen = BTreeSet::new();
    for message in messages {
        assert!(message.len() > 10 && !message.contains('\n'), "{message:?}");
        assert!(!message.ends_with('.'), "{message:?}");
        assert!(seen.insert(message), "twice: {message:?}");
    }
}

#[test]
fn every_error_has_its_own_message() {
    differ(&[
        Error::Method.to_string(),
        Error::Text(InvalidText::Control(1)).to_string(),
        Error::WrongProof.to_string(),
        Error::MissingProof.to_string(),
        Error::TooLong.to_string(),
        Error::BodyNeeded(HashFunction::Sha256).to_string(),
        Error::NonceExhausted.to_string(),
    ]);
    differ(&[
        LoginError::Superseded.to_string(),
        LoginError::AlreadyRefused.to_string(),
        LoginError::BasicNotAllowed.to_string(),
        LoginError::OtherRealm.to_string(),
        LoginError::PasswordNeeded.to_string(),
        LoginError::OtherHash.to_string(),
        LoginError::Text(InvalidText::ColonInUsername).to_string(),
    ]);
    differ(&[
        GiveUp::TooManyAnswers.to_string(),
        GiveUp::NeverAnswered.to_string(),
        GiveUp::ForeignTarget.to_string(),
    ]);
    let header = challenges(["Digest realm=r, realm=r"]);
    let header = header.filter_map(Result::err).next().expect("an error");
    differ(&[
        SkipReason::TooLong.to_string(),
        SkipReason::BelowStrength.to_string(),
        SkipReason::Header(header).to_string(),
    ]);
    differ(&[
        InvalidText::Control(1).to_string(),
        InvalidText::ColonInUsername.to_string(),
        InvalidText::NotHex(1).to_string(),
        InvalidText::NotToken(1).to_string(),
        InvalidText::RepeatedName.to_string(),
        InvalidText::Length.to_string(),
    ]);
    differ(&[
        "x".parse::<Algorithm>().expect_err("unknown").to_string(),
        Endpoint::origin("x", "h", None)
            .expect_err("no port")
            .to_string(),
    ]);
}
