//! The memory of counts, in the steps for one thread and in the server for many, against a set that
//! forgets nothing: many nonces, several accounts that use them
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

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::{
    Arrival, Attempt, Nonces, Realm, Refusal, Rejected, Rejection, Verified,
};
use countersign::{Channel, Target, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use support::accounts::{Account, Spelling, Store};
use support::generate::cases;
use support::server::{Answer, REALM, START, Why, nonce_key, nonce_of, texts};

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
        (self.account, self.algorithm.hash_function())
    }
}

/// An account and the hash of its HA1.
type Holder = (usize, HashFunction);

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
        2 => (9_000..12_000_i64).prop_map(Action::Clock),
        1 => any::<bool>().prop_map(|keep| Action::Rotate { keep }),
        1 => Just(Action::Restart),
    ]
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    store: Store,
    capacity: usize,
    one_time: bool,
    /// Whether it is the server that many threads share.
    threads: bool,
}

fn settings() -> impl Strategy<Value = Settings> {
    let capacity =
        prop_oneof![1 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(8), 2 => Just(64)];
    (
        select(Store::ALL.to_vec()),
        capacity,
        prop::bool::weighted(0.2),
        any::<bool>(),
    )
        .prop_map(|(store, capacity, one_time, threads)| Settings {
            store,
            capacity,
            one_time,
            threads: threads && cfg!(feature = "std"),
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

/// The key and the memory of a server, in both of the types there are.
enum Server {
    Nonces(RefCell<Nonces>),
    #[cfg(feature = "std")]
    Authenticator(countersign::server::Authenticator),
}

impl Server {
    /// With a key that may have been used until then.
    fn new(realm: &Realm, key: u8, used_until: Timestamp, settings: Settings) -> Self {
        let (key, capacity) = (nonce_key(key), settings.capacity);
        match settings.threads {
            #[cfg(feature = "std")]
            true => {
                let (realm, rng) = (realm.clone(), &mut support::server::Seeded(0));
                let auth = countersign::server::Authenticator::restarted(
                    realm, key, used_until, capacity, rng,
                );
                Self::Authenticator(auth.expect("numbers that do not fail"))
            }
            _ => {
                let nonces = Nonces::new(realm, key, used_until, capacity, 0);
                Self::Nonces(RefCell::new(nonces))
            }
        }
    }

    fn begin<'a>(
        &self,
        realm: &'a Realm,
        value: Option<&'a [u8]>,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected<'a>> {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().begin(realm, value, target, arrival),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.begin_as(realm, value, target, arrival),
        }
    }

    fn admit<'a>(&self, verified: Verified<'a, Ha1>) -> Result<(), Rejected<'a>> {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().admit(verified).map(drop),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.admit(verified).map(drop),
        }
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Refusal {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().refuse(rejected),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.refuse(rejected),
        }
    }

    fn rotate(&self, realm: &Realm, key: u8) {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().rotate(realm, nonce_key(key)),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.rotate(nonce_key(key)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Nonces(nonces) => nonces.borrow().len(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.len(),
        }
    }

    fn horizon(&self) -> Timestamp {
        match self {
            Self::Nonces(nonces) => nonces.borrow().horizon(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.horizon(),
        }
    }
}

/// A key that no nonce is ever made with.
const NO_KEY: u8 = u8::MAX;

/// A request with a response that is right for the account, whatever the store makes of the name.
struct Request {
    answer: Answer,
    header: Vec<u8>,
}

impl Request {
    fn new(nonce: &str, a_use: Use) -> Self {
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
        let hash = a_use.algorithm.hash_function();
        for (name, value) in a_use.spelling.params(account, REALM, hash) {
            header.extend(format!(", {name}=").bytes());
            header.extend(value);
        }
        Self { answer, header }
    }

    fn target(&self) -> Target<'_> {
        self.answer.target()
    }
}

struct World {
    settings: Settings,
    realm: Realm,
    server: Server,
    now: Timestamp,
    key: u8,
    previous: Option<u8>,
    nonces: Vec<Known>,
    /// The nonces that the server has taken in, each for one holder, the first one first.
    taken_in: Vec<(usize, Holder)>,
    /// When the memory was lost.
    restarted: Option<Timestamp>,
    /// No new nonce may carry an earlier time.
    floor: Timestamp,
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
        Self {
            settings,
            server: Server::new(&realm, 0, Timestamp::EPOCH, settings),
            realm,
            now: START,
            key: 0,
            previous: None,
            nonces: Vec::new(),
            taken_in: Vec::new(),
            restarted: None,
            floor: Timestamp::EPOCH,
            outcomes: BTreeMap::new(),
        }
    }

    const fn arrival(&self) -> Arrival<'static> {
        Arrival::new(Channel::Encrypted, self.now)
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Challenge => {
                self.challenge();
            }
            Action::Use(index, latest, a_use, back) if !self.nonces.is_empty() => {
                let count = self.nonces.len();
                let back_from_last = index.index(count.min(latest));
                self.use_and_retry(count - 1 - back_from_last, a_use, back);
            }
            Action::Use(..) => {}
            Action::Crowd(clients) => {
                for client in 0..clients {
                    let nonce = self.challenge();
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
                // The last but one is always dropped.
                if !keep {
                    self.server.rotate(&self.realm, NO_KEY);
                }
                self.previous = keep.then_some(self.key);
                self.key += 1;
                assert_ne!(self.key, NO_KEY);
                self.server.rotate(&self.realm, self.key);
            }
            Action::Restart => {
                // All that was issued must be over by then. With a clock that is right that is
                // now.
                let issued = self.nonces.iter().map(|nonce| nonce.issued).max();
                let now = issued.max(Some(self.now)).unwrap();
                let first = self.previous.unwrap_or(self.key);
                self.server = Server::new(&self.realm, first, now, self.settings);
                if self.previous.is_some() {
                    self.server.rotate(&self.realm, self.key);
                }
                self.taken_in.clear();
                self.restarted = Some(now);
                self.floor = now.plus_millis(1);
            }
        }
    }

    fn set_clock(&mut self, millis: i64) {
        let now = self.now.as_unix_millis();
        self.now = Timestamp::from_unix_millis(now.saturating_add_signed(millis));
    }

    fn challenge(&mut self) -> usize {
        let target = Target::new("GET", "/");
        let refused = self
            .server
            .begin(&self.realm, None, &target, &self.arrival());
        let refusal = self.server.refuse(&refused.unwrap_err());
        let text = nonce_of(&texts(&refusal));
        self.know(text, self.now.max(self.floor))
    }

    fn know(&mut self, text: String, issued: Timestamp) -> usize {
        self.nonces.push(Known {
            text,
            issued,
            key: self.key,
            granted: HashMap::new(),
        });
        self.nonces.len() - 1
    }

    fn use_and_retry(&mut self, nonce: usize, a_use: Use, back: u64) {
        let text = self.nonces[nonce].text.clone();
        let request = Request::new(&text, a_use);
        let Err(Rejection::NonceForgotten { until }) = self.use_nonce(nonce, a_use) else {
            return;
        };
        // It comes once more, and is refused once more; the clock is set back before that.
        self.set_clock(-i64::try_from(back).unwrap());
        let target = request.target();
        let refused = self.take(&request, &target);
        let Err(rejected) = refused else {
            panic!("forgotten, and then granted");
        };
        let issued = match rejected.rejection() {
            Rejection::NonceForgotten { until } => {
                self.now.max(self.floor).max(until.plus_millis(1))
            }
            other => panic!("{other:?} after forgotten until {until:?}"),
        };
        let refusal = self.server.refuse(&rejected);
        let another = self.know(nonce_of(&texts(&refusal)), issued);
        let outcome = self.use_nonce(another, a_use.first());
        assert_eq!(outcome.is_ok(), self.settings.capacity > 0, "{outcome:?}");
    }

    /// Whether the table may not know a nonce that it has known.
    fn evicted(&self) -> &[(usize, Holder)] {
        let kept = self.settings.capacity.min(self.taken_in.len());
        &self.taken_in[..self.taken_in.len() - kept]
    }

    fn take<'a>(&'a self, request: &'a Request, target: &Target<'a>) -> Result<(), Rejected<'a>> {
        let store = self.settings.store;
        let value = Some(request.header.as_slice());
        let attempt = self
            .server
            .begin(&self.realm, value, target, &self.arrival())?;
        let user = attempt.claimed_user();
        let found = ACCOUNTS
            .iter()
            .find(|account| store.finds(account, REALM, &user));
        let ha1 = found.map(|it| Ha1::new(attempt.hash_function(), it.name, REALM, it.password));
        self.server.admit(attempt.verify(ha1)?)
    }

    /// After the memory took a nonce in, and may have evicted another.
    fn raise_floor(&mut self, index: usize) {
        let evicted = self.taken_in.len().checked_sub(self.settings.capacity + 1);
        let evicted = evicted.map(|at| self.nonces[self.taken_in[at].0].issued.plus_millis(1));
        let issued = self.nonces[index].issued;
        self.floor = self.floor.max(issued).max(evicted.unwrap_or(issued));
    }

    fn use_nonce(&mut self, index: usize, a_use: Use) -> Result<(), Rejection> {
        let request = Request::new(&self.nonces[index].text, a_use);
        let outcome = self.take(&request, &request.target()).why();

        let (nc, holder) = (a_use.nc, a_use.holder());
        let known = &self.nonces[index];
        let found = a_use
            .spelling
            .is_taken_by(self.settings.store, &ACCOUNTS[a_use.account]);
        let ours = known.key == self.key || Some(known.key) == self.previous;
        let expired = known.issued.plus_secs(LIFETIME_SECS.into()) < self.now;
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
                    self.raise_floor(index);
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
                if known.issued > self.now.max(until.plus_millis(1)) {
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
        assert_eq!(self.server.len(), self.taken_in.len().min(room));
        assert_eq!(self.server.horizon(), self.floor);
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
    assert_eq!(counts.len(), 7);
    assert!(counts.values().all(|count| *count > 100), "{counts:?}");
}
