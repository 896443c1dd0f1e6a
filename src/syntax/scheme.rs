//! Authentication schemes.

use core::fmt;

use crate::syntax::chars::is_word;

/// An authentication scheme. `Debug` hides the name in [`Other`](Self::Other).
#[derive(Clone, Copy, Eq, PartialEq)]
#[non_exhaustive]
pub enum Scheme<'a> {
    /// Basic (RFC 7617).
    Basic,
    /// Digest (RFC 7616, RFC 2617, RFC 2069).
    Digest,
    /// Any other scheme: its name as written. Names are case-insensitive, but `==` compares bytes.
    Other(&'a str),
}

impl<'a> Scheme<'a> {
    pub(super) fn of(name: &'a [u8]) -> Self {
        // `is_word` ignores case.
        if is_word(name, b"basic") {
            Self::Basic
        } else if is_word(name, b"digest") {
            Self::Digest
        } else {
            Self::Other(as_str(name))
        }
    }
}

impl fmt::Debug for Scheme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic => "Basic",
            Self::Digest => "Digest",
            Self::Other(_) => "Other",
        })
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
