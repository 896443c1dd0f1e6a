//! The parameters that this crate interprets, by name. Repeated ones, and required ones that are
//! missing, are rejected here.

use crate::error::{ParamError, ParamName, ParamProblem};
use crate::syntax::chars::is_word;
use crate::syntax::raw_challenge::RawChallenge;
use crate::syntax::reading::Reading;
use crate::syntax::text::Text;

/// The values of the parameters that this crate interprets in one kind of challenge or header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamTable<'a> {
    /// The names to keep. Other parameters are ignored, even if repeated.
    names: Names,
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

    /// The parameters of a challenge, whose syntax was checked when it was parsed.
    pub(crate) fn of(names: Names, challenge: RawChallenge<'a>) -> Self {
        let mut params = Self::new(names);
        let read = challenge
            .param_list()
            .read(Reading::Lenient, |name, value| params.insert(name, value));
        debug_assert!(read.is_ok(), "checked when the challenge was parsed");
        params
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
    #[inline(always)]
    pub(crate) fn check_repeated(&self) -> Result<(), ParamError> {
        match self.repeated {
            None => Ok(()),
            Some(name) => Err(ParamError::new(name, ParamProblem::Repeated)),
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
    pub(crate) fn required(&self, name: ParamName) -> Result<Text<'a>, ParamError> {
        self.get(name)
            .ok_or_else(|| ParamError::new(name, ParamProblem::Missing))
    }

    /// Returns whether a parameter is present and its value is `keyword`, ignoring ASCII case.
    /// `keyword` must be in lower case.
    #[inline(always)]
    pub(crate) fn has_keyword<const LENGTH: usize>(
        &self,
        name: ParamName,
        keyword: &[u8; LENGTH],
    ) -> bool {
        self.get(name).is_some_and(|value| value.is_word(keyword))
    }
}

/// Finds a parameter by its name, ignoring ASCII case.
#[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_any_case() {
        for name in [
            ParamName::Algorithm,
            ParamName::Charset,
            ParamName::Cnonce,
            ParamName::Domain,
            ParamName::Nc,
            ParamName::NextNonce,
            ParamName::Nonce,
            ParamName::Opaque,
            ParamName::Qop,
            ParamName::Realm,
            ParamName::Response,
            ParamName::RspAuth,
            ParamName::Stale,
            ParamName::Uri,
            ParamName::Userhash,
            ParamName::Username,
            ParamName::UsernameExt,
        ] {
            assert_eq!(find(name.as_str().as_bytes()), Some(name));
            assert_eq!(find(name.as_str().to_uppercase().as_bytes()), Some(name));
            let shorter = &name.as_str().as_bytes()[..name.as_str().len() - 1];
            assert_ne!(find(shorter), Some(name));
        }
    }
}
