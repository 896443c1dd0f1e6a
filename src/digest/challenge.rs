//! Digest challenges.

use crate::digest::algorithm::Algorithm;
use crate::digest::qop::QopSet;
use crate::error::{HeaderError, InvalidText, ParamName};
use crate::field_value::FieldValue;
use crate::syntax::{Names, ParamTable, RawChallenge, Text, Writer};

/// A Digest challenge (RFC 7616, section 3.3), parsed from a header or to be written to one.
///
/// The output of [`to_field_value`](Self::to_field_value) parses back to an equal value, unless it
/// is longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES). Unknown parameters are not kept.
///
/// ```
/// use countersign::digest::{Algorithm, Challenge, QopSet};
///
/// let challenge = Challenge::new("files", "bm9uY2U", Algorithm::SHA_256)?.with_qop(QopSet::AUTH);
/// let value = challenge.to_field_value();
/// assert_eq!(value, r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="bm9uY2U""#);
///
/// let raw_challenge = countersign::challenges([&value]).raw().next().unwrap()?;
/// assert_eq!(Challenge::try_from(raw_challenge)?, challenge);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With all optional parameters:
///
/// ```
/// use countersign::Text;
/// use countersign::digest::{Algorithm, Challenge};
///
/// let challenge = Challenge::new("files", "bm9uY2U", Algorithm::SHA_256)?
///     .with_opaque(Text::new("5ccc069c403ebaf9")?)
///     .with_domain(Text::new("/files /archive")?)
///     .with_stale(true)
///     .with_userhash()
///     .with_utf8();
/// assert!(challenge.is_stale() && challenge.supports_userhash() && challenge.is_utf8());
/// assert_eq!(challenge.algorithm_text(), Some(Text::new("SHA-256")?));
/// # Ok::<(), countersign::InvalidText>(())
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

    /// Sets the algorithm as written in the header.
    pub(crate) const fn with_algorithm_text(self, algorithm_text: Option<Text<'a>>) -> Self {
        Self {
            algorithm_text,
            ..self
        }
    }

    /// Sets the qop values offered.
    #[must_use]
    pub const fn with_qop(self, qop: QopSet) -> Self {
        Self { qop, ..self }
    }

    /// Adds `opaque`, which the client returns unchanged.
    #[must_use]
    pub const fn with_opaque(self, opaque: Text<'a>) -> Self {
        let opaque = Some(opaque);
        Self { opaque, ..self }
    }

    /// Adds `domain`: the URIs of the protection space, separated by spaces.
    #[must_use]
    pub const fn with_domain(self, domain: Text<'a>) -> Self {
        let domain = Some(domain);
        Self { domain, ..self }
    }

    /// Sets `stale`: whether the last request was rejected only because of its nonce.
    #[must_use]
    pub const fn with_stale(self, stale: bool) -> Self {
        Self { stale, ..self }
    }

    /// Adds `userhash=true`: the server accepts hashed user names (RFC 7616, section 3.4.4).
    #[must_use]
    pub const fn with_userhash(self) -> Self {
        Self {
            userhash: Some(true),
            ..self
        }
    }

    /// Adds `charset=UTF-8`: the server reads user name and password as UTF-8.
    #[must_use]
    pub const fn with_utf8(self) -> Self {
        Self { utf8: true, ..self }
    }

    /// Interprets the parameters of a Digest challenge.
    #[inline(always)]
    pub(crate) fn read(params: &ParamTable<'a>) -> Result<Self, HeaderError> {
        params.check_repeated()?;
        let realm = params.required(ParamName::Realm)?;
        let nonce = params.required(ParamName::Nonce)?;
        let algorithm_text = params.get(ParamName::Algorithm);
        let algorithm = Algorithm::read(algorithm_text)?;
        let qop = QopSet::read(params.get(ParamName::Qop))?;
        Ok(Self {
            realm,
            nonce,
            opaque: params.get(ParamName::Opaque),
            domain: params.get(ParamName::Domain),
            algorithm,
            algorithm_text,
            qop,
            stale: params.has_keyword(ParamName::Stale, b"true"),
            userhash: read_userhash(params),
            utf8: params.has_keyword(ParamName::Charset, b"utf-8"),
        })
    }

    /// The realm, to be shown to the user and hashed.
    pub const fn realm(&self) -> Text<'a> {
        self.realm
    }

    /// The server's nonce.
    pub const fn nonce(&self) -> Text<'a> {
        self.nonce
    }

    /// `opaque`, which the client must return unchanged.
    pub const fn opaque(&self) -> Option<Text<'a>> {
        self.opaque
    }

    /// `domain`: the URIs of the protection space, separated by spaces.
    pub const fn domain(&self) -> Option<Text<'a>> {
        self.domain
    }

    /// The algorithm; MD5 if the header has none.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The algorithm as written, to be echoed in the credentials; `None` if the header has none.
    pub const fn algorithm_text(&self) -> Option<Text<'a>> {
        self.algorithm_text
    }

    /// The qop values offered, without unknown ones; [`NONE`](QopSet::NONE) if `qop` is absent
    /// or empty.
    pub const fn qop(&self) -> QopSet {
        self.qop
    }

    /// Returns whether `stale` is true: the request was rejected only because of its nonce.
    pub const fn is_stale(&self) -> bool {
        self.stale
    }

    /// Returns whether the server accepts hashed user names (`userhash=true`).
    pub const fn supports_userhash(&self) -> bool {
        matches!(self.userhash, Some(true))
    }

    /// The value of `userhash`; `None` if it is absent or invalid.
    pub(crate) const fn userhash(&self) -> Option<bool> {
        self.userhash
    }

    /// Returns whether the server reads user name and password as UTF-8 (`charset=UTF-8`).
    pub const fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// Returns the header value. Parameters are quoted or not as RFC 7616, section 3.3, requires,
    /// however they were parsed.
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme("Digest", 192);
        writer.quoted("realm", self.realm);
        if let Some(qop) = self.qop.as_str() {
            writer.quoted_plain("qop", qop.as_bytes());
        }
        if let Some(algorithm) = self.algorithm_text {
            writer.token_or_quoted("algorithm", algorithm);
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

/// Parses `userhash`. Values other than `true` and `false` are ignored.
#[inline(always)]
fn read_userhash(params: &ParamTable<'_>) -> Option<bool> {
    if params.has_keyword(ParamName::Userhash, b"true") {
        Some(true)
    } else {
        params
            .has_keyword(ParamName::Userhash, b"false")
            .then_some(false)
    }
}

/// A Digest challenge from parameters that are already parsed. The scheme is not checked. To parse
/// a header, use [`challenges`](crate::challenges()), which checks it.
///
/// # Errors
///
/// The error is [`Missing`](crate::ParamProblem::Missing) if `realm` or `nonce` is absent,
/// [`Repeated`](crate::ParamProblem::Repeated) if a parameter of Digest challenges is repeated, and
/// [`Unsupported`](crate::ParamProblem::Unsupported) for a `qop` with only unknown values and for
/// an unknown `algorithm`; without the feature `md5`, also for MD5 and an absent `algorithm`. An
/// empty `qop` counts as absent. Unknown parameters, and unknown values of `stale`, `userhash` and
/// `charset`, are ignored.
impl<'a> TryFrom<RawChallenge<'a>> for Challenge<'a> {
    type Error = HeaderError;

    fn try_from(challenge: RawChallenge<'a>) -> Result<Self, Self::Error> {
        Self::read(&ParamTable::of(Self::PARAMS, challenge))
    }
}
