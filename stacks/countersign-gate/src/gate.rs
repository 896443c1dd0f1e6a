//! Checks requests of clients for a proxy.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use countersign::digest;
use countersign::server::{Arrival, Authenticator, Reason, Refusal, Verdict};
use countersign::wire::BasicCredentials;
use countersign::{EntityBody, Target};
use http::request::Parts;
use http::{Response, StatusCode};
use lru::LruCache;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::{error, info, warn};

use crate::answer::{Answer, Body};
use crate::answered::Answered;
use crate::convention::{Convention, Fault, Question, client};
use crate::guesses::Guesses;
use crate::lock::lock;
use crate::metrics::Metrics;
use crate::users::{User, Users};

/// How many nonces are remembered: clients such as curl need one for each request.
const NONCES: usize = 100_000;

/// How many slow hashes run at once, and how long a password waits for one.
const HASHES: usize = 2;
const PATIENCE: Duration = Duration::from_secs(2);

/// Longer names are cut in the log.
const SHOWN_NAME: usize = 100;

pub struct Gate {
    convention: Convention,
    auth: Authenticator,
    state: Mutex<Arc<State>>,
    guesses: Guesses,
    hashes: Arc<Semaphore>,
    pub metrics: Metrics,
}

/// The users, and what was found right of them: a change of the files empties all of it, also for
/// requests that are being checked.
struct State {
    users: Users,
    answered: Mutex<Answered>,
    /// Pairs of name and password that were right, hashed. A page of 100 images by Basic would
    /// otherwise take 100 slow hashes.
    right: Mutex<LruCache<[u64; 2], ()>>,
    hashers: [RandomState; 2],
}

impl State {
    fn new(users: Users) -> Self {
        const PAIRS: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();
        Self {
            users,
            answered: Mutex::default(),
            right: Mutex::new(LruCache::new(PAIRS)),
            hashers: Default::default(),
        }
    }
}

impl Gate {
    /// # Errors
    ///
    /// The operating system has no random bytes.
    pub fn new(convention: Convention, users: Users, guesses: u32) -> Result<Self, String> {
        let auth = Authenticator::from_os_rng(users.realm.clone(), NONCES);
        Ok(Self {
            convention,
            auth: auth.map_err(|error| format!("no random bytes: {error}"))?,
            metrics: Metrics::new(),
            state: Mutex::new(Arc::new(State::new(users))),
            guesses: Guesses::new(guesses),
            hashes: Arc::new(Semaphore::new(HASHES)),
        })
    }

    /// Takes other users from now on.
    pub fn replace_users(&self, users: Users) {
        *lock(&self.state) = Arc::new(State::new(users));
        self.metrics.set_wrong(None);
    }

    /// The response to a question of the proxy.
    pub async fn respond(&self, head: &Parts, has_body: bool) -> Response<Body> {
        let answer = match self.convention.read(head, has_body) {
            Ok(question) => self.check(&question).await,
            Err(Fault::Unclear(why)) => {
                self.metrics.count("unclear");
                error!("the proxy does not ask as it should: {why}");
                Answer::of_status(StatusCode::INTERNAL_SERVER_ERROR)
            }
            Err(Fault::Forged(why)) => {
                self.metrics.count("forged");
                let from = client(&head.headers).map(|address| format!(", from {address}"));
                info!("refused: {why}{}", from.unwrap_or_default());
                Answer::of_status(StatusCode::BAD_REQUEST)
            }
        };
        answer.into_response(self.convention)
    }

    /// The answer to a question, also to one that comes again.
    pub async fn check(&self, question: &Question<'_>) -> Answer {
        let state = Arc::clone(&lock(&self.state));
        let Some(key) = lock(&state.answered).key(question) else {
            return self.check_with(&state, question).await;
        };
        let before = lock(&state.answered).get(key, Instant::now());
        if let Some(answer) = before {
            self.metrics.count("repeated");
            return answer;
        }
        let answer = self.check_with(&state, question).await;
        lock(&state.answered).insert(key, answer.clone(), Instant::now());
        answer
    }

    async fn check_with(&self, state: &State, question: &Question<'_>) -> Answer {
        let target = Target::new(question.method, question.target);
        let arrival = Arrival::now(question.channel);
        let credentials = question.credentials.iter().copied();
        let realm = &state.users.realm;
        let attempt = match self.auth.begin_as(realm, credentials, &target, arrival) {
            Ok(attempt) => attempt,
            Err(refusal) => return self.refuse(question, None, &refusal),
        };
        let claimed = attempt.claimed_user();
        let name = match &claimed {
            digest::User::Name(name) => name.as_bytes(),
            digest::User::Octets(name) => name,
            // Not offered, so refused before.
            _ => b"",
        };
        let subject = self.guesses.subject(&attempt, question.address);
        if let Some(wait) = self.guesses.wait(&subject) {
            return self.limit(question, &claimed, wait);
        }
        let user = state.users.find(name);
        let verified = match attempt.basic() {
            None => attempt.verify_by(user, |user, hash| user.ha1(hash)),
            Some(pair) => {
                let Some(verdict) = self.check_password(state, pair, user).await else {
                    self.metrics.count("overloaded");
                    warn!("refused: too many passwords are being checked");
                    return Answer::of_status(StatusCode::SERVICE_UNAVAILABLE);
                };
                attempt.decide(verdict)
            }
        };
        let granted = verified.and_then(|verified| self.auth.admit(verified));
        let why = granted.as_ref().err().map(|refusal| refusal.reason);
        if let Some(wait) = self.guesses.count(&subject, why) {
            return self.limit(question, &claimed, wait);
        }
        match granted {
            Ok(grant) => {
                self.guesses.right(subject);
                self.metrics.count("granted");
                let info = grant.authentication_info(EntityBody::Unknown);
                let info = info.map(|info| info.as_bytes().into());
                Answer::Granted(Arc::clone(&grant.account().name), info)
            }
            Err(refusal) => self.refuse(question, Some(&claimed), &refusal),
        }
    }

    /// Compares a password with the slow hash of the user; `None` if too many wait for that.
    async fn check_password<'a>(
        &self,
        state: &State,
        pair: &BasicCredentials,
        user: Option<&'a User>,
    ) -> Option<Verdict<&'a User>> {
        let both = (pair.username(), pair.password());
        let key = state.hashers.each_ref().map(|it| it.hash_one(both));
        let known = lock(&state.right).get(&key).is_some();
        if let Some(user) = user.filter(|_| known) {
            return Some(Verdict::Right(user));
        }
        let (hash, is_of_user) = state.users.hash(pair.username())?;
        let permit = timeout(PATIENCE, Arc::clone(&self.hashes).acquire_owned());
        let permit = permit.await.ok()?.ok()?;
        let pair = pair.clone();
        let is_right = spawn_blocking(move || {
            let _permit = permit;
            hash.is_of(pair.password())
        });
        let is_right = is_right.await.ok()?;
        let Some(user) = user.filter(|_| is_right && is_of_user) else {
            return Some(Verdict::Wrong);
        };
        lock(&state.right).put(key, ());
        Some(Verdict::Right(user))
    }

    fn refuse(
        &self,
        question: &Question<'_>,
        claimed: Option<&digest::User<'_>>,
        refusal: &Refusal,
    ) -> Answer {
        let reason = refusal.reason.name();
        self.metrics.count(reason);
        let address = question.address;
        match (claimed, &refusal.reason) {
            // The line that fail2ban counts.
            (Some(claimed), why) if why.is_guess() => {
                warn!(
                    "refused: wrong user name or password: {} from {address}",
                    shown(claimed)
                );
            }
            // Each client causes these, for each nonce.
            (_, why) if why.is_stale() || *why == Reason::NoCredentials => {}
            _ => info!("refused: {reason}, from {address}"),
        }
        Answer::refused(refusal)
    }

    fn limit(&self, question: &Question<'_>, claimed: &digest::User<'_>, wait: Duration) -> Answer {
        self.metrics.count("limited");
        let (name, address, secs) = (shown(claimed), question.address, wait.as_secs());
        info!("refused: too many wrong passwords of {name}, from {address}, for {secs} s");
        Answer::Limited(wait)
    }

    pub fn text_of_metrics(&self) -> String {
        self.metrics.text(lock(&self.state).users.len())
    }
}

/// The name in quotes and escaped, so that it cannot forge a line, and cut.
fn shown(user: &digest::User<'_>) -> String {
    let name = user.to_string();
    match name.char_indices().nth(SHOWN_NAME) {
        Some((at, _)) => format!("{}...\"", &name[..at]),
        None => name,
    }
}

#[cfg(test)]
mod tests;
