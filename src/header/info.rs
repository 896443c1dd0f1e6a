//! `Authentication-Info` (RFC 7615), as Digest fills it.

use crate::digest::{Qop, QopParams};
use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::field_value::FieldValue;
use crate::hash::HexDigest;
use crate::syntax::{Cursor, Names, ParamList, ParamTable, Text, Writer, read_nc};

/// What a server says after it accepted credentials (RFC 7616, section 3.5). The same for
/// `Proxy-Authentication-Info`, and in trailers.
///
/// ```
/// use countersign::AuthenticationInfo;
///
/// let info = AuthenticationInfo::parse([r#"nextnonce="47364c23432d2e131a5fb210812c""#])?;
/// assert_eq!(info.nextnonce().unwrap(), "47364c23432d2e131a5fb210812c");
/// assert!(info.rspauth().is_none());
/// # Ok::<(), countersign::HeaderError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct AuthenticationInfo<'a> {
    nextnonce: Option<Text<'a>>,
    rspauth: Option<Text<'a>>,
    qop: Option<Qop>,
    cnonce: Option<Text<'a>>,
    nc: Option<u32>,
}

impl<'a> AuthenticationInfo<'a> {
    const PARAMS: Names = Names::of(&[
        ParamName::NextNonce,
        ParamName::RspAuth,
        ParamName::Qop,
        ParamName::Cnonce,
        ParamName::Nc,
    ]);

    // Authentication-Info = #auth-param
    /// Reads the values of the field: one, usually; none says nothing.
    ///
    /// # Errors
    ///
    /// [`HeaderError::Syntax`] with the position in the value at fault. [`HeaderError::Param`] for
    /// a repeated parameter, for an `rspauth` that is not 32 or 64 hexadecimal digits, an `nc`
    /// that is not 8, a `qop` that is unknown, and a `qop` without all of `rspauth`, `cnonce` and
    /// `nc` (RFC 7616, section 3.5).
    pub fn parse<I, V>(values: I) -> Result<Self, HeaderError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let mut known = ParamTable::new(Self::PARAMS);
        for value in values {
            let list = ParamList::new(Cursor::new(value.as_ref())?);
            list.read_all(|name, value| known.take(name, value))?;
            known.check()?;
        }
        let qop = known.get(ParamName::Qop).map(Qop::read).transpose()?;
        if qop.is_some() {
            known.require(&[ParamName::RspAuth, ParamName::Cnonce, ParamName::Nc])?;
        }
        Ok(Self {
            nextnonce: known.get(ParamName::NextNonce),
            rspauth: known
                .get(ParamName::RspAuth)
                .map(read_rspauth)
                .transpose()?,
            qop,
            cnonce: known.get(ParamName::Cnonce),
            nc: known.get(ParamName::Nc).map(eight_digits).transpose()?,
        })
    }

    /// One that says nothing yet.
    pub const fn new() -> Self {
        Self {
            nextnonce: None,
            rspauth: None,
            qop: None,
            cnonce: None,
            nc: None,
        }
    }

    /// Adds the nonce the client is to use from now on.
    #[must_use]
    pub const fn with_nextnonce(self, nonce: Text<'a>) -> Self {
        let nextnonce = Some(nonce);
        Self { nextnonce, ..self }
    }

    /// Adds the server's own proof, and what it was made with: the client's own `qop`, `cnonce`
    /// and `nc` (RFC 7616, section 3.5).
    #[must_use]
    pub fn with_proof(self, rspauth: &'a HexDigest, protection: &QopParams<'a>) -> Self {
        Self {
            rspauth: Some(Text::literal(rspauth.as_bytes())),
            qop: Some(protection.qop()),
            cnonce: Some(protection.cnonce()),
            nc: Some(protection.nc()),
            ..self
        }
    }

    /// The nonce to use from now on.
    pub const fn nextnonce(&self) -> Option<Text<'a>> {
        self.nextnonce
    }

    /// The server's own proof: 32 or 64 hexadecimal digits. Compare it with [`proves`](Self::proves).
    pub const fn rspauth(&self) -> Option<Text<'a>> {
        self.rspauth
    }

    /// The protection the proof used.
    pub const fn qop(&self) -> Option<Qop> {
        self.qop
    }

    /// The client's nonce, echoed.
    pub const fn cnonce(&self) -> Option<Text<'a>> {
        self.cnonce
    }

    /// The client's nonce count, echoed.
    pub const fn nc(&self) -> Option<u32> {
        self.nc
    }

    /// Whether `rspauth` is there and is `expected`, compared in constant time: see
    /// [`Credentials::expected_rspauth`](crate::digest::Credentials::expected_rspauth).
    pub fn proves(&self, expected: &HexDigest) -> bool {
        self.rspauth
            .and_then(|text| HexDigest::from_text(expected.hash_function(), text))
            .is_some_and(|rspauth| rspauth == *expected)
    }

    /// The header value; empty if there is nothing to say. `nextnonce`, `rspauth` and `cnonce`
    /// are quoted, `qop` and `nc` are not (RFC 7616, section 3.5).
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::list(224);
        if let Some(nonce) = self.nextnonce {
            writer.quoted("nextnonce", nonce);
        }
        if let Some(qop) = self.qop {
            writer.keyword("qop", qop.as_str());
        }
        if let Some(rspauth) = self.rspauth {
            writer.quoted("rspauth", rspauth);
        }
        if let Some(cnonce) = self.cnonce {
            writer.quoted("cnonce", cnonce);
        }
        if let Some(nc) = self.nc {
            writer.nc("nc", nc);
        }
        writer.finish()
    }
}

// response-digest = <"> *LHEX <">
fn read_rspauth(text: Text<'_>) -> Result<Text<'_>, ParamError> {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let bytes = text.bytes().count();
    if digits == bytes && matches!(digits, 32 | 64) {
        return Ok(text);
    }
    Err(ParamError::new(ParamName::RspAuth, ParamProblem::Malformed))
}

// nc-value = 8LHEX
fn eight_digits(text: Text<'_>) -> Result<u32, ParamError> {
    match read_nc(text) {
        Some((nc, 8)) => Ok(nc),
        _ => Err(ParamError::new(ParamName::Nc, ParamProblem::Malformed)),
    }
}
