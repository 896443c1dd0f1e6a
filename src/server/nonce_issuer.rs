//! Issues the nonces of a realm, and checks those that clients send.

use crate::server::arrival::Arrival;
use crate::server::keys::Keys;
use crate::server::nonce::{LATEST_ISSUE, Nonce, NonceId, Terms};
use crate::server::realm::Realm;
use crate::syntax::Text;
use crate::time::Timestamp;

/// Issues nonces with the keys of a server, and recognises them.
pub(super) struct NonceIssuer<'k, S> {
    pub(super) keys: &'k Keys,
    /// The earliest time that a new nonce may carry, also if the clock was set back: a nonce issued
    /// earlier could count as forgotten.
    pub(super) floor: Timestamp,
    /// Returns a different number at each call.
    pub(super) salt: S,
}

impl<S: FnMut() -> u64> NonceIssuer<'_, S> {
    /// The issue time for a new nonce.
    pub(super) fn time(&self, arrival: &Arrival<'_>) -> Timestamp {
        arrival.now.min(LATEST_ISSUE).max(self.floor)
    }

    pub(super) fn issue(&mut self, realm: &Realm, arrival: &Arrival<'_>) -> Nonce {
        let salt = (self.salt)();
        let terms = terms(realm, arrival);
        self.keys.issue(self.time(arrival), salt, &terms)
    }

    /// Returns the identity of a client's nonce, and whether it is valid.
    pub(super) fn check(
        &self,
        realm: &Realm,
        nonce: Text<'_>,
        arrival: &Arrival<'_>,
    ) -> (NonceId, Validity) {
        match self.keys.recognise(nonce, &terms(realm, arrival)) {
            None => (NonceId::FOREIGN, Validity::Foreign),
            Some(id) if realm.expires(id) < arrival.now => (id, Validity::Expired),
            Some(id) => (id, Validity::Fresh),
        }
    }
}

/// The result of checking a nonce.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Validity {
    Fresh,
    /// Issued by this server, but too long ago.
    Expired,
    /// Not issued by this server with a key that it still has, these settings and this binding.
    Foreign,
}

/// The settings and the binding that are bound into nonces.
const fn terms<'a>(realm: &Realm, arrival: &Arrival<'a>) -> Terms<'a> {
    Terms {
        lifetime_secs: realm.nonce_lifetime_secs,
        one_time: realm.one_time_nonces,
        hash_like_cnonces: realm.accepts_hash_like_cnonces(),
        binding: arrival.binding,
    }
}
