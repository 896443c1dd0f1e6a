//! The response to a rejected request.

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::basic::basic_challenge;
use crate::digest::{Algorithm, DigestChallenge};
use crate::field_value::FieldValue;
use crate::server::arrival::When;
use crate::server::issuer::Issuer;
use crate::server::nonce::Nonce;
use crate::server::realm::Settings;
use crate::server::reason::Reason;
use crate::syntax::Text;
use crate::time::Timestamp;

/// The response to a rejected request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The status code: see [`checks`](super::checks).
    pub status: u16,
    /// The field name for the challenges: `www-authenticate` or `proxy-authenticate`.
    pub field: &'static str,
    /// The challenges: Digest in the order of
    /// [`Realm::with_algorithms`](super::Realm::with_algorithms), then Basic. Append each as a
    /// separate field line, because some clients read only the first of a list, and a map that
    /// inserts keeps the last, which is the weakest. Empty unless the status is 401 or 407: add
    /// challenges of [other schemes](crate::manual::client#other-schemes) only to a list that is
    /// not empty.
    pub challenges: Vec<FieldValue>,
    /// The reason, for the log and the rate limiter. Do not send it.
    pub reason: Reason,
}

impl Refusal {
    pub(super) fn new(reason: Reason, realm: &Settings, issuer: &Issuer, when: &When<'_>) -> Self {
        let (mut status, mut reason) = (reason.status(realm.challenger), reason);
        let mut challenges = Vec::new();
        if status == realm.challenger.status() {
            let mut algorithms = realm.algorithms().peekable();
            // `reserve` would take the slow path of a vector that grows.
            challenges = Vec::with_capacity(algorithms.size_hint().1.unwrap_or(0) + 1);
            if algorithms.peek().is_some() {
                let floor = match reason {
                    // After the clock was set back, a nonce with its time could count as
                    // forgotten, too.
                    Reason::NonceForgotten { until } => until.plus_millis(1),
                    _ => Timestamp::EPOCH,
                };
                let nonce = issuer.issue(realm, when, floor);
                let digest = |algorithm| digest_challenge(realm, algorithm, &nonce, reason);
                challenges.extend(algorithms.map(digest));
            }
            if realm.basic.is_on(when.channel) {
                // Cannot fail: the name was checked when it was set.
                challenges.extend(basic_challenge(&realm.name, realm.charset));
            }
            if challenges.is_empty() {
                status = 403;
                if reason == Reason::NoCredentials {
                    reason = Reason::NothingOffered;
                }
            }
        }
        Self {
            status,
            field: realm.challenger.challenge_field(),
            challenges,
            reason,
        }
    }
}

/// Writes the [reason](Refusal::reason), for the log.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl Error for Refusal {}

/// The response to send, with an empty body. Challenges are no secrets, so logs may show them.
#[cfg(feature = "http")]
impl<B: Default> From<Refusal> for http::Response<B> {
    fn from(refusal: Refusal) -> Self {
        let mut response = Self::default();
        // Does not fail: it is one of the statuses of `Reason`.
        *response.status_mut() = http::StatusCode::from_u16(refusal.status)
            .unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
        for challenge in refusal.challenges {
            let mut value = http::HeaderValue::from(challenge);
            value.set_sensitive(false);
            response.headers_mut().append(refusal.field, value);
        }
        response
    }
}

fn digest_challenge(
    realm: &Settings,
    algorithm: Algorithm,
    nonce: &Nonce,
    reason: Reason,
) -> FieldValue {
    let text = |text| Text::assume_checked(str::as_bytes(text));
    let mut challenge = DigestChallenge::of(text(&realm.name), nonce.text(), algorithm);
    challenge.qop = realm.qop;
    challenge.stale = reason.is_stale();
    challenge.utf8 = realm.charset;
    challenge.opaque = realm.opaque.as_deref().map(text);
    challenge.domain = realm.domain.as_deref().map(text);
    challenge.userhash = realm.userhash.then_some(true);
    challenge.to_field_value()
}
