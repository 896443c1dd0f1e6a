//! A request with a verified response.

use core::fmt;

use crate::digest::Ha1;
use crate::server::arrival::Arrival;
use crate::server::credentials::{CheckedCredentials, CheckedDigest};
use crate::server::realm::Realm;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay_key::ReplayKey;

/// A request whose response or password is correct for an account, but which may still be a replay.
/// Pass it to [`Authenticator::admit`](super::Authenticator::admit), or [`claim`](Self::claim) it
/// with a store that several machines share.
///
/// Until then, the account is not accessible:
///
/// ```compile_fail,E0599
/// fn hasty(verified: countersign::server::Verified<'_, countersign::digest::Ha1>) {
///     verified.account(); // no such method
/// }
/// ```
#[must_use]
pub struct Verified<'a, A> {
    pub(super) realm: &'a Realm,
    /// The server that checked the nonce, which alone may admit the request.
    pub(super) server_id: u64,
    /// The value of the credentials field.
    pub(super) value: &'a [u8],
    pub(super) credentials: CheckedCredentials<'a>,
    pub(super) arrival: Arrival<'a>,
    /// HA1, or the session key of a `-sess` algorithm. `None` for Basic.
    pub(super) response_key: Option<Ha1>,
    /// Whether the response covers the nonce count.
    pub(super) counted: bool,
    pub(super) account: A,
}

impl<'a, A> Verified<'a, A> {
    /// Returns whether the nonce of a Digest request is valid for this request only: the realm
    /// requires it for all nonces, or the response covers no count and the nonce is not reusable.
    pub(super) fn is_single_use(&self) -> bool {
        let is_reusable =
            |digest: &CheckedDigest<'_>| self.realm.is_reusable(digest.nonce, self.arrival.now);
        self.realm.one_time_nonces
            || !self.counted && !self.credentials.digest().is_some_and(is_reusable)
    }

    /// The key to record. `None` for Basic, which can always be replayed, and for a response
    /// without a protected count whose nonce [may be reused](Realm::with_reusable_nonces).
    pub(super) fn replay_key(&self) -> Option<ReplayKey> {
        let digest = self.credentials.digest()?;
        let count = match digest.credentials.qop_params {
            _ if self.is_single_use() => None,
            Some(qop_params) if self.counted => Some(qop_params.nc()),
            _ => return None,
        };
        Some(ReplayKey {
            nonce: digest.nonce,
            count,
            latest_issue_time: digest.latest_issue_time,
            valid_until: self.realm.expires(digest.nonce),
        })
    }

    pub(super) fn reject(&self, why: Rejection) -> Rejected<'a> {
        Rejected::new(why, Some(self.value), self.realm, &self.arrival)
    }
}

/// Hides the account, and like [`Attempt`](super::Attempt) the value of the credentials field.
impl<A> fmt::Debug for Verified<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("realm", &self.realm)
            .field("credentials", &self.credentials)
            .field("arrival", &self.arrival)
            .field("counted", &self.counted)
            .finish_non_exhaustive()
    }
}
