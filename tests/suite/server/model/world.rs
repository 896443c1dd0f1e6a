//! A server, and the set of all uses that were granted.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use countersign::digest::{Algorithm, Ha1};
use countersign::server::{
    Arrival, Attempt, Nonces, Realm, Refusal, Rejected, Rejection, Verified,
};
use countersign::{Channel, Target, Timestamp};

use super::actions::{ACCOUNTS, Action, Holder, LIFETIME_SECS, Request, Settings, Use};
use crate::support::accounts::Spelling;
use crate::support::server::{REALM, START, Why, nonce_key, nonce_of, texts};

/// A nonce, and all that was ever granted with it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) text: String,
    pub(super) issued: Timestamp,
    pub(super) key: u8,
    pub(super) granted: HashMap<Holder, HashSet<Option<u32>>>,
}

impl Known {
    /// Whether a use is one that was never granted, and that no window can have left behind.
    pub(super) fn is_fresh(&self, holder: Holder, nc: Option<u32>, one_time: bool) -> bool {
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
pub(super) enum Server {
    Nonces(RefCell<Nonces>),
    #[cfg(feature = "std")]
    Authenticator(countersign::server::Authenticator),
}

impl Server {
    /// With a key that may have been used until then.
    pub(super) fn new(
        realm: &Realm,
        key: u8,
        used_until: Option<Timestamp>,
        settings: Settings,
    ) -> Self {
        let (key, capacity) = (nonce_key(key), settings.capacity);
        match settings.threads {
            #[cfg(feature = "std")]
            true => {
                let (realm, rng) = (realm.clone(), &mut crate::support::server::Seeded(0));
                let auth = countersign::server::Authenticator::with_key(
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

    pub(super) fn begin<'a>(
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

    pub(super) fn admit<'a>(&self, verified: Verified<'a, Ha1>) -> Result<(), Rejected<'a>> {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().admit(verified).map(drop),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.admit(verified).map(drop),
        }
    }

    pub(super) fn refuse(&self, rejected: &Rejected<'_>) -> Refusal {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().refuse(rejected),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.refuse(rejected),
        }
    }

    pub(super) fn rotate(&self, realm: &Realm, key: u8) {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().rotate(realm, nonce_key(key)),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.rotate(nonce_key(key)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Nonces(nonces) => nonces.borrow().len(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.len(),
        }
    }

    pub(super) fn horizon(&self) -> Timestamp {
        match self {
            Self::Nonces(nonces) => nonces.borrow().horizon(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.horizon(),
        }
    }
}

/// A key that no nonce is ever made with.
pub(super) const NO_KEY: u8 = u8::MAX;

pub(super) struct World {
    pub(super) settings: Settings,
    pub(super) realm: Realm,
    pub(super) server: Server,
    pub(super) now: Timestamp,
    pub(super) key: u8,
    pub(super) previous: Option<u8>,
    pub(super) nonces: Vec<Known>,
    /// The nonces that the server has taken in, each for one holder, the first one first.
    pub(super) taken_in: Vec<(usize, Holder)>,
    /// When the memory was lost.
    pub(super) restarted: Option<Timestamp>,
    /// No new nonce may carry an earlier time.
    pub(super) floor: Timestamp,
    pub(super) outcomes: BTreeMap<&'static str, u32>,
}

impl World {
    pub(super) fn new(settings: Settings) -> Self {
        let realm = Realm::new(REALM)
            .unwrap()
            .with_nonce_lifetime(LIFETIME_SECS)
            .with_algorithms(Algorithm::ALL)
            .with_userhash(true)
            .with_rfc2069(true)
            .with_one_time_nonces(settings.one_time);
        Self {
            settings,
            server: Server::new(&realm, 0, None, settings),
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

    pub(super) const fn arrival(&self) -> Arrival<'static> {
        Arrival::new(Channel::Encrypted, self.now)
    }

    pub(super) fn act(&mut self, action: &Action) {
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
                self.server = Server::new(&self.realm, first, Some(now), self.settings);
                if self.previous.is_some() {
                    self.server.rotate(&self.realm, self.key);
                }
                self.taken_in.clear();
                self.restarted = Some(now);
                self.floor = now.plus_millis(1);
            }
        }
    }

    pub(super) fn set_clock(&mut self, millis: i64) {
        let now = self.now.as_unix_millis();
        self.now = Timestamp::from_unix_millis(now.saturating_add_signed(millis));
    }

    pub(super) fn challenge(&mut self) -> usize {
        let target = Target::new("GET", "/");
        let refused = self
            .server
            .begin(&self.realm, None, &target, &self.arrival());
        let refusal = self.server.refuse(&refused.unwrap_err());
        let text = nonce_of(&texts(&refusal));
        self.know(text, self.now.max(self.floor))
    }

    pub(super) fn know(&mut self, text: String, issued: Timestamp) -> usize {
        self.nonces.push(Known {
            text,
            issued,
            key: self.key,
            granted: HashMap::new(),
        });
        self.nonces.len() - 1
    }

    pub(super) fn use_and_retry(&mut self, nonce: usize, a_use: Use, back: u64) {
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
    pub(super) fn evicted(&self) -> &[(usize, Holder)] {
        let kept = self.settings.capacity.min(self.taken_in.len());
        &self.taken_in[..self.taken_in.len() - kept]
    }

    pub(super) fn take<'a>(
        &'a self,
        request: &'a Request,
        target: &Target<'a>,
    ) -> Result<(), Rejected<'a>> {
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
    pub(super) fn raise_floor(&mut self, index: usize) {
        let evicted = self.taken_in.len().checked_sub(self.settings.capacity + 1);
        let evicted = evicted.map(|at| self.nonces[self.taken_in[at].0].issued.plus_millis(1));
        let issued = self.nonces[index].issued;
        self.floor = self.floor.max(issued).max(evicted.unwrap_or(issued));
    }

    pub(super) fn use_nonce(&mut self, index: usize, a_use: Use) -> Result<(), Rejection> {
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
