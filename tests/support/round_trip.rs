//! What is written reads back as an equal value, and that is written the same again.

use countersign::wire::{AuthenticationInfo, BasicCredentials, DigestChallenge, DigestCredentials};
use countersign::{
    Authorization, Challenge, FieldValue, RawChallenge, Text, challenges, raw_challenges, wire,
};

use super::{compare, naive};

/// Whatever can be read from `value` as any header.
pub fn read(value: &[u8]) {
    for challenge in raw_challenges([value]).flatten() {
        generic(challenge);
    }
    for challenge in challenges([value]).flatten() {
        match challenge {
            Challenge::Basic { realm, utf8, .. } => basic_challenge(realm, utf8),
            Challenge::Digest(challenge) => digest_challenge(&challenge),
            _ => {}
        }
    }
    match Authorization::parse(value) {
        Ok(Authorization::Basic(pair)) => basic_credentials(&pair),
        Ok(Authorization::Digest(credentials)) => digest_credentials(&credentials),
        Ok(Authorization::Other(challenge)) => {
            let written = challenge.to_field_value();
            let read = Authorization::parse(&written);
            assert!(matches!(read, Ok(Authorization::Other(read)) if read == challenge));
        }
        _ => {}
    }
    if let Ok(read) = AuthenticationInfo::parse([value]) {
        info(&read);
    }
}

pub fn generic(challenge: RawChallenge<'_>) {
    let written = challenge.to_field_value();
    only_text(&written);
    let read = reread(&written);
    assert_eq!(read, challenge);
    assert_eq!(read.scheme_name(), challenge.scheme_name());
    assert_eq!(read.to_field_value(), written);
    for ((_, read), (name, value)) in read.params().zip(challenge.params()) {
        let is_realm = name.eq_ignore_ascii_case("realm");
        assert_eq!(
            read.is_unquoted_token(),
            !is_realm && value.is_unquoted_token()
        );
    }
    // What is written is by the letter, whatever was read.
    assert_eq!(
        naive::credentials(written.as_bytes()),
        Some(compare::plain(&challenge))
    );
}

fn basic_challenge(realm: Text<'_>, utf8: bool) {
    // What is not UTF-8 is not written.
    let Ok(realm) = realm.to_str() else { return };
    let written = wire::basic_challenge(&realm, utf8).expect("a text");
    only_text(&written);
    let read = challenges([&written]).collect::<Vec<_>>();
    let is_it = |read: Text<'_>, read_utf8| read == &*realm && read_utf8 == utf8;
    assert!(
        matches!(read[..], [Ok(Challenge::Basic { realm, utf8, .. })] if is_it(realm, utf8)),
        "{read:?}"
    );
}

fn digest_challenge(challenge: &DigestChallenge<'_>) {
    let written = challenge.to_field_value();
    only_text(&written);
    assert!(naive::credentials(written.as_bytes()).is_some());
    let algorithm = reread(&written).param("algorithm");
    assert!(algorithm.is_none_or(|algorithm| algorithm.is_unquoted_token()));
    match challenges([&written]).next() {
        Some(Ok(Challenge::Digest(read))) => {
            assert_eq!(read, *challenge);
            assert_eq!(read.to_field_value(), written);
        }
        other => panic!("{other:?}"),
    }
}

fn basic_credentials(pair: &BasicCredentials) {
    let written = wire::basic_credentials(pair.username(), pair.password()).expect("a pair");
    only_text(&written);
    match Authorization::parse(&written) {
        Ok(Authorization::Basic(read)) => {
            assert_eq!(read.username(), pair.username());
            assert_eq!(read.password(), pair.password());
        }
        other => panic!("{other:?}"),
    }
}

fn digest_credentials(credentials: &DigestCredentials<'_>) {
    let written = credentials.to_field_value();
    only_text(&written);
    match Authorization::parse(&written) {
        Ok(Authorization::Digest(read)) => {
            assert_eq!(read, *credentials);
            assert_eq!(read.user(), credentials.user());
            assert_eq!(read.to_field_value(), written);
        }
        other => panic!("{other:?}"),
    }
}

fn info(info: &AuthenticationInfo<'_>) {
    let written = info.to_field_value();
    only_text(&written);
    let read = AuthenticationInfo::parse([&written]);
    assert_eq!(read, Ok(*info));
    assert_eq!(read.map(|it| it.to_field_value()), Ok(written.clone()));
}

/// The one challenge that `written` must be.
fn reread(written: &FieldValue) -> RawChallenge<'_> {
    let mut all = raw_challenges([written]);
    let one = all.next().expect("a challenge").expect("a right one");
    assert!(all.next().is_none());
    one
}

/// Nothing is written that would end a header field, or that a reader may stumble over.
fn only_text(written: &FieldValue) {
    let control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    assert!(
        !written.as_bytes().iter().any(control),
        "{}",
        written.as_bytes().escape_ascii()
    );
}
