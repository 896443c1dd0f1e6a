//! Parameter values.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::Utf8Error;

use crate::error::InvalidText;
use crate::syntax::chars::{self, QUOTABLE};

/// The value of a parameter, borrowed from the header as it lies there, or from the caller.
///
/// A quoted string may hold backslash escapes. They are not resolved until asked for, so parsing
/// allocates nothing; [`chunks`](Self::chunks) resolves them without allocating at all. No `Text`
/// holds a control byte other than HTAB, so any can be written to a header.
///
/// Equality compares the value itself: `"a\b"`, `"ab"` and `ab` are equal. `Debug` hides it.
///
/// ```
/// let challenge = countersign::challenges([r#"Digest realm="a \"b\"""#]).raw().next().unwrap()?;
/// let realm = challenge.realm().unwrap();
/// assert_eq!(realm.raw(), br#"a \"b\""#);
/// assert_eq!(realm.to_str().unwrap(), r#"a "b""#);
/// assert!(realm.is_quoted());
/// # Ok::<(), countersign::ParseError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Text<'a> {
    raw: &'a [u8],
    form: Form,
}

/// How a value is written.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Form {
    /// Without quotes.
    Token,
    /// In quotes, and nothing in it is to be escaped. Also what stood without quotes and needs them,
    /// being no token.
    Quoted,
    /// In quotes, and something in it is escaped.
    Escaped,
    /// As the caller gave it: to be quoted, and nothing in it is escaped yet.
    Given,
}

impl<'a> Text<'a> {
    /// A value to be written.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] at the first control byte other than HTAB: CR or LF would end the
    /// header field, and the grammar has no way to carry the others (RFC 9110, section 5.6.4).
    pub fn new<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, InvalidText> {
        let raw = text.as_ref();
        match raw.iter().position(|&byte| !chars::is(byte, QUOTABLE)) {
            Some(at) => Err(InvalidText::Control(at)),
            None => Ok(Self::literal(raw)),
        }
    }

    pub(super) const fn of(raw: &'a [u8], form: Form) -> Self {
        Self { raw, form }
    }

    /// Bytes that have been checked before, or that go into a hash and not into a header.
    pub(crate) const fn literal(raw: &'a [u8]) -> Self {
        Self::of(raw, Form::Given)
    }

    /// The same, known to hold nothing that is to be escaped in quotes.
    pub(crate) const fn verbatim(raw: &'a [u8]) -> Self {
        Self::of(raw, Form::Quoted)
    }

    /// Digits, to be written without quotes.
    pub(crate) const fn digits(digits: &'a [u8; 8]) -> Self {
        Self::of(digits, Form::Token)
    }

    /// A keyword of ours, to be written without quotes.
    pub(crate) const fn keyword(keyword: &'static str) -> Self {
        Self::of(keyword.as_bytes(), Form::Token)
    }

    const fn has_escapes(&self) -> bool {
        matches!(self.form, Form::Escaped)
    }

    /// The value as it lies in the header, without the quotes around it, escapes and all; or as the
    /// caller gave it.
    ///
    /// Never hash it or compare it: where something is escaped it is another value. The formulas of
    /// [`digest`](crate::digest) take the `Text` itself, and `==` compares its value.
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The value in pieces, escapes resolved. No piece is empty.
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

    /// The elements of a comma-separated list in one value.
    ///
    /// A comma is one whether it is escaped or not. The backslash before it then ends the element,
    /// where it stands for nothing.
    pub(crate) fn split_list(&self) -> impl Iterator<Item = Self> + use<'a> {
        let Self { raw, form } = *self;
        raw.split(|&byte| byte == b',')
            .map(move |raw| Self { raw, form })
    }

    /// Fills `out` with the value, escapes resolved, if it is just as long.
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

    /// The value, escapes resolved. Allocates only if there are any.
    pub fn to_bytes(&self) -> Cow<'a, [u8]> {
        if self.has_escapes() {
            Cow::Owned(self.bytes().collect::<Vec<u8>>())
        } else {
            Cow::Borrowed(self.raw)
        }
    }

    /// The value as text. Allocates only if there are escapes.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`] if it is not UTF-8: header values are bytes.
    pub fn to_str(&self) -> Result<Cow<'a, str>, Utf8Error> {
        match self.to_bytes() {
            Cow::Borrowed(bytes) => core::str::from_utf8(bytes).map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes)
                .map(Cow::Owned)
                .map_err(|error| error.utf8_error()),
        }
    }

    /// Whether it was in quotes, or will be: so is what a challenge has without quotes although it
    /// is no token, as `domain=/`.
    pub const fn is_quoted(&self) -> bool {
        !matches!(self.form, Form::Token)
    }

    /// Whether it is known to hold nothing that is to be escaped in quotes.
    pub(crate) const fn is_verbatim(&self) -> bool {
        matches!(self.form, Form::Token | Form::Quoted)
    }

    /// The value, if nothing in it is escaped.
    #[inline]
    pub(crate) const fn as_plain(&self) -> Option<&'a [u8]> {
        if self.has_escapes() {
            None
        } else {
            Some(self.raw)
        }
    }

    /// Whether it is of no bytes at all.
    pub const fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether it is this word, which is in lower case, in any case.
    #[inline(always)]
    pub(crate) fn is_word<const LENGTH: usize>(&self, word: &[u8; LENGTH]) -> bool {
        if self.has_escapes() {
            return self.eq_escaped(word);
        }
        chars::is_word(self.raw, word)
    }

    #[cold]
    fn eq_escaped(&self, text: &[u8]) -> bool {
        self.bytes()
            .map(|byte| byte.to_ascii_lowercase())
            .eq(text.iter().map(u8::to_ascii_lowercase))
    }

    /// Whether it is this text, ASCII letters compared without case.
    pub fn eq_ignore_ascii_case(&self, text: &str) -> bool {
        if self.has_escapes() {
            return self.eq_escaped(text.as_bytes());
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
        let form = if self.is_quoted() { "quoted" } else { "token" };
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

/// Iterator of [`Text::chunks`].
#[derive(Clone)]
pub struct Chunks<'a> {
    rest: &'a [u8],
    escapes: bool,
    /// The first byte of `rest` stands behind a backslash.
    literal: bool,
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
        let form = match raw.contains('\\') {
            true => Form::Escaped,
            false => Form::Quoted,
        };
        Text::of(raw.as_bytes(), form)
    }

    #[test]
    fn escapes_are_resolved_the_same_in_every_form() {
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
            "Text(quoted, 7 bytes)"
        );
    }
}
