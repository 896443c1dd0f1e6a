//! The replay table against a set that forgets nothing: many nonces, counts in any order, a clock
//! that jumps, keys that change, tables that are lost, and all the tables too small.
//!
//! Whatever happens, no use of a nonce is granted twice, and one that was not granted is refused
//! only for one of the reasons there are.

mod support;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use countersign::Timestamp;
use countersign::server::{Rejection, ReplayTable, Server};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use support::generate::cases;
use support::server::{Answer, REALM, Service, nonce_key};

const LIFETIME_SECS: u32 = 10;

#[derive(Clone, Debug)]
enum Action {
    /// Asks for a nonce.
    Challenge,
    /// Uses one of so many that are the latest: with a count, or in the form of RFC 2069. If it
    /// is forgotten, takes up the challenge, and has the clock set back by so much before that is
    /// made.
    Use(Index, usize, Option<u32>, u64),
    /// So many clients come, ask and log in once.
    Crowd(usize),
    /// Sets the clock on, or back.
    Clock(i64),
    /// Changes the key, and may keep the last for a while.
    Rotate { keep: bool },
    /// Loses the table, but not the key.
    Restart,
}

fn action() -> impl Strategy<Value = Action> {
    let count = prop_oneof![
        8 => (1..6_u32).prop_map(Some),
        4 => (1..200_u32).prop_map(Some),
        1 => any::<u32>().prop_map(|nc| Some(nc.max(1))),
        1 => (u32::MAX - 70..=u32::MAX).prop_map(Some),
        2 => Just(None),
    ];
    let latest = prop_oneof![Just(3), Just(10), Just(usize::MAX)];
    let back = prop_oneof![3 => Just(0), 1 => 0..30_000_u64];
    prop_oneof![
        20 => Just(Action::Challenge),
        70 => (any::<Index>(), latest, count, back)
            .prop_map(|(index, latest, nc, back)| Action::Use(index, latest, nc, back)),
        2 => (1..5_usize).prop_map(Action::Crowd),
        1 => (30..70_usize).prop_map(Action::Crowd),
        20 => (0..3_i64).prop_map(Action::Clock),
        6 => (-12_000..12_000_i64).prop_map(Action::Clock),
        1 => any::<bool>().prop_map(|keep| Action::Rotate { keep }),
        1 => Just(Action::Restart),
    ]
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    capacity: usize,
    one_time: bool,
}

fn settings() -> impl Strategy<Value = Settings> {
    let capacity = prop_oneof![Just(0), Just(1), Just(2), Just(64)];
    (capacity, prop::bool::weighted(0.2))
        .prop_map(|(capacity, one_time)| Settings { capacity, one_time })
}

/// A nonce, and all that was ever granted with it.
#[derive(Debug)]
struct Known {
    text: String,
    issued: Timestamp,
    key: u8,
    granted: HashSet<Option<u32>>,
}

impl Known {
    /// Whether a use is one that was never granted, and that no window can have left behind.
    fn is_fresh(&self, nc: Option<u32>, one_time: bool) -> bool {
        match nc {
            Some(nc) if !one_time => {
                let highest = self.granted.iter().copied().flatten().max().unwrap_or(0);
                let behind = highest.saturating_sub(nc) >= 64;
                !behind && !self.granted.contains(&Some(nc)) && !self.granted.contains(&None)
            }
            _ => self.granted.is_empty(),
        }
    }
}

struct World {
    settings: Settings,
    service: Service,
    key: u8,
    previous: Option<u8>,
    nonces: Vec<Known>,
    /// The nonces that the table has taken in, the first one first.
    taken_in: Vec<usize>,
    /// When the table was lost.
    restarted: Option<Timestamp>,
    outcomes: BTreeMap<&'static str, u32>,
}

impl World {
    fn new(settings: Settings) -> Self {
        let service = Service::new(Server::new(REALM, nonce_key(0)).unwrap());
        let mut world = Self {
            settings,
            service: service.with_capacity(settings.capacity),
            key: 0,
            previous: None,
            nonces: Vec::new(),
            taken_in: Vec::new(),
            restarted: None,
            outcomes: BTreeMap::new(),
        };
        world.set_up();
        world
    }

    fn set_up(&mut self) {
        let mut server = Server::new(REALM, nonce_key(self.key))
            .unwrap()
            .with_nonce_lifetime(LIFETIME_SECS)
            .with_rfc2069();
        if let Some(key) = self.previous {
            server = server.with_previous_key(nonce_key(key));
        }
        if self.settings.one_time {
            server = server.with_one_time_nonces();
        }
        self.service.server = server;
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Challenge => {
                self.challenge(&Rejection::NoCredentials);
            }
            Action::Use(index, latest, nc, back) if !self.nonces.is_empty() => {
                let count = self.nonces.len();
                let back_from_last = index.index(count.min(latest));
                self.use_and_retry(count - 1 - back_from_last, nc, back);
            }
            Action::Use(..) => {}
            Action::Crowd(clients) => {
                for _ in 0..clients {
                    let nonce = self.challenge(&Rejection::NoCredentials);
                    self.use_and_retry(nonce, Some(1), 0);
                }
            }
            Action::Clock(millis) => self.set_clock(millis),
            Action::Rotate { keep } => {
                self.previous = keep.then_some(self.key);
                self.key += 1;
                self.set_up();
            }
            Action::Restart => {
                // All that was issued must be over by then. With a clock that is right that is
                // now.
                let issued = self.nonces.iter().map(|nonce| nonce.issued).max();
                let now = issued.max(Some(self.service.now)).unwrap();
                self.service.replays =
                    ReplayTable::with_capacity(self.settings.capacity).restarted_at(now);
                self.taken_in.clear();
                self.restarted = Some(now);
            }
        }
    }

    fn set_clock(&mut self, millis: i64) {
        let now = self.service.now.as_unix_millis();
        self.service.now = Timestamp::from_unix_millis(now.saturating_add_signed(millis));
    }

    fn challenge(&mut self, rejection: &Rejection) -> usize {
        let mut issued = self.service.now;
        if let Rejection::Forgotten { until } = rejection {
            issued = issued.max(until.plus_millis(1));
        }
        self.nonces.push(Known {
            text: self.service.nonce_after(rejection),
            issued,
            key: self.key,
            granted: HashSet::new(),
        });
        self.nonces.len() - 1
    }

    fn use_and_retry(&mut self, nonce: usize, nc: Option<u32>, back: u64) {
        let Err(rejection @ Rejection::Forgotten { .. }) = self.use_nonce(nonce, nc) else {
            return;
        };
        self.set_clock(-i64::try_from(back).unwrap());
        let another = self.challenge(&rejection);
        let outcome = self.use_nonce(another, Some(1));
        assert_eq!(outcome.is_ok(), self.settings.capacity > 0, "{outcome:?}");
    }

    /// Whether the table may not know a nonce that it has known.
    fn evicted(&self) -> &[usize] {
        let kept = self.settings.capacity.min(self.taken_in.len());
        &self.taken_in[..self.taken_in.len() - kept]
    }

    fn use_nonce(&mut self, index: usize, nc: Option<u32>) -> Result<(), Rejection> {
        let known = &self.nonces[index];
        let mut answer = Answer::to(&known.text);
        match nc {
            Some(nc) => answer = answer.counted(nc),
            None => answer.qop = None,
        }
        let outcome = self.service.take(&answer);

        let known = &self.nonces[index];
        let ours = known.key == self.key || Some(known.key) == self.previous;
        let expired = known.issued.plus_secs(LIFETIME_SECS.into()) < self.service.now;
        let fresh = known.is_fresh(nc, self.settings.one_time);
        let name = match outcome {
            Ok(()) => {
                assert!(ours && !expired && fresh, "{nc:?} of {known:?}");
                self.nonces[index].granted.insert(nc);
                if !self.taken_in.contains(&index) {
                    self.taken_in.push(index);
                }
                "granted"
            }
            Err(Rejection::ForeignNonce) => {
                assert!(!ours);
                "foreign"
            }
            Err(Rejection::Expired) => {
                assert!(ours && expired);
                "expired"
            }
            Err(Rejection::Replayed) => {
                assert!(ours && !expired && !fresh, "{nc:?} of {known:?}");
                "replayed"
            }
            Err(Rejection::Forgotten { until }) => {
                assert!(ours && !expired);
                let evicted = self.evicted();
                let remembered = self.taken_in[evicted.len()..].contains(&index);
                assert!(!remembered, "{known:?}");
                if known.issued > self.service.now.max(until.plus_millis(1)) {
                    // The clock was set back since it was made.
                    "from the future"
                } else {
                    assert!(known.issued <= until);
                    // Whose forgetting it was.
                    let mut times = evicted.iter().map(|&nonce| self.nonces[nonce].issued);
                    let no_room = self.settings.capacity == 0 && until == known.issued;
                    assert!(
                        no_room || self.restarted == Some(until) || times.any(|time| time == until),
                        "{until:?}"
                    );
                    "forgotten"
                }
            }
            Err(other) => panic!("{other:?}"),
        };
        *self.outcomes.entry(name).or_insert(0) += 1;
        outcome
    }
}

#[test]
fn no_use_is_granted_twice_and_none_refused_without_a_reason() {
    const CASES: u32 = 300;
    let counts = RefCell::new(BTreeMap::new());
    let strategy = (settings(), vec(action(), 1..200));
    let result = TestRunner::new(cases(CASES)).run(&strategy, |(settings, actions)| {
        let mut world = World::new(settings);
        actions.iter().for_each(|action| world.act(action));
        for (outcome, count) in world.outcomes {
            *counts.borrow_mut().entry(outcome).or_insert(0) += count;
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let counts = counts.into_inner();
    let uses: u32 = counts.values().sum();
    println!("{CASES} histories with {uses} uses of nonces: {counts:?}");
    // None of them may be left out for want of cases.
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| *count > 100), "{counts:?}");
}
