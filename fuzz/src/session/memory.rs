//! The server's memory of used nonces.

use std::cell::RefCell;
use std::collections::BTreeMap;

use countersign::server::{
    Arrival, Attempt, Authenticator, Grant, NonceKey, PendingClaim, Realm, Refusal, SharedStore,
    Use, Verified,
};
use countersign::{Target, Timestamp};

use super::rng::Counter;
use super::script::Script;

/// The server, with its own memory or a store that machines share.
pub(super) struct Memory {
    auth: Authenticator,
    capacity: usize,
    key: u32,
    shared: Option<(Authenticator<SharedStore>, RefCell<Ledger>)>,
}

#[derive(Default)]
struct Ledger {
    /// The expiry of each key.
    claimed: BTreeMap<String, Timestamp>,
}

impl Ledger {
    /// Claims a key and returns whether it was new.
    fn claim<A>(&mut self, claim: &PendingClaim<'_, A>, now: Timestamp) -> Use {
        self.claimed.retain(|_, expires| *expires >= now);
        match self.claimed.insert(claim.key(), claim.expires()) {
            None => Use::First,
            Some(_) => Use::Seen,
        }
    }
}

fn key_bytes(number: u32) -> [u8; 32] {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&number.to_le_bytes());
    key
}

impl Memory {
    fn new(realm: &Realm, capacity: usize, number: u32, is_shared: bool) -> Self {
        let key = key_bytes(number);
        let shared = || {
            let (key, rng) = (NonceKey::from_bytes(key), &mut Counter(0));
            let Ok(auth) = Authenticator::for_shared_store(realm.clone(), key, rng);
            (auth, RefCell::default())
        };
        Self {
            auth: Authenticator::from_seed(realm.clone(), capacity, key),
            capacity,
            key: number,
            shared: is_shared.then(shared),
        }
    }

    pub(super) fn read(script: &mut Script<'_>, realm: &Realm) -> Self {
        let capacity = script.below(9);
        let choice = script.byte();
        // From 1,024 nonces on there are several tables.
        let capacity = match choice & 7 {
            7 => 1024 + capacity,
            _ => capacity,
        };
        Self::new(realm, capacity, 0, choice & 0x18 == 0x18)
    }

    /// One table with enough room for a test of one request.
    pub(super) fn ample(realm: &Realm) -> Self {
        Self::new(realm, 64, 255, false)
    }

    /// How many seconds the clock may be set back from its latest time.
    pub(super) const fn clock_margin_secs(&self) -> u64 {
        match self.shared {
            None => u64::MAX,
            Some(_) => PendingClaim::<()>::STORE_MARGIN_SECS,
        }
    }

    /// Changes the key. With `keep`, nonces of the previous key stay valid for their lifetime.
    pub(super) fn rotate(&mut self, keep: bool) {
        self.key += 1;
        let unused = (!keep).then_some(u32::MAX);
        for key in unused.into_iter().chain([self.key]).map(key_bytes) {
            self.auth.rotate(NonceKey::from_bytes(key));
            if let Some((shared, _)) = &self.shared {
                shared.rotate(NonceKey::from_bytes(key));
            }
        }
    }

    /// Starts anew: in its own memory with a new key, else with the key and the store.
    pub(super) fn restart(&mut self, realm: &Realm) {
        self.key += u32::from(self.shared.is_none());
        let next = Self::new(realm, self.capacity, self.key, self.shared.is_some());
        self.auth = next.auth;
        if let Some((shared, _)) = &mut self.shared
            && let Some((again, _)) = next.shared
        {
            *shared = again;
        }
    }

    pub(super) fn begin<'a>(
        &'a self,
        realm: &'a Realm,
        headers: &[&'a [u8]],
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        let headers = headers.iter().copied();
        match &self.shared {
            None => self.auth.begin_as(realm, headers, target, arrival),
            Some((auth, _)) => auth.begin_as(realm, headers, target, arrival),
        }
    }

    pub(super) fn admit<'a, A>(
        &self,
        verified: Verified<'a, A>,
        now: Timestamp,
    ) -> Result<Grant<'a, A>, Refusal> {
        if let Some((auth, ledger)) = &self.shared {
            return auth.claim(verified).or_else(|claim| {
                let used = ledger.borrow_mut().claim(&claim, now);
                claim.settle(used, now)
            });
        }
        let outcome = self.auth.admit(verified);
        assert!(self.capacity >= 1024 || self.auth.len() <= self.capacity);
        outcome
    }
}
