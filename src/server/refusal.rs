//! The response to a rejected request.

use alloc::vec::Vec;

use crate::basic::basic_challenge;
use crate::channel::Channel;
use crate::digest::{Algorithm, DigestChallenge};
use crate::field_value::FieldValue;
use crate::server::nonce::Nonce;
use crate::server::nonce_issuer::NonceIssuer;
use crate::server::realm::Realm;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::settings::BasicOffer;
use crate::syntax::Text;

/// The response to a rejected request: its status and its challenges.
///
/// A status of 401 or 407 never comes without a challenge (RFC 9110, sections 15.5.2 and 15.5.8):
/// where nothing is offered on the channel, it is 403 instead.
///
/// ```
/// # #[cfg(feature = "std")] {
/// # use countersign::server::{Arrival, Authenticator, Realm};
/// # use countersign::{Channel, Target};
/// # let auth = Authenticator::new(Realm::new("files")?, 100, &mut getrandom::SysRng)?;
/// # let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
/// # let rejected = auth.begin(None::<&str>, &target, &arrival).unwrap_err();
/// let refusal = auth.refuse(&rejected);
/// let mut response = http::Response::builder().status(refusal.status);
/// for challenge in &refusal.challenges {
///     response = response.header(refusal.field, challenge.as_ref());
/// }
/// # assert_eq!(response.body(())?.status(), 401);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The status code: 401, or 407 for a [proxy](super::Realm::for_proxy); 400, 403 or 500 as
    /// listed at [`Rejection`].
    pub status: u16,
    /// The field name for the challenges: `www-authenticate` or `proxy-authenticate`.
    pub field: &'static str,
    /// The challenges: Digest in the order of
    /// [`Realm::with_algorithms`](super::Realm::with_algorithms), then Basic. Send each as a
    /// separate field line, because some clients read only the first of a list. Empty unless the
    /// status is 401 or 407: add challenges of other schemes only to a list that is not empty.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use countersign::FieldValue;
    /// # use countersign::server::{Arrival, Authenticator, Realm};
    /// # use countersign::{Channel, Target};
    /// # let auth = Authenticator::new(Realm::new("files")?, 100, &mut getrandom::SysRng)?;
    /// # let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
    /// # let rejected = auth.begin(None::<&str>, &target, &arrival).unwrap_err();
    /// let mut refusal = auth.refuse(&rejected);
    /// if !refusal.challenges.is_empty() {
    ///     let bearer = FieldValue::with_params("Bearer", &[("realm", "files")])?;
    ///     refusal.challenges.push(bearer);
    /// }
    /// # assert_eq!(refusal.challenges.last().unwrap(), &r#"Bearer realm="files""#);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub challenges: Vec<FieldValue>,
}

impl Refusal {
    pub(super) fn new<S: FnMut() -> u64>(
        rejected: &Rejected<'_>,
        issuer: NonceIssuer<'_, S>,
    ) -> Self {
        let (realm, arrival) = (rejected.realm(), &rejected.arrival());
        let rejection = rejected.rejection();
        let status = rejection.status(realm.challenger);
        let mut challenges = Vec::new();
        if status == realm.challenger.status() {
            // `reserve` would take the slow path of a vector that grows.
            challenges = Vec::with_capacity(realm.algorithms.len() + 1);
            let floor = match rejection {
                // After the clock was set back, a nonce with its time could count as forgotten, too.
                Rejection::NonceForgotten { until } => issuer.floor.max(until.plus_millis(1)),
                _ => issuer.floor,
            };
            if !realm.algorithms.is_empty() {
                let nonce = NonceIssuer { floor, ..issuer }.issue(realm, arrival);
                let stale = rejection.is_stale();
                let digest = |&algorithm| digest_challenge(realm, algorithm, &nonce, stale);
                challenges.extend(realm.algorithms.iter().map(digest));
            }
            if offers_basic(realm, arrival.channel) {
                // Cannot fail: the name was checked when it was set.
                challenges.extend(basic_challenge(&realm.name));
            }
        }
        Self {
            status: match status {
                401 | 407 if challenges.is_empty() => 403,
                status => status,
            },
            field: realm.challenger.challenge_field(),
            challenges,
        }
    }
}

fn offers_basic(realm: &Realm, channel: Channel) -> bool {
    match realm.basic {
        BasicOffer::Never => false,
        BasicOffer::Encrypted => channel == Channel::Encrypted,
        BasicOffer::Anywhere => true,
    }
}

fn digest_challenge(realm: &Realm, algorithm: Algorithm, nonce: &Nonce, stale: bool) -> FieldValue {
    let text = |text| Text::assume_checked(str::as_bytes(text));
    let mut challenge = DigestChallenge::of(text(&realm.name), nonce.text(), algorithm);
    challenge.qop = realm.qop;
    challenge.stale = stale;
    challenge.utf8 = true;
    challenge.opaque = realm.opaque.as_deref().map(text);
    challenge.domain = realm.domain.as_deref().map(text);
    challenge.userhash = realm.userhash.then_some(true);
    challenge.to_field_value()
}
