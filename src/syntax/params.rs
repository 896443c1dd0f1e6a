//! Parameter lists.

use core::fmt;

use crate::error::{ParseError, ParseErrorKind};
use crate::syntax::cursor::Cursor;
use crate::syntax::limits::MAX_PARAMS;
use crate::syntax::reading::Reading;
use crate::syntax::text::Text;

/// One parameter of a challenge or of credentials (RFC 9110, section 11.2).
///
/// ```
/// use countersign::challenges;
///
/// let challenge = challenges([r#"Bearer realm="a", scope=read"#]).raw().next().unwrap()?;
/// let scope = challenge.params().last().unwrap();
/// assert_eq!(scope.name, "scope");
/// assert_eq!(scope.value, "read");
/// # Ok::<(), countersign::ParseError>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Param<'a> {
    /// The name as written. Names are case-insensitive.
    pub name: &'a str,
    /// The value.
    pub value: Text<'a>,
}

impl fmt::Debug for Param<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Param({} bytes = {:?})", self.name.len(), self.value)
    }
}

// #auth-param
/// A lazily parsed parameter list. It ends at the end of the header value, or before an element
/// that is not a parameter, which may be the scheme of the next challenge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamList<'a> {
    cursor: Cursor<'a>,
    /// The number of parameters parsed.
    count: usize,
}

impl<'a> ParamList<'a> {
    pub(crate) const fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, count: 0 }
    }

    /// Parses the next parameter: its name as written, and its value. `None` at the end.
    #[inline(always)]
    pub(crate) fn next(&mut self, reading: Reading) -> Result<Option<RawParam<'a>>, ParseError> {
        let next = Self::param(&mut self.cursor, self.count, reading);
        if let Ok(Some(_)) = next {
            self.count += 1;
        }
        next
    }

    // auth-param = token BWS "=" BWS ( token / quoted-string )
    #[inline(always)]
    fn param(
        cursor: &mut Cursor<'a>,
        count: usize,
        reading: Reading,
    ) -> Result<Option<RawParam<'a>>, ParseError> {
        // The first element needs no comma before it. Without a comma, it must be a parameter.
        let first = count == 0;
        let comma = cursor.skip_separators();
        if cursor.is_end() {
            return Ok(None);
        }
        if !comma && !first {
            return Err(cursor.error(ParseErrorKind::ExpectedComma));
        }
        let start = *cursor;
        let Some(name) = cursor.token() else {
            return Err(cursor.error(ParseErrorKind::ExpectedName));
        };
        // BWS, the "bad" whitespace that is only read and never written.
        cursor.skip_whitespace();
        if !cursor.eat(b'=') {
            if first && !comma {
                return Err(cursor.error(ParseErrorKind::ExpectedEquals));
            }
            *cursor = start;
            return Ok(None);
        }
        if count == MAX_PARAMS {
            return Err(start.error(ParseErrorKind::TooManyParams));
        }
        cursor.skip_whitespace();
        let value = cursor.value(reading)?;
        Ok(Some((name, value)))
    }

    /// The current position.
    pub(crate) const fn cursor(&self) -> Cursor<'a> {
        self.cursor
    }

    /// Passes each parameter of the list to `take`.
    #[inline(always)]
    pub(crate) fn read(
        &mut self,
        reading: Reading,
        mut take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<(), ParseError> {
        while let Some((name, value)) = self.next(reading)? {
            take(name, value);
        }
        Ok(())
    }

    /// Like [`read`](Self::read), but strict: the rest of the header value must be parameters.
    #[inline(always)]
    pub(crate) fn read_all(
        mut self,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<(), ParseError> {
        self.read(Reading::Strict, take)?;
        if self.cursor.is_end() {
            return Ok(());
        }
        // Points at the byte found in place of `=`, after the name and whitespace.
        self.cursor.token();
        self.cursor.skip_whitespace();
        Err(self.cursor.error(ParseErrorKind::ExpectedEquals))
    }
}

/// A name as written, and a value.
type RawParam<'a> = (&'a [u8], Text<'a>);

/// Iterator of [`RawChallenge::params`](crate::RawChallenge::params). It cannot fail, because the
/// syntax was checked when the header was parsed.
///
/// ```
/// use countersign::{Params, challenges};
///
/// let challenge = challenges([r#"Bearer realm="a", scope=read"#]).raw().next().unwrap()?;
/// let params: Params<'_> = challenge.params();
/// let names: Vec<&str> = params.map(|param| param.name).collect();
/// assert_eq!(names, ["realm", "scope"]);
/// # Ok::<(), countersign::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Params<'a> {
    list: ParamList<'a>,
}

impl<'a> Params<'a> {
    pub(crate) const fn new(list: ParamList<'a>) -> Self {
        Self { list }
    }
}

impl<'a> Iterator for Params<'a> {
    type Item = Param<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.list.next(Reading::Lenient).ok().flatten()?;
        let name = core::str::from_utf8(name).ok()?;
        Some(Param { name, value })
    }
}
