//! Parameter lists, and the parameters that this crate interprets, by name.

use crate::error::{HeaderError, ParamName, ParamProblem, SyntaxProblem};
use crate::syntax::chars::is_word;
use crate::syntax::cursor::{Cursor, Reading};
use crate::syntax::scheme::as_str;
use crate::syntax::text::Text;

/// The maximum number of parameters in one challenge, one `Authorization` value or one
/// `Authentication-Info` value: 4,096.
///
/// A Digest header usually has at most a dozen. The limit protects callers that collect parameters.
pub const MAX_PARAMS: usize = 4096;

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

    // auth-param = token BWS "=" BWS ( token / quoted-string )
    /// Parses the next parameter: its name as written, and its value. `None` at the end.
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        reading: Reading,
    ) -> Result<Option<(&'a [u8], Text<'a>)>, HeaderError> {
        let cursor = &mut self.cursor;
        // The first element needs no comma before it. Without a comma, it must be a parameter.
        let first = self.count == 0;
        let comma = cursor.skip_separators();
        if cursor.is_end() {
            return Ok(None);
        }
        if !comma && !first {
            return Err(cursor.error(SyntaxProblem::ExpectedComma));
        }
        let start = *cursor;
        let Some(name) = cursor.token() else {
            return Err(cursor.error(SyntaxProblem::ExpectedName));
        };
        // BWS, the "bad" whitespace that is only read and never written.
        cursor.skip_whitespace();
        if !cursor.eat(b'=') {
            if first && !comma {
                return Err(cursor.error(SyntaxProblem::ExpectedEquals));
            }
            *cursor = start;
            return Ok(None);
        }
        if self.count == MAX_PARAMS {
            return Err(start.error(SyntaxProblem::TooManyParams));
        }
        cursor.skip_whitespace();
        let value = cursor.value(reading)?;
        self.count += 1;
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
        Err(self.cursor.error(SyntaxProblem::ExpectedEquals))
    }
}

/// The values of the parameters that this crate interprets in one kind of challenge or header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamTable<'a> {
    /// The names to keep. Other parameters are ignored, even if repeated.
    pub(crate) names: Names,
    values: [Option<Text<'a>>; SLOTS],
    /// The parameter that was the first to occur a second time.
    repeated: Option<ParamName>,
}

/// One slot for each name. `UsernameExt` is the last.
#[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
const SLOTS: usize = ParamName::UsernameExt as usize + 1;

/// A set of parameter names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names(u32);

impl Names {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn of(names: &[ParamName]) -> Self {
        let mut set = 0;
        let mut rest = names;
        while let [name, after @ ..] = rest {
            set |= Self::bit(*name);
            rest = after;
        }
        Self(set)
    }

    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    const fn bit(name: ParamName) -> u32 {
        1 << name as u32
    }

    const fn contains(self, name: ParamName) -> bool {
        self.0 & Self::bit(name) != 0
    }
}

impl<'a> ParamTable<'a> {
    #[inline]
    pub(crate) const fn new(names: Names) -> Self {
        Self {
            names,
            values: [None; SLOTS],
            repeated: None,
        }
    }

    /// Adds a parameter, by its name as written, if `names` has it. If it is repeated, the first
    /// value stays.
    #[inline(always)]
    pub(crate) fn insert(&mut self, raw_name: &[u8], value: Text<'a>) {
        let Some(name) = find(raw_name).filter(|name| self.names.contains(*name)) else {
            return;
        };
        match self.slot(name) {
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
            Some(name) => Err(HeaderError::param(name, ParamProblem::Repeated)),
        }
    }

    #[inline]
    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    fn slot(&mut self, name: ParamName) -> Option<&mut Option<Text<'a>>> {
        self.values.get_mut(name as usize)
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
        self.get(name)
            .ok_or_else(|| HeaderError::param(name, ParamProblem::Missing))
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
    match find(name).map(ParamName::as_str) {
        Some(known) if known.as_bytes() == name => known,
        _ => as_str(name),
    }
}

/// Finds a parameter by its name, ignoring ASCII case.
fn find(name: &[u8]) -> Option<ParamName> {
    use ParamName as N;
    let found = match name.len() {
        2 if is_word(name, b"nc") => N::Nc,
        3 if is_word(name, b"uri") => N::Uri,
        3 if is_word(name, b"qop") => N::Qop,
        5 if is_word(name, b"realm") => N::Realm,
        5 if is_word(name, b"nonce") => N::Nonce,
        5 if is_word(name, b"stale") => N::Stale,
        6 if is_word(name, b"cnonce") => N::Cnonce,
        6 if is_word(name, b"opaque") => N::Opaque,
        6 if is_word(name, b"domain") => N::Domain,
        7 if is_word(name, b"rspauth") => N::RspAuth,
        7 if is_word(name, b"charset") => N::Charset,
        8 if is_word(name, b"username") => N::Username,
        8 if is_word(name, b"response") => N::Response,
        8 if is_word(name, b"userhash") => N::Userhash,
        9 if is_word(name, b"algorithm") => N::Algorithm,
        9 if is_word(name, b"nextnonce") => N::NextNonce,
        9 if is_word(name, b"username*") => N::UsernameExt,
        _ => return None,
    };
    Some(found)
}
