//! Authentication schemes.

use crate::syntax::chars::is_word;

/// An authentication scheme that this crate implements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Scheme {
    /// Basic (RFC 7617).
    Basic,
    /// Digest (RFC 7616, RFC 2617, RFC 2069).
    Digest,
}

impl Scheme {
    /// The scheme of this name, in any case.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        if is_word(name, b"basic") {
            Some(Self::Basic)
        } else if is_word(name, b"digest") {
            Some(Self::Digest)
        } else {
            None
        }
    }
}

/// Converts a token or token68 to a string. Both are ASCII, so this does not fail; the checked
/// conversion avoids `unsafe`.
pub(super) const fn as_str(token: &[u8]) -> &str {
    match core::str::from_utf8(token) {
        Ok(text) => text,
        Err(_) => "",
    }
}
