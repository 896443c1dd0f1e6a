//! `ext-value` of RFC 8187, which `username*` uses.

use alloc::string::String;
use alloc::vec::Vec;

use crate::syntax::chars::{self, ATTR_CHAR, TCHAR, hex_digits};
use crate::syntax::uri::{is_well_encoded, unescaped};

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
        let is_language = language.iter().all(|&byte| chars::is(byte, TCHAR));
        let is_value_char = |&byte: &u8| byte == b'%' || chars::is(byte, ATTR_CHAR);
        let is_encoded = value_chars.iter().all(is_value_char) && is_well_encoded(value_chars);
        let text = String::from_utf8(unescaped(value_chars).collect()).ok()?;
        let has_control = text.chars().any(char::is_control);
        (charset.eq_ignore_ascii_case(b"UTF-8") && is_language && is_encoded && !has_control)
            .then_some(Self { value_chars })
    }

    /// The decoded text.
    pub(crate) fn to_text(self) -> String {
        // `parse` has checked that it is UTF-8.
        String::from_utf8(unescaped(self.value_chars).collect()).unwrap_or_default()
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
