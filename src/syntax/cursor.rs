//! A cursor over one header value that knows its position.

use core::fmt;

use super::chars::{self, BLANK, COMMA, QDTEXT, QUOTABLE, TCHAR, TOKEN68};
use super::limits::MAX_VALUE_BYTES;
use super::text::{Form, Text};
use crate::error::{ParseError, ParseErrorKind};

/// A place in a header value. `Copy`, so that looking ahead is keeping a copy.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// The value without the blanks at its end.
    value: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the first byte of a value that is not a blank. The blanks at both ends of a value are
    /// not part of it (RFC 9110, section 5.5).
    #[inline]
    pub(crate) fn new(value: &'a [u8]) -> Result<Self, ParseError> {
        if value.len() > MAX_VALUE_BYTES {
            return Err(ParseError::new(
                ParseErrorKind::ValueTooLong,
                MAX_VALUE_BYTES,
            ));
        }
        Ok(Self::trusted(value))
    }

    /// [`new`](Self::new) for what is known to be within the limits.
    #[inline]
    pub(crate) fn trusted(mut value: &'a [u8]) -> Self {
        while let [before @ .., last] = value
            && chars::is(*last, BLANK)
        {
            value = before;
        }
        let mut cursor = Self { value, at: 0 };
        cursor.skip_blanks();
        cursor
    }

    pub(crate) const fn is_end(&self) -> bool {
        self.at >= self.value.len()
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.value.get(self.at).copied()
    }

    /// All that comes after the blanks that are here; `None` if there are none.
    pub(crate) fn after_blanks(mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_blanks();
        (start < self.at).then(|| self.between(self.at, self.value.len()))
    }

    /// The bytes between two positions.
    #[inline]
    fn between(&self, start: usize, end: usize) -> &'a [u8] {
        self.value.get(start..end).unwrap_or_default()
    }

    #[cold]
    pub(crate) fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, self.at)
    }

    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Goes on to the first byte that is not of `class`.
    #[inline]
    fn skip_class(&mut self, class: u8) {
        let mut at = self.at;
        while let Some(&byte) = self.value.get(at)
            && chars::is(byte, class)
        {
            at += 1;
        }
        self.at = at;
    }

    // OWS = *( SP / HTAB )
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        self.skip_class(BLANK);
    }

    // #element => [ element ] *( OWS "," OWS [ element ] )
    /// Skips what may stand between two elements of a list; whether a comma was among it.
    #[inline]
    pub(crate) fn skip_separators(&mut self) -> bool {
        self.skip_blanks();
        let comma = self.peek() == Some(b',');
        if comma {
            self.skip_class(BLANK | COMMA);
        }
        comma
    }

    // token = 1*tchar
    /// A token, or nothing if there is none here.
    #[inline]
    pub(crate) fn token(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_class(TCHAR);
        (start < self.at).then(|| self.between(start, self.at))
    }

    // token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    /// A token68, if one is all that stands before the next comma or the end. Else the cursor
    /// stays.
    #[inline]
    pub(crate) fn token68(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_class(TOKEN68);
        if self.at == start {
            return None;
        }
        while self.eat(b'=') {}
        let end = self.at;
        self.skip_blanks();
        if matches!(self.peek(), None | Some(b',')) {
            return Some(self.between(start, end));
        }
        self.at = start;
        None
    }

    // token / quoted-string
    /// A parameter's value. On an error in a quoted string the cursor stays inside of it; of one that
    /// is not closed, that is the end.
    #[inline(always)]
    pub(crate) fn value(&mut self) -> Result<Text<'a>, ParseError> {
        if self.peek() == Some(b'"') {
            return self.quoted_string();
        }
        match self.token() {
            Some(token) => Ok(Text::of(token, Form::Token)),
            None => Err(self.error(ParseErrorKind::ExpectedValue)),
        }
    }

    // quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
    #[inline(always)]
    fn quoted_string(&mut self) -> Result<Text<'a>, ParseError> {
        let open = self.at;
        let start = open + 1;
        let mut at = start;
        let mut form = Form::Quoted;
        loop {
            match self.value.get(at..) {
                Some([b'"', ..]) => {
                    self.at = at + 1;
                    return Ok(Text::of(self.between(start, at), form));
                }
                Some([b'\\', next, ..]) if chars::is(*next, QUOTABLE) => {
                    form = Form::Escaped;
                    at += 2;
                }
                None | Some([] | [b'\\']) => {
                    self.at = self.value.len();
                    return Err(ParseError::new(ParseErrorKind::UnclosedQuote, open));
                }
                Some([b'\\', ..]) => {
                    self.at = at + 1;
                    return Err(self.error(ParseErrorKind::ControlByte));
                }
                Some([byte, rest @ ..]) if chars::is(*byte, QDTEXT) => {
                    at += 1;
                    // Where escapes stand close together, many bytes would be looked at for one.
                    if !matches!(rest, [b'"' | b'\\', ..]) {
                        at += chars::qdtext_len(rest);
                    }
                }
                Some(_) => {
                    self.at = at;
                    return Err(self.error(ParseErrorKind::ControlByte));
                }
            }
        }
    }

    /// Gives up on the element the cursor is in and goes to the comma behind it, or to the end.
    /// `quoted` says that the cursor is inside of a quoted string.
    pub(crate) fn skip_element(&mut self, mut quoted: bool) {
        let mut at = self.at;
        while let Some(&byte) = self.value.get(at) {
            match byte {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b',' if !quoted => break,
                _ => {}
            }
            at += 1;
        }
        self.at = at.min(self.value.len());
    }
}

/// No text of the header, only where in it.
impl fmt::Debug for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cursor({} of {})", self.at, self.value.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_the_start_of_the_value() {
        let mut cursor = Cursor::new(b" \tab , c ").unwrap();
        assert_eq!(cursor.at, 2);
        assert_eq!(cursor.token(), Some(&b"ab"[..]));
        assert_eq!(cursor.at, 4);
        assert!(cursor.skip_separators());
        assert_eq!(cursor.at, 7);
        assert_eq!(cursor.token(), Some(&b"c"[..]));
        assert!(cursor.is_end());
    }

    #[test]
    fn a_token68_stands_alone_or_not_at_all() {
        let token68 = |value: &'static [u8]| Cursor::new(value).unwrap().token68();
        assert_eq!(token68(b"abc=="), Some(&b"abc=="[..]));
        assert_eq!(token68(b"a/+~ , b"), Some(&b"a/+~"[..]));
        assert_eq!(token68(b"a=b"), None);
        assert_eq!(token68(b"=="), None);
        assert_eq!(token68(b"a b"), None);
    }
}
