//! The replay table against a set that forgets nothing: many nonces, several accounts that use them
//! in turn, names in all the spellings that user stores take, counts in any order, a clock that
//! jumps, keys that change, tables that are lost, and all the tables too small.
//!
//! A use is a count of a nonce by the holder of an HA1, which is all that a response covers: the
//! model knows neither the spelling of a name nor the algorithm beyond its hash. Whatever happens,
//! no use is granted twice, and one that was not granted is refused only for one of the reasons
//! there are.

mod support;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign::Timestamp;
use countersign::digest::{Algorithm, Ha1, Hash};
use countersign::server::{NonceKey, Nonces, Realm, Rejection};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use support::accounts::{Account, Spelling, Store};
use support::generate::cases;
use support::server::{Answer, REALM, Service, nonce_key, nonce_of};

const LIFETIME_SECS: u32 = 10;

const ACCOUNTS: [Account; 3] = [
    Account {
        name: "Mufasa",
        alias: "mufasa@example.org",
        password: "Circle of Life",
    },
    Account {
        name: "Jäsøn",
        alias: "jason@example.org",
        password: "Circle of Life",
    },
    Account {
        name: "Ra\"fik\\é",
        alias: "rafiki@example.org",
        password: "Asante sana",
    },
];

/// What a user sends with a nonce.
#[derive(Clone, Copy, Debug)]
struct Use {
    account: usize,
    spelling: Spelling,
    algorithm: Algorithm,
    /// None in the form of RFC 2069.
    nc: Option<u32>,
}

impl Use {
    /// The first with a new nonce.
    fn first(self) -> Self {
        Self {
            spelling: Spelling::Clear,
            nc: Some(1),
            ..self
        }
    }

    /// Whose use it is, as far as a response tells.
    const fn holder(self) -> Holder {
        (self.account, self.algorithm.hash())
    }
}

/// Why a use was refused, and the challenges that came with that.
type Refused = (Rejection, Vec<String>);

/// The time that a nonce carries: its first six bytes.
fn issue_time(nonce: &str) -> Timestamp {
    let bytes = URL_SAFE_NO_PAD.decode(nonce).expect("base64url");
    let millis = bytes[..6]
        .iter()
        .fold(0, |n, &byte| n << 8 | u64::from(byte));
    Timestamp::from_unix_millis(millis)
}

/// An account and the hash of its HA1.
type Holder = (usize, Hash);

fn a_use() -> impl Strategy<Value = Use> {
    let count = prop_oneof![
        8 => (0..6_u32).prop_map(Some),
        4 => (0..200_u32).prop_map(Some),
        1 => any::<u32>().prop_map(Some),
        1 => (u32::MAX - 70..=u32::MAX).prop_map(Some),
        2 => Just(None),
    ];
    let account = prop_oneof![3 => Just(0), 1 => 1..ACCOUNTS.len()];
    let spelling = prop_oneof![1 => Just(Spelling::Clear), 3 => select(Spelling::ALL.to_vec())];
    let algorithm = prop_oneof![
        2 => Just(Algorithm::SHA_256),
        1 => select(Algorithm::ALL.to_vec()),
    ];
    (account, spelling, algorithm, count).prop_map(|(account, spelling, algorithm, nc)| Use {
        account,
        spelling,
        // A session key needs a cnonce, which the form of RFC 2069 does not have.
        algorithm: match nc {
            None if algorithm.is_session() => Algorithm::SHA_256,
            _ => algorithm,
        },
        nc,
    })
}

#[derive(Clone, Debug)]
enum Action {
    /// Asks for a nonce.
    Challenge,
    /// Uses one of so many that are the latest. If it is forgotten, takes up the challenge, and has
    /// the clock set back by so much before that is made.
    Use(Index, usize, Use, u64),
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
    let latest = prop_oneof![Just(3), Just(10), Just(usize::MAX)];
    let back = prop_oneof![3 => Just(0), 1 => 0..30_000_u64];
    prop_oneof![
        20 => Just(Action::Challenge),
        70 => (any::<Index>(), latest, a_use(), back)
            .prop_map(|(index, latest, a_use, back)| Action::Use(index, latest, a_use, back)),
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
    store: Store,
    capacity: usize,
    one_time: bool,
}

fn settings() -> impl Strategy<Value = Settings> {
    let capacity =
        prop_oneof![1 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(8), 2 => Just(64)];
    (
        select(Store::ALL.to_vec()),
        capacity,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(store, capacity, one_time)| Settings {
            store,
            capacity,
            one_time,
        })
}

/// A nonce, and all that was ever granted with it.
#[derive(Debug)]
struct Known {
    text: String,
    issued: Timestamp,
    key: u8,
    granted: HashMap<Holder, HashSet<Option<u32>>>,
}

impl Known {
    /// Whether a use is one that was never granted, and that no window can have left behind.
    fn is_fresh(&self, holder: Holder, nc: Option<u32>, one_time: bool) -> bool {
        let Some(granted) = self.granted.get(&holder) else {
            return true;
        };
        match nc {
            Some(nc) if !one_time => {
                let highest = granted.iter().copied().flatten().max().unwrap_or(0);
                let behind = highest.saturating_sub(nc) >= 64;
                !behind && !granted.contains(&Some(nc)) && !granted.contains(&None)
            }
            _ => false,
        }
    }
}

struct World {
    settings: Settings,
    service: Service,
    key: u8,
    previous: Option<u8>,
    nonces: Vec<Known>,
    /// The nonces that the table has taken in, each for one holder, the first one first.
    taken_in: Vec<(usize, Holder)>,
    /// When the table was lost.
    restarted: Option<Timestamp>,
    outcomes: BTreeMap<&'static str, u32>,
}

impl World {
    fn new(settings: Settings) -> Self {
        let realm = Realm::new(REALM)
            .unwrap()
            .with_nonce_lifetime(LIFETIME_SECS)
            .with_algorithms(Algorithm::ALL)
            .with_userhash(true)
            .with_rfc2069(true)
            .with_one_time_nonces(settings.one_time);
        let mut world = Self {
            settings,
            service: Service::new(realm),
            key: 0,
            previous: None,
            nonces: Vec::new(),
            taken_in: Vec::new(),
            restarted: None,
            outcomes: BTreeMap::new(),
        };
        world.start(Timestamp::EPOCH);
        world
    }

    /// Makes the table anew, with the present key.
    fn start(&mut self, used_until: Timestamp) {
        let Settings { capacity, .. } = self.settings;
        let key = nonce_key(self.key);
        let nonces = Nonces::new(&self.service.realm, key, used_until, capacity, 0);
        self.service.nonces = RefCell::new(nonces);
    }

    fn rotate(&mut self, key: NonceKey) {
        let nonces = self.service.nonces.get_mut();
        nonces.rotate(&self.service.realm, key);
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Challenge => {
                self.challenge(None);
            }
            Action::Use(index, latest, a_use, back) if !self.nonces.is_empty() => {
                let count = self.nonces.len();
                let back_from_last = index.index(count.min(latest));
                self.use_and_retry(count - 1 - back_from_last, a_use, back);
            }
            Action::Use(..) => {}
            Action::Crowd(clients) => {
                for client in 0..clients {
                    let nonce = self.challenge(None);
                    let first = Use {
                        account: client % ACCOUNTS.len(),
                        spelling: Spelling::Clear,
                        algorithm: Algorithm::SHA_256,
                        nc: Some(1),
                    };
                    self.use_and_retry(nonce, first, 0);
                }
            }
            Action::Clock(millis) => self.set_clock(millis),
            Action::Rotate { keep } => {
                self.previous = keep.then_some(self.key);
                self.key += 1;
                if !keep {
                    // The key before the present one is kept, so it is one that nobody used.
                    self.rotate(nonce_key(u8::MAX));
                }
                self.rotate(nonce_key(self.key));
            }
            Action::Restart => {
                // All that was issued must be over by then. With a clock that is right that is
                // now.
                let issued = self.nonces.iter().map(|nonce| nonce.issued).max();
                let now = issued.max(Some(self.service.now)).unwrap();
                self.start(now);
                self.previous = None;
                self.taken_in.clear();
                self.restarted = Some(now);
            }
        }
    }

    fn set_clock(&mut self, millis: i64) {
        let now = self.service.now.as_unix_millis();
        self.service.now = Timestamp::from_unix_millis(now.saturating_add_signed(millis));
    }

    /// The nonce of these challenges, or of those that a request without credentials gets.
    fn challenge(&mut self, challenges: Option<Vec<String>>) -> usize {
        let challenges = challenges.unwrap_or_else(|| self.service.challenges());
        let text = nonce_of(&challenges);
        self.nonces.push(Known {
            issued: issue_time(&text),
            text,
            key: self.key,
            granted: HashMap::new(),
        });
        self.nonces.len() - 1
    }

    fn use_and_retry(&mut self, nonce: usize, a_use: Use, back: u64) {
        let Err((Rejection::NonceForgotten { .. }, challenges)) = self.use_nonce(nonce, a_use)
        else {
            return;
        };
        let another = if back == 0 {
            self.challenge(Some(challenges))
        } else {
            self.set_clock(-i64::try_from(back).unwrap());
            self.challenge(None)
        };
        let outcome = self.use_nonce(another, a_use.first());
        assert_eq!(outcome.is_ok(), self.settings.capacity > 0, "{outcome:?}");
    }

    /// Whether the table may not know a nonce that it has known.
    fn evicted(&self) -> &[(usize, Holder)] {
        let kept = self.settings.capacity.min(self.taken_in.len());
        &self.taken_in[..self.taken_in.len() - kept]
    }

    /// Takes a request with a response that is right for the account, whatever the store makes of
    /// the name.
    fn take(&mut self, nonce: &str, a_use: Use) -> Result<(), Refused> {
        let account = &ACCOUNTS[a_use.account];
        let mut answer = Answer {
            user: account.name.to_owned(),
            password: account.password.to_owned(),
            algorithm: a_use.algorithm,
            ..Answer::to(nonce)
        };
        match a_use.nc {
            Some(nc) => answer = answer.counted(nc),
            None => answer.qop = None,
        }
        let header = answer.params().without("username").to_string();
        let mut header = header.into_bytes();
        for (name, value) in a_use
            .spelling
            .params(account, REALM, a_use.algorithm.hash())
        {
            header.extend(format!(", {name}=").bytes());
            header.extend(value);
        }

        let store = self.settings.store;
        let target = answer.target();
        let admitted = self.service.begin(&header, &target).and_then(|attempt| {
            let user = attempt.claimed_user();
            let found = ACCOUNTS
                .iter()
                .find(|account| store.finds(account, REALM, &user));
            let ha1 = found.map(|it| Ha1::new(attempt.hash(), it.name, REALM, it.password));
            let verified = attempt.verify(ha1)?;
            self.service.nonces.borrow_mut().admit(verified)
        });
        match admitted {
            Ok(_) => Ok(()),
            Err(rejected) => Err((rejected.rejection(), self.service.refuse(&rejected))),
        }
    }

    fn use_nonce(&mut self, index: usize, a_use: Use) -> Result<(), Refused> {
        let text = self.nonces[index].text.clone();
        let taken = self.take(&text, a_use);
        let outcome = taken.as_ref().copied().map_err(|(rejection, _)| *rejection);

        let (nc, holder) = (a_use.nc, a_use.holder());
        let known = &self.nonces[index];
        let found = a_use
            .spelling
            .is_taken_by(self.settings.store, &ACCOUNTS[a_use.account]);
        let ours = known.key == self.key || Some(known.key) == self.previous;
        let expired = known.issued.plus_secs(LIFETIME_SECS.into()) < self.service.now;
        let fresh = known.is_fresh(holder, nc, self.settings.one_time);
        let is_unknown = outcome == Err(Rejection::WrongCredentials);
        assert_eq!(is_unknown, !found, "{a_use:?}: {outcome:?}");
        let name = match outcome {
            Ok(()) => {
                assert!(ours && !expired && fresh, "{a_use:?} of {known:?}");
                let granted = self.nonces[index].granted.entry(holder).or_default();
                granted.insert(nc);
                if !self.taken_in.contains(&(index, holder)) {
                    self.taken_in.push((index, holder));
                }
                "granted"
            }
            Err(Rejection::WrongCredentials) => "unknown name",
            Err(Rejection::NonceForeign) => {
                assert!(!ours);
                "foreign"
            }
            Err(Rejection::NonceExpired) => {
                assert!(ours && expired);
                "expired"
            }
            Err(Rejection::Replayed) => {
                assert!(ours && !expired && !fresh, "{a_use:?} of {known:?}");
                "replayed"
            }
            Err(Rejection::NonceForgotten { until }) => {
                assert!(ours && !expired);
                let evicted = self.evicted();
                let remembered = self.taken_in[evicted.len()..].contains(&(index, holder));
                assert!(!remembered, "{known:?}");
                if known.issued > self.service.now.max(until.plus_millis(1)) {
                    // The clock was set back since it was made.
                    "from the future"
                } else {
                    assert!(known.issued <= until);
                    // Whose forgetting it was.
                    let mut times = evicted.iter().map(|&(nonce, _)| self.nonces[nonce].issued);
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
        // No spelling takes a place of its own.
        let room = self.settings.capacity;
        assert_eq!(self.service.len(), self.taken_in.len().min(room));
        *self.outcomes.entry(name).or_insert(0) += 1;
        taken
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
    assert_eq!(counts.len(), 7);
    assert!(counts.values().all(|count| *count > 100), "{counts:?}");
}
