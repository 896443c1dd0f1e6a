//! Parameter lists, and the parameters that this crate interprets, by name.

use crate::error::{HeaderError, Thin};
use crate::syntax::cursor::{Cursor, Reading};
use crate::syntax::param_name::ParamName;
use crate::syntax::scheme::as_str;
use crate::syntax::text::Text;

const EXPECTED_EQUALS: Thin = &"expected `=` after a parameter name";

// #auth-param
/// A lazily parsed parameter list. It ends at the end of the header value, or before an element
/// that is not a parameter, which may be the scheme of the next challenge.
#[derive(Clone, Copy)]
pub(crate) struct ParamList<'a> {
    cursor: Cursor<'a>,
    /// Whether no parameter was parsed yet.
    is_first: bool,
}

impl<'a> ParamList<'a> {
    pub(crate) const fn new(cursor: Cursor<'a>) -> Self {
        let is_first = true;
        Self { cursor, is_first }
    }

    // auth-param = token BWS "=" BWS ( token / quoted-string )
    /// Parses the next parameter: its name as written, and its value. `None` at the end.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        reading: Reading,
    ) -> Result<Option<(&'a [u8], Text<'a>)>, HeaderError> {
        let cursor = &mut self.cursor;
        // The first element needs no comma before it. Without a comma, it must be a parameter.
        let comma = cursor.skip_separators();
        if cursor.is_end() {
            return Ok(None);
        }
        if !comma && !self.is_first {
            return Err(cursor.error(&"expected `,` or the end"));
        }
        let start = *cursor;
        let Some(name) = cursor.token() else {
            return Err(cursor.error(&"expected a parameter name"));
        };
        // BWS, the "bad" whitespace that is only read and never written.
        cursor.skip_whitespace();
        if !cursor.eat(b'=') {
            if self.is_first && !comma {
                return Err(cursor.error(EXPECTED_EQUALS));
            }
            *cursor = start;
            return Ok(None);
        }
        cursor.skip_whitespace();
        let value = cursor.value(reading)?;
        self.is_first = false;
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
    ) -> Result<(), HeaderError> {
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
    ) -> Result<(), HeaderError> {
        self.read(Reading::Strict, take)?;
        if self.cursor.is_end() {
            return Ok(());
        }
        // Points at the byte found in place of `=`, after the name and whitespace.
        self.cursor.token();
        self.cursor.skip_whitespace();
        Err(self.cursor.error(EXPECTED_EQUALS))
    }
}

/// The values of the parameters that this crate interprets. Other parameters are ignored, even if
/// they are repeated.
#[derive(Clone, Copy)]
pub(crate) struct ParamTable<'a> {
    values: [Option<Text<'a>>; ParamName::COUNT],
    /// The parameter that was the first to occur a second time.
    repeated: Option<ParamName>,
}

impl<'a> ParamTable<'a> {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self {
            values: [None; ParamName::COUNT],
            repeated: None,
        }
    }

    /// Adds a parameter, by its name as written. If it is repeated, the first value stays.
    #[inline(always)]
    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    pub(crate) fn insert(&mut self, raw_name: &[u8], value: Text<'a>) {
        let Some(name) = ParamName::find(raw_name) else {
            return;
        };
        match self.values.get_mut(name as usize) {
            Some(slot @ None) => *slot = Some(value),
            _ => {
                self.repeated.get_or_insert(name);
            }
        }
    }

    /// Rejects repeated parameters (RFC 9110, section 11.2): implementations disagree on which one
    /// wins.
    pub(crate) fn check_repeated(&self) -> Result<(), HeaderError> {
        match self.repeated {
            None => Ok(()),
            Some(name) => Err(name.repeated()),
        }
    }

    /// The value of a parameter; `None` if it is absent.
    #[inline]
    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    pub(crate) fn get(&self, name: ParamName) -> Option<Text<'a>> {
        self.values.get(name as usize).copied().flatten()
    }

    /// The value of a parameter that the header must have.
    #[inline]
    pub(crate) fn required(&self, name: ParamName) -> Result<Text<'a>, HeaderError> {
        self.get(name).ok_or_else(|| name.missing())
    }

    /// Returns whether a parameter is present and its value is `keyword`, ignoring ASCII case.
    /// `keyword` must be in lower case.
    pub(crate) fn has_keyword<const LENGTH: usize>(
        &self,
        name: ParamName,
        keyword: &[u8; LENGTH],
    ) -> bool {
        self.get(name).is_some_and(|value| value.is_word(keyword))
    }
}

/// The name of a parameter as a string. To find one that this crate knows is faster than to check
/// that the bytes are UTF-8.
pub(super) fn name_as_str(name: &[u8]) -> &str {
    match ParamName::find(name).map(ParamName::as_str) {
        Some(known) if known.as_bytes() == name => known,
        _ => as_str(name),
    }
}
