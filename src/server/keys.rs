//! The keys that a server's nonces are issued and recognised with.

use crate::server::nonce::{Nonce, NonceId, RealmKey, Terms};
use crate::server::nonce_key::NonceKey;
use crate::syntax::Text;
use crate::time::Timestamp;

/// The current key and the one before it.
#[derive(Debug)]
pub(super) struct Keys {
    /// Identifies the `Authenticator` or `Nonces` that has the keys, by its first key and realm
    /// name: a request verified under another pair is not admitted. It stays the same when keys
    /// rotate.
    pub(super) server_id: u64,
    current: RealmKey,
    previous: Option<RealmKey>,
}

impl Keys {
    pub(super) fn new(key: &NonceKey, realm: &str) -> Self {
        let current = RealmKey::new(key, realm);
        Self {
            server_id: current.id(),
            current,
            previous: None,
        }
    }

    pub(super) fn rotate(&mut self, key: &NonceKey, realm: &str) {
        let replaced = core::mem::replace(&mut self.current, RealmKey::new(key, realm));
        self.previous = Some(replaced);
    }

    /// Returns the identity of a nonce if it was issued with one of the keys under these terms.
    pub(super) fn recognise(&self, nonce: Text<'_>, terms: &Terms<'_>) -> Option<NonceId> {
        let recognised = |key: &RealmKey| key.recognise(nonce, terms);
        recognised(&self.current).or_else(|| self.previous.as_ref().and_then(recognised))
    }

    pub(super) fn issue(&self, issued: Timestamp, salt: u64, terms: &Terms<'_>) -> Nonce {
        self.current.issue(issued, salt, terms)
    }
}
