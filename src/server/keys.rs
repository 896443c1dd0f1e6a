//! The keys that a realm's nonces are made and recognised with.

use crate::server::nonce::{Minter, Nonce, NonceId, Terms};
use crate::server::nonce_key::NonceKey;
use crate::syntax::Text;
use crate::time::Timestamp;

/// The present key and the one before it.
#[derive(Debug)]
pub(super) struct Keys {
    /// Tells one server's nonces from another's. It stays when keys change.
    pub(super) id: u64,
    present: Minter,
    previous: Option<Minter>,
}

impl Keys {
    pub(super) fn new(key: &NonceKey, realm: &str) -> Self {
        let present = Minter::new(key, realm);
        Self {
            id: present.id(),
            present,
            previous: None,
        }
    }

    pub(super) fn rotate(&mut self, key: &NonceKey, realm: &str) {
        let present = core::mem::replace(&mut self.present, Minter::new(key, realm));
        self.previous = Some(present);
    }

    /// Returns what identifies a nonce, if it was made with one of the keys under these terms.
    pub(super) fn recognise(&self, nonce: Text<'_>, terms: &Terms<'_>) -> Option<NonceId> {
        let recognised = |minter: &Minter| minter.recognise(nonce, terms);
        recognised(&self.present).or_else(|| self.previous.as_ref().and_then(recognised))
    }

    pub(super) fn mint(&self, issued: Timestamp, salt: u64, terms: &Terms<'_>) -> Nonce {
        self.present.mint(issued, salt, terms)
    }
}
