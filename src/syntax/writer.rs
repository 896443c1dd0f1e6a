//! Serialization of header values. Each parameter parses back to an equal value, unless the header
//! value is longer than `MAX_VALUE_BYTES`.

use alloc::vec::Vec;
use core::mem;

use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR, TOKEN68};
use crate::syntax::cursor::MAX_VALUE_BYTES;
use crate::syntax::ext_value::ExtValue;
use crate::syntax::scheme::Scheme;
use crate::syntax::text::Text;

/// Writes a header value.
///
/// Free text from the peer or the caller is passed as [`Text`], which contains no control bytes
/// other than HTAB and is escaped here where necessary, or it is percent-encoded here. So it can
/// end neither the field nor the quoted string. All other arguments contain only visible ASCII
/// without `"` and `\`.
pub(crate) struct Writer {
    out: Vec<u8>,
    /// What precedes the next name, or the token68.
    separator: &'static str,
}

impl Writer {
    /// A list of parameters without a scheme. If it grows beyond `capacity` bytes, it may leave a
    /// copy in freed memory.
    pub(crate) fn list(capacity: usize) -> Self {
        Self {
            out: Vec::with_capacity(capacity),
            separator: "",
        }
    }

    /// A scheme, to be followed by parameters or a token68.
    pub(crate) fn scheme(scheme: &str, capacity: usize) -> Self {
        let mut writer = Self::list(capacity);
        writer.text(scheme);
        writer.separator = " ";
        writer
    }

    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// The start of a parameter: what separates it from the one before, and its name. Where the one
    /// before is known, both are a part of what follows.
    pub(crate) fn name(&mut self, name: &str) -> &mut Self {
        let separator = mem::replace(&mut self.separator, ", ");
        self.text(separator);
        self.text(name);
        self
    }

    // Inlined, so that a constant is copied by one or two stores.
    /// A value in quotes, with `"` and `\` escaped, after the text before it.
    #[inline(always)]
    pub(crate) fn quoted(&mut self, before: &str, value: Text<'_>) {
        self.text(before);
        self.quoted_value(value);
    }

    fn quoted_value(&mut self, value: Text<'_>) {
        self.out.push(b'"');
        match value.as_slice() {
            Some(bytes) if value.is_verbatim() || chars::has_only_plain(bytes) => {
                self.out.extend_from_slice(bytes);
            }
            _ => self.escaped(value),
        }
        self.out.push(b'"');
    }

    #[cold]
    fn escaped(&mut self, value: Text<'_>) {
        // A `Text` consists of qdtext, `"` and `\`.
        for byte in value.bytes() {
            if is_escaped(byte) {
                self.out.push(b'\\');
            }
            self.out.push(byte);
        }
    }

    /// A value without quotes if it is a token, after the text before it.
    #[inline(always)]
    pub(crate) fn token(&mut self, before: &str, value: Text<'_>) {
        self.text(before);
        self.token_value(value);
    }

    fn token_value(&mut self, value: Text<'_>) {
        // Allocates only for a value with escapes, which is rare.
        let bytes = value.to_bytes();
        match value.is_unquoted_token() || chars::is_token(&bytes) {
            true => self.out.extend_from_slice(&bytes),
            false => self.quoted_value(value),
        }
    }

    /// A value as `UTF-8''value` (RFC 8187), after the text before it.
    pub(crate) fn extended(&mut self, before: &str, value: &str) {
        self.text(before);
        ExtValue::write(value, &mut self.out);
    }

    /// A token68, which a scheme has instead of parameters.
    pub(crate) fn token68(&mut self, value: &[u8]) {
        self.text(self.separator);
        self.out.extend_from_slice(value);
    }

    pub(crate) const fn len(&self) -> usize {
        self.out.len()
    }

    pub(crate) fn finish(self) -> FieldValue {
        FieldValue::new(self.out)
    }
}

/// Challenges and credentials of schemes that this crate does not implement.
impl FieldValue {
    // challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
    // auth-param = token BWS "=" BWS ( token / quoted-string )
    /// Writes a challenge or credentials with parameters, in quotes, and escaped where necessary:
    /// no value can end its parameter, start another challenge, or end the field. Whether the
    /// scheme has such parameters is not checked.
    ///
    /// Send each challenge in a separate field line: some clients read only the first of a list.
    ///
    /// # Errors
    ///
    /// [`InvalidText`] if the scheme or a name is not a token, a name occurs twice (RFC 9110,
    /// section 11.2), a value contains a control byte other than HTAB, the scheme is Basic or
    /// Digest, or the result exceeds [`MAX_VALUE_BYTES`].
    pub fn with_params(scheme: &str, params: &[(&str, &str)]) -> Result<Self, InvalidText> {
        check_scheme(scheme)?;
        // Known before anything is written: a buffer that grows leaves copies of secrets behind.
        let mut length = scheme.len();
        for (at, &(name, value)) in params.iter().enumerate() {
            // Before the names are compared, each with all before it.
            checked_length(length)?;
            check_token(name)?;
            let mut before = params.iter().take(at);
            if before.any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(InvalidText::RepeatedName);
            }
            Text::new(value)?;
            let separator = if at == 0 { " " } else { ", " };
            let escapes = value.bytes().filter(|&byte| is_escaped(byte)).count();
            length += separator.len() + name.len() + r#"="""#.len() + value.len() + escapes;
        }
        let mut writer = Writer::scheme(scheme, checked_length(length)?);
        for (name, value) in params {
            writer
                .name(name)
                .quoted("=", Text::assume_checked(value.as_bytes()));
        }
        Ok(writer.finish())
    }

    // token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    /// Writes a challenge or credentials with a token68: base64 as Negotiate has it, or the token
    /// of Bearer credentials (RFC 6750, section 2.1).
    ///
    /// # Errors
    ///
    /// [`InvalidText`] if the token68 is malformed (RFC 9110, section 11.2), and for the scheme and
    /// the length as for [`with_params`](Self::with_params).
    pub fn with_token68(scheme: &str, token68: &str) -> Result<Self, InvalidText> {
        check_scheme(scheme)?;
        let start = chars::run_length(token68.as_bytes(), TOKEN68);
        // The padding follows at least one other byte.
        let padding = token68.bytes().skip(start).take_while(|byte| *byte == b'=');
        let valid = match start {
            0 => 0,
            _ => start + padding.count(),
        };
        if valid < token68.len() {
            return Err(InvalidText::NotToken68(valid));
        }
        if token68.is_empty() {
            return Err(InvalidText::Empty);
        }
        let length = checked_length(scheme.len() + 1 + token68.len())?;
        let mut writer = Writer::scheme(scheme, length);
        writer.token68(token68.as_bytes());
        Ok(writer.finish())
    }
}

fn check_scheme(scheme: &str) -> Result<(), InvalidText> {
    check_token(scheme)?;
    checked_length(scheme.len())?;
    match Scheme::of(scheme.as_bytes()) {
        Some(_) => Err(InvalidText::ImplementedScheme),
        None => Ok(()),
    }
}

fn check_token(text: &str) -> Result<(), InvalidText> {
    match chars::run_length(text.as_bytes(), TCHAR) {
        valid if valid < text.len() => Err(InvalidText::NotToken(valid)),
        0 => Err(InvalidText::Empty),
        _ => Ok(()),
    }
}

/// Refuses a length that this crate would not read.
const fn checked_length(length: usize) -> Result<usize, InvalidText> {
    match length <= MAX_VALUE_BYTES {
        true => Ok(length),
        false => Err(InvalidText::TooLong(MAX_VALUE_BYTES)),
    }
}

const fn is_escaped(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\')
}
