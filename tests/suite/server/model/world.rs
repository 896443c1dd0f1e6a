//! A server, and the set of all uses that were granted.

use std::collections::{BTreeMap, HashMap, HashSet};

use countersign::digest::{Algorithm, Ha1, QopSet};
use countersign::server::{Arrival, Authenticator, Quirk, Realm, Reason, Refusal};
use countersign::{Channel, Target, Timestamp};
use proptest::sample::Index;

use super::actions::{ACCOUNTS, Form, Holder, LIFETIME_SECS, Settings, Use};
use super::requests::{Begun, Checked, Held, Request};
use crate::support::accounts::Spelling;
use crate::support::server::{REALM, START, Seeded, Why, issue_floor, no_field, nonce_of, texts};

/// A nonce, and all that was ever granted with it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) text: String,
    pub(super) issued: Timestamp,
    pub(super) key: u8,
    pub(super) one_time: bool,
    pub(super) granted: HashMap<Holder, HashSet<Option<u32>>>,
}

impl Known {
    /// Whether a use is one that was never granted, and that no window can have left behind.
    pub(super) fn is_fresh(&self, holder: Holder, nc: Option<u32>) -> bool {
        let Some(granted) = self.granted.get(&holder) else {
            return true;
        };
        match nc {
            Some(nc) if !self.one_time => {
                let highest = granted.iter().copied().flatten().max().unwrap_or(0);
                let behind = highest.saturating_sub(nc) >= 64;
                !behind && !granted.contains(&Some(nc)) && !granted.contains(&None)
            }
            _ => false,
        }
    }
}

/// A realm, and what the model must know of it.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) realm: Realm,
    pub(super) one_time: bool,
    /// Whether the forms without a protected count are refused.
    pub(super) counted_only: bool,
}

impl Rules {
    /// A realm that accepts every form of response.
    pub(super) fn new(one_time: bool) -> Self {
        Self {
            realm: Self::counted_only()
                .realm
                .with_quirks(&[Quirk::Rfc2069, Quirk::UncountedForm])
                .with_one_time_nonces(one_time),
            one_time,
            counted_only: false,
        }
    }

    pub(super) fn counted_only() -> Self {
        Self {
            realm: Realm::new(REALM)
                .unwrap()
                .with_nonce_lifetime(LIFETIME_SECS)
                .with_algorithms(Algorithm::ALL)
                .with_qop(QopSet::BOTH)
                .with_userhash(true),
            one_time: false,
            counted_only: true,
        }
    }
}

/// `'r` is how long requests live that are held, and the realms.
pub(super) struct World<'r> {
    settings: Settings,
    /// The first belongs to the server, and the others are for some requests.
    realms: &'r [Rules],
    /// Leaked, because attempts borrow theirs, also when another has taken its place.
    server: &'static Authenticator,
    now: Timestamp,
    key: u8,
    previous: Option<u8>,
    pub(super) nonces: Vec<Known>,
    /// The nonces that the server has taken in, each for one holder, the first one first.
    taken_in: Vec<(usize, Holder)>,
    /// No new nonce may carry an earlier time.
    floor: Timestamp,
    pub(super) outcomes: BTreeMap<&'static str, u32>,
}

impl<'r> World<'r> {
    fn server(realm: &Realm, key: u8, settings: Settings) -> &'static Authenticator {
        let server = Authenticator::from_fresh_seed(realm.clone(), settings.capacity, [key; 32]);
        Box::leak(Box::new(server))
    }

    pub(super) fn new(settings: Settings, realms: &'r [Rules]) -> Self {
        Self {
            settings,
            server: Self::server(&realms[0].realm, 0, settings),
            realms,
            now: START,
            key: 0,
            previous: None,
            nonces: Vec::new(),
            taken_in: Vec::new(),
            floor: Timestamp::from_unix_millis(0),
            outcomes: BTreeMap::new(),
        }
    }

    /// A client comes, asks and logs in.
    pub(super) fn log_in(&mut self, client: usize) {
        let nonce = self.challenge(0);
        let first = Use {
            account: client % ACCOUNTS.len(),
            spelling: Spelling::Clear,
            algorithm: Algorithm::SHA_256,
            form: Form::Auth,
            nc: 1,
        };
        self.use_and_retry(nonce, first, 0, 0);
    }

    pub(super) fn rotate(&mut self, keep: bool) {
        // The last but one is always dropped.
        self.previous = keep.then_some(self.key);
        self.key += 1;
        let rng = &mut Seeded(self.key.into());
        let Ok(()) = match keep {
            true => self.server.rotate(rng),
            false => self.server.void_nonces(rng),
        };
    }

    pub(super) fn restart(&mut self) {
        self.previous = None;
        self.key += 1;
        self.server = Self::server(&self.realms[0].realm, self.key, self.settings);
        self.taken_in.clear();
        self.floor = Timestamp::from_unix_millis(0);
    }

    pub(super) fn set_clock(&mut self, millis: i64) {
        let now = self.now.as_unix_millis();
        self.now = Timestamp::from_unix_millis(now.saturating_add_signed(millis));
    }

    pub(super) fn one_of_latest(&self, index: Index, latest: usize) -> usize {
        let count = self.nonces.len();
        count - 1 - index.index(count.min(latest))
    }

    /// Asks for a nonce of a realm.
    pub(super) fn challenge(&mut self, realm: usize) -> usize {
        let (target, arrival) = (Target::new("GET", "/"), self.arrival());
        let rules = &self.realms[realm];
        let refused = self
            .server
            .begin_as(&rules.realm, no_field(), &target, arrival);
        let refusal = refused.unwrap_err();
        let text = nonce_of(&texts(&refusal));
        self.know(text, self.now.max(self.floor), realm)
    }

    const fn arrival(&self) -> Arrival<'static> {
        Arrival::new(Channel::Encrypted, self.now)
    }

    fn know(&mut self, text: String, issued: Timestamp, realm: usize) -> usize {
        self.nonces.push(Known {
            text,
            issued,
            key: self.key,
            one_time: self.realms[realm].one_time,
            granted: HashMap::new(),
        });
        self.nonces.len() - 1
    }

    /// The nonce of the challenge to a request whose nonce was forgotten.
    pub(super) fn take_up(&mut self, rejected: &Refusal, begun: &Begun<'_>) -> usize {
        let Reason::NonceForgotten { until } = rejected.reason else {
            panic!("{rejected:?}");
        };
        let issued = begun.now.max(self.floor).max(until.plus_millis(1));
        self.know(nonce_of(&texts(rejected)), issued, begun.realm)
    }

    /// Uses a nonce. If it is forgotten, it comes once more, and is refused once more, with the clock set
    /// back before that; then the next nonce is used.
    pub(super) fn use_and_retry(&mut self, nonce: usize, a_use: Use, realm: usize, back: u64) {
        let request = self.request(nonce, a_use);
        let Err(Reason::NonceForgotten { .. }) = self.take(&request, realm).why() else {
            return;
        };
        self.set_clock(-i64::try_from(back).unwrap());
        let begun = self.begun(&request, realm);
        let rejected = self.take(&request, realm);
        let another = self.take_up(&rejected.expect_err("forgotten, and then granted"), &begun);
        let request = self.request(another, a_use.first());
        let outcome = self.take(&request, realm).why();
        assert_eq!(outcome.is_ok(), self.settings.capacity > 0, "{outcome:?}");
    }

    /// The request of a client that uses a nonce.
    pub(super) fn request(&self, nonce: usize, a_use: Use) -> Request {
        Request::new(nonce, &self.nonces[nonce].text, a_use)
    }

    /// All steps at once.
    fn take<'a>(&mut self, request: &'a Request, realm: usize) -> Result<(), Refusal>
    where
        'r: 'a,
    {
        let held = self.begin(request, realm)?;
        let checked = self.verify(held)?;
        self.admit(checked)
    }

    fn begun<'a>(&self, request: &'a Request, realm: usize) -> Begun<'a> {
        let known = &self.nonces[request.nonce];
        let has_key = known.key == self.key || Some(known.key) == self.previous;
        Begun {
            request,
            realm,
            ours: has_key && known.one_time == self.realms[realm].one_time,
            expired: known.issued.plus_millis(1000 * u64::from(LIFETIME_SECS)) < self.now,
            now: self.now,
            server: self.server,
        }
    }

    pub(super) fn begin<'a>(
        &mut self,
        request: &'a Request,
        realm: usize,
    ) -> Result<Held<'a>, Refusal>
    where
        'r: 'a,
    {
        let begun = self.begun(request, realm);
        let (value, target) = ([request.header.as_slice()].into_iter(), request.target());
        let rules = &self.realms[realm];
        let attempt = self
            .server
            .begin_as(&rules.realm, value, &target, self.arrival());
        let is_refused = rules.counted_only && request.a_use.form == Form::Rfc2069;
        assert_eq!(attempt.is_err(), is_refused, "{:?}", request.a_use);
        match attempt {
            Ok(attempt) => Ok((attempt, begun)),
            Err(rejected) => {
                assert_eq!(rejected.reason, Reason::QopNotOffered);
                self.count("form refused");
                Err(rejected)
            }
        }
    }

    pub(super) fn verify<'a>(&mut self, held: Held<'a>) -> Result<Checked<'a>, Refusal> {
        let (attempt, begun) = held;
        let (a_use, store) = (begun.request.a_use, self.settings.store);
        let user = attempt.claimed_user();
        let found = ACCOUNTS
            .iter()
            .find(|account| store.finds(account, REALM, &user));
        let ha1 = found.map(|it| Ha1::new(attempt.hash_function(), it.name, REALM, it.password));
        let verified = attempt.verify(ha1);

        let is_known = a_use.spelling.is_taken_by(store, &ACCOUNTS[a_use.account]);
        let is_accepted = a_use.count().is_some() || !self.realms[begun.realm].counted_only;
        let (outcome, expected) = match (is_known, is_accepted) {
            (false, _) => ("unknown name", Err(Reason::WrongCredentials)),
            (_, false) => ("form refused", Err(Reason::WrongCredentials)),
            _ if !begun.ours => ("foreign", Err(Reason::NonceForeign)),
            _ if begun.expired => ("expired", Err(Reason::NonceExpired)),
            _ => ("verified", Ok(())),
        };
        let known = &self.nonces[begun.request.nonce];
        let why = verified
            .as_ref()
            .map(drop)
            .map_err(|refusal| refusal.reason);
        assert_eq!(why, expected, "{a_use:?} of {known:?}");
        if expected.is_err() {
            self.count(outcome);
        }
        Ok((verified?, begun))
    }

    pub(super) fn admit<'a>(&mut self, checked: Checked<'a>) -> Result<(), Refusal> {
        let (verified, begun) = checked;
        let outcome = self.server.admit(verified).map(drop);

        let Request { nonce, a_use, .. } = *begun.request;
        let (count, holder) = (a_use.count(), a_use.holder());
        let known = &self.nonces[nonce];
        let is_fresh = known.is_fresh(holder, count);
        let same_server = std::ptr::eq(begun.server, self.server);
        let why = outcome.as_ref().map_err(|refusal| refusal.reason);
        assert_eq!(why == Err(Reason::NonceForeign), !same_server);
        let name = match why {
            Ok(()) => {
                assert!(is_fresh, "{a_use:?} of {known:?}");
                let granted = self.nonces[nonce].granted.entry(holder).or_default();
                granted.insert(count);
                if !self.taken_in.contains(&(nonce, holder)) {
                    self.taken_in.push((nonce, holder));
                    self.raise_floor(nonce);
                }
                "granted"
            }
            Err(Reason::NonceForeign) => "verified by another server",
            Err(Reason::Replayed) => {
                assert!(!is_fresh, "{a_use:?} of {known:?}");
                "replayed"
            }
            Err(Reason::NonceForgotten { until }) => {
                let evicted = self.evicted();
                let remembered = self.taken_in[evicted.len()..].contains(&(nonce, holder));
                assert!(!remembered, "{known:?}");
                assert!(known.issued <= until);
                // Whose forgetting it was.
                let mut times = evicted.iter().map(|&(nonce, _)| self.nonces[nonce].issued);
                let no_room = self.settings.capacity == 0 && until == known.issued;
                assert!(no_room || times.any(|time| time == until), "{until:?}");
                "forgotten"
            }
            Err(other) => panic!("{other:?}"),
        };
        self.count(name);
        outcome
    }

    /// Whether the table may not know a nonce that it has known.
    fn evicted(&self) -> &[(usize, Holder)] {
        let kept = self.settings.capacity.min(self.taken_in.len());
        &self.taken_in[..self.taken_in.len() - kept]
    }

    /// After the memory took a nonce in, and may have evicted another.
    fn raise_floor(&mut self, index: usize) {
        let evicted = self.taken_in.len().checked_sub(self.settings.capacity + 1);
        let evicted = evicted.map(|at| self.nonces[self.taken_in[at].0].issued.plus_millis(1));
        let issued = self.nonces[index].issued;
        self.floor = self.floor.max(issued).max(evicted.unwrap_or(issued));
    }

    fn count(&mut self, outcome: &'static str) {
        // No spelling takes a place of its own.
        let room = self.settings.capacity;
        assert_eq!(self.server.len(), self.taken_in.len().min(room));
        assert_eq!(issue_floor(self.server), self.floor);
        *self.outcomes.entry(outcome).or_insert(0) += 1;
    }
}
