//! Digest credentials.

use crate::digest::algorithm::Algorithm;
use crate::digest::challenge::Challenge;
use crate::digest::compute::{request_ha2, response};
use crate::digest::ha1::Ha1;
use crate::digest::qop::Qop;
use crate::digest::qop_params::QopParams;
use crate::digest::user::User;
use crate::digest::username::{Encoding, Username, UsernameForm};
use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::field_value::FieldValue;
use crate::hash::HexDigest;
use crate::syntax::{ExtValue, Names, ParamTable, Text, Writer};
use crate::target::{EntityBody, Target};

/// Digest credentials (RFC 7616, section 3.4), parsed from a header field, or built for one. The
/// credentials prove nothing until the response has been checked.
///
/// The output of [`to_field_value`](Self::to_field_value) parses back to an equal value if the
/// parts are consistent: the response and a hashed user name must use the hash function of the
/// challenge, and a `-sess` algorithm requires `qop`, `nc` and `cnonce`.
///
/// ```
/// use countersign::digest::{Challenge, Credentials, Ha1, QopParams, Username, ha2, response};
/// use countersign::{Authorization, Target, Text};
///
/// let value = r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="bm9uY2U""#;
/// let raw_challenge = countersign::challenges([value]).raw().next().unwrap()?;
/// let challenge = Challenge::try_from(raw_challenge)?;
///
/// let hash = challenge.algorithm().hash_function();
/// let ha1 = Ha1::new(hash, "Mufasa", "files", "Circle of Life");
/// let qop_params = QopParams::new("auth", "00000001", "f2/wE4q74E6z")?;
/// let get_ha2 = ha2(hash, "GET", "/", None);
/// let correct_response = response(&ha1, "bm9uY2U", Some(&qop_params), &get_ha2);
/// let uri = Text::new("/")?;
/// let username = Username::new("Mufasa")?;
/// let built = Credentials::new(&challenge, username, uri, Some(qop_params), correct_response);
///
/// let field_value = built.to_field_value();
/// let Authorization::Digest(parsed) = Authorization::parse(&field_value)? else { unreachable!() };
/// assert_eq!(parsed, built);
/// assert_eq!(parsed.expected_response(&ha1, &Target::new("GET", "/")), Some(parsed.response()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Credentials<'a> {
    username: Username<'a>,
    realm: Text<'a>,
    nonce: Text<'a>,
    uri: Text<'a>,
    response: HexDigest,
    algorithm: Algorithm,
    algorithm_text: Option<Text<'a>>,
    qop_params: Option<QopParams<'a>>,
    opaque: Option<Text<'a>>,
}

impl<'a> Credentials<'a> {
    pub(crate) const PARAMS: Names = Names::of(&[
        ParamName::Username,
        ParamName::UsernameExt,
        ParamName::Realm,
        ParamName::Nonce,
        ParamName::Uri,
        ParamName::Response,
        ParamName::Algorithm,
        ParamName::Cnonce,
        ParamName::Opaque,
        ParamName::Qop,
        ParamName::Nc,
        ParamName::Userhash,
    ]);

    /// Credentials that answer `challenge`, whose `realm`, `nonce`, `algorithm` and `opaque` are
    /// echoed. `response` is not checked: compute it with [`response`](crate::digest::response()).
    pub const fn new(
        challenge: &Challenge<'a>,
        username: Username<'a>,
        uri: Text<'a>,
        qop_params: Option<QopParams<'a>>,
        response: HexDigest,
    ) -> Self {
        Self {
            username,
            realm: challenge.realm(),
            nonce: challenge.nonce(),
            uri,
            response,
            algorithm: challenge.algorithm(),
            algorithm_text: challenge.algorithm_text(),
            qop_params,
            opaque: challenge.opaque(),
        }
    }

    /// Interprets the parameters of Digest credentials.
    // Fallible steps return small values and the large struct is built last, because every `?` on a
    // large `Result` copies it.
    #[inline(always)]
    pub(crate) fn read(params: &ParamTable<'a>) -> Result<Self, HeaderError> {
        params.check_repeated()?;
        let (form, name) = UsernameForm::find(params)?;
        let realm = params.required(ParamName::Realm)?;
        let nonce = params.required(ParamName::Nonce)?;
        let uri = params.required(ParamName::Uri)?;
        let response = params.required(ParamName::Response)?;
        let algorithm_text = params.get(ParamName::Algorithm);
        let algorithm = Algorithm::read(algorithm_text)?;
        let qop_params = read_qop_params(params, algorithm)?;
        let malformed = |name| Err(ParamError::new(name, ParamProblem::Malformed).into());
        let username = match form {
            UsernameForm::Plain => Username::plain(name),
            UsernameForm::Extended => match ExtValue::parse(name.raw()) {
                Some(value) => Username(Encoding::Extended(value)),
                None => return malformed(ParamName::UsernameExt),
            },
            UsernameForm::Hash => match HexDigest::from_text(algorithm.hash_function(), name) {
                Some(hash) => Username::hashed(hash),
                None => return malformed(ParamName::Username),
            },
        };
        let Some(response) = HexDigest::from_text(algorithm.hash_function(), response) else {
            return malformed(ParamName::Response);
        };
        Ok(Self {
            username,
            realm,
            nonce,
            uri,
            response,
            algorithm,
            algorithm_text,
            qop_params,
            opaque: params.get(ParamName::Opaque),
        })
    }

    /// The claimed user: the decoded user name, or its hash. Use it to look up the account.
    pub fn user(&self) -> User<'a> {
        self.username.user()
    }

    /// The user name in the form in which it is sent: plain, extended (`username*`) or hashed.
    pub const fn username(&self) -> Username<'a> {
        self.username
    }

    /// The realm.
    pub const fn realm(&self) -> Text<'a> {
        self.realm
    }

    /// The server's nonce.
    pub const fn nonce(&self) -> Text<'a> {
        self.nonce
    }

    /// The request-target that the response covers.
    pub const fn uri(&self) -> Text<'a> {
        self.uri
    }

    /// The response.
    pub const fn response(&self) -> HexDigest {
        self.response
    }

    /// The algorithm; MD5 if the field names none.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The quality of protection; `None` for a response of RFC 2069.
    pub fn qop(&self) -> Option<Qop> {
        self.qop_params.map(|qop_params| qop_params.qop)
    }

    /// `qop`, `nc` and `cnonce`; `None` for a response of RFC 2069.
    pub const fn qop_params(&self) -> Option<QopParams<'a>> {
        self.qop_params
    }

    /// The echoed `opaque`. Servers should not rely on it, because some clients drop or alter it.
    pub const fn opaque(&self) -> Option<Text<'a>> {
        self.opaque
    }

    /// Computes the response of a client that knows the secret and sends the request `target`.
    /// Compare it with [`response`](Self::response) by `==`, which takes constant time.
    ///
    /// Returns `None` if `ha1` uses another hash function, or if the response covers the body
    /// (`qop=auth-int`) and the body is unknown. The caller must also check that the nonce is valid
    /// and that [`uri`](Self::uri) is the request-target.
    pub fn expected_response(&self, ha1: &Ha1, target: &Target<'_>) -> Option<HexDigest> {
        let key = self.key(ha1)?;
        let ha2 = self.ha2(target)?;
        Some(response(&key, self.nonce, self.qop_params.as_ref(), &ha2))
    }

    /// Computes the `rspauth` of a server that knows the secret (RFC 7616, section 3.5). `body` is
    /// the body of the server's response. Compare with
    /// [`AuthenticationInfo::proves`](crate::AuthenticationInfo::proves), and check that the
    /// field's `qop`, `cnonce` and `nc` equal those sent.
    ///
    /// Returns `None` if `ha1` uses another hash function, or if `rspauth` covers the body
    /// (`qop=auth-int`) and the body is unknown.
    ///
    /// ```
    /// use countersign::digest::{Ha1, HashFunction};
    /// use countersign::{AuthenticationInfo, Authorization, EntityBody};
    ///
    /// let sent = "Digest username=\"Mufasa\", realm=\"files\", nonce=\"bm9uY2U\", uri=\"/\", \
    ///     algorithm=SHA-256, qop=auth, nc=00000001, cnonce=\"f2/wE4q74E6z\", \
    ///     response=\"dc75a72cc2e54ab08a31edf89086b3c2753c182e55b963ea0bf82e86a6effbf9\"";
    /// let Authorization::Digest(sent) = Authorization::parse(sent)? else { unreachable!() };
    /// let info = "qop=auth, cnonce=\"f2/wE4q74E6z\", nc=00000001, \
    ///     rspauth=\"e2cab0c43096e64263451ba43ef57d705260f0ce19f883f275a7dc28b222e8eb\"";
    /// let info = AuthenticationInfo::parse([info])?;
    ///
    /// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", sent.realm(), "Circle of Life");
    /// let expected = sent.expected_rspauth(&ha1, EntityBody::Unknown).unwrap();
    /// assert!(info.proves(&expected));
    /// # Ok::<(), countersign::HeaderError>(())
    /// ```
    pub fn expected_rspauth(&self, ha1: &Ha1, body: EntityBody<'_>) -> Option<HexDigest> {
        self.rspauth(&self.key(ha1)?, true, body)
    }

    /// The key of the response: HA1, or the session key. `None` if `ha1` uses another hash
    /// function.
    pub(crate) fn key(&self, ha1: &Ha1) -> Option<Ha1> {
        let matches = ha1.hash_function() == self.algorithm.hash_function();
        matches.then(|| self.session_key(ha1).unwrap_or_else(|| ha1.clone()))
    }

    /// The key of the response for a `-sess` algorithm; `None` for others.
    pub(crate) fn session_key(&self, ha1: &Ha1) -> Option<Ha1> {
        if !self.algorithm.is_sess() {
            return None;
        }
        let cnonce = self.qop_params.map(|qop_params| qop_params.cnonce);
        Some(ha1.session(self.nonce, cnonce.unwrap_or(Text::EMPTY)))
    }

    /// Computes HA2 with [`uri`](Self::uri) as the client wrote it. `None` if the response covers
    /// the body and the body is unknown.
    pub(crate) fn ha2(&self, target: &Target<'_>) -> Option<HexDigest> {
        let covers_body = self.qop() == Some(Qop::AuthInt);
        request_ha2(
            self.algorithm.hash_function(),
            self.uri,
            covers_body,
            target,
        )
    }

    /// Computes the `rspauth` of the server (RFC 7616, section 3.5); `None` if it covers the body
    /// and `body` is unknown. `covers_count` is whether the client's response covers the nonce
    /// count, because `rspauth` then does, too.
    pub(crate) fn rspauth(
        &self,
        key: &Ha1,
        covers_count: bool,
        body: EntityBody<'_>,
    ) -> Option<HexDigest> {
        // A2 of rspauth has no method (RFC 7616, section 3.5). HA2 uses `self.uri`.
        let target = Target::new("", "").with_body(body);
        let qop_params = self.qop_params.as_ref().filter(|_| covers_count);
        Some(response(key, self.nonce, qop_params, &self.ha2(&target)?))
    }

    /// Returns the field value, with `username` first and `response` last, because some servers
    /// require that order. `userhash` is unquoted, and so are `algorithm`, `qop` and `nc` if they
    /// are tokens (RFC 7616, section 3.4).
    pub fn to_field_value(&self) -> FieldValue {
        self.write(false)
    }

    /// Returns the field value, with or without quotes around `qop`.
    pub(crate) fn write(&self, quoted_qop: bool) -> FieldValue {
        let mut writer = Writer::scheme("Digest", self.capacity());
        match self.username.0 {
            Encoding::Plain(name) => writer.quoted("username", name),
            Encoding::Hash(hash) => writer.quoted_plain("username", hash.as_bytes()),
            Encoding::ToEncode(name) => writer.extended("username*", name),
            Encoding::Extended(value) => writer.extended("username*", &value.to_text()),
        }
        writer.quoted("realm", self.realm);
        writer.quoted("nonce", self.nonce);
        writer.quoted("uri", self.uri);
        if let Some(algorithm) = self.algorithm_text {
            writer.token_or_quoted("algorithm", algorithm);
        }
        if let Some(QopParams {
            qop_text,
            nc_text,
            cnonce,
            ..
        }) = self.qop_params
        {
            if quoted_qop {
                writer.quoted("qop", qop_text);
            } else {
                writer.token_or_quoted("qop", qop_text);
            }
            writer.token_or_quoted("nc", nc_text);
            writer.quoted("cnonce", cnonce);
        }
        if let Some(opaque) = self.opaque {
            writer.quoted("opaque", opaque);
        }
        if matches!(self.username.0, Encoding::Hash(_)) {
            writer.keyword("userhash", "true");
        }
        writer.quoted_plain("response", self.response.as_bytes());
        writer.finish()
    }

    /// An estimate of the length of the field value. The writer grows if it is too short.
    fn capacity(&self) -> usize {
        let name = match self.username.0 {
            Encoding::Plain(name) => name.raw().len(),
            Encoding::Hash(_) => 64,
            Encoding::ToEncode(name) => 7 + 3 * name.len(),
            Encoding::Extended(_) => 64,
        };
        let text = |text: Option<Text<'_>>| text.map_or(0, |text| text.raw().len());
        let cnonce = self.qop_params.map(|qop_params| qop_params.cnonce);
        // The rest takes at most 217 bytes: the parameter names, the punctuation, `algorithm`,
        // `qop`, `nc`, `userhash` and the response.
        256 + name
            + self.realm.raw().len()
            + self.nonce.raw().len()
            + self.uri.raw().len()
            + text(cnonce)
            + text(self.opaque)
    }
}

/// Parses `qop`, `nc` and `cnonce`. `qop` requires `nc` and `cnonce`, and a `-sess` algorithm
/// requires `qop`, because its key covers the cnonce.
///
/// RFC 2617, section 3.2.2, forbids `nc` and `cnonce` without `qop`, but Java and some libraries
/// send them. Such a response is one of RFC 2069, which covers neither, so both are ignored.
#[inline(always)]
fn read_qop_params<'a>(
    params: &ParamTable<'a>,
    algorithm: Algorithm,
) -> Result<Option<QopParams<'a>>, ParamError> {
    match params.get(ParamName::Qop) {
        Some(qop_text) => {
            let nc_text = params.required(ParamName::Nc)?;
            let cnonce = params.required(ParamName::Cnonce)?;
            QopParams::of(qop_text, nc_text, cnonce).map(Some)
        }
        None if algorithm.is_sess() => Err(ParamError::new(ParamName::Qop, ParamProblem::Missing)),
        None => Ok(None),
    }
}
