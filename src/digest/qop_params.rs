//! `qop`, `nc` and `cnonce`, which come together or not at all.

use crate::digest::qop::Qop;
use crate::error::{ParamError, ParamName, ParamProblem};
use crate::syntax::{Text, read_nc};

/// What protects a response from being used again: `qop`, `nc` and `cnonce`.
///
/// RFC 2617, section 3.2.2, and RFC 7616, section 3.4, want all three or none, so they are one
/// value: none of them can be forgotten. Each enters the hash as it was spelled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QopParams<'a> {
    pub(crate) qop: Qop,
    pub(crate) qop_text: Text<'a>,
    pub(crate) nc: u32,
    pub(crate) nc_text: Text<'a>,
    pub(crate) cnonce: Text<'a>,
}

impl<'a> QopParams<'a> {
    /// From the three parameters as they stand in the header, or will.
    ///
    /// RFC 7616, section 3.4, wants eight digits for `nc`, and the first count to be 1. One digit is
    /// enough here, because old Android and SIP clients send fewer; and zero is a count like any
    /// other, because Ruby's net-http-digest_auth starts from it.
    ///
    /// # Errors
    ///
    /// [`ParamProblem::Unsupported`] for a `qop` other than `auth` and `auth-int`;
    /// [`ParamProblem::Malformed`] for an `nc` that is not 1 to 8 hexadecimal digits, and for a `cnonce` with a control byte.
    pub fn new(qop: &'a str, nc: &'a str, cnonce: &'a str) -> Result<Self, ParamError> {
        let text = |name, text| {
            Text::new(text).map_err(|_| ParamError::new(name, ParamProblem::Malformed))
        };
        let qop_text = text(ParamName::Qop, qop)?;
        let nc_text = text(ParamName::Nc, nc)?;
        let cnonce = text(ParamName::Cnonce, cnonce)?;
        let (qop, nc) = Self::read_count(qop_text, nc_text)?;
        Ok(Self {
            qop,
            qop_text,
            nc,
            nc_text,
            cnonce,
        })
    }

    /// What `qop` and `nc` say.
    #[inline]
    pub(crate) fn read_count(qop: Text<'_>, nc: Text<'_>) -> Result<(Qop, u32), ParamError> {
        Ok((Qop::read(qop)?, read_count(nc)?))
    }

    /// What a client sends: `nc_text` is `nc` in eight digits.
    pub(crate) const fn counted(qop: Qop, nc: u32, nc_text: Text<'a>, cnonce: Text<'a>) -> Self {
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

    /// The nonce count: how many requests with this nonce the client has sent, this one included;
    /// less one if the client starts from zero.
    pub const fn nc(&self) -> u32 {
        self.nc
    }

    /// The client's nonce.
    pub const fn cnonce(&self) -> Text<'a> {
        self.cnonce
    }
}

fn read_count(nc: Text<'_>) -> Result<u32, ParamError> {
    match read_nc(nc) {
        Some((nc, 1..)) => Ok(nc),
        _ => Err(ParamError::new(ParamName::Nc, ParamProblem::Malformed)),
    }
}
