//! The server's memory of used nonces.

use std::collections::BTreeMap;

use countersign::server::{Arrival, Attempt, Authenticator, Claim, Grant, NonceKey, PendingClaim, Realm, Refusal, Rejected, Verified};
use countersign::{Target, Timestamp};

use super::rng::Counter;
use super::script::Script;

/// The nonces of one thread or of many, and a store that machines share in place of their memory.
pub(super) struct Memory {
    nonces: State,
    shape: Shape,
    key: u8,
    ledger: Option<Ledger>,
}

#[derive(Clone, Copy)]
struct Shape {
    capacity: usize,
    /// Of many threads, which from 1,024 nonces on have several tables.
    threads: bool,
}

enum State {
    One(Authenticator),
    Many(Authenticator),
}

#[derive(Default)]
struct Ledger {
    /// The expiry of each key.
    claimed: BTreeMap<String, Timestamp>,
}

impl Ledger {
    /// Claims a key and returns whether it was new.
    fn claim<A>(&mut self, claim: &PendingClaim<'_, A>, now: Timestamp) -> bool {
        self.claimed.retain(|_, expires| *expires >= now);
        let before = self.claimed.insert(claim.key(), claim.expires());
        before.is_none()
    }
}

fn start(realm: &Realm, shape: Shape, key: u8, used_until: Option<Timestamp>) -> State {
    let key = NonceKey::from_bytes([key; 32]);
    match shape.threads {
        false => State::One(Nonces::new(realm, key, used_until, shape.capacity, 0)),
        true => {
            let rng = &mut Counter(0);
            let Ok(auth) =
                Authenticator::with_key(realm.clone(), key, used_until, shape.capacity, rng);
            State::Many(auth)
        }
    }
}

impl Memory {
    pub(super) fn read(script: &mut Script<'_>, realm: &Realm) -> Self {
        let capacity = script.below(9);
        let choice = script.byte();
        let shape = match choice & 7 {
            0..4 => Shape {
                capacity,
                threads: false,
            },
            7 => Shape {
                capacity: 1024 + capacity,
                threads: true,
            },
            _ => Shape {
                capacity,
                threads: true,
            },
        };
        Self {
            nonces: start(realm, shape, 0, None),
            shape,
            key: 0,
            ledger: (choice & 0x18 == 0x18).then(Ledger::default),
        }
    }

    /// One table with enough room for a test of one request.
    pub(super) fn ample(realm: &Realm) -> Self {
        let shape = Shape {
            capacity: 64,
            threads: false,
        };
        Self {
            nonces: start(realm, shape, 255, None),
            shape,
            key: 255,
            ledger: None,
        }
    }

    /// How many seconds the clock may be set back from its latest time.
    pub(super) const fn clock_margin_secs(&self) -> u64 {
        match self.ledger {
            None => u64::MAX,
            Some(_) => PendingClaim::<()>::STORE_MARGIN_SECS,
        }
    }

    /// Changes the key. With `keep`, nonces of the previous key stay valid for their lifetime.
    pub(super) fn rotate(&mut self, realm: &Realm, keep: bool) {
        self.key = self.key.wrapping_add(1);
        let unused = (!keep).then(|| NonceKey::from_bytes([self.key ^ 0x80; 32]));
        for key in unused
            .into_iter()
            .chain([NonceKey::from_bytes([self.key; 32])])
        {
            match &mut self.nonces {
                State::One(nonces) => nonces.rotate(realm, key),
                State::Many(auth) => auth.rotate(key),
            }
        }
    }

    /// Loses the tables, but neither the key nor the shared store.
    pub(super) fn restart(&mut self, realm: &Realm, now: Timestamp) {
        let horizon = match &self.nonces {
            State::One(nonces) => nonces.horizon(),
            State::Many(auth) => auth.horizon(),
        };
        self.nonces = start(realm, self.shape, self.key, Some(horizon.max(now)));
    }

    pub(super) fn begin<'a>(
        &mut self,
        realm: &'a Realm,
        headers: &[&'a [u8]],
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected> {
        let headers = headers.iter().copied();
        match &mut self.nonces {
            State::One(nonces) => nonces.begin_as(realm, headers, target, arrival),
            State::Many(auth) => auth.begin_as(realm, headers, target, arrival),
        }
    }

    pub(super) fn admit<'a, A>(
        &mut self,
        verified: Verified<'a, A>,
        now: Timestamp,
    ) -> Result<Grant<'a, A>, Rejected> {
        if let Some(ledger) = &mut self.ledger {
            return match verified.claim() {
                Claim::Granted(grant) => Ok(grant),
                Claim::Pending(claim) => {
                    let first = ledger.claim(&claim, now);
                    claim.settle(first, now)
                }
            };
        }
        match &mut self.nonces {
            State::One(nonces) => {
                let outcome = nonces.admit(verified);
                assert!(nonces.len() <= nonces.capacity());
                outcome
            }
            State::Many(auth) => auth.admit(verified),
        }
    }

    pub(super) fn refuse(&mut self, rejected: &Rejected) -> Refusal {
        match &mut self.nonces {
            State::One(nonces) => nonces.refuse(rejected),
            State::Many(auth) => auth.refuse(rejected),
        }
    }
}
