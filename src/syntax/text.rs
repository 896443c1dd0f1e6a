//! Parameter values.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::Utf8Error;

use crate::error::InvalidText;
use crate::syntax::chars::{self, QDTEXT, QUOTABLE};

/// The value of a parameter, borrowed from the header or from the caller.
///
/// A quoted string may contain backslash escapes. They are resolved on access, except by
/// [`raw`](Self::raw). A `Text` contains no control bytes other than HTAB, so a quoted string can
/// carry it.
///
/// Equality compares the value with escapes resolved: `"a\b"`, `"ab"` and `ab` are equal. `Debug`
/// hides the value.
///
/// ```
/// let challenge = countersign::challenges([r#"Digest realm="a \"b\"""#]).raw().next().unwrap()?;
/// let realm = challenge.realm().unwrap();
/// assert_eq!(realm.raw(), br#"a \"b\""#);
/// assert_eq!(realm.to_str().unwrap(), r#"a "b""#);
/// assert!(!realm.is_unquoted_token());
/// # Ok::<(), countersign::ParseError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Text<'a> {
    raw: &'a [u8],
    quoting: Quoting,
}

/// The form in which a [`Text`] holds its value.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Quoting {
    /// A token: read from a header where it had no quotes, or a keyword or nonce count of this
    /// crate, which needs none.
    Token,
    /// No `"` or `\` occurs, so the value can be written between quotes as it is: the content of a
    /// quoted string without escapes, an unquoted value that is not a token, or a text that is
    /// known to contain neither, such as a nonce that this crate issued.
    Verbatim,
    /// The content of a quoted string with escapes: `\"` is the value `"`.
    Escaped,
    /// The value itself, in which `"` and `\` stand for themselves. They are escaped when it is
    /// written in quotes.
    Given,
}

impl<'a> Text<'a> {
    pub(crate) const EMPTY: Self = Self::of(b"", Quoting::Given);

    /// A value to be written to a header.
    ///
    /// ```
    /// use countersign::{InvalidText, Text};
    ///
    /// assert_eq!(Text::new(r#"a "b""#)?, r#"a "b""#);
    /// assert_eq!(Text::new("a\nb"), Err(InvalidText::Control(1)));
    /// # Ok::<(), InvalidText>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] at the first control byte other than HTAB: CR or LF would end the
    /// header field, and a quoted string cannot contain the others (RFC 9110, section 5.6.4).
    pub fn new<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, InvalidText> {
        let raw = text.as_ref();
        if !chars::has_control(raw) {
            return Ok(Self::of(raw, Quoting::Given));
        }
        match raw.iter().position(|&byte| !chars::is(byte, QUOTABLE)) {
            Some(at) => Err(InvalidText::Control(at)),
            None => Ok(Self::of(raw, Quoting::Given)),
        }
    }

    /// `raw` must have the form that `quoting` describes, and no control bytes other than HTAB.
    pub(super) const fn of(raw: &'a [u8], quoting: Quoting) -> Self {
        Self { raw, quoting }
    }

    /// Like [`new`](Self::new), for bytes known to be valid. Debug builds check them.
    pub(crate) fn assume_checked(raw: &'a [u8]) -> Self {
        debug_assert!(raw.iter().all(|&byte| chars::is(byte, QUOTABLE)));
        Self::of(raw, Quoting::Given)
    }

    /// Like [`assume_checked`](Self::assume_checked), for bytes without `"` and `\`.
    pub(crate) fn verbatim(raw: &'a [u8]) -> Self {
        debug_assert!(raw.iter().all(|&byte| chars::is(byte, QDTEXT)));
        Self::of(raw, Quoting::Verbatim)
    }

    /// The eight digits of a nonce count, written without quotes.
    pub(crate) const fn nc(digits: &'a [u8; 8]) -> Self {
        Self::of(digits, Quoting::Token)
    }

    /// A keyword, which needs no quotes.
    pub(crate) const fn keyword(keyword: &'static str) -> Self {
        Self::of(keyword.as_bytes(), Quoting::Token)
    }

    const fn has_escapes(&self) -> bool {
        matches!(self.quoting, Quoting::Escaped)
    }

    /// The bytes as they are in the header, with escapes but without the enclosing quotes; or as
    /// the caller passed them.
    ///
    /// Do not hash or compare them, because of the escapes. Pass the `Text` itself to the functions
    /// of [`digest`](crate::digest), and compare it with `==`.
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The value, escapes resolved, as a sequence of non-empty slices.
    ///
    /// ```
    /// let challenge = countersign::challenges([r#"X v="a \"b\"""#]).raw().next().unwrap()?;
    /// let value = challenge.param("v").unwrap();
    /// assert_eq!(value.chunks().collect::<Vec<_>>().concat(), br#"a "b""#);
    /// # Ok::<(), countersign::ParseError>(())
    /// ```
    pub const fn chunks(&self) -> Chunks<'a> {
        Chunks {
            rest: self.raw,
            escapes: self.has_escapes(),
            literal: false,
        }
    }

    /// The value byte by byte, escapes resolved.
    #[inline]
    pub(crate) const fn bytes(&self) -> Bytes<'a> {
        Bytes {
            rest: self.raw,
            escapes: self.has_escapes(),
        }
    }

    /// The elements of a comma-separated list in the value. They are not trimmed, and may be empty.
    ///
    /// An escaped comma separates, too. Its backslash is then the last byte of an element, where
    /// [`bytes`](Self::bytes) ignores it.
    pub(crate) fn split_list(&self) -> impl Iterator<Item = Self> + use<'a> {
        let Self { raw, quoting } = *self;
        raw.split(|&byte| byte == b',')
            .map(move |raw| Self { raw, quoting })
    }

    /// Copies the value, escapes resolved, to `out`. Returns whether the lengths are equal; if not,
    /// `out` may be overwritten, in part or in whole.
    #[inline]
    pub(crate) fn copy_to(&self, out: &mut [u8]) -> bool {
        if self.has_escapes() {
            let mut bytes = self.bytes();
            out.iter_mut()
                .all(|place| bytes.next().map(|byte| *place = byte).is_some())
                && bytes.next().is_none()
        } else if self.raw.len() == out.len() {
            out.copy_from_slice(self.raw);
            true
        } else {
            false
        }
    }

    /// The value, escapes resolved. Allocates only if there are escapes.
    pub fn to_bytes(&self) -> Cow<'a, [u8]> {
        if self.has_escapes() {
            Cow::Owned(self.bytes().collect::<Vec<u8>>())
        } else {
            Cow::Borrowed(self.raw)
        }
    }

    /// The value as a string, escapes resolved. Allocates only if there are escapes.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`] if the value is not UTF-8: some peers send ISO-8859-1.
    pub fn to_str(&self) -> Result<Cow<'a, str>, Utf8Error> {
        match self.to_bytes() {
            Cow::Borrowed(bytes) => core::str::from_utf8(bytes).map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes)
                .map(Cow::Owned)
                .map_err(|error| error.utf8_error()),
        }
    }

    /// Returns `true` for a token without quotes in a header, and for a keyword of this crate, such
    /// as the [`algorithm_text`](crate::digest::Challenge::algorithm_text) of a challenge from
    /// [`Challenge::new`](crate::digest::Challenge::new); and `false` for any other value: one in
    /// quotes, one without quotes that is not a token (`domain=/`), and one passed to
    /// [`new`](Self::new).
    pub const fn is_unquoted_token(&self) -> bool {
        matches!(self.quoting, Quoting::Token)
    }

    /// Returns whether the value is known to need no escapes.
    pub(crate) const fn is_verbatim(&self) -> bool {
        matches!(self.quoting, Quoting::Token | Quoting::Verbatim)
    }

    /// The value, if it is in one piece: not if [`raw`](Self::raw) has escapes.
    #[inline]
    pub(crate) const fn as_slice(&self) -> Option<&'a [u8]> {
        if self.has_escapes() {
            None
        } else {
            Some(self.raw)
        }
    }

    /// Returns whether the value is empty.
    pub const fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Returns whether the value is `word`, ignoring ASCII case. `word` must be in lower case.
    #[inline(always)]
    pub(crate) fn is_word<const LENGTH: usize>(&self, word: &[u8; LENGTH]) -> bool {
        if self.has_escapes() {
            return self.eq_escaped_ignoring_case(word);
        }
        chars::is_word(self.raw, word)
    }

    /// Returns whether the value, which has escapes, is `text`, ignoring ASCII case.
    #[cold]
    fn eq_escaped_ignoring_case(&self, text: &[u8]) -> bool {
        self.bytes()
            .map(|byte| byte.to_ascii_lowercase())
            .eq(text.iter().map(u8::to_ascii_lowercase))
    }

    /// Returns whether the value is `text`, ignoring ASCII case.
    pub fn eq_ignore_ascii_case(&self, text: &str) -> bool {
        if self.has_escapes() {
            return self.eq_escaped_ignoring_case(text.as_bytes());
        }
        self.raw.eq_ignore_ascii_case(text.as_bytes())
    }
}

impl PartialEq<[u8]> for Text<'_> {
    fn eq(&self, other: &[u8]) -> bool {
        if self.has_escapes() {
            self.bytes().eq(other.iter().copied())
        } else {
            self.raw == other
        }
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        *self == *other.as_bytes()
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == *other.as_bytes()
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        if other.has_escapes() {
            self.bytes().eq(other.bytes())
        } else {
            *self == *other.raw
        }
    }
}

impl Eq for Text<'_> {}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.is_unquoted_token() {
            "token"
        } else {
            "other"
        };
        write!(f, "Text({form}, {} bytes)", self.raw.len())
    }
}

/// Iterator of [`Text::bytes`].
#[derive(Clone)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
    escapes: bool,
}

impl Iterator for Bytes<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.escapes
            && let [b'\\', rest @ ..] = self.rest
        {
            self.rest = rest;
        }
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }
}

/// Iterator of [`Text::chunks`]: the slices between the escaping backslashes.
///
/// ```
/// use countersign::{Chunks, Text};
///
/// let text = Text::new("no escapes")?;
/// let mut chunks: Chunks<'_> = text.chunks();
/// assert_eq!(chunks.next(), Some(&b"no escapes"[..]));
/// assert_eq!(chunks.next(), None);
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone)]
pub struct Chunks<'a> {
    rest: &'a [u8],
    escapes: bool,
    /// Whether the first byte of `rest` follows a backslash and is therefore literal.
    literal: bool,
}

impl<'a> Chunks<'a> {
    /// All of `bytes` as one chunk, or none if empty. A backslash is an ordinary byte.
    pub(crate) const fn one(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            escapes: false,
            literal: false,
        }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let skip = usize::from(self.literal);
            let backslash = if self.escapes {
                self.rest.iter().skip(skip).position(|&byte| byte == b'\\')
            } else {
                None
            };
            let Some(at) = backslash else {
                return Some(core::mem::take(&mut self.rest));
            };
            let (chunk, rest) = self.rest.split_at(at + skip);
            self.rest = rest.get(1..).unwrap_or_default();
            self.literal = true;
            if !chunk.is_empty() {
                return Some(chunk);
            }
        }
    }
}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunks({} bytes)", self.rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(raw: &str) -> Text<'_> {
        let quoting = match raw.contains('\\') {
            true => Quoting::Escaped,
            false => Quoting::Verbatim,
        };
        Text::of(raw.as_bytes(), quoting)
    }

    #[test]
    fn all_accessors_resolve_escapes_alike() {
        for (raw, value) in [
            ("", ""),
            ("plain", "plain"),
            (r"\a", "a"),
            (r"a\bc", "abc"),
            (r"\\", r"\"),
            (r#"\"\\\"x"#, r#""\"x"#),
            (r"\ä\\n", r"ä\n"),
        ] {
            let text = quoted(raw);
            assert_eq!(text.to_bytes(), value.as_bytes(), "{raw}");
            assert_eq!(text.to_str().unwrap(), value, "{raw}");
            assert!(text.bytes().eq(value.bytes()), "{raw}");
            assert!(text.chunks().all(|chunk| !chunk.is_empty()));
            assert_eq!(text, *value);
            assert_eq!(text, Text::new(value).unwrap());
            assert_eq!(Text::new(value).unwrap(), text);
            assert!(text.eq_ignore_ascii_case(&value.to_ascii_uppercase()));
        }
    }

    #[test]
    fn different_values_are_not_equal() {
        assert_ne!(quoted(r"a\b"), quoted("a"));
        assert_ne!(quoted("a"), quoted(r"a\b"));
        assert_ne!(quoted(r"a\b"), quoted("abc"));
        assert_ne!(quoted("A"), *"a");
    }

    #[test]
    fn debug_shows_no_content() {
        assert_eq!(
            alloc::format!("{:?}", quoted("hunter2")),
            "Text(other, 7 bytes)"
        );
    }
}
