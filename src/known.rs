//! The parameters this crate gives meaning to, each found once.

use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::syntax::Text;

/// The values of the parameters one header knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// The names that count. Others are ignored, as often as they come.
    names: &'static [ParamName],
    values: [Option<Text<'a>>; SLOTS],
}

#[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
const SLOTS: usize = ParamName::UsernameExt as usize + 1;

impl<'a> Known<'a> {
    pub(crate) const fn new(names: &'static [ParamName]) -> Self {
        Self {
            names,
            values: [None; SLOTS],
        }
    }

    /// Takes one parameter as it is read.
    ///
    /// A second of the same name is an error: readers differ on which of the two counts, so
    /// whoever could slip one in could show each reader another value.
    pub(crate) fn take(&mut self, name: &[u8], value: Text<'a>) -> Result<(), HeaderError> {
        let Some(name) = find(name).filter(|name| self.names.contains(name)) else {
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

    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    fn slot(&mut self, name: ParamName) -> Option<&mut Option<Text<'a>>> {
        self.values.get_mut(name as usize)
    }

    /// The value, if the header has one.
    #[expect(clippy::as_conversions, reason = "the discriminant of a plain enum")]
    pub(crate) fn get(&self, name: ParamName) -> Option<Text<'a>> {
        self.values.get(name as usize).copied().flatten()
    }

    /// The value of a parameter that must be there.
    pub(crate) fn require(&self, name: ParamName) -> Result<Text<'a>, ParamError> {
        self.get(name)
            .ok_or_else(|| ParamError::new(name, ParamProblem::Missing))
    }

    /// Whether a parameter is there with this keyword for its value.
    pub(crate) fn says(&self, name: ParamName, keyword: &str) -> bool {
        self.get(name)
            .is_some_and(|value| value.eq_ignore_ascii_case(keyword))
    }
}

/// Finds a parameter by its name, compared without case.
fn find(name: &[u8]) -> Option<ParamName> {
    use ParamName as N;
    let candidates: &[ParamName] = match name.len() {
        2 => &[N::Nc],
        3 => &[N::Uri, N::Qop],
        5 => &[N::Realm, N::Nonce, N::Stale],
        6 => &[N::Cnonce, N::Opaque, N::Domain],
        7 => &[N::RspAuth, N::Charset],
        8 => &[N::Username, N::Response, N::Userhash],
        9 => &[N::Algorithm, N::NextNonce, N::UsernameExt],
        _ => &[],
    };
    candidates
        .iter()
        .copied()
        .find(|candidate| name.eq_ignore_ascii_case(candidate.as_str().as_bytes()))
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
