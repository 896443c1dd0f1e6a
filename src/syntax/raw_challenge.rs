//! Challenges and credentials of any scheme.

use core::fmt;

use crate::error::{HeaderError, Thin};
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR};
use crate::syntax::cursor::{Cursor, Reading};
use crate::syntax::params::{ParamList, ParamTable, name_as_str};
use crate::syntax::scheme::{Scheme, as_str};
use crate::syntax::text::Text;
use crate::syntax::writer::Writer;

/// The maximum number of challenges in all values of one field, unreadable ones included: 256.
/// Values over [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) are not counted.
///
/// A server that offers Basic and each Digest algorithm once sends seven. The limit bounds the work
/// that one response can cause.
pub const MAX_CHALLENGES: usize = 256;

/// The challenges in all values of a field, one by one. An error usually concerns one challenge:
/// reading continues with the next one whose start can be found.
pub(crate) struct RawChallenges<'a, I> {
    values: I,
    /// The unread part of the current header value.
    rest: Option<Cursor<'a>>,
    /// The number of challenges started, including the one past the limit.
    started: usize,
}

impl<'a, I, V> RawChallenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    pub(crate) const fn new(values: I) -> Self {
        Self {
            values,
            rest: None,
            started: 0,
        }
    }

    /// Reads the next challenge by `read`, which begins at its scheme and ends after it.
    pub(crate) fn next<T>(&mut self, read: Read<'a, T>) -> Option<Result<T, HeaderError>> {
        // The error was already returned.
        if self.started > MAX_CHALLENGES {
            return None;
        }
        let mut cursor = loop {
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
        self.started += 1;
        if self.started > MAX_CHALLENGES {
            return Some(Err(cursor.error(&"too many challenges")));
        }
        let challenge = read(&mut cursor);
        self.rest = Some(cursor);
        Some(challenge)
    }
}

/// Reads a challenge in one way. After a syntax error it leaves the cursor at the next challenge.
type Read<'a, T> = fn(&mut Cursor<'a>) -> Result<T, HeaderError>;

/// Returns the start of the next challenge after a syntax error at `cursor`, or the end.
#[cold]
fn find_next_challenge(mut cursor: Cursor<'_>) -> Cursor<'_> {
    loop {
        cursor.skip_element(false);
        cursor.skip_separators();
        let start = cursor;
        let is_scheme = cursor.token().is_some() && {
            let has_whitespace = matches!(cursor.peek(), Some(b' ' | b'\t'));
            cursor.skip_whitespace();
            match cursor.peek() {
                // A scheme alone.
                None | Some(b',') => true,
                // A parameter of the faulty challenge.
                Some(b'=') => false,
                // What follows a scheme is separated from it.
                Some(_) => has_whitespace,
            }
        };
        if is_scheme {
            return start;
        }
        if cursor.is_end() {
            return cursor;
        }
    }
}

/// A challenge of any scheme, borrowed from the header: a scheme name, optionally followed by
/// parameters or a token68.
///
/// Despite its name, it is also used for credentials. To write one, use
/// [`FieldValue::with_params`] or [`FieldValue::with_token68`].
///
/// Equality ignores the case of scheme and parameter names, but not of values, nor the order of
/// parameters. `Debug` shows no header text.
#[derive(Clone, Copy)]
pub struct RawChallenge<'a> {
    /// The scheme name, a token.
    scheme: &'a [u8],
    content: Content<'a>,
}

/// What follows the scheme name.
#[derive(Clone, Copy)]
enum Content<'a> {
    Empty,
    Params(ParamList<'a>),
    Token68(&'a [u8]),
}

impl<'a> RawChallenge<'a> {
    /// The scheme name as written.
    pub const fn scheme_name(&self) -> &'a str {
        as_str(self.scheme)
    }

    /// The parameters in order, including repeated ones, each with its name as written; none if
    /// there is a token68 instead.
    pub fn params(&self) -> impl Iterator<Item = (&'a str, Text<'a>)> + use<'a> {
        let mut list = self.param_list();
        core::iter::from_fn(move || {
            // Does not fail: the syntax was checked when the header was parsed.
            let (name, value) = list.next(Reading::Lenient).ok().flatten()?;
            Some((name_as_str(name), value))
        })
    }

    fn param_list(&self) -> ParamList<'a> {
        match self.content {
            Content::Params(list) => list,
            Content::Empty | Content::Token68(_) => ParamList::new(Cursor::EMPTY),
        }
    }

    /// The parameters that this crate interprets.
    pub(crate) fn table(&self) -> ParamTable<'a> {
        let mut table = ParamTable::new();
        let read = self
            .param_list()
            .read(Reading::Lenient, |name, value| table.insert(name, value));
        debug_assert!(read.is_ok(), "checked when the challenge was parsed");
        table
    }

    /// The value of the first parameter of this name, ignoring ASCII case.
    pub fn param(&self, name: &str) -> Option<Text<'a>> {
        self.params()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The token68 (`Negotiate YII...`), if there is one instead of parameters. In a challenge of
    /// Basic or Digest, `realm=` is a parameter with an empty value.
    pub const fn token68(&self) -> Option<&'a str> {
        match self.content {
            Content::Empty | Content::Params(_) => None,
            Content::Token68(token68) => Some(as_str(token68)),
        }
    }

    /// Returns the header value, with normalised whitespace, commas and escapes. A parameter is
    /// quoted if it was quoted, is not a token, or is `realm` (RFC 9110, section 11.5). Parsing it
    /// gives an equal `RawChallenge`, unless it is now longer than
    /// [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES).
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme(self.scheme_name(), self.max_length());
        if let Some(token68) = self.token68() {
            writer.token68(token68.as_bytes());
        }
        for (name, value) in self.params() {
            if !value.is_unquoted_token() || name.eq_ignore_ascii_case("realm") {
                writer.name(name).quoted("=", value);
            } else {
                writer.name(name).token("=", value);
            }
        }
        writer.finish()
    }

    /// An upper bound of the length of the header value.
    fn max_length(&self) -> usize {
        let token68 = self.token68().unwrap_or_default();
        // Writing adds no escapes to a parsed value.
        let length = |(name, value): (&str, Text<'_>)| 5 + name.len() + value.raw().len();
        let params = self.params().map(length);
        self.scheme.len() + " ".len() + token68.len() + params.sum::<usize>()
    }
}

/// The parsed scheme name of a challenge or of credentials.
#[derive(Clone, Copy)]
pub(crate) struct ParsedScheme<'a> {
    /// The scheme name, a token.
    name: &'a [u8],
    /// The position of the scheme name.
    start: Cursor<'a>,
}

const EXPECTED_SCHEME: Thin = &"expected an authentication scheme";

// challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
impl<'a> ParsedScheme<'a> {
    #[inline(always)]
    pub(crate) fn parse(cursor: &mut Cursor<'a>) -> Result<Self, HeaderError> {
        let start = *cursor;
        match cursor.token() {
            Some(name) => Ok(Self { name, start }),
            None => Err(start.error(EXPECTED_SCHEME)),
        }
    }

    /// Parses the scheme of a credentials field, and returns it with the position after it.
    #[inline(always)]
    pub(crate) fn of_credentials(value: &'a [u8]) -> Result<(Self, Cursor<'a>), HeaderError> {
        let mut cursor = Cursor::new(value)?;
        Ok((Self::parse(&mut cursor)?, cursor))
    }

    #[inline(always)]
    pub(crate) fn scheme(&self) -> Option<Scheme> {
        Scheme::of(self.name)
    }

    /// Parses what follows the scheme name: nothing, a token68, or the start of the parameters.
    #[inline(always)]
    fn parse_content(
        &self,
        cursor: &mut Cursor<'a>,
        reading: Reading,
    ) -> Result<Content<'a>, HeaderError> {
        match cursor.peek() {
            None | Some(b',') => return Ok(Content::Empty),
            // RFC 9110, section 11.3, says 1*SP. HTAB is accepted, too: some clients and servers
            // send it, and it cannot change which scheme is parsed.
            Some(b' ' | b'\t') => cursor.skip_whitespace(),
            // A parameter without a scheme.
            Some(b'=') => return Err(self.start.error(EXPECTED_SCHEME)),
            Some(_) => return Err(cursor.error(&"expected `,` or the end")),
        }
        let params = ParamList::new(*cursor);
        match cursor.token68() {
            // In credentials, unquoted values are not empty.
            Some(token68) if reading == Reading::Strict || !self.is_empty_param(token68) => {
                Ok(Content::Token68(token68))
            }
            _ => Ok(Content::Params(params)),
        }
    }

    /// Returns whether to read a token68 in a challenge as a parameter with an empty value
    /// (`realm=`): the challenges of Basic and Digest have parameters.
    #[cold]
    fn is_empty_param(&self, token68: &[u8]) -> bool {
        let is_tchar = |byte: &u8| chars::is(*byte, TCHAR);
        self.scheme().is_some()
            && token68
                .strip_suffix(b"=")
                .is_some_and(|name| name.iter().all(is_tchar))
    }

    const fn with_content(self, content: Content<'a>) -> RawChallenge<'a> {
        RawChallenge {
            scheme: self.name,
            content,
        }
    }

    /// Parses a challenge, stopping before an element that is not a parameter: it may start the next
    /// challenge, as it does after a syntax error. Passes each parameter to `take`.
    #[inline(always)]
    pub(crate) fn parse_challenge(
        cursor: &mut Cursor<'a>,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<(Option<Scheme>, RawChallenge<'a>), HeaderError> {
        let mut at = *cursor;
        let parse = || {
            let parsed = Self::parse(&mut at)?;
            let content = parsed.parse_content(&mut at, Reading::Lenient)?;
            if let Content::Params(mut list) = content {
                let read = list.read(Reading::Lenient, take);
                at = list.cursor();
                read?;
            }
            Ok((parsed.scheme(), parsed.with_content(content)))
        };
        let parsed = parse();
        *cursor = match &parsed {
            Ok(_) => at,
            Err(_) => find_next_challenge(at),
        };
        parsed
    }

    /// Parses the rest of credentials, which extend to the end of the value. Passes each parameter to
    /// `take`.
    #[inline(always)]
    pub(crate) fn parse_credentials(
        self,
        mut cursor: Cursor<'a>,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<RawChallenge<'a>, HeaderError> {
        let content = self.parse_content(&mut cursor, Reading::Strict)?;
        match content {
            Content::Params(list) => list.read_all(take)?,
            Content::Empty | Content::Token68(_) if cursor.is_end() => {}
            Content::Empty | Content::Token68(_) => {
                return Err(cursor.error(&"expected the end"));
            }
        }
        Ok(self.with_content(content))
    }
}

impl PartialEq for RawChallenge<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut other_params = other.params();
        let is_next = |(name, value): (&str, Text<'_>)| {
            let other = other_params.next();
            other.is_some_and(|other| other.0.eq_ignore_ascii_case(name) && other.1 == value)
        };
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.token68() == other.token68()
            && self.params().all(is_next)
            && other_params.next().is_none()
    }
}

impl Eq for RawChallenge<'_> {}

impl fmt::Debug for RawChallenge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RawChallenge");
        debug.field("scheme", &Scheme::of(self.scheme));
        match self.content {
            Content::Empty | Content::Params(_) => debug.field("params", &self.params().count()),
            Content::Token68(token68) => debug.field("token68_bytes", &token68.len()),
        };
        debug.finish()
    }
}
