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
/// It contains no control bytes other than HTAB, so a quoted string can carry it. A quoted string
/// may contain backslash escapes. They are resolved on access, except by [`raw`](Self::raw): `"a\b"`,
/// `"ab"` and `ab` are equal. `Debug` hides the value.
///
/// ```
/// use countersign::{InvalidText, Text};
///
/// let raw = countersign::raw_challenges([r#"X v="a \"b\"""#]).next().unwrap().unwrap();
/// let value = raw.param("v").unwrap();
/// assert_eq!(value.raw(), br#"a \"b\""#);
/// assert_eq!(value.to_str().unwrap(), r#"a "b""#);
/// assert_eq!(value, Text::new(r#"a "b""#)?);
/// assert!(!value.is_unquoted_token());
/// assert_eq!(Text::new("a\nb"), Err(InvalidText::Control(1)));
/// # Ok::<(), InvalidText>(())
/// ```
#[derive(Clone, Copy)]
pub struct Text<'a> {
    raw: &'a [u8],
    form: Form,
}

/// The form in which a [`Text`] holds its value.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Form {
    /// A token: read from a header where it had no quotes, or a keyword or nonce count of this
    /// crate, which needs none.
    Token,
    /// A value that is known to contain no `"` or `\`, so it is written between quotes as it is:
    /// with [`Plain`](Self::Plain) in its place, an answer executes 4 % more instructions.
    Verbatim,
    /// The value itself, in which `"` and `\` stand for themselves. They are escaped when it is
    /// written in quotes.
    Plain,
    /// The content of a quoted string with escapes: `\"` is the value `"`.
    Escaped,
}

impl<'a> Text<'a> {
    pub(crate) const EMPTY: Self = Self::of(b"", Form::Verbatim);

    /// A value to be written to a header.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] at the first control byte other than HTAB: CR or LF would end the
    /// header field, and a quoted string cannot contain the others (RFC 9110, section 5.6.4).
    pub fn new<T: AsRef<[u8]> + ?Sized>(text: &'a T) -> Result<Self, InvalidText> {
        Self::checked(text.as_ref())
    }

    /// Not generic, so that it is compiled once.
    fn checked(raw: &'a [u8]) -> Result<Self, InvalidText> {
        if !chars::has_control(raw) {
            return Ok(Self::of(raw, Form::Plain));
        }
        match raw.iter().position(|&byte| !chars::is(byte, QUOTABLE)) {
            Some(at) => Err(InvalidText::Control(at)),
            None => Ok(Self::of(raw, Form::Plain)),
        }
    }

    /// `raw` must have this form, and no control bytes other than HTAB.
    pub(super) const fn of(raw: &'a [u8], form: Form) -> Self {
        Self { raw, form }
    }

    /// Like [`new`](Self::new), for bytes known to be valid. Debug builds check them.
    pub(crate) fn assume_checked(raw: &'a [u8]) -> Self {
        debug_assert!(raw.iter().all(|&byte| chars::is(byte, QUOTABLE)));
        Self::of(raw, Form::Plain)
    }

    /// Like [`assume_checked`](Self::assume_checked), for bytes without `"` and `\`.
    pub(crate) fn verbatim(raw: &'a [u8]) -> Self {
        debug_assert!(raw.iter().all(|&byte| chars::is(byte, QDTEXT)));
        Self::of(raw, Form::Verbatim)
    }

    /// The eight digits of a nonce count, written without quotes.
    pub(crate) const fn nc(digits: &'a [u8; 8]) -> Self {
        Self::of(digits, Form::Token)
    }

    /// A keyword, which needs no quotes.
    pub(crate) const fn keyword(keyword: &'static str) -> Self {
        Self::of(keyword.as_bytes(), Form::Token)
    }

    /// The bytes as they are in the header, with escapes but without the enclosing quotes; or as
    /// the caller passed them. Do not hash or compare them: pass or compare the `Text` itself.
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The value byte by byte, escapes resolved.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = u8> + use<'a> {
        let (has_escapes, mut is_escape) = (self.form == Form::Escaped, false);
        self.raw.iter().copied().filter(move |byte| {
            is_escape = has_escapes && *byte == b'\\' && !is_escape;
            !is_escape
        })
    }

    /// The value, if it is in one piece: not if [`raw`](Self::raw) has escapes.
    #[inline]
    pub(crate) fn as_slice(&self) -> Option<&'a [u8]> {
        (self.form != Form::Escaped).then_some(self.raw)
    }

    /// The elements of a comma-separated list in the value, without the whitespace around them. They
    /// may be empty.
    pub(crate) fn split_list(&self) -> impl Iterator<Item = Self> + use<'a> {
        let Self { raw, form } = *self;
        raw.split(|&byte| byte == b',')
            .map(move |raw| Self::of(raw.trim_ascii(), form))
    }

    /// The value, escapes resolved. Allocates only if there are escapes.
    pub fn to_bytes(&self) -> Cow<'a, [u8]> {
        match self.as_slice() {
            Some(value) => Cow::Borrowed(value),
            None => Cow::Owned(self.bytes().collect::<Vec<u8>>()),
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

    /// Returns whether the value was a token without quotes in a header, or is a keyword of this
    /// crate.
    pub const fn is_unquoted_token(&self) -> bool {
        matches!(self.form, Form::Token)
    }

    /// Returns whether the value is known to need no escapes.
    pub(crate) const fn is_verbatim(&self) -> bool {
        matches!(self.form, Form::Token | Form::Verbatim)
    }

    /// Returns whether the value is `word`, ignoring ASCII case. `word` must be in lower case.
    #[inline(always)]
    pub(crate) fn is_word<const LENGTH: usize>(&self, word: &[u8; LENGTH]) -> bool {
        match self.as_slice() {
            Some(value) => chars::is_word(value, word),
            None => self.is_escaped(Text::of(word, Form::Plain), u8::eq_ignore_ascii_case),
        }
    }

    /// Compares byte by byte, for a value with escapes. Compiled once.
    #[cold]
    fn is_escaped(&self, other: Text<'_>, is_same: fn(&u8, &u8) -> bool) -> bool {
        let mut other = other.bytes();
        let mut is_next = |byte: u8| other.next().is_some_and(|it| is_same(&it, &byte));
        self.bytes().all(&mut is_next) && other.next().is_none()
    }

    pub(crate) fn is(&self, other: &[u8]) -> bool {
        match self.as_slice() {
            Some(value) => value == other,
            None => self.is_escaped(Text::of(other, Form::Plain), u8::eq),
        }
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.is(other.as_bytes())
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        match other.as_slice() {
            Some(other) => self.is(other),
            None => self.is_escaped(*other, u8::eq),
        }
    }
}

impl Eq for Text<'_> {}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::Token => "token",
            Form::Verbatim | Form::Plain | Form::Escaped => "other",
        };
        write!(f, "Text({form}, {} bytes)", self.raw.len())
    }
}
