//! What a client claims, as far as it can be checked without a secret.

use crate::basic;
use crate::digest::{self, Algorithm, Ha1, HexDigest, User};
use crate::server::arrival::Arrival;
use crate::server::keys::Keys;
use crate::server::nonce::{Nonce, NonceId, Terms};
use crate::server::realm::Realm;
use crate::server::rejection::Rejection;
use crate::server::settings::NextNonce;
use crate::server::uri::UriCheck;
use crate::syntax::Text;
use crate::target::Target;
use crate::time::Timestamp;

/// Credentials that are in order.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would be an allocation a request"
)]
pub(super) enum Claimed<'a> {
    Basic(basic::Credentials),
    Digest(DigestClaim<'a>),
}

impl<'a> Claimed<'a> {
    pub(super) fn user(&self) -> User<'_> {
        match self {
            Self::Basic(pair) => User::from_octets(pair.username().into()),
            Self::Digest(claim) => claim.credentials.user(),
        }
    }

    pub(super) const fn algorithm(&self) -> Option<Algorithm> {
        match self {
            Self::Basic(_) => None,
            Self::Digest(claim) => Some(claim.credentials.algorithm()),
        }
    }

    pub(super) const fn digest(&self) -> Option<&DigestClaim<'a>> {
        match self {
            Self::Basic(_) => None,
            Self::Digest(claim) => Some(claim),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct DigestClaim<'a> {
    pub(super) credentials: digest::Credentials<'a>,
    pub(super) uri_match: UriCheck,
    /// Meaningless if the nonce is foreign.
    pub(super) nonce: NonceId,
    /// Told only to a client that knows the secret.
    pub(super) age: Age,
    /// No nonce of ours that was not used yet carries a later time.
    pub(super) latest: Timestamp,
    /// The nonce to use next, if it is time for one.
    pub(super) next: Option<Nonce>,
}

/// What was found out about a nonce.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Age {
    Fresh,
    Expired,
    Foreign,
}

/// The steps that need the keys of nonces: recognising one, and issuing the next.
pub(super) struct Issuing<'k, S> {
    pub(super) keys: &'k Keys,
    /// New nonces carry no earlier time than this.
    pub(super) floor: Timestamp,
    /// Gives a number that it has not given before.
    pub(super) salt: S,
}

impl<S: FnMut() -> u64> Issuing<'_, S> {
    /// The time for a nonce to carry; no nonce issued so far carries a later one.
    pub(super) fn time(&self, arrival: &Arrival<'_>) -> Timestamp {
        arrival.now.max(self.floor)
    }

    pub(super) fn issue(&mut self, realm: &Realm, arrival: &Arrival<'_>) -> Nonce {
        let salt = (self.salt)();
        let terms = terms(realm, arrival);
        self.keys.mint(self.time(arrival), salt, &terms)
    }
}

impl<'a> DigestClaim<'a> {
    #[inline(always)]
    pub(super) fn new<S: FnMut() -> u64>(
        realm: &Realm,
        issuing: &mut Issuing<'_, S>,
        credentials: digest::Credentials<'a>,
        target: &Target<'_>,
        arrival: &Arrival<'_>,
    ) -> Result<Self, Rejection> {
        check_offered(realm, &credentials)?;
        if credentials.realm() != *realm.name {
            return Err(Rejection::RealmMismatch);
        }
        let uri = credentials.uri().to_bytes();
        let uri_match = realm
            .uri_check
            .strictest(target.uri, &uri)
            .ok_or(Rejection::UriMismatch)?;
        let (nonce, age) = judge(realm, issuing.keys, credentials.nonce(), arrival);
        let is_due = age == Age::Fresh
            && match realm.next_nonce {
                NextNonce::Never => false,
                NextNonce::WhenOld => {
                    realm.one_time_nonces
                        || realm.is_old(nonce, arrival.now)
                        // Not known before the response was checked, but the nonce may be used up.
                        || !realm.reusable_nonces
                            && (credentials.qop().is_none() || realm.uncounted_form)
                }
                NextNonce::Always => true,
            };
        Ok(Self {
            uri_match,
            nonce,
            age,
            latest: issuing.time(arrival),
            next: is_due.then(|| issuing.issue(realm, arrival)),
            credentials,
        })
    }
}

/// Checks that a client may answer in this way.
fn check_offered(realm: &Realm, credentials: &digest::Credentials<'_>) -> Result<(), Rejection> {
    let algorithm = credentials.algorithm();
    realm.check_offered(algorithm, credentials.qop())?;
    if credentials.username().is_hashed() && !realm.userhash {
        return Err(Rejection::UserhashNotOffered);
    }
    if let Some(protection) = credentials.protection()
        && algorithm.is_session()
    {
        check_session(realm, algorithm, protection.cnonce())?;
    }
    Ok(())
}

/// Refuses a cnonce that could make a session key of a response that was sent before: see the
/// [module](super#the--sess-algorithms).
fn check_session(realm: &Realm, algorithm: Algorithm, cnonce: Text<'_>) -> Result<(), Rejection> {
    let has_colon = cnonce.bytes().any(|byte| byte == b':');
    let is_like_a_hash = || HexDigest::from_text(algorithm.hash_function(), cnonce).is_some();
    if has_colon || (!realm.accepts_hash_like_cnonces() && is_like_a_hash()) {
        return Err(Rejection::SessionCnonce);
    }
    Ok(())
}

/// What nonces are issued for under these settings.
const fn terms<'a>(realm: &Realm, arrival: &Arrival<'a>) -> Terms<'a> {
    Terms {
        lifetime_secs: realm.nonce_lifetime_secs,
        one_time: realm.one_time_nonces,
        hash_like_cnonces: realm.accepts_hash_like_cnonces(),
        binding: arrival.binding,
    }
}

/// Whether the nonce is ours, and how old.
fn judge(realm: &Realm, keys: &Keys, nonce: Text<'_>, arrival: &Arrival<'_>) -> (NonceId, Age) {
    match keys.recognise(nonce, &terms(realm, arrival)) {
        None => (NonceId::NOBODYS, Age::Foreign),
        Some(id) if realm.expires(id) < arrival.now => (id, Age::Expired),
        Some(id) => (id, Age::Fresh),
    }
}

/// The nonce as the holder of this HA1 uses it: what a count belongs to.
///
/// HA1 and not the user's name, because the response covers HA1 alone. A name can be rewritten by
/// whoever captures a header, and a store may take many spellings for one account. What comes out
/// is used only if the response was found right with this HA1.
///
/// Each step is a bijection of the tag, so two nonces of one user never come to the same; two users
/// of one nonce do with a chance of 2⁻⁶⁴, and then share a window, which refuses but never grants.
/// No client knows the tag, so nobody can look for such a pair.
pub(super) fn used_by(nonce: NonceId, ha1: &Ha1) -> NonceId {
    let NonceId { issued, mut tag } = nonce;
    // 32 digits of a hash are enough to tell users apart.
    for word in ha1.digest().as_bytes().as_chunks().0.iter().take(4) {
        tag = (tag ^ u64::from_le_bytes(*word))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }
    NonceId { issued, tag }
}
