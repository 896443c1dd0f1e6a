//! Bytes in JSON.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, de};

/// Bytes of a message. In the files they are text, or `{"hex": ".."}` if they are not.
#[derive(Clone, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Octets(pub Vec<u8>);

impl Deref for Octets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Octets {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq<str> for Octets {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl fmt::Debug for Octets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Hex { hex: Hex },
        }
        Ok(match Written::deserialize(from)? {
            Written::Text(text) => Self(text.into_bytes()),
            Written::Hex { hex } => Self(hex.0),
        })
    }
}

/// Bytes that are written as hexadecimal digits.
#[derive(Clone, Debug)]
pub(super) struct Hex(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(from)?;
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        };
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
        match bytes {
            Some(bytes) if digits.len() % 2 == 0 => Ok(Self(bytes)),
            _ => Err(de::Error::custom("no hexadecimal digits")),
        }
    }
}

/// Bytes that are written with one character each.
#[derive(Clone, Debug)]
pub(super) struct Latin1(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Latin1 {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        bytes.map(Self).map_err(de::Error::custom)
    }
}

/// The bytes of a field that stands as text, or as digits beside it.
pub(super) fn either(text: Option<&str>, hex: Option<&Hex>) -> Vec<u8> {
    match (text, hex) {
        (Some(text), _) => text.as_bytes().to_owned(),
        (None, hex) => hex.map(|hex| hex.0.clone()).unwrap_or_default(),
    }
}

/// The same for several lines.
pub(super) fn either_lines(text: Option<&[String]>, hex: Option<&[Hex]>) -> Vec<Vec<u8>> {
    match text {
        Some(lines) => lines
            .iter()
            .map(|line| line.as_bytes().to_owned())
            .collect(),
        None => hex
            .unwrap_or_default()
            .iter()
            .map(|line| line.0.clone())
            .collect(),
    }
}
