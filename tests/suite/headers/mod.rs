//! The headers as values: written, read back, and safe whatever text they hold.

mod control_bytes;
mod expected_response;
#[cfg(feature = "http")]
mod http_types;
mod other_schemes;
mod params_of_others;
mod quoting;
mod round_trip;
mod texts;

use countersign::wire::{AuthenticationInfo, basic_challenge, basic_credentials};
use countersign::{Authorization, Challenge, FieldValue, HeaderError, challenges, raw_challenges};

/// What is read of a header, written again.
type Rewrite = fn(&str) -> Result<FieldValue, HeaderError>;

fn challenge(value: &str) -> Result<FieldValue, HeaderError> {
    let mut all = challenges([value]);
    let written = match all.next().expect("one")? {
        Challenge::Basic { realm, utf8, .. } => {
            let realm = realm.to_str().expect("UTF-8");
            basic_challenge(&realm, utf8).expect("a realm")
        }
        Challenge::Digest(digest) => digest.to_field_value(),
        other => panic!("{other:?}"),
    };
    assert!(all.next().is_none());
    Ok(written)
}

fn raw(value: &str) -> Result<FieldValue, HeaderError> {
    let read = raw_challenges([value]).next().expect("one");
    read.map(|it| it.to_field_value())
}

fn credentials(value: &str) -> Result<FieldValue, HeaderError> {
    Ok(match Authorization::parse(value)? {
        Authorization::Basic(pair) => {
            basic_credentials(pair.username(), pair.password()).expect("a pair")
        }
        Authorization::Digest(digest) => digest.to_field_value(),
        Authorization::Other(other) => other.to_field_value(),
        other => panic!("{other:?}"),
    })
}

fn info(value: &str) -> Result<FieldValue, HeaderError> {
    AuthenticationInfo::parse([value]).map(|it| it.to_field_value())
}
