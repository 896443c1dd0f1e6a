//! A cursor over one header value that knows its position.

use core::fmt;

use crate::error::{ParseError, ParseErrorKind};
use crate::syntax::chars::{self, BLANK, COMMA, QDTEXT, QUOTABLE, TCHAR, TOKEN68, UNQUOTED};
use crate::syntax::limits::MAX_VALUE_BYTES;
use crate::syntax::reading::Reading;
use crate::syntax::text::{Form, Text};

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
        if let [.., last] = value
            && chars::is(*last, BLANK)
        {
            value = chars::trim_end(value, BLANK);
        }
        let mut cursor = Self { value, at: 0 };
        cursor.skip_blanks();
        cursor
    }

    pub(crate) const fn is_end(&self) -> bool {
        self.at >= self.value.len()
    }

    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.value.get(self.at).copied()
    }

    /// All that comes after the blanks that are here; `None` if there are none.
    #[inline(always)]
    pub(crate) fn after_blanks(mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_blanks();
        (start < self.at).then(|| self.between(self.at, self.value.len()))
    }

    /// The bytes between two positions.
    #[inline(always)]
    fn between(&self, start: usize, end: usize) -> &'a [u8] {
        self.value.get(start..end).unwrap_or_default()
    }

    #[cold]
    pub(crate) fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, self.at)
    }

    #[inline(always)]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Goes on to the first byte that is not of `class`.
    #[inline(always)]
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
    #[inline(always)]
    pub(crate) fn skip_blanks(&mut self) {
        if self.is_at(BLANK) {
            self.at += 1;
            if self.is_at(BLANK) {
                self.skip_run(BLANK);
            }
        }
    }

    // #element => [ element ] *( OWS "," OWS [ element ] )
    /// Skips what may stand between two elements of a list; whether a comma was among it.
    #[inline(always)]
    pub(crate) fn skip_separators(&mut self) -> bool {
        self.skip_blanks();
        let comma = self.is_at(COMMA);
        if comma {
            self.at += 1;
            self.skip_blanks();
            if self.is_at(COMMA) {
                self.skip_run(BLANK | COMMA);
            }
        }
        comma
    }

    #[inline(always)]
    fn is_at(&self, class: u8) -> bool {
        self.peek().is_some_and(|byte| chars::is(byte, class))
    }

    /// Skips what is seldom there, apart from what always is.
    #[inline(always)]
    fn skip_run(&mut self, class: u8) {
        let rest = self.value.get(self.at..).unwrap_or_default();
        self.at += chars::run_length(rest, class);
    }

    // token = 1*tchar
    /// A token, or nothing if there is none here.
    #[inline(always)]
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
    pub(crate) fn value(&mut self, reading: Reading) -> Result<Text<'a>, ParseError> {
        if self.peek() == Some(b'"') {
            return self.quoted_string();
        }
        // A token, with a look at what ends it: the end, a blank or a comma are fine.
        let start = self.at;
        let mut at = start;
        let ended = loop {
            let Some(&byte) = self.value.get(at) else {
                break COMMA;
            };
            let classes = chars::of(byte);
            if classes & TCHAR == 0 {
                break classes;
            }
            at += 1;
        };
        self.at = at;
        if start < at && ended & (BLANK | COMMA) != 0 {
            return Ok(Text::of(self.between(start, at), Form::Token));
        }
        self.at = unquoted_end(self.value, at, reading);
        let is_empty = start == self.at;
        if is_empty && (reading == Reading::Strict || ended & COMMA == 0) {
            return Err(self.error(ParseErrorKind::ExpectedValue));
        }
        Ok(Text::verbatim(self.between(start, self.at)))
    }

    // quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
    #[inline(always)]
    fn quoted_string(&mut self) -> Result<Text<'a>, ParseError> {
        let open = self.at;
        let start = open + 1;
        let plain = chars::qdtext_len(self.value.get(start..).unwrap_or_default());
        self.at = start + plain;
        if self.eat(b'"') {
            return Ok(Text::of(self.between(start, start + plain), Form::Quoted));
        }
        match closing_quote(self.value, self.at) {
            Ok(end) => {
                self.at = end + 1;
                Ok(Text::of(self.between(start, end), Form::Escaped))
            }
            Err((ParseErrorKind::UnclosedQuote, at)) => {
                self.at = at;
                Err(ParseError::new(ParseErrorKind::UnclosedQuote, open))
            }
            Err((kind, at)) => {
                self.at = at;
                Err(self.error(kind))
            }
        }
    }

    /// Gives up on the element the cursor is in and goes to the comma behind it, or to the end.
    /// `quoted` says that the cursor is inside of a quoted string.
    #[inline]
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

/// Where a value without quotes ends that is no token up to `from`. Whether a comma or the end is
/// there is for the next parameter to say.
#[cold]
fn unquoted_end(value: &[u8], from: usize, reading: Reading) -> usize {
    match reading {
        Reading::Strict => from,
        Reading::Lenient => {
            let rest = value.get(from..).unwrap_or_default();
            from + chars::run_length(rest, UNQUOTED)
        }
    }
}

// quoted-pair = "\" ( HTAB / SP / VCHAR / obs-text )
/// The end of a quoted string that is not plain from here on; else its fault, and where.
///
/// Byte by byte: where escapes stand close together, a block would be looked at for each of them.
#[inline(never)]
fn closing_quote(value: &[u8], from: usize) -> Result<usize, (ParseErrorKind, usize)> {
    let mut rest = value.get(from..).unwrap_or_default();
    let rest = loop {
        rest = match rest {
            [b'\\', next, after @ ..] if chars::is(*next, QUOTABLE) => after,
            [byte, after @ ..] if chars::is(*byte, QDTEXT) => after,
            _ => break rest,
        };
    };
    let at = value.len() - rest.len();
    match rest {
        [b'"', ..] => Ok(at),
        [] | [b'\\'] => Err((ParseErrorKind::UnclosedQuote, value.len())),
        [b'\\', ..] => Err((ParseErrorKind::ControlByte, at + 1)),
        [..] => Err((ParseErrorKind::ControlByte, at)),
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
