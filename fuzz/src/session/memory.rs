//! The server's memory of used nonces.

use std::cell::RefCell;
use std::collections::BTreeMap;

use countersign::server::{
    Arrival, Attempt, Authenticator, Grant, NonceKeys, PendingClaim, Realm, Refusal, SharedStore,
    StoreReply, Use, Verified,
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
    /// The expiry of each key, by a clock that never goes back.
    claimed: BTreeMap<String, Timestamp>,
    latest: Option<Timestamp>,
}

impl Ledger {
    /// Claims a key. Machines have the time `now`, which may be late.
    fn claim<A>(&mut self, claim: &PendingClaim<'_, A>, now: Timestamp) -> StoreReply {
        let latest = self.latest.max(Some(now)).unwrap_or(now);
        self.latest = Some(latest);
        self.claimed.retain(|_, expires| *expires >= latest);
        let keep = u64::try_from(claim.time_to_live().as_millis()).unwrap_or(u64::MAX);
        let used = match self.claimed.contains_key(&claim.key()) {
            false => Use::First,
            true => Use::Seen,
        };
        let expires = latest.plus_millis(keep);
        self.claimed.entry(claim.key()).or_insert(expires);
        StoreReply {
            used,
            now,
            lost_until: None,
        }
    }
}

fn key_bytes(number: u32) -> [u8; 32] {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&number.to_le_bytes());
    key
}

/// The first of these issues nonces.
fn keys(numbers: &[u32]) -> NonceKeys {
    let word = |number: &u32| {
        key_bytes(*number)
            .map(|byte| format!("{byte:02x}"))
            .concat()
    };
    let words: Vec<_> = numbers.iter().map(word).collect();
    words.join(" ").parse().expect("keys")
}

impl Memory {
    fn new(realm: &Realm, capacity: usize, number: u32, is_shared: bool) -> Self {
        let shared = || {
            let (keys, rng) = (keys(&[number]), &mut Counter(0));
            let Ok(auth) = Authenticator::for_shared_store(realm.clone(), &keys, rng);
            (auth, RefCell::default())
        };
        Self {
            auth: Authenticator::from_fresh_seed(realm.clone(), capacity, key_bytes(number)),
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
        let replaced = keep.then_some(self.key);
        self.key += 1;
        let rng = &mut Counter(self.key.into());
        let Ok(()) = match keep {
            true => self.auth.rotate(rng),
            false => self.auth.void_nonces(rng),
        };
        if let Some((shared, _)) = &self.shared {
            let numbers: Vec<_> = [self.key].into_iter().chain(replaced).collect();
            shared.set_keys(&keys(&numbers));
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
                let reply = ledger.borrow_mut().claim(&claim, now);
                claim.settle(reply)
            });
        }
        let outcome = self.auth.admit(verified);
        assert!(self.capacity >= 1024 || self.auth.len() <= self.capacity);
        outcome
    }
}
