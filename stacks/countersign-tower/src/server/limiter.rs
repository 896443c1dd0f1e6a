//! A limiter of wrong passwords.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::server::{Attempt, Reason};

use crate::server::client_address::network;
use crate::server::counts::{Count, Counts};

/// Refuses users who guess: see [`AuthLayer::builder`](super::AuthLayerBuilder::with_limiter). What it
/// counts, what it forgets and what belongs beside it is on the page
/// [`around`](crate::around#guessing).
///
/// ```
/// use std::time::Duration;
///
/// use countersign_tower::server::{AuthLayerBuilder, Limiter};
///
/// # fn layer<U>(layer: AuthLayerBuilder<U>) -> AuthLayerBuilder<U> {
/// // After ten wrong passwords a user waits for a minute, at that address.
/// layer.with_limiter(Limiter::new().with_limit(10, Duration::from_secs(60)))
/// # }
/// # let _ = layer::<()>;
/// ```
///
/// A program that checks logins by the core, without the layer, asks it in three places:
///
/// ```
/// use std::net::IpAddr;
/// use std::time::Duration;
///
/// use countersign::digest::Ha1;
/// use countersign::server::{Attempt, Authenticator, Grant, Reason};
/// use countersign_tower::server::Limiter;
///
/// enum Failed {
///     /// Status 429.
///     Limited(Duration),
///     Refused(Reason),
/// }
///
/// fn login<'a>(
///     auth: &'a Authenticator,
///     limiter: &Limiter,
///     address: IpAddr,
///     attempt: Attempt<'a>,
///     ha1: Option<&'a Ha1>,
/// ) -> Result<Grant<'a, &'a Ha1>, Failed> {
///     // Before the password is hashed, or the store is asked.
///     let guesser = limiter.guesser(address, &attempt, None);
///     limiter.wait(&guesser).map_or(Ok(()), |wait| Err(Failed::Limited(wait)))?;
///     let guesser = limiter.guesser(address, &attempt, ha1);
///     let verified = attempt.verify(ha1);
///     // Before anybody is told.
///     let reason = verified.as_ref().err().map(|refusal| refusal.reason);
///     limiter.count(&guesser, reason).map_or(Ok(()), |wait| Err(Failed::Limited(wait)))?;
///     let granted = verified.and_then(|verified| auth.admit(verified));
///     let granted = granted.map_err(|refusal| Failed::Refused(refusal.reason))?;
///     limiter.forgive(&guesser);
///     Ok(granted)
/// }
/// # let _ = login;
/// ```
pub struct Limiter {
    limit: u32,
    period: Duration,
    hasher: RandomState,
    counts: Mutex<Counts>,
}

impl Limiter {
    /// A limiter that refuses a user at an address after 20 wrong passwords, for five minutes. In a
    /// layer it takes the address from the [`ClientAddress`](super::ClientAddress), and answers
    /// credentials in a request without an address with status 500, told as
    /// [`Outcome::NoAddress`](super::Outcome): the program that serves the layer is at fault.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limit: 20,
            period: Duration::from_secs(300),
            hasher: RandomState::new(),
            counts: Mutex::new(Counts::new(10_000)),
        }
    }

    /// Refuses a user at an address after `limit` wrong passwords (at least one), for `period` after
    /// the last.
    #[must_use]
    pub fn with_limit(mut self, limit: u32, period: Duration) -> Self {
        self.limit = limit.max(1);
        self.period = period;
        self
    }

    /// Keeps up to `capacity` counts of about 100 bytes each, by default 10,000. A user takes three, or
    /// two if the request has the hash of the name. [The page](crate::around#guessing) says which
    /// are forgotten first.
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> Self {
        self.counts = Mutex::new(Counts::new(capacity.max(2 * Guesser::MAX_KEYS)));
        self
    }

    /// The user of an attempt at an address, and the account that the store has found, if any. The
    /// network of the address counts: the first 64 bits of an IPv6 address.
    pub fn guesser(&self, address: IpAddr, attempt: &Attempt<'_>, ha1: Option<&Ha1>) -> Guesser {
        let (realm, hash) = (attempt.realm().name(), attempt.hash_function());
        self.guesser_as(address, realm, &attempt.claimed_user(), hash, ha1)
    }

    fn guesser_as(
        &self,
        address: IpAddr,
        realm: &str,
        user: &User<'_>,
        hash: HashFunction,
        ha1: Option<&Ha1>,
    ) -> Guesser {
        let network = network(address);
        // Otherwise the limits would tell whether a name and its hash are of one account, and so
        // whether there is one.
        let hashed = match user {
            User::Name(name) => userhash(hash, &**name, realm),
            User::Octets(name) => userhash(hash, &**name, realm),
            User::Hash(hashed) => *hashed,
            _ => userhash(hash, "", realm),
        };
        // Without an account a stand-in, as long as an HA1. Otherwise the time, or the number of
        // guesses that push an older count out of the memory, would tell whether there is one.
        let account = ha1.map_or(hashed.as_str(), Ha1::as_hex);
        let key = |user: &User<'_>| self.hasher.hash_one((realm, user, network));
        Guesser {
            user: key(user),
            hashed: (!matches!(user, User::Hash(_))).then(|| key(&User::Hash(hashed))),
            account: self.hasher.hash_one((realm, account, network)),
        }
    }

    /// Returns how long this user is refused for. Ask before the password is checked.
    pub fn wait(&self, guesser: &Guesser) -> Option<Duration> {
        self.wait_of(guesser, Instant::now())
    }

    /// Counts a check that has failed for this reason, if it [is a guess](Reason::is_guess); `None`
    /// for a right password. Returns for how long the result must be withheld, if the limit has been
    /// reached in the meantime: ask before anybody is told, also after a right password.
    pub fn count(&self, guesser: &Guesser, reason: Option<Reason>) -> Option<Duration> {
        self.count_at(guesser, reason, Instant::now())
    }

    /// Clears the counts of a user who is let in.
    pub fn forgive(&self, guesser: &Guesser) {
        let mut counts = self.counts();
        guesser.keys().for_each(|key| counts.remove(key));
    }

    fn wait_of(&self, guesser: &Guesser, now: Instant) -> Option<Duration> {
        self.left(&self.counts(), guesser, now)
    }

    fn left(&self, counts: &Counts, guesser: &Guesser, now: Instant) -> Option<Duration> {
        let of_key = |key| {
            let count = counts.get(key)?;
            let left = self.period.saturating_sub(now - count.last);
            (count.wrong >= self.limit && !left.is_zero()).then_some(left)
        };
        guesser.keys().filter_map(of_key).max()
    }

    fn count_at(&self, guesser: &Guesser, why: Option<Reason>, now: Instant) -> Option<Duration> {
        // Locked once, so that no two requests are both the last within the limit.
        let mut counts = self.counts();
        let wait = self.left(&counts, guesser, now);
        // An unknown user has no HA1 of any kind. One who has none of this kind must look the same.
        let is_guess = why.as_ref().is_some_and(Reason::is_guess);
        if wait.is_none() && is_guess {
            for key in guesser.keys() {
                let count = counts.get(key);
                let count = count.filter(|count| now - count.last < self.period);
                let wrong = count.map_or(0, |count| count.wrong).saturating_add(1);
                counts.insert(key, Count { wrong, last: now }, self.limit);
            }
        }
        wait
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Limiter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter")
            .field("limit", &self.limit)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}

/// A user at an address, as a [`Limiter`] counts. It has neither name nor address, only hashes of
/// them, so that long names take no memory. The hashes are keyed: nobody can provoke collisions. Those
/// of one limiter are equal where it counts the same.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Guesser {
    user: u64,
    hashed: Option<u64>,
    account: u64,
}

impl Guesser {
    const MAX_KEYS: usize = 3;

    fn keys(&self) -> impl Iterator<Item = u64> + use<> {
        let keys = [Some(self.user), self.hashed, Some(self.account)];
        keys.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_secs(60);

    fn limiter(limit: u32, capacity: usize) -> Limiter {
        Limiter::new()
            .with_limit(limit, PERIOD)
            .with_capacity(capacity)
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn guesser(user: u64) -> Guesser {
        Guesser {
            user,
            hashed: None,
            account: !user,
        }
    }

    fn count(limiter: &Limiter, guesser: &Guesser, now: Instant) -> Option<Duration> {
        limiter.count_at(guesser, Some(Reason::WrongCredentials), now)
    }

    #[test]
    fn refuses_after_the_limit_until_the_period_is_over() {
        let (limiter, start) = (limiter(3, 100), Instant::now());
        let (one, two) = (guesser(1), guesser(2));
        for second in 0..3 {
            let now = start + secs(second);
            assert_eq!(limiter.wait_of(&one, now), None);
            assert_eq!(count(&limiter, &one, now), None);
        }
        // The result is withheld, and not counted.
        assert_eq!(count(&limiter, &one, start + secs(12)), Some(secs(50)));
        for (second, wait) in [(2, Some(60)), (61, Some(1)), (62, None)] {
            assert_eq!(limiter.wait_of(&one, start + secs(second)), wait.map(secs));
        }
        assert_eq!(limiter.wait_of(&two, start), None);
        // It begins at one again.
        let later = start + secs(62);
        count(&limiter, &one, later);
        count(&limiter, &one, later);
        assert_eq!(limiter.wait_of(&one, later), None);
        count(&limiter, &one, later);
        assert_eq!(limiter.wait_of(&one, later), Some(PERIOD));
        limiter.forgive(&one);
        assert_eq!(limiter.wait_of(&one, later), None);
    }

    #[test]
    fn keeps_as_many_counts_as_it_has_capacity_for() {
        let now = Instant::now();
        for capacity in [0, 1, 2, 10, 11] {
            let limiter = limiter(1, capacity);
            for key in 0..1000 {
                count(&limiter, &guesser(key), now);
                let counts = limiter.counts();
                let least = 2 * Guesser::MAX_KEYS;
                assert!(counts.len() <= capacity.max(least));
            }
            for key in 0..1000 {
                let is_kept = limiter.wait_of(&guesser(key), now).is_some();
                let is_recent = key as usize >= 1000 - (capacity / 4).max(1);
                assert!(is_kept || !is_recent, "{capacity} {key}");
            }
        }
    }

    /// Also of those below the limit, which made-up names are.
    #[test]
    fn names_that_are_guessed_once_take_no_more_than_the_capacity() {
        let (limiter, now) = (limiter(5, 100), Instant::now());
        flood(&limiter, 1, 0..1000, now);
        assert!(limiter.counts().len() <= 100);
    }

    /// Wrong passwords of many users, each so often.
    fn flood(limiter: &Limiter, times: usize, users: std::ops::Range<u64>, now: Instant) {
        for user in users {
            for _ in 0..times {
                count(limiter, &guesser(user), now);
            }
        }
    }

    #[test]
    fn many_unknown_users_do_not_free_one_at_the_limit() {
        let (limiter, now) = (limiter(3, 100), Instant::now());
        let one = guesser(0);
        flood(&limiter, 3, 0..1, now);
        flood(&limiter, 2, 1..10_000, now);
        assert_eq!(limiter.wait_of(&one, now), Some(PERIOD));
        // As many at the limit as there is space for do. This takes the limit times as many
        // requests.
        flood(&limiter, 3, 10_000..10_024, now);
        assert_eq!(limiter.wait_of(&one, now), Some(PERIOD));
        flood(&limiter, 3, 20_000..20_001, now);
        assert_eq!(limiter.wait_of(&one, now), None);
    }

    #[test]
    fn users_at_the_limit_leave_space_to_count_others() {
        let (limiter, now) = (limiter(3, 100), Instant::now());
        flood(&limiter, 3, 0..1000, now);
        flood(&limiter, 1, 2000..2001, now);
        for others in [3000..3024, 4000..4024] {
            flood(&limiter, 1, others, now);
            flood(&limiter, 1, 2000..2001, now);
        }
        assert_eq!(limiter.wait_of(&guesser(2000), now), Some(PERIOD));
    }

    #[test]
    fn the_least_capacity_is_enough_for_one_account() {
        let now = Instant::now();
        let limiter = limiter(3, 0);
        let one = Guesser {
            user: 1,
            hashed: Some(2),
            account: 3,
        };
        for _ in 0..3 {
            assert_eq!(count(&limiter, &one, now), None);
        }
        for key in 1..=3 {
            assert_eq!(limiter.wait_of(&guesser(key), now), Some(PERIOD), "{key}");
        }
    }

    #[test]
    fn counts_by_realm_user_and_network() {
        let limiter = limiter(1, 100);
        let key = |realm: &str, user: &'static str, address: &str| {
            let (address, user) = (address.parse().unwrap(), User::Name(user.into()));
            let guesser = limiter.guesser_as(address, realm, &user, HashFunction::Sha256, None);
            guesser.user
        };
        let places = [
            "192.0.2.1",
            "192.0.2.2",
            "2001:db8::1",
            "2001:db8:0:1::1",
            "::1",
        ];
        let mut keys = Vec::new();
        for place in places {
            for realm in ["a", "b"] {
                keys.extend(["a", "b"].map(|user| key(realm, user, place)));
            }
        }
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
        let same = |one, other| key("a", "a", one) == key("a", "a", other);
        assert!(same("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
    }
}
