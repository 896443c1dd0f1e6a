//! Quality of protection: `qop`, and the `nc` and `cnonce` that go with it.

use core::fmt;

use crate::error::HeaderError;
use crate::syntax::{ParamName, Text, hex_digits};

/// The quality of protection: what a response covers (RFC 7616, section 3.3).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Qop {
    /// The method and the `uri` parameter: `auth`.
    Auth,
    /// The method, the `uri` parameter and the body: `auth-int`.
    AuthInt,
}

impl Qop {
    /// The value in a header.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::AuthInt => "auth-int",
        }
    }

    pub(crate) fn read(text: Text<'_>) -> Result<Self, HeaderError> {
        if text.is_word(b"auth") {
            Ok(Self::Auth)
        } else if text.is_word(b"auth-int") {
            Ok(Self::AuthInt)
        } else {
            Err(ParamName::Qop.unsupported())
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
    pub(crate) const fn is_empty(self) -> bool {
        !self.auth && !self.auth_int
    }

    /// The list in a header; `None` for [`NONE`](Self::NONE).
    pub(crate) const fn as_str(self) -> Option<&'static str> {
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
    pub(crate) fn read(text: Option<Text<'_>>) -> Result<Self, HeaderError> {
        let Some(text) = text else {
            return Ok(Self::NONE);
        };
        let mut set = Self::NONE;
        let mut has_unknown = false;
        for item in text.split_list() {
            match Qop::read(item) {
                Ok(Qop::Auth) => set.auth = true,
                Ok(Qop::AuthInt) => set.auth_int = true,
                Err(_) => has_unknown |= item.bytes().next().is_some(),
            }
        }
        if set.is_empty() && has_unknown {
            return Err(ParamName::Qop.unsupported());
        }
        Ok(set)
    }
}

/// The parameters `qop`, `nc` and `cnonce`, which credentials must have together or not at all (RFC
/// 7616, section 3.4; RFC 2617, section 3.2.2). Each is hashed as written, with escapes resolved.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QopParams<'a> {
    pub(crate) qop: Qop,
    pub(crate) qop_text: Text<'a>,
    pub(crate) nc: u32,
    pub(crate) nc_text: Text<'a>,
    pub(crate) cnonce: Text<'a>,
}

impl<'a> QopParams<'a> {
    /// Creates a value from the three parameters as written in the header. RFC 7616, section 3.4,
    /// requires eight digits for `nc`, and a count that starts at 1, but some clients send fewer
    /// digits, or start at zero.
    ///
    /// # Errors
    ///
    /// A `qop` other than `auth` and `auth-int`, an `nc` that is not 1 to 8 hexadecimal digits, or
    /// a control byte other than HTAB.
    pub fn new(qop: &'a str, nc: &'a str, cnonce: &'a str) -> Result<Self, HeaderError> {
        let read = |name: ParamName, text| Text::new(text).map_err(|_| name.malformed());
        let (qop, nc) = (read(ParamName::Qop, qop)?, read(ParamName::Nc, nc)?);
        Self::of(qop, nc, read(ParamName::Cnonce, cnonce)?)
    }

    /// Like [`new`](Self::new), from checked texts.
    #[inline]
    pub(crate) fn of(
        qop_text: Text<'a>,
        nc_text: Text<'a>,
        cnonce: Text<'a>,
    ) -> Result<Self, HeaderError> {
        Ok(Self {
            qop: Qop::read(qop_text)?,
            qop_text,
            nc: match read_nc(nc_text) {
                Some((nc, 1..)) => nc,
                _ => return Err(ParamName::Nc.malformed()),
            },
            nc_text,
            cnonce,
        })
    }

    /// The parameters that a client sends. `nc_text` is `nc` in eight digits.
    pub(crate) const fn from_parts(qop: Qop, nc: u32, nc_text: Text<'a>, cnonce: Text<'a>) -> Self {
        Self {
            qop,
            qop_text: Text::keyword(qop.as_str()),
            nc,
            nc_text,
            cnonce,
        }
    }

    /// What the response covers.
    pub const fn qop(&self) -> Qop {
        self.qop
    }

    /// The nonce count: the number of requests with this nonce, including this one.
    pub const fn nc(&self) -> u32 {
        self.nc
    }

    /// The client nonce.
    pub const fn cnonce(&self) -> Text<'a> {
        self.cnonce
    }
}

// nc-value = 8LHEX
/// Formats a nonce count as eight lower-case digits.
pub(crate) const fn nc_digits(nc: u32) -> [u8; 8] {
    let [a, b, c, d] = nc.to_be_bytes();
    let ([a, b], [c, d]) = (
        [hex_digits(a), hex_digits(b)],
        [hex_digits(c), hex_digits(d)],
    );
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}

/// Parses a nonce count of zero to eight digits of either case, and returns it with the number of
/// digits; `None` for more digits or other bytes.
pub(crate) fn read_nc(text: Text<'_>) -> Option<(u32, usize)> {
    let mut nc: u32 = 0;
    let mut digits = 0;
    for &byte in text.to_bytes().iter() {
        let digit = char::from(byte).to_digit(16)?;
        digits += 1;
        if digits > 8 {
            return None;
        }
        nc = nc << 4 | digit;
    }
    Some((nc, digits))
}

/// A client nonce that this crate makes: 16 random digits, because some servers fail on longer ones.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) struct Cnonce(pub(crate) [u8; 16]);

impl Cnonce {
    pub(crate) fn text(&self) -> Text<'_> {
        Text::verbatim(&self.0)
    }
}
