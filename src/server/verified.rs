//! A verified request, which may still be a replay.

use core::fmt;

use crate::server::credentials::{Checked, CheckedDigest, RightResponse};
use crate::server::nonce::Nonce;
use crate::server::replay::ReplayKey;

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
