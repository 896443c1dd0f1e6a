//! The parameters this crate gives meaning to, each found once.

use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::syntax::Text;

/// The values of the parameters one header knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// The names that count. Others are ignored, as often as they come.
    names: Names,
    values: [Option<Text<'a>>; SLOTS],
}

#[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
const SLOTS: usize = ParamName::UsernameExt as usize + 1;

/// A set of names.
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

impl<'a> Known<'a> {
    #[inline]
    pub(crate) const fn new(names: Names) -> Self {
        Self {
            names,
            values: [None; SLOTS],
        }
    }

    /// Takes one parameter as it is read.
    ///
    /// A second of the same name is an error: readers differ on which of the two counts, so
    /// whoever could slip one in could show each reader another value.
    #[inline(always)]
    pub(crate) fn take(&mut self, name: &[u8], value: Text<'a>) -> Result<(), HeaderError> {
        let Some(name) = find(name).filter(|name| self.names.contains(*name)) else {
            return Ok(());
        };
        match self.slot(name) {
            Some(slot @ None) => {
                *slot = Some(value);
                Ok(())
            }
            _ => Err(ParamError::new(name, ParamProblem::Repeated).into()),
        }
    }

    #[inline]
    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    fn slot(&mut self, name: ParamName) -> Option<&mut Option<Text<'a>>> {
        self.values.get_mut(name as usize)
    }

    /// The value, if the header has one.
    #[inline]
    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    pub(crate) fn get(&self, name: ParamName) -> Option<Text<'a>> {
        self.values.get(name as usize).copied().flatten()
    }

    /// The value of a parameter that must be there.
    #[inline]
    pub(crate) fn require(&self, name: ParamName) -> Result<Text<'a>, ParamError> {
        self.get(name)
            .ok_or_else(|| ParamError::new(name, ParamProblem::Missing))
    }

    /// Whether a parameter is there with this keyword for its value.
    #[inline]
    pub(crate) fn says(&self, name: ParamName, keyword: &str) -> bool {
        self.get(name)
            .is_some_and(|value| value.eq_ignore_ascii_case(keyword))
    }
}

/// Finds a parameter by its name, compared without case.
#[inline(always)]
fn find(name: &[u8]) -> Option<ParamName> {
    use ParamName as N;
    match name.len() {
        2 => one_of(name, [(b"nc", N::Nc)]),
        3 => one_of(name, [(b"uri", N::Uri), (b"qop", N::Qop)]),
        5 => one_of(
            name,
            [
                (b"realm", N::Realm),
                (b"nonce", N::Nonce),
                (b"stale", N::Stale),
            ],
        ),
        6 => one_of(
            name,
            [
                (b"cnonce", N::Cnonce),
                (b"opaque", N::Opaque),
                (b"domain", N::Domain),
            ],
        ),
        7 => one_of(name, [(b"rspauth", N::RspAuth), (b"charset", N::Charset)]),
        8 => one_of(
            name,
            [
                (b"username", N::Username),
                (b"response", N::Response),
                (b"userhash", N::Userhash),
            ],
        ),
        9 => one_of(
            name,
            [
                (b"algorithm", N::Algorithm),
                (b"nextnonce", N::NextNonce),
                (b"username*", N::UsernameExt),
            ],
        ),
        _ => None,
    }
}

/// Of one length, so that each comparison is one of numbers.
#[inline(always)]
fn one_of<const LENGTH: usize, const COUNT: usize>(
    name: &[u8],
    names: [(&[u8; LENGTH], ParamName); COUNT],
) -> Option<ParamName> {
    let mut name: [u8; LENGTH] = name.try_into().ok()?;
    name.make_ascii_lowercase();
    for (known, found) in names {
        if name == *known {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_by_itself_in_any_case() {
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
