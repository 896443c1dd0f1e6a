//! `ext-value` of RFC 8187, which `username*` uses.

use alloc::string::String;
use alloc::vec::Vec;

use crate::syntax::chars::{self, ATTR_CHAR, TCHAR, hex_digits};

// ext-value = charset "'" [ language ] "'" value-chars
// value-chars = *( pct-encoded / attr-char )
/// An `ext-value` in UTF-8, without control characters.
#[derive(Clone, Copy)]
pub(crate) struct ExtValue<'a> {
    value_chars: &'a [u8],
}

impl<'a> ExtValue<'a> {
    /// Parses `text`. The language is not checked beyond its characters.
    ///
    /// Control characters, which the grammar allows, are refused, because software that stops at a
    /// NUL must not see another name than software that does not.
    pub(crate) fn parse(text: &'a [u8]) -> Option<Self> {
        let mut parts = text.splitn(3, |&byte| byte == b'\'');
        let charset = parts.next()?;
        let language = parts.next()?;
        let value_chars = parts.next()?;
        if !charset.eq_ignore_ascii_case(b"UTF-8")
            || !language.iter().all(|&byte| chars::is(byte, TCHAR))
        {
            return None;
        }
        let mut rest = value_chars;
        while let Some((_, after)) = Self::split_byte(rest)? {
            rest = after;
        }
        let value = Self { value_chars };
        value.is_plain_utf8().then_some(value)
    }

    /// Decodes the first byte and returns it with the rest: `Some(None)` at the end, `None` for a
    /// syntax error.
    fn split_byte(value_chars: &[u8]) -> Option<Option<(u8, &[u8])>> {
        match value_chars {
            [] => Some(None),
            [b'%', digits @ ..] => {
                let (digits, rest) = digits.split_at_checked(2)?;
                let mut byte = [0];
                hex::decode_to_slice(digits, &mut byte).ok()?;
                Some(Some((byte[0], rest)))
            }
            [first, rest @ ..] if chars::is(*first, ATTR_CHAR) => Some(Some((*first, rest))),
            _ => None,
        }
    }

    /// The decoded bytes.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> + use<'a> {
        let mut rest = self.value_chars;
        core::iter::from_fn(move || {
            let (byte, after) = Self::split_byte(rest).flatten()?;
            rest = after;
            Some(byte)
        })
    }

    /// Returns whether the decoded bytes are UTF-8 without control characters. Does not allocate.
    fn is_plain_utf8(&self) -> bool {
        let mut sequence = [0; 4];
        let mut length = 0;
        for byte in self.bytes() {
            let Some(place) = sequence.get_mut(length) else {
                return false;
            };
            *place = byte;
            length += 1;
            let so_far = sequence.get(..length).unwrap_or_default();
            match core::str::from_utf8(so_far) {
                Ok(text) if text.chars().any(char::is_control) => return false,
                Ok(_) => length = 0,
                // Incomplete, or invalid however it continues.
                Err(_) => {}
            }
        }
        length == 0
    }

    /// The decoded text.
    pub(crate) fn to_text(self) -> String {
        // `parse` has checked that it is UTF-8.
        String::from_utf8(self.bytes().collect()).unwrap_or_default()
    }

    /// Appends `text` as an `ext-value`.
    pub(crate) fn write(text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"UTF-8''");
        for byte in text.bytes() {
            if chars::is(byte, ATTR_CHAR) {
                out.push(byte);
            } else {
                out.push(b'%');
                out.extend_from_slice(&hex_digits(byte).map(|digit| digit.to_ascii_uppercase()));
            }
        }
    }
}
