//! Digest credentials.

use crate::digest::algorithm::Algorithm;
use crate::digest::challenge::Challenge;
use crate::digest::compute::{kd, request_ha2};
use crate::digest::ha1::Ha1;
use crate::digest::qop::Qop;
use crate::digest::qop_params::QopParams;
use crate::digest::user::User;
use crate::digest::username::Form;
use crate::digest::username::Username;
use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::field_value::FieldValue;
use crate::hash::HexDigest;
use crate::syntax::{ExtValue, Names, ParamTable, Text, Writer};
use crate::target::{EntityBody, Target};

/// Digest credentials as a client sent them, borrowed from the header, or to be sent. They prove
/// nothing until their response has been checked.
///
/// What [`to_field_value`](Self::to_field_value) writes reads back as an equal value, if it is of one piece:
/// the response and a hashed name of the hash of the challenge, and a protection for a `-sess`
/// algorithm.
///
/// ```
/// use countersign::digest::{Challenge, Credentials, Ha1, QopParams, Username, ha2, response};
/// use countersign::{Authorization, Target, Text};
///
/// let value = r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="bm9uY2U""#;
/// let generic = countersign::challenges([value]).raw().next().unwrap()?;
/// let challenge = Challenge::try_from(generic)?;
///
/// let hash = challenge.algorithm().hash_function();
/// let ha1 = Ha1::new(hash, "Mufasa", "files", "Circle of Life");
/// let protection = QopParams::new("auth", "00000001", "f2/wE4q74E6z")?;
/// let ha2 = ha2(hash, "GET", "/", None);
/// let response = response(&ha1, "bm9uY2U", Some(&protection), &ha2);
/// let uri = Text::new("/")?;
/// let name = Username::new("Mufasa")?;
/// let answer = Credentials::new(&challenge, name, uri, Some(protection), response);
///
/// let value = answer.to_field_value();
/// let Authorization::Digest(read) = Authorization::parse(&value)? else { unreachable!() };
/// assert_eq!(read, answer);
/// assert_eq!(read.expected_response(&ha1, &Target::new("GET", "/")), Some(read.response()));
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
    protection: Option<QopParams<'a>>,
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

    /// The answer to a challenge, from which `realm`, `nonce`, `algorithm` and `opaque` are
    /// returned as they were.
    pub const fn new(
        challenge: &Challenge<'a>,
        username: Username<'a>,
        uri: Text<'a>,
        protection: Option<QopParams<'a>>,
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
            protection,
            opaque: challenge.opaque(),
        }
    }

    /// Makes sense of the parameters of a header whose scheme is Digest.
    // What may fail returns no more than a word, and what is large is put together at the end: a
    // `Result` of something large is taken apart and put together again at every `?`.
    #[inline(always)]
    pub(crate) fn read(known: &ParamTable<'a>) -> Result<Self, HeaderError> {
        known.check()?;
        let form = read_form(known)?;
        known.require(&[
            ParamName::Realm,
            ParamName::Nonce,
            ParamName::Uri,
            ParamName::Response,
        ])?;
        let algorithm_text = known.get(ParamName::Algorithm);
        let algorithm = Algorithm::read(algorithm_text)?;
        let counted = read_count(known, algorithm)?;
        let malformed = |name| Err(ParamError::new(name, ParamProblem::Malformed).into());
        let name = known.text(form.param());
        let username = match form {
            NameForm::Plain => Username::plain(name),
            NameForm::Extended => match ExtValue::parse(name.raw()) {
                Some(value) => Username(Form::Extended(value)),
                None => return malformed(ParamName::UsernameExt),
            },
            NameForm::Hash => match HexDigest::from_text(algorithm.hash_function(), name) {
                Some(hash) => Username::hashed(hash),
                None => return malformed(ParamName::Username),
            },
        };
        let response = known.text(ParamName::Response);
        let Some(response) = HexDigest::from_text(algorithm.hash_function(), response) else {
            return malformed(ParamName::Response);
        };
        Ok(Self {
            username,
            realm: known.text(ParamName::Realm),
            nonce: known.text(ParamName::Nonce),
            uri: known.text(ParamName::Uri),
            response,
            algorithm,
            algorithm_text,
            protection: counted.map(|(qop, nc)| QopParams {
                qop,
                qop_text: known.text(ParamName::Qop),
                nc,
                nc_text: known.text(ParamName::Nc),
                cnonce: known.text(ParamName::Cnonce),
            }),
            opaque: known.get(ParamName::Opaque),
        })
    }

    /// Who the client says it is.
    pub fn user(&self) -> User<'a> {
        self.username.user()
    }

    /// The user name in the form it was sent in.
    pub const fn username(&self) -> Username<'a> {
        self.username
    }

    /// The realm.
    pub const fn realm(&self) -> Text<'a> {
        self.realm
    }

    /// The nonce it answers.
    pub const fn nonce(&self) -> Text<'a> {
        self.nonce
    }

    /// The request-target the response covers.
    pub const fn uri(&self) -> Text<'a> {
        self.uri
    }

    /// The response, in lower case.
    pub const fn response(&self) -> HexDigest {
        self.response
    }

    /// The algorithm; MD5 where the header has none.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// What the response covers; `None` for the form of RFC 2069.
    pub fn qop(&self) -> Option<Qop> {
        self.protection.map(|protection| protection.qop)
    }

    /// `qop`, `nc` and `cnonce`; `None` for the form of RFC 2069.
    pub const fn protection(&self) -> Option<QopParams<'a>> {
        self.protection
    }

    /// What the server asked to be returned unchanged. A server need not look at it: some clients
    /// drop or alter it.
    pub const fn opaque(&self) -> Option<Text<'a>> {
        self.opaque
    }

    /// What the response must be if the client knows the secret and `target` is the request it
    /// means. Compare the two with `==`, which takes constant time.
    ///
    /// `None` if `ha1` is of another hash function, or if the response covers the body and that
    /// is not known. Whether the nonce is good, and `uri` the request-target, is another matter.
    pub fn expected_response(&self, ha1: &Ha1, target: &Target<'_>) -> Option<HexDigest> {
        let key = self.key(ha1)?;
        let ha2 = self.ha2(target)?;
        Some(kd(&key, self.nonce, self.protection.as_ref(), &ha2))
    }

    /// What the server must prove itself with if it knows the secret, too (RFC 7616, section 3.5):
    /// `body` is that of its response. Check it with
    /// [`AuthenticationInfo::proves`](crate::AuthenticationInfo::proves), and that the `qop`,
    /// `cnonce` and `nc` beside it are those of these credentials.
    ///
    /// `None` if `ha1` is of another hash function, or if the proof covers the body (`qop=auth-int`)
    /// and that is not known.
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

    /// What the response is keyed with: HA1, or the session key. `None` for another hash.
    pub(crate) fn key(&self, ha1: &Ha1) -> Option<Ha1> {
        let matches = ha1.hash_function() == self.algorithm.hash_function();
        matches.then(|| self.session_key(ha1).unwrap_or_else(|| ha1.clone()))
    }

    /// What the response is keyed with in place of HA1, for a `-sess` algorithm.
    pub(crate) fn session_key(&self, ha1: &Ha1) -> Option<Ha1> {
        if !self.algorithm.is_session() {
            return None;
        }
        let cnonce = self.protection.map(|protection| protection.cnonce);
        Some(ha1.session(self.nonce, cnonce.unwrap_or(Text::keyword(""))))
    }

    pub(crate) fn ha2(&self, target: &Target<'_>) -> Option<HexDigest> {
        let covers_body = self.qop() == Some(Qop::AuthInt);
        request_ha2(
            self.algorithm.hash_function(),
            self.uri,
            covers_body,
            target,
        )
    }

    /// What the server proves itself with (RFC 7616, section 3.5); `None` if that covers the
    /// response's body and it is not known. `counted` is whether the client's own response covers
    /// the nonce count.
    pub(crate) fn rspauth(
        &self,
        key: &Ha1,
        counted: bool,
        body: EntityBody<'_>,
    ) -> Option<HexDigest> {
        let target = Target::new("", "").with_body(body);
        let protection = self.protection.as_ref().filter(|_| counted);
        Some(kd(key, self.nonce, protection, &self.ha2(&target)?))
    }

    /// The header value: `username` first and `response` last, because some servers insist;
    /// `algorithm`, `qop`, `nc` and `userhash` unquoted as RFC 7616, section 3.4, wants it.
    pub fn to_field_value(&self) -> FieldValue {
        self.write(false)
    }

    /// The header value, with quotes around the qop or without.
    pub(crate) fn write(&self, quoted_qop: bool) -> FieldValue {
        let mut writer = Writer::scheme("Digest", self.capacity());
        match self.username.0 {
            Form::Plain(name) => writer.quoted("username", name),
            Form::Hash(hash) => writer.quoted_plain("username", hash.as_bytes()),
            Form::Clear(name) => writer.extended("username*", name),
            Form::Extended(value) => writer.extended("username*", &value.to_text()),
        }
        writer.quoted("realm", self.realm);
        writer.quoted("nonce", self.nonce);
        writer.quoted("uri", self.uri);
        if let Some(algorithm) = self.algorithm_text {
            writer.unquoted("algorithm", algorithm);
        }
        if let Some(QopParams {
            qop_text,
            nc_text,
            cnonce,
            ..
        }) = self.protection
        {
            if quoted_qop {
                writer.quoted("qop", qop_text);
            } else {
                writer.unquoted("qop", qop_text);
            }
            writer.unquoted("nc", nc_text);
            writer.quoted("cnonce", cnonce);
        }
        if let Some(opaque) = self.opaque {
            writer.quoted("opaque", opaque);
        }
        if matches!(self.username.0, Form::Hash(_)) {
            writer.keyword("userhash", "true");
        }
        writer.quoted_plain("response", self.response.as_bytes());
        writer.finish()
    }

    /// Enough for the value unless something has to be escaped.
    fn capacity(&self) -> usize {
        let name = match self.username.0 {
            Form::Plain(name) => name.raw().len(),
            Form::Hash(_) => 64,
            Form::Clear(name) => 7 + 3 * name.len(),
            Form::Extended(_) => 64,
        };
        let text = |text: Option<Text<'_>>| text.map_or(0, |text| text.raw().len());
        let cnonce = self.protection.map(|protection| protection.cnonce);
        // The names and the punctuation of a value that has everything come to 170 bytes.
        256 + name
            + self.realm.raw().len()
            + self.nonce.raw().len()
            + self.uri.raw().len()
            + text(cnonce)
            + text(self.opaque)
    }
}

/// Which form a user name has.
#[derive(Clone, Copy)]
enum NameForm {
    Plain,
    Extended,
    Hash,
}

impl NameForm {
    const fn param(self) -> ParamName {
        match self {
            Self::Plain | Self::Hash => ParamName::Username,
            Self::Extended => ParamName::UsernameExt,
        }
    }
}

/// `username` or `username*`, both is an error; and `userhash`, which is `true` or `false` and
/// nothing else (RFC 7616, section 3.4).
#[inline(always)]
fn read_form(known: &ParamTable<'_>) -> Result<NameForm, ParamError> {
    use ParamName::{Userhash, Username, UsernameExt};
    use ParamProblem::{Inconsistent, Malformed, Missing};
    let error = |name, problem| Err(ParamError::new(name, problem));
    let form = match (known.get(Username), known.get(UsernameExt)) {
        (Some(_), Some(_)) => return error(UsernameExt, Inconsistent),
        (None, Some(value)) if value.is_quoted() => return error(UsernameExt, Malformed),
        (None, Some(_)) => NameForm::Extended,
        (Some(_), None) => NameForm::Plain,
        (None, None) => return error(Username, Missing),
    };
    match (known.get(Userhash), form) {
        (None, _) => Ok(form),
        (Some(text), _) if text.is_word(b"false") => Ok(form),
        (Some(text), _) if !text.is_word(b"true") => error(Userhash, Malformed),
        (Some(_), NameForm::Plain) => Ok(NameForm::Hash),
        (Some(_), _) => error(Userhash, Inconsistent),
    }
}

/// What `qop` and `nc` say. `qop`, `nc` and `cnonce` come all or none, and all for a `-sess`
/// algorithm, whose key needs the cnonce.
///
/// RFC 2617, section 3.2.2, forbids `nc` and `cnonce` where there is no `qop`. Java and some
/// libraries send them all the same; the response is that of RFC 2069, which has no place for
/// them, so they are ignored.
#[inline(always)]
fn read_count(
    known: &ParamTable<'_>,
    algorithm: Algorithm,
) -> Result<Option<(Qop, u32)>, ParamError> {
    match known.get(ParamName::Qop) {
        Some(qop) => {
            known.require(&[ParamName::Nc, ParamName::Cnonce])?;
            QopParams::read_count(qop, known.text(ParamName::Nc)).map(Some)
        }
        None if algorithm.is_session() => {
            Err(ParamError::new(ParamName::Qop, ParamProblem::Missing))
        }
        None => Ok(None),
    }
}
