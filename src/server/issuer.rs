//! The issuer of a server's nonces.

use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::InvalidText;
use crate::hash::Mac;
use crate::secret;
use crate::server::arrival::When;
use crate::server::key::{NonceKey, NonceKeys};
use crate::server::nonce::{LATEST_ISSUE, Nonce, NonceId, Terms, be_u64};
use crate::server::realm::Settings;
use crate::server::reason::Reason;
use crate::server::sync::{AtomicU64, RwLock, read, write};
use crate::syntax::Text;
use crate::time::Timestamp;

/// Issues the nonces of a server, and recognises them.
pub(super) struct Issuer {
    keys: RwLock<Keys>,
    /// The salt of the next nonce: a counter, which keeps nonces of one millisecond apart.
    next_salt: AtomicU64,
    /// The bits in front of the salt that name the machine, and those that count.
    machine: u64,
    counted: u64,
    /// The earliest time for a new nonce, also if the clock was set back: the latest of the
    /// [tables](super::replay::ReplayTable::issue_floor), to read without a lock, or what a shared
    /// store replied last.
    floor: AtomicU64,
}

/// Not in the cache lines of their lock, which every reader writes.
#[repr(align(128))]
struct Keys {
    issuing: Mac,
    /// Those that are only accepted: the previous one, the next one.
    accepted: Vec<Mac>,
}

impl Keys {
    fn new(keys: &NonceKeys) -> Self {
        Self {
            issuing: keys.issuing.mac(),
            accepted: keys.accepted.iter().map(NonceKey::mac).collect(),
        }
    }

    fn recognise(&self, nonce: Text<'_>, terms: &Terms<'_>) -> Option<NonceId> {
        let recognised = |key| NonceId::recognise(key, nonce, terms);
        recognised(&self.issuing).or_else(|| self.accepted.iter().find_map(recognised))
    }
}

impl Issuer {
    /// Without a first salt, it is made of the key, which no other server may have then.
    pub(super) fn new(keys: &NonceKeys, first_salt: Option<u64>) -> Self {
        let keys = Keys::new(keys);
        // The label is shorter than the MAC input of a nonce.
        let salt_of_key = || be_u64(&keys.issuing.of(&[b"salt"]));
        Self {
            next_salt: AtomicU64::new(first_salt.unwrap_or_else(salt_of_key)),
            machine: 0,
            counted: u64::MAX,
            floor: AtomicU64::new(0),
            keys: RwLock::new(keys),
        }
    }

    /// Names the machine by two characters of base64url, which follow the time in each nonce.
    pub(super) fn with_machine(self, name: &str) -> Result<Self, InvalidText> {
        let (a, b) = match *name.as_bytes() {
            [a, b] => (a, b),
            [] => return Err(InvalidText::Empty),
            [_] => return Err(InvalidText::NotToken(1)),
            _ => return Err(InvalidText::TooLong(2)),
        };
        let mut machine = [0; 8];
        match URL_SAFE_NO_PAD.decode_slice([a, b, b'A', b'A'], &mut machine) {
            Ok(_) => Ok(Self {
                machine: u64::from_be_bytes(machine),
                counted: u64::MAX >> 12,
                ..self
            }),
            Err(_) => Err(InvalidText::NotToken(0)),
        }
    }

    pub(super) fn set_keys(&self, keys: &NonceKeys) {
        *write(&self.keys) = Keys::new(keys);
    }

    /// Accepts what was issued with the replaced key, and nothing older.
    pub(super) fn rotate(&self, key: &NonceKey) {
        let mut keys = write(&self.keys);
        let replaced = core::mem::replace(&mut keys.issuing, key.mac());
        keys.accepted = vec![replaced];
    }

    fn floor(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.floor.load(Ordering::Relaxed))
    }

    pub(super) fn raise_floor(&self, floor: Timestamp) {
        // Load first: all threads share this cache line, and a store would invalidate it.
        if floor > self.floor() {
            self.floor
                .fetch_max(floor.as_unix_millis(), Ordering::Relaxed);
        }
    }

    /// Also lowers it, if the clock of a store was wrong.
    pub(super) fn set_floor(&self, floor: Timestamp) {
        self.floor.store(floor.as_unix_millis(), Ordering::Relaxed);
    }

    pub(super) fn time(&self, when: &When<'_>) -> Timestamp {
        when.now.min(LATEST_ISSUE).max(self.floor())
    }

    /// A new nonce with an issue time that is not before `floor`.
    pub(super) fn issue(&self, realm: &Settings, when: &When<'_>, floor: Timestamp) -> Nonce {
        let count = self.next_salt.fetch_add(1, Ordering::Relaxed);
        let salt = self.machine | count & self.counted;
        let issued = self.time(when).max(floor);
        let terms = Terms::new(realm, when);
        Nonce::issue(&read(&self.keys).issuing, issued, salt, &terms)
    }

    /// Recognises a nonce that was issued under these settings and this binding, with a key that the
    /// server still has, and is not too old.
    pub(super) fn check(
        &self,
        realm: &Settings,
        nonce: Text<'_>,
        when: &When<'_>,
    ) -> Result<NonceId, Reason> {
        match read(&self.keys).recognise(nonce, &Terms::new(realm, when)) {
            None => Err(Reason::NonceForeign),
            Some(id) if id.expires(realm) < when.now => Err(Reason::NonceExpired),
            Some(id) => Ok(id),
        }
    }
}

secret::hide!(Issuer);
