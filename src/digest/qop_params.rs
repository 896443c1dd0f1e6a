//! `qop`, `nc` and `cnonce`.

use crate::digest::qop::Qop;
use crate::error::{ParamError, ParamName, ParamProblem};
use crate::syntax::{Text, read_nc};

/// The parameters `qop`, `nc` and `cnonce`, which credentials must have together or not at all (RFC
/// 7616, section 3.4; RFC 2617, section 3.2.2).
///
/// Each is hashed as written, with escapes resolved.
///
/// ```
/// use countersign::digest::{Qop, QopParams};
///
/// let qop_params = QopParams::new("auth", "0000000a", "0a4f113b")?;
/// assert_eq!((qop_params.qop(), qop_params.nc()), (Qop::Auth, 10));
/// # Ok::<(), countersign::ParamError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QopParams<'a> {
    pub(crate) qop: Qop,
    pub(crate) qop_text: Text<'a>,
    pub(crate) nc: u32,
    pub(crate) nc_text: Text<'a>,
    pub(crate) cnonce: Text<'a>,
}

impl<'a> QopParams<'a> {
    /// Creates a value from the three parameters as written in the header.
    ///
    /// RFC 7616, section 3.4, requires eight digits for `nc`, and a count that starts at 1. Some
    /// clients send fewer digits, or start at zero, so both are accepted.
    ///
    /// # Errors
    ///
    /// [`ParamProblem::Unsupported`] for a `qop` other than `auth` and `auth-int`;
    /// [`ParamProblem::Malformed`] for an `nc` that is not 1 to 8 hexadecimal digits, and for a
    /// parameter that contains a control byte other than HTAB.
    pub fn new(qop: &'a str, nc: &'a str, cnonce: &'a str) -> Result<Self, ParamError> {
        let text = |name, text| {
            Text::new(text).map_err(|_| ParamError::new(name, ParamProblem::Malformed))
        };
        let qop_text = text(ParamName::Qop, qop)?;
        let nc_text = text(ParamName::Nc, nc)?;
        let cnonce = text(ParamName::Cnonce, cnonce)?;
        Self::of(qop_text, nc_text, cnonce)
    }

    /// Like [`new`](Self::new), from checked texts.
    #[inline]
    pub(crate) fn of(
        qop_text: Text<'a>,
        nc_text: Text<'a>,
        cnonce: Text<'a>,
    ) -> Result<Self, ParamError> {
        Ok(Self {
            qop: Qop::read(qop_text)?,
            qop_text,
            nc: parse_nc(nc_text)?,
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

    /// The nonce count: the number of requests that the client has sent with this nonce, including
    /// this one. Some clients start at zero instead of 1.
    pub const fn nc(&self) -> u32 {
        self.nc
    }

    /// The client nonce.
    pub const fn cnonce(&self) -> Text<'a> {
        self.cnonce
    }
}

fn parse_nc(nc: Text<'_>) -> Result<u32, ParamError> {
    match read_nc(nc) {
        Some((nc, 1..)) => Ok(nc),
        _ => Err(ParamError::new(ParamName::Nc, ParamProblem::Malformed)),
    }
}
