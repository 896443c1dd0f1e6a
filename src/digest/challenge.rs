//! The Digest challenge.

use crate::digest::algorithm::Algorithm;
use crate::digest::qop::QopSet;
use crate::error::{HeaderError, InvalidText, ParamName};
use crate::field_value::FieldValue;
use crate::syntax::{Names, ParamTable, RawChallenge, Text, Writer};

/// A Digest challenge, read from a header or to be written to one (RFC 7616, section 3.3).
///
/// What [`to_field_value`](Self::to_field_value) writes reads back as an equal value.
///
/// ```
/// use countersign::digest::{Algorithm, Challenge, QopSet};
///
/// let challenge = Challenge::new("files", "bm9uY2U", Algorithm::SHA_256)?.with_qop(QopSet::AUTH);
/// let value = challenge.to_field_value();
/// assert_eq!(value, r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="bm9uY2U""#);
///
/// let generic = countersign::challenges([&value]).raw().next().unwrap()?;
/// assert_eq!(Challenge::try_from(generic)?, challenge);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Challenge<'a> {
    realm: Text<'a>,
    nonce: Text<'a>,
    opaque: Option<Text<'a>>,
    domain: Option<Text<'a>>,
    algorithm: Algorithm,
    algorithm_text: Option<Text<'a>>,
    qop: QopSet,
    stale: bool,
    userhash: Option<bool>,
    utf8: bool,
}

impl<'a> Challenge<'a> {
    pub(crate) const PARAMS: Names = Names::of(&[
        ParamName::Realm,
        ParamName::Nonce,
        ParamName::Opaque,
        ParamName::Domain,
        ParamName::Algorithm,
        ParamName::Qop,
        ParamName::Stale,
        ParamName::Userhash,
        ParamName::Charset,
    ]);

    /// One with `qop="auth"` and nothing that is optional.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if realm or nonce hold a control byte other than HTAB.
    pub fn new<R, N>(realm: &'a R, nonce: &'a N, algorithm: Algorithm) -> Result<Self, InvalidText>
    where
        R: AsRef<[u8]> + ?Sized,
        N: AsRef<[u8]> + ?Sized,
    {
        Ok(Self::of(Text::new(realm)?, Text::new(nonce)?, algorithm))
    }

    pub(crate) const fn of(realm: Text<'a>, nonce: Text<'a>, algorithm: Algorithm) -> Self {
        Self {
            realm,
            nonce,
            opaque: None,
            domain: None,
            algorithm,
            algorithm_text: Some(Text::keyword(algorithm.as_str())),
            qop: QopSet::AUTH,
            stale: false,
            userhash: None,
            utf8: false,
        }
    }

    /// The algorithm as it was written, to be returned the same.
    pub(crate) const fn with_algorithm_text(self, algorithm_text: Option<Text<'a>>) -> Self {
        Self {
            algorithm_text,
            ..self
        }
    }

    /// Offers these qop values.
    #[must_use]
    pub const fn with_qop(self, qop: QopSet) -> Self {
        Self { qop, ..self }
    }

    /// Adds what the client is to return unchanged.
    #[must_use]
    pub const fn with_opaque(self, opaque: Text<'a>) -> Self {
        let opaque = Some(opaque);
        Self { opaque, ..self }
    }

    /// Adds the URIs the credentials are good for, separated by blanks.
    #[must_use]
    pub const fn with_domain(self, domain: Text<'a>) -> Self {
        let domain = Some(domain);
        Self { domain, ..self }
    }

    /// Says whether only the nonce of the last request was wrong.
    #[must_use]
    pub const fn with_stale(self, stale: bool) -> Self {
        Self { stale, ..self }
    }

    /// Says that a hashed user name is understood.
    #[must_use]
    pub const fn with_userhash(self) -> Self {
        Self {
            userhash: Some(true),
            ..self
        }
    }

    /// Says that user name and password are taken for UTF-8.
    #[must_use]
    pub const fn with_utf8(self) -> Self {
        Self { utf8: true, ..self }
    }

    /// Makes sense of the parameters of a challenge of this scheme.
    #[inline(always)]
    pub(crate) fn read(known: &ParamTable<'a>) -> Result<Self, HeaderError> {
        known.check()?;
        known.require(&[ParamName::Realm, ParamName::Nonce])?;
        let algorithm_text = known.get(ParamName::Algorithm);
        let algorithm = Algorithm::read(algorithm_text)?;
        let qop = QopSet::read(known.get(ParamName::Qop))?;
        Ok(Self {
            realm: known.text(ParamName::Realm),
            nonce: known.text(ParamName::Nonce),
            opaque: known.get(ParamName::Opaque),
            domain: known.get(ParamName::Domain),
            algorithm,
            algorithm_text,
            qop,
            stale: known.says(ParamName::Stale, b"true"),
            userhash: read_userhash(known),
            utf8: known.says(ParamName::Charset, b"utf-8"),
        })
    }

    /// What to show the user, and to hash.
    pub const fn realm(&self) -> Text<'a> {
        self.realm
    }

    /// The server's nonce.
    pub const fn nonce(&self) -> Text<'a> {
        self.nonce
    }

    /// What is to be returned unchanged.
    pub const fn opaque(&self) -> Option<Text<'a>> {
        self.opaque
    }

    /// The URIs the credentials are good for, separated by blanks.
    pub const fn domain(&self) -> Option<Text<'a>> {
        self.domain
    }

    /// The algorithm; MD5 where the header has none.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The algorithm as written, to be written back the same; `None` where the header has none.
    pub const fn algorithm_text(&self) -> Option<Text<'a>> {
        self.algorithm_text
    }

    /// The qop values offered, those unknown left out; [`LEGACY`](QopSet::LEGACY) where the header
    /// has no `qop` or an empty one.
    pub const fn qop(&self) -> QopSet {
        self.qop
    }

    /// Whether the server says that only the nonce was wrong.
    pub const fn is_stale(&self) -> bool {
        self.stale
    }

    /// Whether the server understands a hashed user name.
    pub const fn has_userhash(&self) -> bool {
        matches!(self.userhash, Some(true))
    }

    /// What the challenge says of hashed user names; `None` if it says nothing.
    pub(crate) const fn userhash(&self) -> Option<bool> {
        self.userhash
    }

    /// Whether the server says that it takes user name and password for UTF-8.
    pub const fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// The header value. Which parameters are quoted is as RFC 7616, section 3.3, wants it, however
    /// they were read.
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme("Digest", 192);
        writer.quoted("realm", self.realm);
        if let Some(qop) = self.qop.as_str() {
            writer.quoted_plain("qop", qop.as_bytes());
        }
        if let Some(algorithm) = self.algorithm_text {
            writer.unquoted("algorithm", algorithm);
        }
        writer.quoted("nonce", self.nonce);
        if let Some(opaque) = self.opaque {
            writer.quoted("opaque", opaque);
        }
        if let Some(domain) = self.domain {
            writer.quoted("domain", domain);
        }
        if self.stale {
            writer.keyword("stale", "true");
        }
        if self.utf8 {
            writer.keyword("charset", "UTF-8");
        }
        match self.userhash {
            Some(true) => writer.keyword("userhash", "true"),
            Some(false) => writer.keyword("userhash", "false"),
            None => {}
        }
        writer.finish()
    }
}

/// Values that are neither `true` nor `false` are ignored.
#[inline(always)]
fn read_userhash(known: &ParamTable<'_>) -> Option<bool> {
    if known.says(ParamName::Userhash, b"true") {
        Some(true)
    } else {
        known.says(ParamName::Userhash, b"false").then_some(false)
    }
}

/// Reads the parameters of a challenge whose scheme is known to be Digest. From a header,
/// [`challenges`](crate::challenges()) reads it in one pass.
///
/// The error is [`Missing`](crate::ParamProblem::Missing) for `realm` and `nonce`,
/// [`Repeated`](crate::ParamProblem::Repeated) for any of the known parameters, and
/// [`Unsupported`](crate::ParamProblem::Unsupported) for an unknown `algorithm`, or a `qop` that has
/// values and none that is known. An empty `qop` reads as none. Unknown parameters and other values
/// of `stale`, `userhash` and `charset` are ignored.
impl<'a> TryFrom<RawChallenge<'a>> for Challenge<'a> {
    type Error = HeaderError;

    fn try_from(challenge: RawChallenge<'a>) -> Result<Self, Self::Error> {
        Self::read(&ParamTable::of(Self::PARAMS, challenge))
    }
}
