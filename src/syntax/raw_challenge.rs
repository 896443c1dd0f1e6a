//! Challenges and credentials of any scheme.

use core::fmt;

use crate::error::{ParseError, ParseErrorKind};
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR};
use crate::syntax::cursor::Cursor;
use crate::syntax::limits::MAX_CHALLENGES;
use crate::syntax::params::{Param, ParamList, Params};
use crate::syntax::reading::Reading;
use crate::syntax::scheme::{Scheme, as_str};
use crate::syntax::text::Text;
use crate::syntax::writer::Writer;

/// The iterator returned by [`Challenges::raw`](crate::Challenges::raw), over challenges of any
/// scheme.
///
/// It does not allocate. An error usually concerns one challenge: iteration continues with the next
/// one whose start can be found, in the same value or a later one.
///
/// - A value over [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) is skipped entirely.
/// - An unclosed quoted string hides the rest of the header value.
/// - After [`MAX_CHALLENGES`] challenges, unreadable ones included, iteration ends with
///   [`TooManyChallenges`](ParseErrorKind::TooManyChallenges) if there are more.
///
/// ```
/// use countersign::{RawChallenges, Scheme, challenges};
///
/// // The first challenge lacks a comma.
/// let mut raw: RawChallenges<'_, _> = challenges(["Bearer realm=a error=b, Negotiate"]).raw();
/// assert!(raw.next().unwrap().is_err());
/// assert_eq!(raw.next().unwrap()?.scheme(), Scheme::Other("Negotiate"));
/// # Ok::<(), countersign::ParseError>(())
/// ```
#[derive(Clone)]
pub struct RawChallenges<'a, I> {
    values: I,
    /// The unread part of the current header value.
    rest: Option<Cursor<'a>>,
    /// The number of challenges started, including the one past the limit.
    started: usize,
}

impl<I> RawChallenges<'_, I> {
    pub(crate) const fn new(values: I) -> Self {
        Self {
            values,
            rest: None,
            started: 0,
        }
    }
}

impl<'a, I, V> RawChallenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    /// Returns the start of the next challenge.
    #[inline(always)]
    pub(crate) fn next_start(&mut self) -> Option<Result<Cursor<'a>, ParseError>> {
        // `TooManyChallenges` was already returned.
        if self.started > MAX_CHALLENGES {
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
        self.started += 1;
        if self.started > MAX_CHALLENGES {
            return Some(Err(cursor.error(ParseErrorKind::TooManyChallenges)));
        }
        Some(Ok(cursor))
    }
}

impl<'a, I> RawChallenges<'a, I> {
    /// Makes the iteration continue at `cursor`, after a challenge.
    #[inline(always)]
    pub(crate) const fn resume_at(&mut self, cursor: Cursor<'a>) {
        self.rest = Some(cursor);
    }

    /// Makes the iteration continue with the next challenge after the syntax error at `cursor`.
    /// Returns the error.
    #[cold]
    pub(crate) fn recover(&mut self, cursor: Cursor<'a>, error: ParseError) -> ParseError {
        self.rest = Some(find_next_challenge(cursor, error.kind()));
        error
    }
}

impl<'a, I, V> Iterator for RawChallenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    type Item = Result<RawChallenge<'a>, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut cursor = match self.next_start()? {
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error)),
        };
        match RawChallenge::read(&mut cursor) {
            Ok(challenge) => {
                self.resume_at(cursor);
                Some(Ok(challenge))
            }
            Err(error) => Some(Err(self.recover(cursor, error))),
        }
    }
}

impl<I> fmt::Debug for RawChallenges<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawChallenges({} started)", self.started)
    }
}

/// Returns the start of the next challenge after a syntax error at `cursor`, or the end.
#[cold]
fn find_next_challenge(mut cursor: Cursor<'_>, error: ParseErrorKind) -> Cursor<'_> {
    // A control-byte error leaves the cursor inside a quoted string.
    let mut in_quotes = error == ParseErrorKind::ControlByte;
    loop {
        cursor.skip_element(in_quotes);
        in_quotes = false;
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
/// Despite its name, it is also used for credentials.
///
/// Equality ignores the case of scheme and parameter names, but not of values, nor the order of
/// parameters. `Debug` shows no header text.
///
/// ```
/// use countersign::{Scheme, challenges};
///
/// let challenge = challenges([r#"Bearer realm="a", scope=read"#]).raw().next().unwrap()?;
/// assert_eq!(challenge.scheme(), Scheme::Other("Bearer"));
/// assert_eq!(challenge.realm().unwrap(), "a");
/// assert_eq!(challenge.param("SCOPE").unwrap(), "read");
/// # Ok::<(), countersign::ParseError>(())
/// ```
///
/// To write a challenge of a scheme that this crate does not implement, use
/// [`builder`](Self::builder) or [`of_token68`](Self::of_token68).
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
    #[inline(always)]
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, ParseError> {
        ParsedScheme::parse(cursor)?.parse_challenge(cursor, |_, _| ())
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme<'a> {
        Scheme::of(self.scheme)
    }

    /// The scheme name as written.
    pub const fn scheme_name(&self) -> &'a str {
        as_str(self.scheme)
    }

    /// The parameters in order, including repeated ones, with names as written; none if there is a
    /// token68 instead.
    pub fn params(&self) -> Params<'a> {
        Params::new(self.param_list())
    }

    pub(crate) fn param_list(&self) -> ParamList<'a> {
        match self.content {
            Content::Params(list) => list,
            Content::Empty | Content::Token68(_) => ParamList::new(Cursor::trusted(b"")),
        }
    }

    /// The value of the first parameter whose name equals `name`, compared ASCII
    /// case-insensitively.
    pub fn param(&self, name: &str) -> Option<Text<'a>> {
        self.params()
            .find(|param| param.name.eq_ignore_ascii_case(name))
            .map(|param| param.value)
    }

    /// The value of the first `realm` parameter.
    pub fn realm(&self) -> Option<Text<'a>> {
        self.param("realm")
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
    /// quoted if it was quoted, is not a token, or is `realm` (RFC 9110, section 11.5).
    ///
    /// Parsing it gives an equal `RawChallenge`, unless the added quotes and spaces make it longer
    /// than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES).
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme(self.scheme_name(), self.max_length());
        if let Some(token68) = self.token68() {
            writer.token68(token68.as_bytes());
        }
        for param in self.params() {
            if !param.value.is_unquoted_token() || param.name.eq_ignore_ascii_case("realm") {
                writer.quoted(param.name, param.value);
            } else {
                writer.token_or_quoted(param.name, param.value);
            }
        }
        writer.finish()
    }

    /// An upper bound of the length of the header value.
    fn max_length(&self) -> usize {
        let token68 = self.token68().unwrap_or_default();
        let params = self.params().map(|Param { name, value }| {
            // Writing adds no escapes to a parsed value.
            r#", ="""#.len() + name.len() + value.raw().len()
        });
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

// challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
impl<'a> ParsedScheme<'a> {
    #[inline(always)]
    pub(crate) fn parse(cursor: &mut Cursor<'a>) -> Result<Self, ParseError> {
        let start = *cursor;
        match cursor.token() {
            Some(name) => Ok(Self { name, start }),
            None => Err(start.error(ParseErrorKind::ExpectedScheme)),
        }
    }

    /// Parses the scheme of a credentials field, and returns it with the position after it.
    #[inline(always)]
    pub(crate) fn of_credentials(value: &'a [u8]) -> Result<(Self, Cursor<'a>), ParseError> {
        let mut cursor = Cursor::new(value)?;
        Ok((Self::parse(&mut cursor)?, cursor))
    }

    #[inline(always)]
    pub(crate) fn scheme(&self) -> Scheme<'a> {
        Scheme::of(self.name)
    }

    /// Parses what follows the scheme name: nothing, a token68, or the start of the parameters.
    #[inline(always)]
    fn parse_content(
        &self,
        cursor: &mut Cursor<'a>,
        reading: Reading,
    ) -> Result<Content<'a>, ParseError> {
        match cursor.peek() {
            None | Some(b',') => return Ok(Content::Empty),
            // RFC 9110, section 11.3, says 1*SP. HTAB is accepted, too: some clients and servers
            // send it, and it cannot change which scheme is parsed.
            Some(b' ' | b'\t') => cursor.skip_whitespace(),
            // A parameter without a scheme.
            Some(b'=') => return Err(self.start.error(ParseErrorKind::ExpectedScheme)),
            Some(_) => return Err(cursor.error(ParseErrorKind::ExpectedComma)),
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
        matches!(self.scheme(), Scheme::Basic | Scheme::Digest)
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

    /// Parses the rest of a challenge, stopping before an element that is not a parameter: it may
    /// start the next challenge. Passes each parameter to `take`.
    #[inline(always)]
    pub(crate) fn parse_challenge(
        self,
        cursor: &mut Cursor<'a>,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<RawChallenge<'a>, ParseError> {
        let content = self.parse_content(cursor, Reading::Lenient)?;
        if let Content::Params(mut list) = content {
            let read = list.read(Reading::Lenient, take);
            *cursor = list.cursor();
            read?;
        }
        Ok(self.with_content(content))
    }

    /// Like [`parse_challenge`](Self::parse_challenge), for credentials, which extend to the end of
    /// the value.
    #[inline(always)]
    pub(crate) fn parse_credentials(
        self,
        mut cursor: Cursor<'a>,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<RawChallenge<'a>, ParseError> {
        let content = self.parse_content(&mut cursor, Reading::Strict)?;
        match content {
            Content::Params(list) => list.read_all(take)?,
            Content::Empty | Content::Token68(_) if cursor.is_end() => {}
            Content::Empty | Content::Token68(_) => {
                return Err(cursor.error(ParseErrorKind::ExpectedEnd));
            }
        }
        Ok(self.with_content(content))
    }
}

impl PartialEq for RawChallenge<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut other_params = other.params();
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.token68() == other.token68()
            && self.params().all(|param| {
                other_params.next().is_some_and(|Param { name, value }| {
                    param.name.eq_ignore_ascii_case(name) && param.value == value
                })
            })
            && other_params.next().is_none()
    }
}

impl Eq for RawChallenge<'_> {}

impl fmt::Debug for RawChallenge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("RawChallenge");
        debug.field("scheme", &self.scheme());
        match self.content {
            Content::Empty | Content::Params(_) => debug.field("params", &self.params().count()),
            Content::Token68(token68) => debug.field("token68_bytes", &token68.len()),
        };
        debug.finish()
    }
}
