//! A cursor over one header value that knows its position.

use core::fmt;

use super::chars::{self, BLANK, QDTEXT, QUOTABLE, TCHAR, TOKEN68};
use super::limits::MAX_VALUE_BYTES;
use super::text::Text;
use crate::error::{ParseError, ParseErrorKind};

/// What is left of a header value. `Copy`, so that looking ahead is keeping a copy.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    /// The position in the value of the end of `rest`.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// At the first byte of a value that is not a blank. The blanks at both ends of a value are
    /// not part of it (RFC 9110, section 5.5).
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
    pub(crate) fn trusted(value: &'a [u8]) -> Self {
        let mut rest = value;
        while let [before @ .., last] = rest
            && chars::is(*last, BLANK)
        {
            rest = before;
        }
        let mut cursor = Self {
            rest,
            end: rest.len(),
        };
        cursor.skip_blanks();
        cursor
    }

    /// The position in the value.
    pub(crate) const fn at(&self) -> usize {
        self.end - self.rest.len()
    }

    pub(crate) const fn is_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) const fn peek(&self) -> Option<u8> {
        match self.rest {
            [first, ..] => Some(*first),
            [] => None,
        }
    }

    /// The bytes from here to where `later`, a cursor over the same value, is.
    pub(crate) fn until(&self, later: &Self) -> &'a [u8] {
        let length = self.rest.len().saturating_sub(later.rest.len());
        self.rest.get(..length).unwrap_or_default()
    }

    pub(crate) fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, self.at())
    }

    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    // OWS = *( SP / HTAB )
    pub(crate) fn skip_blanks(&mut self) {
        while let [first, rest @ ..] = self.rest
            && chars::is(*first, BLANK)
        {
            self.rest = rest;
        }
    }

    // #element => [ element ] *( OWS "," OWS [ element ] )
    /// Skips what may stand between two elements of a list; whether a comma was among it.
    pub(crate) fn skip_separators(&mut self) -> bool {
        let mut comma = false;
        while let [first, rest @ ..] = self.rest
            && (*first == b',' || chars::is(*first, BLANK))
        {
            comma |= *first == b',';
            self.rest = rest;
        }
        comma
    }

    /// The bytes before the first that is not of `class`; the cursor is then at that.
    fn take_class(&mut self, class: u8) -> &'a [u8] {
        let length = self
            .rest
            .iter()
            .position(|&byte| !chars::is(byte, class))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    // token = 1*tchar
    /// A token, or nothing if there is none here.
    pub(crate) fn token(&mut self) -> Option<&'a [u8]> {
        Some(self.take_class(TCHAR)).filter(|token| !token.is_empty())
    }

    // token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    /// A token68, if one is all that stands before the next comma or the end. Else the cursor
    /// stays.
    pub(crate) fn token68(&mut self) -> Option<&'a [u8]> {
        let start = *self;
        if self.take_class(TOKEN68).is_empty() {
            return None;
        }
        while self.eat(b'=') {}
        let token68 = start.until(self);
        self.skip_blanks();
        if matches!(self.peek(), None | Some(b',')) {
            return Some(token68);
        }
        *self = start;
        None
    }

    // token / quoted-string
    /// A parameter's value. On an error in a quoted string the cursor stays inside of it.
    pub(crate) fn value(&mut self) -> Result<Text<'a>, ParseError> {
        if self.peek() == Some(b'"') {
            return self.quoted_string();
        }
        self.token()
            .map(Text::from_token)
            .ok_or_else(|| self.error(ParseErrorKind::ExpectedValue))
    }

    // quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
    fn quoted_string(&mut self) -> Result<Text<'a>, ParseError> {
        let open = *self;
        self.eat(b'"');
        let start = *self;
        let mut escapes = false;
        loop {
            self.take_class(QDTEXT);
            match self.rest {
                [b'"', ..] => {
                    let raw = start.until(self);
                    self.eat(b'"');
                    return Ok(Text::from_quoted(raw, escapes));
                }
                [b'\\', next, rest @ ..] if chars::is(*next, QUOTABLE) => {
                    escapes = true;
                    self.rest = rest;
                }
                [] | [b'\\'] => return Err(open.error(ParseErrorKind::UnclosedQuote)),
                [b'\\', rest @ ..] => {
                    self.rest = rest;
                    return Err(self.error(ParseErrorKind::ControlByte));
                }
                _ => return Err(self.error(ParseErrorKind::ControlByte)),
            }
        }
    }

    /// Gives up on the element the cursor is in and goes to the comma behind it, or to the end.
    /// `quoted` says that the cursor is inside of a quoted string.
    pub(crate) fn skip_element(&mut self, mut quoted: bool) {
        while let [first, rest @ ..] = self.rest {
            match first {
                b'\\' if quoted => {
                    self.rest = rest.get(1..).unwrap_or_default();
                    continue;
                }
                b'"' => quoted = !quoted,
                b',' if !quoted => return,
                _ => {}
            }
            self.rest = rest;
        }
    }
}

/// No text of the header, only where in it.
impl fmt::Debug for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cursor({} of {})", self.at(), self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_the_start_of_the_value() {
        let mut cursor = Cursor::new(b" \tab , c ").unwrap();
        assert_eq!(cursor.at(), 2);
        assert_eq!(cursor.token(), Some(&b"ab"[..]));
        assert_eq!(cursor.at(), 4);
        assert!(cursor.skip_separators());
        assert_eq!(cursor.at(), 7);
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
