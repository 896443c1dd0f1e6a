//! Serialization of header values. Each parameter parses back to an equal value, unless the header
//! value is longer than `MAX_VALUE_BYTES`.

use alloc::vec::Vec;

use crate::field_value::FieldValue;
use crate::syntax::chars;
use crate::syntax::digits::nc_digits;
use crate::syntax::ext_value::ExtValue;
use crate::syntax::text::Text;

/// Writes a header value.
///
/// Free text from the peer or the caller is passed as [`Text`], which contains no control bytes
/// other than HTAB and is escaped here where necessary, or it is percent-encoded here. So it can
/// end neither the field nor the quoted string. All other arguments contain only visible ASCII
/// without `"` and `\`.
#[derive(Debug)]
pub(crate) struct Writer {
    out: Vec<u8>,
    /// Precedes the next parameter, or the token68.
    separator: &'static [u8],
}

impl Writer {
    /// A list of parameters without a scheme. If it grows beyond `capacity` bytes, it may leave a
    /// copy in freed memory.
    pub(crate) fn list(capacity: usize) -> Self {
        Self {
            out: Vec::with_capacity(capacity),
            separator: b"",
        }
    }

    /// A scheme, to be followed by parameters or a token68.
    pub(crate) fn scheme(scheme: &str, capacity: usize) -> Self {
        let mut writer = Self::list(capacity);
        writer.out.extend_from_slice(scheme.as_bytes());
        writer.separator = b" ";
        writer
    }

    // Inlined, so that a constant name is copied by one or two stores. Otherwise, writing the
    // challenges of a refusal executes 5 % more instructions.
    #[inline(always)]
    fn name(&mut self, name: &str, before_value: &[u8]) {
        self.out.extend_from_slice(self.separator);
        self.separator = b", ";
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(before_value);
    }

    /// `name=value`, for a keyword, which needs no quotes.
    pub(crate) fn keyword(&mut self, name: &str, value: &'static str) {
        self.name(name, b"=");
        self.out.extend_from_slice(value.as_bytes());
    }

    /// `name="value"`, with `"` and `\` escaped.
    #[inline(always)]
    pub(crate) fn quoted(&mut self, name: &str, value: Text<'_>) {
        self.name(name, b"=\"");
        self.quoted_content(value);
    }

    /// `name="value"`, for digits, base64 and keywords, which need no escapes.
    #[inline(always)]
    pub(crate) fn quoted_plain(&mut self, name: &str, value: &[u8]) {
        self.name(name, b"=\"");
        self.out.extend_from_slice(value);
        self.out.push(b'"');
    }

    fn quoted_content(&mut self, value: Text<'_>) {
        if value.is_verbatim() || chars::has_only_plain(value.raw()) {
            self.out.extend_from_slice(value.raw());
        } else {
            value.chunks().for_each(|chunk| self.escaped(chunk));
        }
        self.out.push(b'"');
    }

    fn escaped(&mut self, mut bytes: &[u8]) {
        loop {
            // A `Text` consists of qdtext, `"` and `\`.
            let (plain, rest) = bytes.split_at(chars::qdtext_len(bytes));
            self.out.extend_from_slice(plain);
            let [special, rest @ ..] = rest else {
                return;
            };
            self.out.extend_from_slice(&[b'\\', *special]);
            bytes = rest;
        }
    }

    /// `name=value` if the value is a token, otherwise `name="value"`.
    pub(crate) fn token_or_quoted(&mut self, name: &str, value: Text<'_>) {
        // Allocates only for a value with escapes, which is rare.
        let bytes = value.to_bytes();
        if !value.is_unquoted_token() && !chars::is_token(&bytes) {
            self.quoted(name, value);
        } else {
            self.name(name, b"=");
            self.out.extend_from_slice(&bytes);
        }
    }

    /// `name=value` for a nonce count: eight digits of lower-case hex.
    pub(crate) fn nc(&mut self, name: &str, nc: u32) {
        self.name(name, b"=");
        self.out.extend_from_slice(&nc_digits(nc));
    }

    /// `name=UTF-8''value` (RFC 8187).
    pub(crate) fn extended(&mut self, name: &str, value: &str) {
        self.name(name, b"=");
        ExtValue::write(value, &mut self.out);
    }

    /// A token68, which a scheme has instead of parameters.
    pub(crate) fn token68(&mut self, value: &[u8]) {
        self.out.extend_from_slice(self.separator);
        self.out.extend_from_slice(value);
    }

    pub(crate) fn finish(self) -> FieldValue {
        FieldValue::new(self.out)
    }
}
