//! The credentials that a client sent, checked as far as possible without a secret.

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

/// Credentials that passed the checks of `begin`.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would be an allocation a request"
)]
pub(super) enum CheckedCredentials<'a> {
    Basic(basic::Credentials),
    Digest(CheckedDigest<'a>),
}

impl<'a> CheckedCredentials<'a> {
    /// A copy for Basic, whose decoded name lies in `self`.
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

    pub(super) const fn digest(&self) -> Option<&CheckedDigest<'a>> {
        match self {
            Self::Basic(_) => None,
            Self::Digest(digest) => Some(digest),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct CheckedDigest<'a> {
    pub(super) credentials: digest::Credentials<'a>,
    pub(super) uri_match: UriCheck,
    /// [`NonceId::FOREIGN`] if the nonce is foreign.
    pub(super) nonce: NonceId,
    /// Revealed only to a client that knows the secret.
    pub(super) age: Age,
    /// No nonce that is unused carries a later time, unless the clock was set back.
    pub(super) latest: Timestamp,
    /// The nonce to send as `nextnonce`, if one may be due.
    pub(super) next: Option<Nonce>,
}

/// The result of checking a nonce.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Age {
    Fresh,
    Expired,
    Foreign,
}

/// The keys of nonces, and what is needed to issue a new one.
pub(super) struct NonceIssuer<'k, S> {
    pub(super) keys: &'k Keys,
    /// The earliest time that a new nonce may carry.
    pub(super) floor: Timestamp,
    /// Returns a different number at each call.
    pub(super) salt: S,
}

impl<S: FnMut() -> u64> NonceIssuer<'_, S> {
    /// The issue time for a new nonce. No nonce issued so far carries a later one.
    pub(super) fn time(&self, arrival: &Arrival<'_>) -> Timestamp {
        arrival.now.max(self.floor)
    }

    pub(super) fn issue(&mut self, realm: &Realm, arrival: &Arrival<'_>) -> Nonce {
        let salt = (self.salt)();
        let terms = terms(realm, arrival);
        self.keys.mint(self.time(arrival), salt, &terms)
    }
}

impl<'a> CheckedDigest<'a> {
    #[inline(always)]
    pub(super) fn new<S: FnMut() -> u64>(
        realm: &Realm,
        issuer: &mut NonceIssuer<'_, S>,
        credentials: digest::Credentials<'a>,
        target: &Target<'_>,
        arrival: &Arrival<'_>,
    ) -> Result<Self, Rejection> {
        // First, because another realm may offer other things.
        if credentials.realm() != *realm.name {
            return Err(Rejection::RealmMismatch);
        }
        check_offered(realm, &credentials)?;
        let uri = credentials.uri().to_bytes();
        let uri_match = realm
            .uri_check()
            .strictest(target.uri, &uri)
            .ok_or(Rejection::UriMismatch)?;
        let (nonce, age) = check_nonce(realm, issuer.keys, credentials.nonce(), arrival);
        let is_due = age == Age::Fresh
            && match realm.next_nonce {
                NextNonce::Never => false,
                NextNonce::WhenDue => {
                    realm.one_time_nonces
                        || realm.is_old(nonce, arrival.now)
                        // The response may turn out to be uncounted, which uses the nonce up.
                        || !realm.reusable_nonces
                            && (credentials.qop().is_none() || realm.uncounted_form)
                }
                NextNonce::Always => true,
            };
        Ok(Self {
            uri_match,
            nonce,
            age,
            latest: issuer.time(arrival),
            next: is_due.then(|| issuer.issue(realm, arrival)),
            credentials,
        })
    }
}

/// Checks that the realm offers the algorithm, qop and forms of user name and cnonce used.
fn check_offered(realm: &Realm, credentials: &digest::Credentials<'_>) -> Result<(), Rejection> {
    let algorithm = credentials.algorithm();
    realm.check_algorithm_and_qop(algorithm, credentials.qop())?;
    if credentials.username().is_hashed() && !realm.userhash {
        return Err(Rejection::UserhashNotOffered);
    }
    if let Some(protection) = credentials.qop_params()
        && algorithm.is_sess()
    {
        check_session_cnonce(realm, algorithm, protection.cnonce())?;
    }
    Ok(())
}

/// Refuses a cnonce with which an earlier response could serve as a session key: see the
/// [module](super#the--sess-algorithms).
fn check_session_cnonce(
    realm: &Realm,
    algorithm: Algorithm,
    cnonce: Text<'_>,
) -> Result<(), Rejection> {
    let has_colon = cnonce.bytes().any(|byte| byte == b':');
    let is_like_a_hash = || HexDigest::from_text(algorithm.hash_function(), cnonce).is_some();
    if has_colon || (!realm.accepts_hash_like_cnonces() && is_like_a_hash()) {
        return Err(Rejection::SessionCnonce);
    }
    Ok(())
}

/// The settings that are bound into nonces.
const fn terms<'a>(realm: &Realm, arrival: &Arrival<'a>) -> Terms<'a> {
    Terms {
        lifetime_secs: realm.nonce_lifetime_secs,
        one_time: realm.one_time_nonces,
        hash_like_cnonces: realm.accepts_hash_like_cnonces(),
        binding: arrival.binding,
    }
}

/// Returns the identity of a nonce, and whether it is valid.
fn check_nonce(
    realm: &Realm,
    keys: &Keys,
    nonce: Text<'_>,
    arrival: &Arrival<'_>,
) -> (NonceId, Age) {
    match keys.recognise(nonce, &terms(realm, arrival)) {
        None => (NonceId::FOREIGN, Age::Foreign),
        Some(id) if realm.expires(id) < arrival.now => (id, Age::Expired),
        Some(id) => (id, Age::Fresh),
    }
}

/// Mixes an HA1 into the tag of a nonce, so that each user of a nonce has separate counts.
///
/// The HA1 rather than the user name, because the response does not cover the name: an attacker can
/// rewrite it in a captured header, and a store may accept several spellings for one account. The
/// result is used only if the response was correct for this HA1.
///
/// Each step is a bijection of the tag, so two nonces of one user never collide. Two users of one
/// nonce collide with a probability of 2⁻⁶⁴, and then share a window, which can refuse a request
/// but never admit a replay. Clients do not know the tag, so they cannot search for such a pair.
pub(super) fn bind_to_ha1(nonce: NonceId, ha1: &Ha1) -> NonceId {
    let NonceId { issued, mut tag } = nonce;
    // 32 hex digits (128 bits) are enough to tell users apart.
    for word in ha1.digest().as_bytes().as_chunks().0.iter().take(4) {
        tag = (tag ^ u64::from_le_bytes(*word))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }
    NonceId { issued, tag }
}
