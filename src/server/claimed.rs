//! What a client claims, as far as it can be checked without a secret.

use crate::basic;
use crate::digest::{self, Algorithm, Ha1, HexDigest, Qop, User};
use crate::server::Server;
use crate::server::arrival::Arrival;
use crate::server::nonce::{Minter, NonceId};
use crate::server::rejection::Rejection;
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

impl Claimed<'_> {
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
}

#[derive(Clone, Debug)]
pub(super) struct DigestClaim<'a> {
    pub(super) credentials: digest::Credentials<'a>,
    pub(super) uri_match: UriCheck,
    /// Meaningless if the nonce is foreign.
    pub(super) nonce: NonceId,
    /// Said only to a client that knows the secret.
    pub(super) age: Age,
    /// No nonce of ours that was not used yet carries a later time.
    pub(super) latest: Timestamp,
}

/// What was found of a nonce.
#[derive(Clone, Copy, Debug)]
pub(super) enum Age {
    Fresh,
    Expired,
    Foreign,
}

impl<'a> DigestClaim<'a> {
    #[inline(always)]
    pub(super) fn new(
        server: &Server,
        credentials: digest::Credentials<'a>,
        target: &Target<'_>,
        arrival: &Arrival<'_>,
    ) -> Result<Self, Rejection> {
        let algorithm = credentials.algorithm();
        server.check_offered(algorithm, credentials.qop())?;
        if credentials.username().is_hashed() && !server.userhash {
            return Err(Rejection::UserhashNotOffered);
        }
        if let Some(protection) = credentials.protection()
            && algorithm.is_session()
        {
            server.check_session(algorithm, protection.cnonce())?;
        }
        if credentials.realm() != *server.realm() {
            return Err(Rejection::OtherRealm);
        }
        let uri = credentials.uri().to_bytes();
        let uri_match = server
            .uri_check
            .strictest(target.uri, &uri)
            .ok_or(Rejection::OtherUri)?;
        let (nonce, age) = server.judge(credentials.nonce(), arrival);
        Ok(Self {
            nonce,
            credentials,
            uri_match,
            age,
            latest: arrival.issue_time(),
        })
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

impl Server {
    /// Whether a client may answer in this way.
    fn check_offered(&self, algorithm: Algorithm, qop: Option<Qop>) -> Result<(), Rejection> {
        if !self.algorithms.contains(&algorithm) {
            return Err(Rejection::AlgorithmNotOffered);
        }
        let offered = match qop {
            Some(qop) => self.qop.contains(qop),
            None => self.rfc2069 || self.qop.is_legacy(),
        };
        offered.then_some(()).ok_or(Rejection::QopNotOffered)
    }

    /// Refuses a cnonce that could make a session key of a response that was sent before: see the
    /// [module](super#the--sess-algorithms).
    fn check_session(&self, algorithm: Algorithm, cnonce: Text<'_>) -> Result<(), Rejection> {
        let has_colon = cnonce.bytes().any(|byte| byte == b':');
        let is_like_a_hash = || HexDigest::from_text(algorithm.hash(), cnonce).is_some();
        if has_colon || (!self.hash_like_cnonces && is_like_a_hash()) {
            return Err(Rejection::SessionCnonce);
        }
        Ok(())
    }

    /// Whether the nonce is ours, and how old.
    fn judge(&self, nonce: Text<'_>, arrival: &Arrival<'_>) -> (NonceId, Age) {
        let known = |minter: &Minter| minter.recognise(nonce, arrival.binding);
        let id = known(&self.minter).or_else(|| self.previous.as_ref().and_then(known));
        match id {
            None => (NonceId::NOBODYS, Age::Foreign),
            Some(id) if self.expires(id) < arrival.now => (id, Age::Expired),
            Some(id) => (id, Age::Fresh),
        }
    }
}
