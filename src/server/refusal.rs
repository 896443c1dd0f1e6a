//! The response to a request that may not go on.

use alloc::vec::Vec;

use crate::basic;
use crate::channel::Channel;
use crate::digest::{Algorithm, Challenge};
use crate::field_value::FieldValue;
use crate::server::claimed::Issuing;
use crate::server::nonce::Nonce;
use crate::server::realm::Realm;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::settings::BasicOffer;
use crate::syntax::Text;

/// The response to a request that may not go on: its status, and its challenges.
///
/// A status of 401 or 407 never comes without a challenge (RFC 9110, section 15.5.2): where nothing
/// is offered on the channel, it is 403.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The status: 401, or 407 for a [proxy](super::Realm::for_proxy); 400, 403 and 500 as the
    /// table at [`Rejection`] has it.
    pub status: u16,
    /// The field of the challenges: `www-authenticate` or `proxy-authenticate`.
    pub field: &'static str,
    /// The values of that field, in the order of the [realm](super::Realm::with_algorithms). Send
    /// each in a field of its own, because some clients read but the first of a list. Empty unless
    /// the status is 401 or 407.
    pub challenges: Vec<FieldValue>,
}

impl Refusal {
    pub(super) fn new<S: FnMut() -> u64>(rejected: &Rejected<'_>, issuing: Issuing<'_, S>) -> Self {
        let Rejected { realm, arrival, .. } = rejected;
        let rejection = rejected.rejection();
        let status = rejection.status(realm.challenger);
        let mut challenges = Vec::new();
        if status == realm.challenger.status() {
            challenges.reserve(realm.algorithms.len() + 1);
            let floor = match rejection {
                // The clock was set back: a nonce of now would be taken for forgotten, too.
                Rejection::NonceForgotten { until } => issuing.floor.max(until.plus_millis(1)),
                _ => issuing.floor,
            };
            if !realm.algorithms.is_empty() {
                let nonce = Issuing { floor, ..issuing }.issue(realm, arrival);
                let stale = rejection.is_stale();
                let digest = |&algorithm| digest_challenge(realm, algorithm, &nonce, stale);
                challenges.extend(realm.algorithms.iter().map(digest));
            }
            if offers_basic(realm, arrival.channel) {
                // The name was checked when it was given.
                challenges.extend(basic::challenge(&realm.name));
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
    let text = |text| Text::literal(str::as_bytes(text));
    let mut challenge = Challenge::of(text(&realm.name), nonce.text(), algorithm)
        .with_qop(realm.qop)
        .with_stale(stale)
        .with_utf8();
    if let Some(opaque) = &realm.opaque {
        challenge = challenge.with_opaque(text(opaque));
    }
    if let Some(domain) = &realm.domain {
        challenge = challenge.with_domain(text(domain));
    }
    if realm.userhash {
        challenge = challenge.with_userhash();
    }
    challenge.to_field_value()
}
