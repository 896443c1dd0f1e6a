//! A verified request, and what the steps before know of it.

use core::fmt;

use crate::basic::BasicCredentials;
use crate::digest::{Algorithm, DigestCredentials, HashFunction, Kd, User};
use crate::server::arrival::When;
use crate::server::issuer::Issuer;
use crate::server::nonce::{Nonce, NonceId};
use crate::server::realm::Realm;
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::server::replay::ReplayKey;

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

    pub(super) fn hash_function(&self) -> HashFunction {
        let algorithm = self.credentials.algorithm();
        algorithm.map_or_else(|| self.realm.0.basic_hash(), Algorithm::hash_function)
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

/// A response that is right for an HA1.
pub(super) struct RightResponse {
    /// The nonce, bound to the HA1.
    pub(super) nonce: NonceId,
    /// What the response and the server's proof share.
    pub(super) begun: Kd,
    /// Whether it covers the nonce count.
    pub(super) counted: bool,
}

/// A request whose response or password is correct for an account, but which may still be a replay.
/// Until it is [admitted](super::Authenticator::admit), the account is not accessible:
///
/// ```compile_fail,E0599
/// fn hasty(verified: countersign::server::Verified<'_, countersign::digest::Ha1>) {
///     verified.account(); // no such method
/// }
/// ```
#[must_use]
pub struct Verified<'a, A> {
    pub(super) request: Checked<'a>,
    /// `None` for Basic.
    pub(super) response: Option<RightResponse>,
    pub(super) account: A,
}

impl<'a, A> Verified<'a, A> {
    pub(super) fn digest(&self) -> Option<(&CheckedDigest<'a>, &RightResponse)> {
        Some((self.request.credentials.digest()?, self.response.as_ref()?))
    }

    /// Returns whether the nonce is valid for this request only.
    fn is_single_use(&self, response: &RightResponse) -> bool {
        let Checked { realm, when, .. } = &self.request;
        realm.0.one_time_nonces
            || !response.counted && !response.nonce.is_reusable(&realm.0, when.now)
    }

    pub(super) fn replay_key(&self) -> Option<ReplayKey> {
        let (digest, response) = self.digest()?;
        let count = match digest.credentials.qop_params {
            _ if self.is_single_use(response) => None,
            Some(qop_params) if response.counted => Some(qop_params.nc()),
            _ => return None,
        };
        Some(ReplayKey {
            nonce: response.nonce,
            count,
            valid_until: response.nonce.expires(&self.request.realm.0),
        })
    }

    /// The nonce to send with the response, if one is due.
    pub(super) fn next_nonce(&self) -> Option<&Nonce> {
        let Checked { realm, when, .. } = &self.request;
        let (digest, response) = self.digest()?;
        let is_due = self.is_single_use(response) || response.nonce.is_old(&realm.0, when.now);
        digest.next.as_ref().filter(|_| is_due)
    }
}

/// Hides the account.
impl<A> fmt::Debug for Verified<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
