//! Quality of protection.

use core::fmt;

use crate::error::{ParamError, ParamName, ParamProblem};
use crate::syntax::Text;
use crate::syntax::chars::{self, BLANK, is_word};

/// What a response covers.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Qop {
    /// The request line: `auth`.
    Auth,
    /// The request line and the body: `auth-int`.
    AuthInt,
}

impl Qop {
    const ALL: [Self; 2] = [Self::Auth, Self::AuthInt];

    /// The value on the wire.
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

    /// Reads an element of a list, whatever the blanks around it.
    fn read_item(item: Text<'_>) -> Option<Self> {
        if let Some(item) = item.as_plain() {
            // No text has other whitespace than blanks.
            return Self::of(item.trim_ascii());
        }
        Self::ALL.into_iter().find(|qop| {
            let mut bytes = item.bytes().skip_while(is_blank);
            let mut wanted = qop.as_str().bytes();
            wanted.all(|wanted| {
                bytes
                    .next()
                    .is_some_and(|byte| byte.eq_ignore_ascii_case(&wanted))
            }) && bytes.all(|byte| is_blank(&byte))
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

/// The value on the wire.
impl fmt::Display for Qop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The qop values a server offers. Empty means RFC 2069: no `qop` at all.
///
/// ```
/// use countersign::digest::{Qop, QopSet};
///
/// assert!(QopSet::BOTH.contains(Qop::AuthInt));
/// assert!(!QopSet::LEGACY.contains(Qop::Auth));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct QopSet {
    auth: bool,
    auth_int: bool,
}

impl QopSet {
    /// None: RFC 2069.
    pub const LEGACY: Self = Self::of(false, false);
    /// `auth`.
    pub const AUTH: Self = Self::of(true, false);
    /// `auth-int`.
    pub const AUTH_INT: Self = Self::of(false, true);
    /// `auth,auth-int`.
    pub const BOTH: Self = Self::of(true, true);

    const fn of(auth: bool, auth_int: bool) -> Self {
        Self { auth, auth_int }
    }

    /// Whether `qop` is offered.
    pub const fn contains(self, qop: Qop) -> bool {
        match qop {
            Qop::Auth => self.auth,
            Qop::AuthInt => self.auth_int,
        }
    }

    /// Whether nothing is offered: RFC 2069.
    pub const fn is_legacy(self) -> bool {
        !self.auth && !self.auth_int
    }

    /// The list on the wire; `None` for [`LEGACY`](Self::LEGACY).
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
    /// Reads the parameter of a challenge. Unknown values are left out (RFC 7616, section 3.3).
    /// If there are no others the server offers a form we do not speak, which is not the same as the
    /// form without qop: taking it for that would be a downgrade. A list of nothing offers nothing,
    /// and is the same as no list: servers have been seen to send `qop=""`.
    pub(crate) fn read(text: Option<Text<'_>>) -> Result<Self, ParamError> {
        let Some(text) = text else {
            return Ok(Self::LEGACY);
        };
        let mut set = Self::LEGACY;
        let mut has_unknown = false;
        for item in text.split_list() {
            match Qop::read_item(item) {
                Some(Qop::Auth) => set.auth = true,
                Some(Qop::AuthInt) => set.auth_int = true,
                None => has_unknown |= !item.bytes().all(|byte| is_blank(&byte)),
            }
        }
        if set.is_legacy() && has_unknown {
            return Err(ParamError::new(ParamName::Qop, ParamProblem::Unsupported));
        }
        Ok(set)
    }
}

fn is_blank(byte: &u8) -> bool {
    chars::is(*byte, BLANK)
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
            ("", Some(QopSet::LEGACY)),
            (" ,\t,", Some(QopSet::LEGACY)),
            ("crazy", None),
            (", crazy", None),
            ("auth auth-int", None),
            ("authauth-int", None),
            ("auth-integer", None),
        ] {
            assert_eq!(read(list), set, "{list}");
        }
        assert_eq!(QopSet::read(None), Ok(QopSet::LEGACY));
    }
}
