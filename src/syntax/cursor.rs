//! A cursor over one header value.

use crate::error::{HeaderError, Thin};
use crate::syntax::chars::{self, COMMA, QDTEXT, QUOTABLE, TCHAR, TOKEN68, UNQUOTED, WHITESPACE};
use crate::syntax::text::{Form, Text};

/// The maximum length of one header value: 128 KiB.
///
/// Most HTTP libraries limit a whole header section to between 8 and 64 KiB. The largest values in
/// practice are Kerberos tokens of up to 64 KiB, which take 86 KiB in base64.
pub const MAX_VALUE_BYTES: usize = 128 * 1024;

/// How strictly an unquoted parameter value is parsed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// The value must be a token. For `Authorization` and `Authentication-Info`.
    Strict,
    /// The value may be empty, and may contain visible bytes that a token must not (see
    /// `chars::UNQUOTED`). So `realm=` after Basic or Digest is a parameter, and with
    /// [`Strict`](Self::Strict) a token68. For challenges.
    Lenient,
}

/// A position in a header value. It is `Copy`: to look ahead, advance a copy.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// The value without trailing whitespace.
    value: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) const EMPTY: Self = Self { value: b"", at: 0 };

    /// Starts at the first byte that is not whitespace: leading and trailing whitespace is not part
    /// of a value (RFC 9110, section 5.5). Positions in errors count it all the same.
    #[inline]
    pub(crate) fn new(mut value: &'a [u8]) -> Result<Self, HeaderError> {
        if value.len() > MAX_VALUE_BYTES {
            let problem = &"header value too long";
            return Err(HeaderError::syntax(problem, MAX_VALUE_BYTES));
        }
        if let [.., last] = value
            && chars::is(*last, WHITESPACE)
        {
            value = chars::trim_end(value, WHITESPACE);
        }
        let mut cursor = Self { value, at: 0 };
        cursor.skip_whitespace();
        Ok(cursor)
    }

    pub(crate) const fn is_end(&self) -> bool {
        self.at >= self.value.len()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.value.get(self.at).copied()
    }

    /// The rest of the value after the whitespace here; `None` if there is no whitespace here.
    #[inline(always)]
    pub(crate) fn after_whitespace(mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_whitespace();
        (start < self.at).then(|| self.between(self.at, self.value.len()))
    }

    /// The bytes from `start` up to `end`.
    fn between(&self, start: usize, end: usize) -> &'a [u8] {
        self.value.get(start..end).unwrap_or_default()
    }

    #[cold]
    pub(crate) fn error(&self, problem: Thin) -> HeaderError {
        HeaderError::syntax(problem, self.at)
    }

    /// Advances past `byte` if that is next. Returns whether it was.
    #[inline(always)]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Advances to the first byte that is not in `class`.
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
    pub(crate) fn skip_whitespace(&mut self) {
        if self.is_at(WHITESPACE) {
            self.at += 1;
            if self.is_at(WHITESPACE) {
                self.skip_run(WHITESPACE);
            }
        }
    }

    // #element => [ element ] *( OWS "," OWS [ element ] )
    /// Skips whitespace and commas between list elements. Returns whether there was a comma.
    #[inline(always)]
    pub(crate) fn skip_separators(&mut self) -> bool {
        self.skip_whitespace();
        let comma = self.is_at(COMMA);
        if comma {
            self.at += 1;
            self.skip_whitespace();
            if self.is_at(COMMA) {
                self.skip_run(WHITESPACE | COMMA);
            }
        }
        comma
    }

    fn is_at(&self, class: u8) -> bool {
        self.peek().is_some_and(|byte| chars::is(byte, class))
    }

    /// The same as `skip_class`, for whitespace and commas: the loop is in a cold function, because
    /// two or more of these in a row are rare.
    #[inline(always)]
    fn skip_run(&mut self, class: u8) {
        let rest = self.value.get(self.at..).unwrap_or_default();
        self.at += chars::run_length(rest, class);
    }

    // token = 1*tchar
    /// Parses a token; `None` if there is none here.
    #[inline(always)]
    pub(crate) fn token(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_class(TCHAR);
        (start < self.at).then(|| self.between(start, self.at))
    }

    // token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    /// Parses a token68 if a comma or the end follows it, perhaps after whitespace, which is
    /// skipped. Otherwise returns `None` and does not advance.
    #[inline]
    pub(crate) fn token68(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_class(TOKEN68);
        if self.at == start {
            return None;
        }
        while self.eat(b'=') {}
        let end = self.at;
        self.skip_whitespace();
        if matches!(self.peek(), None | Some(b',')) {
            return Some(self.between(start, end));
        }
        self.at = start;
        None
    }

    // token / quoted-string
    /// Parses a parameter value. An error leaves the cursor outside of a quoted string.
    #[inline(always)]
    pub(crate) fn value(&mut self, reading: Reading) -> Result<Text<'a>, HeaderError> {
        if self.peek() == Some(b'"') {
            return self.quoted_string();
        }
        // The common case: a token followed by whitespace, a comma or the end.
        let start = self.at;
        let mut at = start;
        // The classes of the byte after the token. The end counts as a comma.
        let classes_after = loop {
            let Some(&byte) = self.value.get(at) else {
                break COMMA;
            };
            let classes = chars::classes(byte);
            if classes & TCHAR == 0 {
                break classes;
            }
            at += 1;
        };
        self.at = at;
        if start < at && classes_after & (WHITESPACE | COMMA) != 0 {
            return Ok(Text::of(self.between(start, at), Form::Token));
        }
        self.at = unquoted_end(self.value, at, reading);
        let is_empty = start == self.at;
        // In a challenge, `name=` before a comma or the end has an empty value.
        if is_empty && (reading == Reading::Strict || classes_after & COMMA == 0) {
            return Err(self.error(&"expected a parameter value"));
        }
        Ok(Text::of(self.between(start, self.at), Form::Verbatim))
    }

    // quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
    #[inline(always)]
    fn quoted_string(&mut self) -> Result<Text<'a>, HeaderError> {
        let start = self.at + 1;
        let plain = chars::qdtext_len(self.value.get(start..).unwrap_or_default());
        self.at = start + plain;
        if self.eat(b'"') {
            return Ok(Text::of(self.between(start, start + plain), Form::Verbatim));
        }
        match closing_quote(*self, start) {
            Ok(end) => {
                self.at = end + 1;
                Ok(Text::of(self.between(start, end), Form::Escaped))
            }
            Err((error, next)) => {
                self.at = next;
                Err(error)
            }
        }
    }

    /// Skips the rest of a list element, up to the next comma or the end. `in_quotes` tells whether
    /// the cursor is inside a quoted string.
    #[inline]
    pub(crate) fn skip_element(&mut self, mut in_quotes: bool) {
        let mut at = self.at;
        while let Some(&byte) = self.value.get(at) {
            match byte {
                b'\\' if in_quotes => at += 1,
                b'"' => in_quotes = !in_quotes,
                b',' if !in_quotes => break,
                _ => {}
            }
            at += 1;
        }
        self.at = at.min(self.value.len());
    }
}

/// Returns the end of an unquoted value whose leading token ends at `from`. What follows the value
/// is checked when the next parameter is parsed.
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
/// Returns the position of the closing quote of a string that begins at `start`, or an error and the
/// end of the list element. Control bytes other than HTAB are refused here.
///
/// Works byte by byte, and not by blocks of eight as `chars::qdtext_len` does: a block in which an
/// escape is found would be scanned again after it.
#[inline(never)]
fn closing_quote(mut at: Cursor<'_>, start: usize) -> Result<usize, (HeaderError, usize)> {
    let mut rest = at.value.get(at.at..).unwrap_or_default();
    let rest = loop {
        rest = match rest {
            [b'\\', next, after @ ..] if chars::is(*next, QUOTABLE) => after,
            [byte, after @ ..] if chars::is(*byte, QDTEXT) => after,
            _ => break rest,
        };
    };
    at.at = at.value.len() - rest.len();
    let control = &"control byte in a quoted string";
    let error = match rest {
        [b'"', ..] => return Ok(at.at),
        [] | [b'\\'] => HeaderError::syntax(&"quoted string without a closing quote", start - 1),
        [b'\\', ..] => HeaderError::syntax(control, at.at + 1),
        [..] => HeaderError::syntax(control, at.at),
    };
    at.skip_element(true);
    Err((error, at.at))
}
