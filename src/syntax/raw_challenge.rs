//! RawChallenge lists: `WWW-Authenticate` and `Proxy-Authenticate`.

use core::fmt;
use core::marker::PhantomData;

use crate::error::{ParseError, ParseErrorKind};
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR, is_word};
use crate::syntax::cursor::Cursor;
use crate::syntax::limits::MAX_CHALLENGES;
use crate::syntax::params::{ParamList, Params};
use crate::syntax::reading::Reading;
use crate::syntax::text::Text;
use crate::syntax::writer::Writer;

/// Iterator over the challenges of a field by the grammar alone: see
/// [`Challenges::raw`](crate::Challenges::raw).
///
/// Allocates nothing. An error is that of one challenge: the next item is the next challenge
/// whose start can be found, in the same value or a later one. Only a quoted string that is never
/// closed, and a value over the limit, hide the rest of their value; more than
/// [`MAX_CHALLENGES`] hide the rest of the field.
#[derive(Clone)]
pub struct RawChallenges<'a, I> {
    values: I,
    rest: Option<Cursor<'a>>,
    count: usize,
    _value: PhantomData<&'a [u8]>,
}

impl<I> RawChallenges<'_, I> {
    pub(crate) const fn new(values: I) -> Self {
        Self {
            values,
            rest: None,
            count: 0,
            _value: PhantomData,
        }
    }
}

impl<'a, I, V> RawChallenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    /// Where the next challenge starts.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> Option<Result<Cursor<'a>, ParseError>> {
        // One more than the limit has been handed out only as the error that says so.
        if self.count > MAX_CHALLENGES {
            return None;
        }
        let cursor = loop {
            let mut cursor = match self.rest.take() {
                Some(cursor) => cursor,
                None => match Cursor::new(self.values.next()?.as_ref()) {
                    Ok(cursor) => cursor,
                    Err(error) => return Some(Err(error)),
                },
            };
            cursor.skip_separators();
            if !cursor.is_end() {
                break cursor;
            }
        };
        self.count += 1;
        if self.count > MAX_CHALLENGES {
            return Some(Err(cursor.error(ParseErrorKind::TooManyChallenges)));
        }
        Some(Ok(cursor))
    }
}

impl<'a, I> RawChallenges<'a, I> {
    /// Goes on behind a challenge.
    #[inline(always)]
    pub(crate) const fn go_on(&mut self, cursor: Cursor<'a>) {
        self.rest = Some(cursor);
    }

    /// Goes on behind a challenge with a fault, which is where `cursor` is.
    #[cold]
    pub(crate) fn give_up(&mut self, cursor: Cursor<'a>, fault: ParseError) -> ParseError {
        self.rest = Some(find_next(cursor, fault.kind()));
        fault
    }
}

impl<'a, I, V> Iterator for RawChallenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    type Item = Result<RawChallenge<'a>, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut cursor = match self.start()? {
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error)),
        };
        match RawChallenge::read(&mut cursor) {
            Ok(challenge) => {
                self.go_on(cursor);
                Some(Ok(challenge))
            }
            Err(fault) => Some(Err(self.give_up(cursor, fault))),
        }
    }
}

impl<I> fmt::Debug for RawChallenges<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawChallenges({} read)", self.count)
    }
}

/// From where an error was noticed to the start of the next challenge, or to the end.
#[cold]
fn find_next(at: Cursor<'_>, error: ParseErrorKind) -> Cursor<'_> {
    let mut cursor = at;
    cursor.skip_element(error == ParseErrorKind::ControlByte);
    loop {
        cursor.skip_separators();
        let start = cursor;
        let is_scheme = cursor.token().is_some() && {
            let blank = matches!(cursor.peek(), Some(b' ' | b'\t'));
            cursor.skip_blanks();
            match cursor.peek() {
                None | Some(b',') => true,
                // A parameter of the challenge that was given up.
                Some(b'=') => false,
                Some(_) => blank,
            }
        };
        if is_scheme {
            return start;
        }
        if cursor.is_end() {
            return cursor;
        }
        cursor.skip_element(false);
    }
}

/// One challenge, or credentials of any scheme: a scheme with parameters or a token68, borrowed
/// from the header.
///
/// `Copy`, because it is a few slices. Equality compares scheme and parameters without case,
/// values with. `Debug` shows no header text.
#[derive(Clone, Copy)]
pub struct RawChallenge<'a> {
    /// A token.
    scheme: &'a [u8],
    body: Content<'a>,
}

#[derive(Clone, Copy)]
enum Content<'a> {
    Nothing,
    Params(ParamList<'a>),
    Token68(&'a [u8]),
}

impl<'a> RawChallenge<'a> {
    /// Reads one, up to what may be the next.
    #[inline(always)]
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, ParseError> {
        SchemeHead::read(cursor)?.challenge(cursor, |_, _| ())
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme<'a> {
        Scheme::of(self.scheme)
    }

    /// The scheme, as written.
    pub const fn scheme_name(&self) -> &'a str {
        ascii(self.scheme)
    }

    /// The parameters, in order, names as written, repeated ones and all. None if it has a
    /// token68 instead.
    pub fn params(&self) -> Params<'a> {
        Params::new(self.list())
    }

    pub(crate) fn list(&self) -> ParamList<'a> {
        match self.body {
            Content::Params(list) => list,
            Content::Nothing | Content::Token68(_) => ParamList::new(Cursor::trusted(b"")),
        }
    }

    /// The first parameter of this name, compared without case.
    pub fn param(&self, name: &str) -> Option<Text<'a>> {
        self.params()
            .find(|param| param.name.eq_ignore_ascii_case(name))
            .map(|param| param.value)
    }

    /// The `realm` parameter.
    pub fn realm(&self) -> Option<Text<'a>> {
        self.param("realm")
    }

    /// The token68 (`Negotiate YII...`), if that is what it has instead of parameters.
    pub const fn token68(&self) -> Option<&'a str> {
        match self.body {
            Content::Nothing | Content::Params(_) => None,
            Content::Token68(token68) => Some(ascii(token68)),
        }
    }

    /// The header value, written anew: one blank or `, ` where the grammar leaves a choice. A value
    /// is quoted if it was, or if it cannot be a token; `realm` is always quoted (RFC 9110, section
    /// 11.5). Reading that gives an equal value.
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme(self.scheme_name(), 64);
        if let Some(token68) = self.token68() {
            writer.token68(token68.as_bytes());
        }
        for param in self.params() {
            if param.value.is_quoted() || param.name.eq_ignore_ascii_case("realm") {
                writer.quoted(param.name, param.value);
            } else {
                writer.unquoted(param.name, param.value);
            }
        }
        writer.finish()
    }
}

/// The scheme of a challenge or of credentials whose rest is yet to be read.
#[derive(Clone, Copy)]
pub(crate) struct SchemeHead<'a> {
    scheme: &'a [u8],
    at: Cursor<'a>,
}

// challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
impl<'a> SchemeHead<'a> {
    #[inline(always)]
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self, ParseError> {
        let at = *cursor;
        match cursor.token() {
            Some(scheme) => Ok(Self { scheme, at }),
            None => Err(at.error(ParseErrorKind::ExpectedScheme)),
        }
    }

    /// That of a value of a credentials field, which is no list.
    // Inlined, because what it returns is many small things, and dear to take out of memory.
    #[inline(always)]
    pub(crate) fn of_credentials(value: &'a [u8]) -> Result<(Self, Cursor<'a>), ParseError> {
        let mut cursor = Cursor::new(value)?;
        Ok((Self::read(&mut cursor)?, cursor))
    }

    #[inline(always)]
    pub(crate) fn scheme(&self) -> Scheme<'a> {
        Scheme::of(self.scheme)
    }

    #[inline(always)]
    fn body(&self, cursor: &mut Cursor<'a>, reading: Reading) -> Result<Content<'a>, ParseError> {
        match cursor.peek() {
            None | Some(b',') => return Ok(Content::Nothing),
            // RFC 9110 says 1*SP. We take HTAB, too: clients and servers have been seen to send
            // it, and no reader sees another scheme for it.
            Some(b' ' | b'\t') => cursor.skip_blanks(),
            // A parameter without a scheme.
            Some(b'=') => return Err(self.at.error(ParseErrorKind::ExpectedScheme)),
            Some(_) => return Err(cursor.error(ParseErrorKind::ExpectedComma)),
        }
        let params = ParamList::new(*cursor);
        match cursor.token68() {
            Some(token68) if reading == Reading::Strict || !self.is_param(token68) => {
                Ok(Content::Token68(token68))
            }
            _ => Ok(Content::Params(params)),
        }
    }

    /// Whether what could be a token68 is the name of a parameter, and nothing behind its `=`.
    /// Neither Basic nor Digest has a token68 in a challenge.
    #[cold]
    fn is_param(&self, token68: &[u8]) -> bool {
        let is_tchar = |byte: &u8| chars::is(*byte, TCHAR);
        matches!(self.scheme(), Scheme::Basic | Scheme::Digest)
            && token68
                .strip_suffix(b"=")
                .is_some_and(|name| name.iter().all(is_tchar))
    }

    const fn with(self, body: Content<'a>) -> RawChallenge<'a> {
        RawChallenge {
            scheme: self.scheme,
            body,
        }
    }

    /// Reads the rest of a challenge, up to what may be the next, and hands each parameter to
    /// `take`.
    ///
    /// One pass serves both the check of the grammar and the reading of the parameters.
    #[inline(always)]
    pub(crate) fn challenge(
        self,
        cursor: &mut Cursor<'a>,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<RawChallenge<'a>, ParseError> {
        let body = self.body(cursor, Reading::Lenient)?;
        if let Content::Params(mut list) = body {
            let read = list.read(Reading::Lenient, take);
            *cursor = list.cursor();
            read?;
        }
        Ok(self.with(body))
    }

    /// The same of credentials, which are no list: to the end of the value.
    #[inline(always)]
    pub(crate) fn credentials(
        self,
        mut cursor: Cursor<'a>,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<RawChallenge<'a>, ParseError> {
        let body = self.body(&mut cursor, Reading::Strict)?;
        match body {
            Content::Params(list) => list.read_all(take)?,
            Content::Nothing | Content::Token68(_) if cursor.is_end() => {}
            Content::Nothing | Content::Token68(_) => {
                return Err(cursor.error(ParseErrorKind::ExpectedEnd));
            }
        }
        Ok(self.with(body))
    }
}

impl PartialEq for RawChallenge<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut others = other.params();
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.token68() == other.token68()
            && self.params().all(|param| {
                others.next().is_some_and(|other| {
                    param.name.eq_ignore_ascii_case(other.name) && param.value == other.value
                })
            })
            && others.next().is_none()
    }
}

impl Eq for RawChallenge<'_> {}

impl fmt::Debug for RawChallenge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RawChallenge");
        debug.field("scheme", &self.scheme());
        match self.body {
            Content::Nothing | Content::Params(_) => debug.field("params", &self.params().count()),
            Content::Token68(token68) => debug.field("token68_bytes", &token68.len()),
        };
        debug.finish()
    }
}

/// The text of a token, of which every byte is ASCII.
const fn ascii(token: &[u8]) -> &str {
    match core::str::from_utf8(token) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// An authentication scheme. `Debug` does not show the name of an unknown one.
#[derive(Clone, Copy, Eq, PartialEq)]
#[non_exhaustive]
pub enum Scheme<'a> {
    /// RFC 7617.
    Basic,
    /// RFC 7616 and its ancestors.
    Digest,
    /// Any other, as written.
    Other(&'a str),
}

impl<'a> Scheme<'a> {
    #[inline(always)]
    fn of(name: &'a [u8]) -> Self {
        if is_word(name, b"basic") {
            Self::Basic
        } else if is_word(name, b"digest") {
            Self::Digest
        } else {
            Self::Other(ascii(name))
        }
    }
}

impl fmt::Debug for Scheme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic => "Basic",
            Self::Digest => "Digest",
            Self::Other(_) => "Other",
        })
    }
}
