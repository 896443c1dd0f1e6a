//! `Authentication-Info` (RFC 7615), as used by Digest.

use crate::digest::{Qop, QopParams, nc_digits, read_nc};
use crate::error::HeaderError;
use crate::field_value::FieldValue;
use crate::hash::HexDigest;
use crate::syntax::{Cursor, ParamList, ParamName, ParamTable, Text, Writer};

/// Enough for all parameters with a `nextnonce` and a `cnonce` of 40 bytes each, and an `rspauth`
/// of 64 digits.
const USUAL_BYTES: usize = 224;

/// The `Authentication-Info` or `Proxy-Authentication-Info` that a server sends after it accepted
/// Digest credentials (RFC 7616, section 3.5), as a header field or trailer field.
///
/// ```
/// use countersign::Text;
/// use countersign::digest::{Ha1, HashFunction};
/// use countersign::wire::{AuthenticationInfo, QopParams, ha2, response};
///
/// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
/// let qop_params = QopParams::new("auth", "00000001", "f2/wE4q74E6z")?;
/// let ha2 = ha2(HashFunction::Sha256, "", "/", None); // without a method
/// let proof = response(&ha1, "bm9uY2U", Some(&qop_params), &ha2);
/// let mut sent = AuthenticationInfo::default();
/// (sent.rspauth, sent.qop) = (Some(Text::new(proof.as_str())?), Some(qop_params.qop()));
/// (sent.cnonce, sent.nc) = (Some(qop_params.cnonce()), Some(qop_params.nc()));
/// sent.nextnonce = Some(Text::new("47364c23")?);
///
/// let value = sent.to_field_value();
/// let received = AuthenticationInfo::parse([&value])?;
/// assert!(received.has_proof(&proof));
/// assert_eq!(received.nc, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct AuthenticationInfo<'a> {
    /// The nonce that the client should use for its next request.
    pub nextnonce: Option<Text<'a>>,
    /// The server's proof, to be checked with [`has_proof`](Self::has_proof): 32 or 64 hexadecimal
    /// digits of either case.
    pub rspauth: Option<Text<'a>>,
    /// The qop of the proof.
    pub qop: Option<Qop>,
    /// The echoed client nonce.
    pub cnonce: Option<Text<'a>>,
    /// The echoed nonce count.
    pub nc: Option<u32>,
}

impl<'a> AuthenticationInfo<'a> {
    // Authentication-Info = #auth-param
    /// Parses all values of the field, usually one. Without a value the result is empty.
    ///
    /// # Errors
    ///
    /// A value violates the grammar or exceeds a limit; a parameter that this type has occurs
    /// twice; `rspauth` is not 32 or 64 hexadecimal digits, or `nc` not 8; `qop` is unknown, or there
    /// is one without `rspauth`, `cnonce` and `nc` (RFC 7616, section 3.5).
    pub fn parse<I, V>(values: I) -> Result<Self, HeaderError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let mut params = ParamTable::new();
        for value in values {
            read_value(value.as_ref(), &mut params)?;
        }
        Self::of(&params)
    }

    fn of(params: &ParamTable<'a>) -> Result<Self, HeaderError> {
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

    /// The server's proof, and the `qop`, `cnonce` and `nc` of the client's credentials, which it
    /// repeats (RFC 7616, section 3.5).
    pub(crate) fn with_proof(rspauth: &'a HexDigest, qop_params: &QopParams<'a>) -> Self {
        Self {
            nextnonce: None,
            rspauth: Some(Text::assume_checked(rspauth.as_bytes())),
            qop: Some(qop_params.qop),
            cnonce: Some(qop_params.cnonce),
            nc: Some(qop_params.nc),
        }
    }

    /// Returns whether `rspauth` is present and equals `expected`, compared in constant time.
    ///
    /// If the field also has `qop`, `cnonce` or `nc`, check that each equals the parameter in the
    /// credentials. `expected` is the [`response`](crate::wire::response()) for an empty method and
    /// the body of the response (RFC 7616, section 3.5).
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
            writer.name("nextnonce").quoted("=", nonce);
        }
        if let Some(qop) = self.qop {
            writer.name("qop").token("=", Text::keyword(qop.as_str()));
        }
        if let Some(rspauth) = self.rspauth {
            writer.name("rspauth").quoted("=", rspauth);
        }
        if let Some(cnonce) = self.cnonce {
            writer.name("cnonce").quoted("=", cnonce);
        }
        if let Some(nc) = self.nc {
            writer.name("nc").token("=", Text::nc(&nc_digits(nc)));
        }
        writer.finish()
    }
}

fn read_value<'a>(value: &'a [u8], params: &mut ParamTable<'a>) -> Result<(), HeaderError> {
    let list = ParamList::new(Cursor::new(value)?);
    list.read_all(|name, value| params.insert(name, value))?;
    params.check_repeated()
}

// response-digest = <"> *LHEX <">
// Stricter than this grammar in the number of digits, and more lenient in their case.
fn read_rspauth(text: Text<'_>) -> Result<Text<'_>, HeaderError> {
    // Allocates only for a value with escapes, which is rare.
    let digits = text.to_bytes();
    // No early exit, so that the loop vectorizes.
    let all_hex = digits
        .iter()
        .fold(true, |all, digit| all & digit.is_ascii_hexdigit());
    if all_hex && matches!(digits.len(), 32 | 64) {
        return Ok(text);
    }
    Err(ParamName::RspAuth.malformed())
}

// nc-value = 8LHEX
// Upper case is accepted, too.
fn read_nc_of_eight_digits(text: Text<'_>) -> Result<u32, HeaderError> {
    match read_nc(text) {
        Some((nc, 8)) => Ok(nc),
        _ => Err(ParamName::Nc.malformed()),
    }
}
