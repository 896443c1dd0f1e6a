//! Parameter lists.

use core::fmt;

use crate::error::{ParseError, ParseErrorKind};
use crate::syntax::cursor::Cursor;
use crate::syntax::limits::MAX_PARAMS;
use crate::syntax::reading::Reading;
use crate::syntax::text::Text;

// auth-param = token BWS "=" BWS ( token / quoted-string )
/// One parameter.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Param<'a> {
    /// Its name, as written; compare it without case.
    pub name: &'a str,
    /// Its value.
    pub value: Text<'a>,
}

impl fmt::Debug for Param<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Param({} bytes = {:?})", self.name.len(), self.value)
    }
}

// #auth-param
/// A parameter list as it is read. It ends at the end of the value, or before an element that is
/// no parameter: that may be the scheme of another challenge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamList<'a> {
    cursor: Cursor<'a>,
    count: usize,
}

impl<'a> ParamList<'a> {
    pub(crate) const fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, count: 0 }
    }

    /// The next parameter: its name, as written, and its value.
    #[inline(always)]
    pub(crate) fn next(&mut self, reading: Reading) -> Result<Option<Raw<'a>>, ParseError> {
        // In a variable of its own, which is faster than through a reference.
        let mut cursor = self.cursor;
        let next = Self::param(&mut cursor, self.count, reading);
        self.cursor = cursor;
        if let Ok(Some(_)) = next {
            self.count += 1;
        }
        next
    }

    #[inline(always)]
    fn param(
        cursor: &mut Cursor<'a>,
        count: usize,
        reading: Reading,
    ) -> Result<Option<Raw<'a>>, ParseError> {
        // No comma is due before the first, and what it is can be nothing but a parameter.
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
        cursor.skip_blanks();
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
        cursor.skip_blanks();
        let value = cursor.value(reading)?;
        Ok(Some((name, value)))
    }

    /// Where the list has been read to.
    pub(crate) const fn cursor(&self) -> Cursor<'a> {
        self.cursor
    }

    /// Hands each parameter to `take`, up to the end or what may be the next challenge.
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

    /// The same by the letter, up to the end of the value. Whatever is not a parameter is an error.
    #[inline(always)]
    pub(crate) fn read_all(
        mut self,
        take: impl FnMut(&'a [u8], Text<'a>),
    ) -> Result<(), ParseError> {
        self.read(Reading::Strict, take)?;
        if self.cursor.is_end() {
            return Ok(());
        }
        self.cursor.token();
        self.cursor.skip_blanks();
        Err(self.cursor.error(ParseErrorKind::ExpectedEquals))
    }
}

/// A name, as written, and a value.
type Raw<'a> = (&'a [u8], Text<'a>);

/// Iterator of [`Challenge::params`](crate::RawChallenge::params). Does not fail: the challenge, or the
/// credentials, were checked when they were read.
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
