//! Every history of a few steps, not a sample of them: uses of two nonces, a clock that is set on
//! and back, keys that change, restarts, tables too small and a shared store. What is right is said
//! by the set of uses that were granted, and by a reason for each refusal.

use std::collections::{BTreeMap, BTreeSet};

use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, Realm, Rejection, SharedStore};
use countersign::{Channel, Target, Timestamp};

use crate::support::server::{
    Answer, PASSWORD, REALM, START, USER, Why, issue_floor, no_field, nonce_key, nonce_of, quoted,
    saved, shared, texts, used,
};

const LIFETIME_SECS: u32 = 10;

/// More than half of the lifetime.
const STEP_MILLIS: u64 = 6000;

/// How many steps a history has.
const LENGTH: u32 = if cfg!(debug_assertions) { 3 } else { 4 };

#[derive(Clone, Copy, Debug)]
enum Step {
    Challenge,
    /// The count of the latest nonce or of the one before.
    Use(Which, u32),
    /// The same by a name in another case, which the user store takes for the same.
    UseByOtherName(Which, u32),
    ClockOn,
    ClockBack,
    Rotate,
    Restart,
}

#[derive(Clone, Copy, Debug)]
enum Which {
    Latest,
    Before,
}

const STEPS: [Step; 11] = [
    Step::Challenge,
    Step::Use(Which::Latest, 1),
    Step::Use(Which::Latest, 2),
    Step::UseByOtherName(Which::Latest, 1),
    Step::Use(Which::Latest, 66),
    Step::Use(Which::Before, 1),
    Step::Use(Which::Before, 2),
    Step::ClockOn,
    Step::ClockBack,
    Step::Rotate,
    Step::Restart,
];

/// What keeps a use from being granted twice.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Memory {
    Table { capacity: usize, one_time: bool },
    Store,
}

impl Memory {
    const fn capacity(self) -> usize {
        match self {
            Self::Table { capacity, .. } => capacity,
            Self::Store => 0,
        }
    }
}

const MEMORIES: [Memory; 4] = [
    Memory::Table {
        capacity: 1,
        one_time: false,
    },
    Memory::Table {
        capacity: 2,
        one_time: false,
    },
    Memory::Table {
        capacity: 2,
        one_time: true,
    },
    Memory::Store,
];

struct Issued {
    nonce: String,
    time: Timestamp,
    key: u8,
}

struct World {
    memory: Memory,
    realm: Realm,
    server: Authenticator,
    shared: Authenticator<SharedStore>,
    store: BTreeMap<String, Timestamp>,
    now: Timestamp,
    key: u8,
    previous: Option<u8>,
    issued: Vec<Issued>,
    granted: BTreeSet<(usize, u32)>,
    /// The nonces that were used since the server started.
    in_table: BTreeSet<usize>,
    /// No nonce up to this time is known since the server was restarted.
    restarted: Option<Timestamp>,
}

impl World {
    fn new(memory: Memory) -> Self {
        let capacity = memory.capacity();
        let one_time = matches!(memory, Memory::Table { one_time: true, .. });
        let realm = Realm::new(REALM)
            .expect("plain text")
            .with_nonce_lifetime(LIFETIME_SECS)
            .with_one_time_nonces(one_time);
        let mut world = Self {
            memory,
            server: Authenticator::from_seed(realm.clone(), capacity, [0; 32]),
            shared: shared(realm.clone(), 0),
            realm,
            store: BTreeMap::new(),
            now: START,
            key: 0,
            previous: None,
            issued: Vec::new(),
            granted: BTreeSet::new(),
            in_table: BTreeSet::new(),
            restarted: None,
        };
        world.challenge(None);
        world.challenge(None);
        world
    }

    fn challenge(&mut self, answer: Option<&Answer>) {
        let target = Target::new("GET", "/");
        let arrival = Arrival::new(Channel::Encrypted, self.now);
        let refusal = match answer {
            None => {
                let rejected = self
                    .server
                    .begin_as(&self.realm, no_field(), &target, arrival);
                self.server.refuse(&rejected.expect_err("no credentials"))
            }
            Some(answer) => {
                let (header, target) = (answer.header(), answer.target());
                let attempt =
                    self.server
                        .begin_as(&self.realm, [&header].into_iter(), &target, arrival);
                let ha1 = Ha1::new(HashFunction::Sha256, USER, REALM, PASSWORD);
                let verified = attempt.and_then(|it| it.verify(Some(ha1))).expect("right");
                let rejected = self.server.admit(verified).expect_err("it was forgotten");
                self.server.refuse(&rejected)
            }
        };
        let time = self.now.max(issue_floor(&self.server));
        self.issued.push(Issued {
            nonce: nonce_of(&texts(&refusal)),
            time,
            key: self.key,
        });
    }

    fn act(&mut self, step: Step) {
        let last = self.issued.len() - 1;
        let at = |which| match which {
            Which::Latest => last,
            Which::Before => last - 1,
        };
        match step {
            Step::Challenge => self.challenge(None),
            Step::Use(which, nc) => self.take_and_check(at(which), nc, USER),
            Step::UseByOtherName(which, nc) => {
                self.take_and_check(at(which), nc, &USER.to_uppercase());
            }
            Step::ClockOn => self.now = self.now.plus_millis(STEP_MILLIS),
            Step::ClockBack => {
                let millis = self.now.as_unix_millis() - STEP_MILLIS;
                self.now = Timestamp::from_unix_millis(millis);
            }
            Step::Rotate => {
                self.previous = Some(self.key);
                self.key += 1;
                self.server.rotate(nonce_key(self.key));
                self.shared.rotate(nonce_key(self.key));
            }
            Step::Restart => {
                let until = issue_floor(&self.server).max(self.now);
                let latest = self.issued.iter().map(|it| it.time).max();
                let until = until.max(latest.expect("two at least"));
                let saved = saved(self.key, until);
                self.server =
                    Authenticator::from_saved(self.realm.clone(), saved, self.memory.capacity());
                self.shared = shared(self.realm.clone(), self.key);
                self.previous = None;
                self.in_table.clear();
                self.restarted = Some(until);
            }
        }
    }

    fn take(&mut self, answer: &Answer, name: &str) -> Result<(), Rejection> {
        let (header, target) = (
            answer.params().with("username", quoted(name)).to_string(),
            answer.target(),
        );
        let arrival = Arrival::new(Channel::Encrypted, self.now);
        let attempt = self
            .server
            .begin_as(&self.realm, [&header].into_iter(), &target, arrival)
            .why()?;
        let is_known = match attempt.claimed_user() {
            User::Name(name) => name.eq_ignore_ascii_case(USER),
            _ => false,
        };
        let ha1 = Ha1::new(HashFunction::Sha256, USER, REALM, PASSWORD);
        let verified = attempt.verify(is_known.then_some(ha1)).why()?;
        if self.memory != Memory::Store {
            return self.server.admit(verified).map(drop).why();
        }
        let claim = self.shared.claim(verified).expect_err("something to claim");
        self.store.retain(|_, expires| *expires >= self.now);
        let before = self.store.insert(claim.key(), claim.expires());
        claim
            .settle(used(before.is_none()), self.now)
            .map(drop)
            .why()
    }

    fn take_and_check(&mut self, at: usize, nc: u32, name: &str) {
        let answer = Answer::to(&self.issued[at].nonce).counted(nc);
        let outcome = self.take(&answer, name);
        let one_time = matches!(self.memory, Memory::Table { one_time: true, .. });
        let of_it = || self.granted.iter().filter(|(nonce, _)| *nonce == at);
        let highest = of_it().map(|(_, nc)| *nc).max();
        let is_used = match one_time {
            true => highest.is_some(),
            false => self.granted.contains(&(at, nc)),
        };
        // The store forgets nothing, a table what is 64 counts back.
        let is_behind =
            self.memory != Memory::Store && highest.is_some_and(|it| it >= nc.saturating_add(64));
        let Issued { time, key, .. } = self.issued[at];
        let is_foreign = key != self.key && Some(key) != self.previous;
        let is_expired = time.plus_secs(LIFETIME_SECS.into()) < self.now;
        let is_new = !self.in_table.contains(&at);
        let is_forgotten = match self.memory {
            Memory::Store => false,
            Memory::Table { capacity, .. } => {
                let is_evicted = self.in_table.len() >= capacity;
                let is_before_restart = self.restarted.is_some_and(|until| time <= until);
                is_new && (is_before_restart || time > self.now) || is_evicted
            }
        };
        match outcome {
            Ok(()) => {
                assert!(!is_used && !is_behind && !is_foreign && !is_expired);
                self.granted.insert((at, nc));
                self.in_table.insert(at);
            }
            Err(Rejection::Replayed) => assert!(is_used || is_behind),
            Err(Rejection::NonceForeign) => assert!(is_foreign),
            Err(Rejection::NonceExpired) => assert!(is_expired),
            Err(Rejection::NonceForgotten { .. }) => {
                assert!(is_forgotten);
                // The nonce of this refusal is granted at once.
                self.challenge(Some(&answer));
                let latest = self.issued.len() - 1;
                let fresh = Answer::to(&self.issued[latest].nonce);
                assert_eq!(self.take(&fresh, USER), Ok(()));
                self.granted.insert((latest, 1));
                self.in_table.insert(latest);
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_short_history_grants_each_use_once() {
    let mut uses = 0;
    for memory in MEMORIES {
        let count = STEPS.len().pow(LENGTH);
        for number in 0..count {
            let mut rest = number;
            let history: Vec<Step> = (0..LENGTH)
                .map(|_| {
                    let step = STEPS[rest % STEPS.len()];
                    rest /= STEPS.len();
                    step
                })
                .collect();
            let run = || {
                let mut world = World::new(memory);
                history.iter().for_each(|step| world.act(*step));
                world.granted.len()
            };
            match std::panic::catch_unwind(run) {
                Ok(granted) => uses += granted,
                Err(_) => panic!("{memory:?}: {history:?}"),
            }
        }
        println!("{memory:?}: {count} histories");
    }
    assert!(uses > 1000, "{uses}");
}
