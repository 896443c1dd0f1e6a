//! Digest credentials.

use crate::digest::algorithm::Algorithm;
use crate::digest::challenge::DigestChallenge;
use crate::digest::compute::{ha2, response};
use crate::digest::ha1::Ha1;
use crate::digest::qop::{Qop, QopParams};
use crate::digest::user::{User, Username};
use crate::error::{HeaderError, InvalidText};
use crate::field_value::FieldValue;
use crate::hash::HexDigest;
use crate::syntax::{ParamName, ParamTable, Text, Writer};
use crate::target::Target;

/// Digest credentials (RFC 7616, section 3.4), parsed from a header or to be written to one. The
/// parser does not check the response: see [`expected_response`](Self::expected_response).
///
/// The output of [`to_field_value`](Self::to_field_value) parses back to an equal value if it is no
/// longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) and the parts are consistent: `response`
/// and a hashed user name must use the hash function of the challenge, and a `-sess` algorithm
/// requires `qop`, `nc` and `cnonce`.
///
/// ```
/// use countersign::digest::{Algorithm, Ha1, HashFunction, User};
/// use countersign::wire::{DigestChallenge, DigestCredentials, QopParams, ha2, response};
/// use countersign::{Authorization, Target, Text};
///
/// let challenge = DigestChallenge::new("files", "bm9uY2U", Algorithm::SHA_256)?;
///
/// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", challenge.realm, "Circle of Life");
/// let ha2 = ha2(HashFunction::Sha256, "GET", "/", None);
/// let qop = QopParams::new("auth", "00000001", "f2/wE4q74E6z")?;
/// let correct = response(&ha1, challenge.nonce, Some(&qop), &ha2);
/// let user = User::from("Mufasa");
/// let sent = DigestCredentials::new(&challenge, &user, Text::new("/")?, Some(qop), correct)?;
///
/// let value = sent.to_field_value();
/// let Authorization::Digest(received) = Authorization::parse(&value)? else { unreachable!() };
/// assert_eq!(received, sent);
/// let target = Target::new("GET", "/");
/// assert_eq!(received.expected_response(&ha1, &target), Some(received.response));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DigestCredentials<'a> {
    /// The realm.
    pub realm: Text<'a>,
    /// The server's nonce.
    pub nonce: Text<'a>,
    /// The `uri` parameter: the request-target as the client hashed it.
    pub uri: Text<'a>,
    /// The `response` parameter.
    pub response: HexDigest,
    /// `qop`, `nc` and `cnonce`; `None` in the form of RFC 2069.
    pub qop_params: Option<QopParams<'a>>,
    /// The echoed `opaque`. Servers should not rely on it, because some clients drop or alter it.
    pub opaque: Option<Text<'a>>,
    username: Username<'a>,
    algorithm: Algorithm,
    algorithm_text: Option<Text<'a>>,
}

impl<'a> DigestCredentials<'a> {
    /// Credentials that answer `challenge`, whose `realm`, `nonce`, `algorithm` and `opaque` are
    /// echoed. `response` is not checked: compute it with [`response`](crate::wire::response()).
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the user name contains a control character. HTAB is allowed if
    /// the name is sent as `username`.
    pub fn new(
        challenge: &DigestChallenge<'a>,
        user: &'a User<'_>,
        uri: Text<'a>,
        qop_params: Option<QopParams<'a>>,
        response: HexDigest,
    ) -> Result<Self, InvalidText> {
        let username = Username::of(user)?;
        Ok(Self::of(challenge, username, uri, qop_params, response))
    }

    pub(crate) const fn of(
        challenge: &DigestChallenge<'a>,
        username: Username<'a>,
        uri: Text<'a>,
        qop_params: Option<QopParams<'a>>,
        response: HexDigest,
    ) -> Self {
        Self {
            realm: challenge.realm,
            nonce: challenge.nonce,
            uri,
            response,
            qop_params,
            opaque: challenge.opaque,
            username,
            algorithm: challenge.algorithm,
            algorithm_text: challenge.algorithm_text,
        }
    }

    /// Interprets the parameters of Digest credentials.
    // Fallible steps return small values and the large struct is built last, because every `?` on a
    // large `Result` copies it.
    #[inline(always)]
    pub(crate) fn read(params: &ParamTable<'a>) -> Result<Self, HeaderError> {
        params.check_repeated()?;
        let realm = params.required(ParamName::Realm)?;
        let nonce = params.required(ParamName::Nonce)?;
        let uri = params.required(ParamName::Uri)?;
        let response = params.required(ParamName::Response)?;
        let algorithm_text = params.get(ParamName::Algorithm);
        let algorithm = Algorithm::read(algorithm_text)?;
        let qop_params = read_qop_params(params, algorithm)?;
        let hash = algorithm.hash_function();
        let username = Username::read(params, hash)?;
        let response = HexDigest::from_text(hash, response);
        let response = response.ok_or(ParamName::Response.malformed())?;
        Ok(Self {
            realm,
            nonce,
            uri,
            response,
            qop_params,
            opaque: params.get(ParamName::Opaque),
            username,
            algorithm,
            algorithm_text,
        })
    }

    /// The claimed user, to look up the account.
    pub fn user(&self) -> User<'a> {
        self.username.user()
    }

    /// The algorithm; MD5 if the field names none.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(crate) const fn is_hashed_name(&self) -> bool {
        matches!(self.username, Username::Hash(_))
    }

    pub(crate) fn qop(&self) -> Option<Qop> {
        self.qop_params.map(|qop_params| qop_params.qop)
    }

    /// Computes the response of a client that knows the secret. Compare it with
    /// [`response`](Self::response) by `==`, which takes constant time.
    ///
    /// The caller must also make the other [checks of a server](crate::server::checks).
    /// Returns `None` if `ha1` uses another hash function; if [`uri`](Self::uri) is not the `uri`
    /// of `target`, byte for byte; if the response covers the body (`qop=auth-int`) and the body is
    /// unknown or was hashed by another function; and for a cnonce with a colon and a `-sess`
    /// algorithm, which [a captured response could
    /// sign](crate::manual::server#the--sess-algorithms), as it could for one in the form of a hash
    /// if you also accept answers without a qop.
    pub fn expected_response(&self, ha1: &Ha1, target: &Target<'_>) -> Option<HexDigest> {
        let is_same_hash = ha1.hash_function() == self.algorithm.hash_function();
        if !self.uri.is(target.uri) || !is_same_hash || self.has_unsafe_session() {
            return None;
        }
        let (key, ha2) = (self.response_key(ha1), self.ha2(target)?);
        Some(response(&key, self.nonce, self.qop_params.as_ref(), &ha2))
    }

    /// Returns whether the session key may be a response of a plain algorithm.
    pub(crate) fn has_unsafe_session(&self) -> bool {
        let cnonce = self.qop_params.map(|qop_params| qop_params.cnonce);
        self.algorithm.is_sess() && cnonce.is_some_and(|it| it.bytes().any(|byte| byte == b':'))
    }

    /// The key of the response: HA1, or for a `-sess` algorithm the session key.
    pub(crate) fn response_key(&self, ha1: &Ha1) -> Ha1 {
        if !self.algorithm.is_sess() {
            return ha1.clone();
        }
        let cnonce = self.qop_params.map(|qop_params| qop_params.cnonce);
        ha1.session_key(self.nonce, cnonce.unwrap_or(Text::EMPTY))
    }

    /// Computes HA2 of `target`, with the `uri` and `qop` of these credentials. `None` if the body is
    /// covered, but unknown or hashed by another function.
    pub(crate) fn ha2(&self, target: &Target<'_>) -> Option<HexDigest> {
        let hash = self.algorithm.hash_function();
        let body = match self.qop() {
            Some(Qop::AuthInt) => Some(target.body.hash(hash)?),
            _ => None,
        };
        Some(ha2(hash, target.method, self.uri, body.as_ref()))
    }

    /// Returns the field value, with the user name first and `response` last, because some servers
    /// require that order. `username*`, `algorithm`, `qop`, `nc` and `userhash` are unquoted (RFC
    /// 7616, section 3.4).
    pub fn to_field_value(&self) -> FieldValue {
        let quoted_qop = false;
        self.write(quoted_qop).0
    }

    /// Returns the field value, with or without quotes around `qop`, and where values in it end.
    pub(crate) fn write(&self, quoted_qop: bool) -> (FieldValue, Marks) {
        let mut writer = Writer::list(self.capacity());
        let mut ends = [0; 4];
        let [uri_end, nc_end, cnonce_end, response_end] = &mut ends;
        match &self.username {
            Username::Plain(name) => writer.quoted("Digest username=", *name),
            Username::Hash(hash) => {
                writer.quoted("Digest username=", Text::verbatim(hash.as_bytes()));
            }
            Username::Decoded(name) => writer.extended("Digest username*=", name),
            Username::Encoded(value) => writer.extended("Digest username*=", &value.to_text()),
        }
        writer.quoted(", realm=", self.realm);
        writer.quoted(", nonce=", self.nonce);
        writer.quoted(", uri=", self.uri);
        *uri_end = writer.len() - 1;
        // `algorithm`, `qop` and `nc` are tokens once their escapes are resolved.
        if let Some(algorithm) = self.algorithm_text {
            writer.token(", algorithm=", algorithm);
        }
        if let Some(qop_params) = &self.qop_params {
            match quoted_qop {
                true => writer.quoted(", qop=", qop_params.qop_text),
                false => writer.token(", qop=", qop_params.qop_text),
            }
            writer.token(", nc=", qop_params.nc_text);
            *nc_end = writer.len();
            writer.quoted(", cnonce=", qop_params.cnonce);
            *cnonce_end = writer.len() - 1;
        }
        if let Some(opaque) = self.opaque {
            writer.quoted(", opaque=", opaque);
        }
        if self.is_hashed_name() {
            writer.token(", userhash=", Text::keyword("true"));
        }
        let response = Text::verbatim(self.response.as_bytes());
        writer.quoted(", response=", response);
        *response_end = writer.len() - 1;
        (writer.finish(), ends)
    }

    /// An estimate of the length of the field value. The writer grows if it is too short.
    fn capacity(&self) -> usize {
        let name = match self.username {
            Username::Plain(name) => name.raw().len(),
            Username::Decoded(name) => 3 * name.len(),
            Username::Hash(_) | Username::Encoded(_) => 64,
        };
        let cnonce = self.qop_params.map(|qop_params| qop_params.cnonce);
        let texts = [
            Some(self.realm),
            Some(self.nonce),
            Some(self.uri),
            cnonce,
            self.opaque,
        ];
        let lengths = texts.iter().flatten().map(|text| text.raw().len());
        // 256 bytes are enough for everything else.
        256 + name + lengths.sum::<usize>()
    }
}

/// Where `uri`, `nc`, `cnonce` and `response` end in a field value; 0 for one that it does not have.
pub(crate) type Marks = [usize; 4];

/// Parses `qop`, `nc` and `cnonce`. `qop` requires `nc` and `cnonce`.
///
/// RFC 2617, section 3.2.2, forbids `nc` and `cnonce` without `qop`, but Java's `HttpURLConnection`
/// and some libraries send them. The response then has the form of RFC 2069, which covers neither,
/// so both are ignored. A `-sess` algorithm, whose key needs the cnonce, therefore requires `qop`.
fn read_qop_params<'a>(
    params: &ParamTable<'a>,
    algorithm: Algorithm,
) -> Result<Option<QopParams<'a>>, HeaderError> {
    match params.get(ParamName::Qop) {
        Some(qop_text) => {
            let nc_text = params.required(ParamName::Nc)?;
            let cnonce = params.required(ParamName::Cnonce)?;
            QopParams::of(qop_text, nc_text, cnonce).map(Some)
        }
        None if algorithm.is_sess() => Err(ParamName::Qop.missing()),
        None => Ok(None),
    }
}
