//! Header field values to send.

use alloc::vec::Vec;
use core::str::Utf8Error;

use crate::secret::SecretBytes;

/// A header field value, ready to send.
///
/// It contains no control bytes other than HTAB, so it cannot inject another field or line. Because
/// credentials are secrets, `Debug` hides it and it is wiped when dropped; a `Vec` converted from
/// it is not wiped.
///
/// With the feature `http`, `value.into()` and `(&value).into()` are an `http::HeaderValue` that is
/// marked as sensitive, which keeps it out of the logs and compression tables of HTTP libraries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FieldValue(SecretBytes);

impl FieldValue {
    /// `bytes` must contain no control bytes other than HTAB.
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(SecretBytes::new(bytes))
    }

    /// The value as bytes. Bytes above 0x7F come from the peer's header or from the caller's text.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The value as a string. Code that cannot fail takes
    /// `String::from_utf8_lossy(value.as_bytes())`, which changes a value only where a realm, nonce,
    /// cnonce or target in it is not UTF-8.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`] if the value is not UTF-8: see [`as_bytes`](Self::as_bytes).
    pub fn to_str(&self) -> Result<&str, Utf8Error> {
        core::str::from_utf8(self.as_bytes())
    }
}

impl AsRef<[u8]> for FieldValue {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<FieldValue> for Vec<u8> {
    fn from(value: FieldValue) -> Self {
        value.0.into_vec()
    }
}

/// Marked as sensitive. The copy is not wiped when dropped.
#[cfg(feature = "http")]
impl From<&FieldValue> for http::HeaderValue {
    fn from(value: &FieldValue) -> Self {
        // Does not fail: both types allow all bytes but control bytes other than HTAB.
        let copy = Self::from_bytes(value.as_bytes());
        let mut copy = copy.unwrap_or_else(|_| Self::from_static(""));
        copy.set_sensitive(true);
        copy
    }
}

/// Marked as sensitive.
#[cfg(feature = "http")]
impl From<FieldValue> for http::HeaderValue {
    fn from(value: FieldValue) -> Self {
        Self::from(&value)
    }
}

impl PartialEq<&str> for FieldValue {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}
