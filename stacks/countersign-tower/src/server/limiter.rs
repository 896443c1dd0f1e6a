//! A limiter of wrong passwords.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::server::Reason;
use http::request::Parts;

use crate::server::counts::{Count, Counts};

type AddressOf = dyn Fn(&Parts) -> Option<IpAddr> + Send + Sync;

/// Refuses users who guess: see [`AuthLayer::with_limiter`](super::AuthLayer::with_limiter).
///
/// Wrong passwords are counted by realm, user and client address. By user alone, anyone could lock
/// a user out. Unknown users are counted, too, so that a limit does not reveal which users exist.
/// What counts [is a guess](Reason::is_guess), and a right
/// password clears the count. So where an attacker has the address of a user, each login of that
/// user allows more guesses: limit all requests of such an address elsewhere.
///
/// The user is the name as the request spells it, its [hash](countersign::digest::userhash) and the
/// HA1 that the [store](super::Users::find) found, so another spelling of the same account has the
/// same limit: one for each hash function that the realm offers, because each has another HA1. If
/// the existence of users is to stay secret, the store must find one spelling only: spellings of a
/// user who does not exist have a limit each.
///
/// A store that [compares passwords itself](super::Users::check_password) tells of no account: let
/// it find one spelling only, or limit all requests of an address elsewhere.
///
/// The limiter is asked before the password is checked, and again afterwards, before the result is
/// told. So requests at the same time learn no more than others.
///
/// A guess whose client closes the connection before the answer is not counted, and learns nothing.
/// But its password may be hashed, so a store of slow hashes must [bound
/// them](super::Users::check_password) itself.
///
/// A device that goes on with an old password after a change can keep the user's other devices at
/// its address out: the limiter does not know old passwords. A right password in between clears the
/// count, and so does a period without a wrong one.
///
/// Each process counts alone, from its start: behind a balancer, divide the limit by the number of
/// machines.
///
/// Against one client that tries many users, limit all requests of an address elsewhere, for example
/// by the crate `tower_governor` around this layer. Such a client can also make the limiter
/// [forget](Self::with_capacity) counts.
///
/// There is no call that lets a user in before the time is over. The limiter knows neither names nor
/// addresses, only hashes of them. If users have to be let in by hand, limit them in your
/// [store](super::Users), or make the time short.
///
/// ```
/// use std::net::IpAddr;
///
/// use countersign_tower::server::{AuthLayer, Limiter};
///
/// /// Put into the extensions by the acceptor of connections.
/// #[derive(Clone)]
/// struct Peer(IpAddr);
///
/// # fn layer<U>(layer: AuthLayer<U>) -> AuthLayer<U> {
/// layer.with_limiter(Limiter::new(|head| {
///     head.extensions.get().map(|&Peer(address)| address)
/// }))
/// # }
/// # let _ = layer::<()>;
/// ```
pub struct Limiter {
    limit: u32,
    period: Duration,
    address: Box<AddressOf>,
    hasher: RandomState,
    counts: Mutex<Counts>,
}

impl Limiter {
    /// A limiter that takes a client's address from `address`: that of the connection, or what a
    /// trusted proxy in front says. For axum the first is `peer_address`.
    ///
    /// IPv6 addresses count by their first 64 bits, of which one client usually has all addresses.
    /// IPv4 addresses written as IPv6 ones (`::ffff:192.0.2.1`) count as IPv4 addresses. Behind
    /// NAT64 (`64:ff9b::/96`) all clients have one count: map these addresses in `address`, if you
    /// have such clients.
    ///
    /// Behind a reverse proxy all connections come from its address, so that a few wrong passwords
    /// from anywhere lock a user out. Take the client's address from a field that this proxy sets,
    /// and that it does not pass on from its clients. If it sets none, do not limit by address.
    ///
    /// Credentials in a request without an address are answered with status 500, and told to
    /// [`on_event`](super::AuthLayer::on_event) as [`Outcome::NoAddress`](super::Outcome): the
    /// program that serves the layer is at fault. If addresses mean nothing, as on a Unix domain
    /// socket, return a fixed one. Then anyone who can connect can lock a user out.
    pub fn new<F>(address: F) -> Self
    where
        F: Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static,
    {
        Self {
            limit: 20,
            period: Duration::from_secs(300),
            address: Box::new(address),
            hasher: RandomState::new(),
            counts: Mutex::new(Counts::new(10_000)),
        }
    }

    /// Refuses a user at an address after `limit` wrong passwords (at least one), for `period` after
    /// the last. By default after 20, for five minutes.
    #[must_use]
    pub fn with_limit(mut self, limit: u32, period: Duration) -> Self {
        self.limit = limit.max(1);
        self.period = period;
        self
    }

    /// Keeps up to `capacity` counts of about 100 bytes each, by default 10,000. At most half of
    /// them are of users at the limit. It forgets the oldest count below the limit first, and of
    /// those at the limit the oldest if they take more than half. A user takes three, or two if the
    /// request has the hash of the name. So with a limit of 5 and a capacity of 10,000, a user at
    /// the limit is free again after about 8,300 wrong passwords for other names, and a count below
    /// the limit is forgotten after 1,700 to 3,300. They may come from any address, so limit
    /// addresses, too.
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> Self {
        self.counts = Mutex::new(Counts::new(capacity.max(2 * Subject::MAX_KEYS)));
        self
    }

    /// Returns how long a user is refused for.
    pub(super) fn wait(&self, subject: &Subject) -> Option<Duration> {
        self.wait_of(subject, Instant::now())
    }

    /// The network of the client, by which it is counted.
    pub(super) fn network(&self, head: &Parts) -> Option<IpAddr> {
        let address = (self.address)(head)?;
        Some(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !0 << 64).into(),
            address => address,
        })
    }

    /// The user in a network, and the account that the store found, if any. `hash` is the hash
    /// function that its HA1 must have been made with.
    pub(super) fn subject(
        &self,
        network: IpAddr,
        realm: &str,
        user: &User<'_>,
        hash: HashFunction,
        ha1: Option<&Ha1>,
    ) -> Subject {
        // Otherwise the limits would tell whether a name and its hash are of one account, and so
        // whether there is one.
        let hashed = match user {
            User::Name(name) => Some(userhash(hash, &**name, realm)),
            User::Octets(name) => Some(userhash(hash, &**name, realm)),
            _ => None,
        };
        let key = |user: &User<'_>| self.hasher.hash_one((realm, user, network));
        let (user, hashed) = (key(user), hashed.map(|hash| key(&User::Hash(hash))));
        Subject {
            user,
            hashed,
            account: match ha1 {
                Some(ha1) => self.hasher.hash_one((realm, ha1.as_hex(), network)),
                // A stand-in. Otherwise the number of guesses that push an older count out of the
                // memory would tell whether there is an account.
                None => self.hasher.hash_one(hashed.unwrap_or(user)),
            },
        }
    }

    /// Counts a check that failed for this reason. Returns how long its result is withheld, if the
    /// limit was reached in the meantime.
    pub(super) fn count(&self, subject: &Subject, why: Option<Reason>) -> Option<Duration> {
        self.count_at(subject, why, Instant::now())
    }

    /// Clears the count after a right password.
    pub(super) fn forgive(&self, subject: &Subject) {
        let mut counts = self.counts();
        subject.keys().for_each(|key| counts.remove(key));
    }

    fn wait_of(&self, subject: &Subject, now: Instant) -> Option<Duration> {
        self.left(&self.counts(), subject, now)
    }

    fn left(&self, counts: &Counts, subject: &Subject, now: Instant) -> Option<Duration> {
        let of_key = |key| {
            let count = counts.get(key)?;
            let left = self.period.saturating_sub(now - count.last);
            (count.wrong >= self.limit && !left.is_zero()).then_some(left)
        };
        subject.keys().filter_map(of_key).max()
    }

    fn count_at(&self, subject: &Subject, why: Option<Reason>, now: Instant) -> Option<Duration> {
        // Locked once, so that no two requests are both the last within the limit.
        let mut counts = self.counts();
        let wait = self.left(&counts, subject, now);
        // An unknown user has no HA1 of any kind. One who has none of this kind must look the same.
        let is_guess = why.as_ref().is_some_and(Reason::is_guess);
        if wait.is_none() && is_guess {
            for key in subject.keys() {
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

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter")
            .field("limit", &self.limit)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}

/// Who is limited. Hashed, so that long names take no memory. The hashes are keyed: nobody can
/// provoke collisions.
pub(super) struct Subject {
    user: u64,
    hashed: Option<u64>,
    account: u64,
}

impl Subject {
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
        Limiter::new(|head| head.extensions.get::<IpAddr>().copied())
            .with_limit(limit, PERIOD)
            .with_capacity(capacity)
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn subject(user: u64) -> Subject {
        Subject {
            user,
            hashed: None,
            account: !user,
        }
    }

    fn count(limiter: &Limiter, subject: &Subject, now: Instant) -> Option<Duration> {
        limiter.count_at(subject, Some(Reason::WrongCredentials), now)
    }

    #[test]
    fn refuses_after_the_limit_until_the_period_is_over() {
        let (limiter, start) = (limiter(3, 100), Instant::now());
        let (one, two) = (subject(1), subject(2));
        for second in 0..3 {
            let now = start + secs(second);
            assert_eq!(limiter.wait_of(&one, now), None);
            assert_eq!(count(&limiter, &one, now), None);
        }
        // The result is withheld, and not counted.
        assert_eq!(count(&limiter, &one, start + secs(2)), Some(PERIOD));
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
                count(&limiter, &subject(key), now);
                let counts = limiter.counts();
                let least = 2 * Subject::MAX_KEYS;
                assert!(counts.len() <= capacity.max(least));
            }
            for key in 0..1000 {
                let is_kept = limiter.wait_of(&subject(key), now).is_some();
                let is_recent = key as usize >= 1000 - (capacity / 4).max(1);
                assert!(is_kept || !is_recent, "{capacity} {key}");
            }
        }
    }

    /// Wrong passwords of many users, each so often.
    fn flood(limiter: &Limiter, times: usize, users: std::ops::Range<u64>, now: Instant) {
        for user in users {
            for _ in 0..times {
                count(limiter, &subject(user), now);
            }
        }
    }

    #[test]
    fn many_unknown_users_do_not_free_one_at_the_limit() {
        let (limiter, now) = (limiter(3, 100), Instant::now());
        let one = subject(0);
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
        assert_eq!(limiter.wait_of(&subject(2000), now), Some(PERIOD));
    }

    #[test]
    fn the_least_capacity_is_enough_for_one_account() {
        let now = Instant::now();
        let limiter = limiter(3, 0);
        let one = Subject {
            user: 1,
            hashed: Some(2),
            account: 3,
        };
        for _ in 0..3 {
            assert_eq!(count(&limiter, &one, now), None);
        }
        for key in 1..=3 {
            assert_eq!(limiter.wait_of(&subject(key), now), Some(PERIOD), "{key}");
        }
    }

    #[test]
    fn counts_by_realm_user_and_network() {
        let limiter = limiter(1, 100);
        let (mut head, ()) = http::Request::new(()).into_parts();
        assert_eq!(limiter.network(&head), None);
        let mut key = |realm: &str, user: &'static str, address: &str| {
            let address: IpAddr = address.parse().unwrap();
            head.extensions.insert(address);
            let network = limiter.network(&head).unwrap();
            let user = User::Name(user.into());
            let subject = limiter.subject(network, realm, &user, HashFunction::Sha256, None);
            subject.user
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
        let mut same = |one, other| key("a", "a", one) == key("a", "a", other);
        assert!(same("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
    }
}
