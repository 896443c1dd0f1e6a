//! `Authentication-Info` (RFC 7615), as used by Digest.

use crate::digest::{Qop, QopParams};
use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::field_value::FieldValue;
use crate::hash::HexDigest;
use crate::syntax::{Cursor, Names, ParamList, ParamTable, Text, Writer, read_nc};

/// Enough for all parameters with a `nextnonce` and a `cnonce` of 40 bytes each, and an `rspauth`
/// of 64 digits.
const USUAL_BYTES: usize = 224;

/// The `Authentication-Info` or `Proxy-Authentication-Info` that a server sends after it accepted
/// Digest credentials (RFC 7616, section 3.5), as a header field or trailer field.
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
    /// Parses all values of the field, usually one. Without a value the result is empty.
    ///
    /// # Errors
    ///
    /// [`HeaderError::Syntax`] if a value violates the grammar, or exceeds
    /// [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) or [`MAX_PARAMS`](crate::MAX_PARAMS).
    ///
    /// [`HeaderError::Param`] for any of these:
    ///
    /// - a parameter that this type has, if it occurs twice, in one value or in two;
    /// - an `rspauth` that is not 32 or 64 hexadecimal digits;
    /// - an `nc` that is not 8 hexadecimal digits;
    /// - an unknown `qop`, or a `qop` if any of `rspauth`, `cnonce` and `nc` is missing (RFC 7616,
    ///   section 3.5).
    pub fn parse<I, V>(values: I) -> Result<Self, HeaderError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let mut params = ParamTable::new(Self::PARAMS);
        for value in values {
            let list = ParamList::new(Cursor::new(value.as_ref())?);
            list.read_all(|name, value| params.insert(name, value))?;
            params.check_repeated()?;
        }
        let qop = params.get(ParamName::Qop).map(Qop::read).transpose()?;
        if qop.is_some() {
            params.required(ParamName::RspAuth)?;
            params.required(ParamName::Cnonce)?;
            params.required(ParamName::Nc)?;
        }
        Ok(Self {
            nextnonce: params.get(ParamName::NextNonce),
            rspauth: params
                .get(ParamName::RspAuth)
                .map(read_rspauth)
                .transpose()?,
            qop,
            cnonce: params.get(ParamName::Cnonce),
            nc: params
                .get(ParamName::Nc)
                .map(read_nc_of_eight_digits)
                .transpose()?,
        })
    }

    /// An `Authentication-Info` without parameters.
    ///
    /// ```
    /// use countersign::{AuthenticationInfo, Text};
    ///
    /// let info = AuthenticationInfo::new().with_nextnonce(Text::new("47364c23")?);
    /// assert_eq!(info.to_field_value(), r#"nextnonce="47364c23""#);
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    pub const fn new() -> Self {
        Self {
            nextnonce: None,
            rspauth: None,
            qop: None,
            cnonce: None,
            nc: None,
        }
    }

    /// Adds the nonce that the client should use for its next request.
    #[must_use]
    pub const fn with_nextnonce(self, nonce: Text<'a>) -> Self {
        let nextnonce = Some(nonce);
        Self { nextnonce, ..self }
    }

    /// Adds the server's proof, and repeats the `qop`, `cnonce` and `nc` of the client's
    /// credentials (RFC 7616, section 3.5).
    ///
    /// ```
    /// use countersign::AuthenticationInfo;
    /// use countersign::digest::{Ha1, HashFunction, QopParams, rspauth};
    ///
    /// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
    /// let qop_params = QopParams::new("auth", "00000001", "f2/wE4q74E6z")?;
    /// let proof = rspauth(&ha1, "bm9uY2U", Some(&qop_params), "/", None);
    /// let info = AuthenticationInfo::new().with_proof(&proof, &qop_params);
    /// assert!(info.has_proof(&proof));
    /// assert_eq!(info.nc(), Some(1));
    /// # Ok::<(), countersign::ParamError>(())
    /// ```
    #[must_use]
    pub fn with_proof(self, rspauth: &'a HexDigest, qop_params: &QopParams<'a>) -> Self {
        Self {
            rspauth: Some(Text::assume_checked(rspauth.as_bytes())),
            qop: Some(qop_params.qop()),
            cnonce: Some(qop_params.cnonce()),
            nc: Some(qop_params.nc()),
            ..self
        }
    }

    /// The nonce that the client should use for its next request.
    pub const fn nextnonce(&self) -> Option<Text<'a>> {
        self.nextnonce
    }

    /// The server's proof, to be checked with [`has_proof`](Self::has_proof): 32 or 64 hexadecimal
    /// digits of either case.
    pub const fn rspauth(&self) -> Option<Text<'a>> {
        self.rspauth
    }

    /// The qop of the proof.
    pub const fn qop(&self) -> Option<Qop> {
        self.qop
    }

    /// The echoed client nonce.
    pub const fn cnonce(&self) -> Option<Text<'a>> {
        self.cnonce
    }

    /// The echoed nonce count.
    pub const fn nc(&self) -> Option<u32> {
        self.nc
    }

    /// Returns whether `rspauth` is present and equals `expected`, compared in constant time.
    ///
    /// This compares `rspauth` alone. If the field also has `qop`, `cnonce` or `nc`, check that
    /// each equals the one in the credentials.
    /// [`Credentials::expected_rspauth`](crate::digest::Credentials::expected_rspauth) computes
    /// `expected`, and has an example.
    pub fn has_proof(&self, expected: &HexDigest) -> bool {
        self.rspauth
            .and_then(|text| HexDigest::from_text(expected.hash_function(), text))
            .is_some_and(|rspauth| rspauth == *expected)
    }

    /// Returns the header value, which is empty if there are no parameters. `nextnonce`, `rspauth`
    /// and `cnonce` are quoted, `qop` and `nc` are not (RFC 7616, section 3.5).
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::list(USUAL_BYTES);
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
// Stricter than this grammar in the number of digits, and more lenient in their case.
fn read_rspauth(text: Text<'_>) -> Result<Text<'_>, ParamError> {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let bytes = text.bytes().count();
    if digits == bytes && matches!(digits, 32 | 64) {
        return Ok(text);
    }
    Err(ParamError::new(ParamName::RspAuth, ParamProblem::Malformed))
}

// nc-value = 8LHEX
// Upper case is accepted, too.
fn read_nc_of_eight_digits(text: Text<'_>) -> Result<u32, ParamError> {
    match read_nc(text) {
        Some((nc, 8)) => Ok(nc),
        _ => Err(ParamError::new(ParamName::Nc, ParamProblem::Malformed)),
    }
}
