//! Digest challenges.

use crate::digest::algorithm::Algorithm;
use crate::digest::qop::QopSet;
use crate::error::{HeaderError, InvalidText};
use crate::field_value::FieldValue;
use crate::syntax::{ParamName, ParamTable, RawChallenge, Text, Writer};

/// A Digest challenge (RFC 7616, section 3.3), parsed from a header or to be written to one.
///
/// Unknown parameters, and unknown values of `stale`, `userhash` and `charset`, are ignored. The
/// output of [`to_field_value`](Self::to_field_value) parses back to an equal value, unless it is
/// longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES).
///
/// ```
/// use countersign::digest::{Algorithm, QopSet};
/// use countersign::wire::DigestChallenge;
/// use countersign::{Challenge, Text, challenges};
///
/// let mut challenge = DigestChallenge::new("files", "bm9uY2U", Algorithm::SHA_256)?;
/// challenge.qop = QopSet::BOTH;
/// challenge.opaque = Some(Text::new("5ccc069c403ebaf9")?);
/// let value = challenge.to_field_value();
/// let written = "Digest realm=\"files\", qop=\"auth,auth-int\", algorithm=SHA-256, \
///     nonce=\"bm9uY2U\", opaque=\"5ccc069c403ebaf9\"";
/// assert_eq!(value, written);
/// assert_eq!(challenges([&value]).next().unwrap()?, Challenge::Digest(challenge));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DigestChallenge<'a> {
    /// The realm, to be shown to the user and hashed.
    pub realm: Text<'a>,
    /// The server's nonce.
    pub nonce: Text<'a>,
    /// `opaque`, which the client returns unchanged.
    pub opaque: Option<Text<'a>>,
    /// `domain`: the URIs of the protection space, separated by spaces.
    pub domain: Option<Text<'a>>,
    /// The qop values offered, without unknown ones; [`NONE`](QopSet::NONE) if `qop` is absent or
    /// empty.
    pub qop: QopSet,
    /// Whether the last request was rejected only because of its nonce.
    pub stale: bool,
    /// Whether the server accepts hashed user names (RFC 7616, section 3.4.4); `None` if `userhash`
    /// is absent or invalid.
    pub userhash: Option<bool>,
    /// Whether the server reads user name and password as UTF-8 (`charset=UTF-8`).
    pub utf8: bool,
    pub(crate) algorithm: Algorithm,
    /// As written, to be echoed in the credentials.
    pub(crate) algorithm_text: Option<Text<'a>>,
}

impl<'a> DigestChallenge<'a> {
    /// A challenge with `qop="auth"`, and without optional parameters.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if realm or nonce contain a control byte other than HTAB.
    pub fn new<R, N>(realm: &'a R, nonce: &'a N, algorithm: Algorithm) -> Result<Self, InvalidText>
    where
        R: AsRef<[u8]> + ?Sized,
        N: AsRef<[u8]> + ?Sized,
    {
        Ok(Self::of(Text::new(realm)?, Text::new(nonce)?, algorithm))
    }

    /// A challenge that names no algorithm, which stands for MD5 (RFC 2069). Answers name none, too.
    #[cfg(feature = "md5")]
    #[must_use]
    pub const fn without_algorithm(self) -> Self {
        Self {
            algorithm_text: None,
            algorithm: Algorithm::MD5,
            ..self
        }
    }

    pub(crate) const fn of(realm: Text<'a>, nonce: Text<'a>, algorithm: Algorithm) -> Self {
        Self {
            realm,
            nonce,
            opaque: None,
            domain: None,
            qop: QopSet::AUTH,
            stale: false,
            userhash: None,
            utf8: false,
            algorithm,
            algorithm_text: Some(Text::keyword(algorithm.as_str())),
        }
    }

    /// Interprets a challenge whose `algorithm` this crate does not know, such as `AKAv1-MD5` (RFC
    /// 3310), as if it were this one. Answers name the algorithm as the challenge does: see [an
    /// example](crate::manual::sip#aka).
    ///
    /// # Errors
    ///
    /// Those of [`challenges`](crate::challenges()), except for the algorithm.
    pub fn read_as(
        challenge: &RawChallenge<'a>,
        algorithm: Algorithm,
    ) -> Result<Self, HeaderError> {
        Self::of_params(&challenge.table(), Ok(algorithm))
    }

    /// Interprets the parameters of a Digest challenge.
    pub(crate) fn read(params: &ParamTable<'a>) -> Result<Self, HeaderError> {
        Self::of_params(params, Algorithm::read(params.get(ParamName::Algorithm)))
    }

    #[inline]
    fn of_params(
        params: &ParamTable<'a>,
        algorithm: Result<Algorithm, HeaderError>,
    ) -> Result<Self, HeaderError> {
        params.check_repeated()?;
        let realm = params.required(ParamName::Realm)?;
        let nonce = params.required(ParamName::Nonce)?;
        let algorithm = algorithm?;
        let qop = QopSet::read(params.get(ParamName::Qop))?;
        Ok(Self {
            realm,
            nonce,
            opaque: params.get(ParamName::Opaque),
            domain: params.get(ParamName::Domain),
            qop,
            stale: params.has_keyword(ParamName::Stale, b"true"),
            userhash: match params.has_keyword(ParamName::Userhash, b"true") {
                true => Some(true),
                false => params
                    .has_keyword(ParamName::Userhash, b"false")
                    .then_some(false),
            },
            utf8: params.has_keyword(ParamName::Charset, b"utf-8"),
            algorithm,
            algorithm_text: params.get(ParamName::Algorithm),
        })
    }

    /// The algorithm; MD5 if the header has none.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the header value. Parameters are quoted or not as RFC 7616, section 3.3, requires,
    /// however they were parsed.
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::list(192);
        writer.quoted("Digest realm=", self.realm);
        if let Some(qop) = self.qop.as_str() {
            writer.quoted(", qop=", Text::keyword(qop));
        }
        if let Some(algorithm) = self.algorithm_text {
            writer.token(", algorithm=", algorithm);
        }
        writer.quoted(", nonce=", self.nonce);
        if let Some(opaque) = self.opaque {
            writer.quoted(", opaque=", opaque);
        }
        if let Some(domain) = self.domain {
            writer.quoted(", domain=", domain);
        }
        if self.stale {
            writer.token(", stale=", Text::keyword("true"));
        }
        if self.utf8 {
            writer.token(", charset=", Text::keyword("UTF-8"));
        }
        if let Some(offered) = self.userhash {
            let value = if offered { "true" } else { "false" };
            writer.token(", userhash=", Text::keyword(value));
        }
        writer.finish()
    }
}
