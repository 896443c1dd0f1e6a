//! The credentials that a client sent, checked as far as possible without a secret.

use crate::basic::BasicCredentials;
use crate::channel::Channel;
use crate::digest::{Algorithm, DigestCredentials, HashFunction, HexDigest, User};
use crate::header::Authorization;
use crate::server::arrival::When;
use crate::server::issuer::Issuer;
use crate::server::nonce::{Nonce, NonceId};
use crate::server::realm::{BasicOffer, Realm, Settings};
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::syntax::{ParsedScheme, Scheme, chars};
use crate::target::Target;
use crate::time::Timestamp;

/// Returns the value of a field that occurs once. Not with a lock held: it runs caller's code.
#[inline]
pub(super) fn one_value<'a, I, V>(mut values: I) -> Result<&'a [u8], Reason>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value.as_ref()),
        (None, _) => Err(Reason::NoCredentials),
        (Some(_), Some(_)) => Err(Reason::MultipleCredentials),
    }
}

/// What the steps pass on of a request.
#[derive(Clone, Debug)]
pub(super) struct Checked<'a> {
    pub(super) realm: &'a Realm,
    /// Of the server that checked the nonce, which alone may admit the request.
    pub(super) issuer: &'a Issuer,
    pub(super) credentials: CheckedCredentials<'a>,
    pub(super) when: When<'a>,
}

impl Checked<'_> {
    pub(super) fn reject(&self, why: Reason) -> Refusal {
        Refusal::new(why, &self.realm.0, self.issuer, &self.when)
    }

    pub(super) fn is_of(&self, issuer: &Issuer) -> bool {
        core::ptr::eq(self.issuer, issuer)
    }
}

/// Credentials that passed the checks of `begin`, except that the nonce may be invalid.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would cost an allocation per request"
)]
pub(super) enum CheckedCredentials<'a> {
    Basic(BasicCredentials),
    Digest(CheckedDigest<'a>),
}

impl<'a> CheckedCredentials<'a> {
    /// Parses the value of the credentials field, and checks what can be checked without a secret.
    #[inline(always)]
    pub(super) fn begin(
        realm: &Settings,
        issuer: &Issuer,
        value: &'a [u8],
        target: &Target<'a>,
        when: &When<'_>,
    ) -> Result<Self, Reason> {
        if !chars::is_token(target.method) {
            return Err(Reason::InvalidMethod);
        }
        let (parsed_scheme, rest) =
            ParsedScheme::of_credentials(value).map_err(Reason::of_header)?;
        // Checked before the parameters are parsed, because other schemes may use another syntax.
        match parsed_scheme.scheme() {
            Some(Scheme::Basic) => {
                match realm.basic {
                    BasicOffer::Never => return Err(Reason::SchemeNotOffered),
                    BasicOffer::Encrypted if when.channel == Channel::Cleartext => {
                        return Err(Reason::CleartextBasic);
                    }
                    BasicOffer::Encrypted | BasicOffer::Anywhere => {}
                }
                let pair = Authorization::read_basic(parsed_scheme, rest);
                Ok(Self::Basic(pair.map_err(Reason::of_header)?))
            }
            Some(Scheme::Digest) if realm.algorithms().next().is_some() => {
                let credentials = Authorization::read_digest(parsed_scheme, rest);
                let credentials = credentials.map_err(Reason::of_header)?;
                let digest = CheckedDigest::new(realm, issuer, credentials, target, when)?;
                Ok(Self::Digest(digest))
            }
            Some(Scheme::Digest) | None => Err(Reason::SchemeNotOffered),
        }
    }

    /// The claimed user: for Basic a copy, because the decoded name lies in `self`.
    pub(super) fn user(&self) -> User<'a> {
        match self {
            Self::Basic(pair) => User::from_octets(pair.username().to_vec().into()),
            Self::Digest(digest) => digest.credentials.user(),
        }
    }

    pub(super) const fn algorithm(&self) -> Option<Algorithm> {
        match self {
            Self::Basic(_) => None,
            Self::Digest(digest) => Some(digest.credentials.algorithm()),
        }
    }

    pub(super) fn hash_function(&self, realm: &Settings) -> HashFunction {
        self.algorithm()
            .map_or_else(|| realm.basic_hash(), |algorithm| algorithm.hash_function())
    }

    pub(super) const fn digest(&self) -> Option<&CheckedDigest<'a>> {
        match self {
            Self::Basic(_) => None,
            Self::Digest(digest) => Some(digest),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct CheckedDigest<'a> {
    pub(super) credentials: DigestCredentials<'a>,
    /// Why it is not valid is withheld from clients that do not know the secret, except by
    /// `reject_unread`.
    pub(super) nonce: Result<NonceId, Reason>,
    /// The nonce to send as `nextnonce`, if one may be due.
    pub(super) next: Option<Nonce>,
}

impl<'a> CheckedDigest<'a> {
    #[inline(always)]
    pub(super) fn new(
        realm: &Settings,
        issuer: &Issuer,
        credentials: DigestCredentials<'a>,
        target: &Target<'_>,
        when: &When<'_>,
    ) -> Result<Self, Reason> {
        // Checked first, because a client of another realm may use what is not offered here.
        if !credentials.realm.is(realm.name.as_bytes()) {
            return Err(Reason::RealmMismatch);
        }
        check_offered(realm, &credentials)?;
        let uri = credentials.uri.to_bytes();
        if !realm.uri_check.accepts(target.uri, &uri) {
            return Err(Reason::UriMismatch);
        }
        let nonce = issuer.check(realm, credentials.nonce, when);
        let may_be_due = nonce.is_ok_and(|nonce| {
            realm.one_time_nonces
                || nonce.is_old(realm, when.now)
                // The response may turn out to be uncounted, which uses the nonce up.
                || !nonce.is_reusable(realm, when.now)
                    && (credentials.qop().is_none() || realm.uncounted_form)
        });
        Ok(Self {
            nonce,
            next: may_be_due.then(|| issuer.issue(realm, when, Timestamp::EPOCH)),
            credentials,
        })
    }
}

/// Checks that the realm accepts the algorithm, qop and forms of user name and cnonce.
fn check_offered(realm: &Settings, credentials: &DigestCredentials<'_>) -> Result<(), Reason> {
    let algorithm = credentials.algorithm();
    realm.check_algorithm_and_qop(algorithm, credentials.qop())?;
    if credentials.is_hashed_name() && !realm.userhash {
        return Err(Reason::UserhashNotOffered);
    }
    // A response could be the session key: see docs/server.md, "The `-sess` algorithms".
    if let Some(qop_params) = credentials.qop_params
        && algorithm.is_sess()
    {
        let hash = algorithm.hash_function();
        let is_like_a_hash = || HexDigest::from_text(hash, qop_params.cnonce()).is_some();
        let is_hash = !realm.accepts_hash_like_cnonces() && is_like_a_hash();
        if credentials.has_unsafe_session() || is_hash {
            return Err(Reason::SessionCnonce);
        }
    }
    Ok(())
}
