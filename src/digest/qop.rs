//! Quality of protection.

use core::fmt;

use crate::error::{ParamError, ParamName, ParamProblem};
use crate::syntax::Text;
use crate::syntax::chars::{self, WHITESPACE, is_word};

/// The quality of protection: what a response covers (RFC 7616, section 3.3).
///
/// ```
/// use countersign::digest::Qop;
///
/// assert_eq!(Qop::AuthInt.as_str(), "auth-int");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Qop {
    /// The method and the `uri` parameter: `auth`.
    Auth,
    /// The method, the `uri` parameter and the body: `auth-int`.
    AuthInt,
}

impl Qop {
    const ALL: [Self; 2] = [Self::Auth, Self::AuthInt];

    /// The value in a header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::AuthInt => "auth-int",
        }
    }

    pub(crate) fn read(text: Text<'_>) -> Result<Self, ParamError> {
        if text.is_word(b"auth") {
            Ok(Self::Auth)
        } else if text.is_word(b"auth-int") {
            Ok(Self::AuthInt)
        } else {
            Err(ParamError::new(ParamName::Qop, ParamProblem::Unsupported))
        }
    }

    /// Parses an element of a list, ignoring ASCII case and the whitespace around it.
    fn read_item(item: Text<'_>) -> Option<Self> {
        if let Some(item) = item.as_slice() {
            // SP and HTAB are the only whitespace in a `Text`.
            return Self::of(item.trim_ascii());
        }
        Self::ALL.into_iter().find(|qop| {
            let mut bytes = item.bytes().skip_while(is_whitespace);
            let mut wanted = qop.as_str().bytes();
            wanted.all(|wanted| {
                bytes
                    .next()
                    .is_some_and(|byte| byte.eq_ignore_ascii_case(&wanted))
            }) && bytes.all(|byte| is_whitespace(&byte))
        })
    }

    fn of(value: &[u8]) -> Option<Self> {
        if is_word(value, b"auth") {
            Some(Self::Auth)
        } else if is_word(value, b"auth-int") {
            Some(Self::AuthInt)
        } else {
            None
        }
    }
}

/// Writes the value in a header.
impl fmt::Display for Qop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The qop values that a server offers. The empty set means RFC 2069, without `qop`.
///
/// ```
/// use countersign::digest::{Qop, QopSet};
///
/// assert!(QopSet::BOTH.contains(Qop::AuthInt));
/// assert!(!QopSet::NONE.contains(Qop::Auth));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct QopSet {
    auth: bool,
    auth_int: bool,
}

impl QopSet {
    /// The empty set: no `qop` is offered, so responses have the form of RFC 2069.
    pub const NONE: Self = Self::of(false, false);
    /// `auth`.
    pub const AUTH: Self = Self::of(true, false);
    /// `auth-int`.
    pub const AUTH_INT: Self = Self::of(false, true);
    /// `auth,auth-int`.
    pub const BOTH: Self = Self::of(true, true);

    const fn of(auth: bool, auth_int: bool) -> Self {
        Self { auth, auth_int }
    }

    /// Returns whether `qop` is offered.
    pub const fn contains(self, qop: Qop) -> bool {
        match qop {
            Qop::Auth => self.auth,
            Qop::AuthInt => self.auth_int,
        }
    }

    /// Returns whether the set is empty, so that responses have the form of RFC 2069.
    pub const fn is_empty(self) -> bool {
        !self.auth && !self.auth_int
    }

    /// The list in a header; `None` for [`NONE`](Self::NONE).
    pub const fn as_str(self) -> Option<&'static str> {
        match (self.auth, self.auth_int) {
            (false, false) => None,
            (true, false) => Some("auth"),
            (false, true) => Some("auth-int"),
            (true, true) => Some("auth,auth-int"),
        }
    }

    // qop-options = "qop" "=" DQUOTE qop-list DQUOTE
    // qop-list = 1#qop-value
    /// Parses the parameter of a challenge. Unknown values are ignored (RFC 7616, section 3.3), but
    /// a list with only unknown values is an error: falling back to RFC 2069 would be a downgrade.
    /// A list without values counts as absent, because some servers send `qop=""`.
    pub(crate) fn read(text: Option<Text<'_>>) -> Result<Self, ParamError> {
        let Some(text) = text else {
            return Ok(Self::NONE);
        };
        let mut set = Self::NONE;
        let mut has_unknown = false;
        for item in text.split_list() {
            match Qop::read_item(item) {
                Some(Qop::Auth) => set.auth = true,
                Some(Qop::AuthInt) => set.auth_int = true,
                None => has_unknown |= !item.bytes().all(|byte| is_whitespace(&byte)),
            }
        }
        if set.is_empty() && has_unknown {
            return Err(ParamError::new(ParamName::Qop, ParamProblem::Unsupported));
        }
        Ok(set)
    }
}

fn is_whitespace(byte: &u8) -> bool {
    chars::is(*byte, WHITESPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_token_by_token() {
        let read = |list| QopSet::read(Some(Text::new(list).unwrap())).ok();
        for (list, set) in [
            ("auth", Some(QopSet::AUTH)),
            ("auth,auth-int", Some(QopSet::BOTH)),
            (" auth-int , auth ", Some(QopSet::BOTH)),
            ("crazy, AUTH", Some(QopSet::AUTH)),
            ("auth-int\t,,", Some(QopSet::AUTH_INT)),
            ("auth-integer, auth", Some(QopSet::AUTH)),
            ("", Some(QopSet::NONE)),
            (" ,\t,", Some(QopSet::NONE)),
            ("crazy", None),
            (", crazy", None),
            ("auth auth-int", None),
            ("authauth-int", None),
            ("auth-integer", None),
        ] {
            assert_eq!(read(list), set, "{list}");
        }
        assert_eq!(QopSet::read(None), Ok(QopSet::NONE));
    }
}
