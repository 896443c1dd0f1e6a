//! A limiter of wrong passwords.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign::digest::User;
use countersign::server::RejectionClass;
use http::request::Parts;

use crate::server::claimed::Claimed;
use crate::server::event::Event;
use crate::server::outcome::Outcome;

type AddressOf = dyn Fn(&Parts) -> Option<IpAddr> + Send + Sync;

/// Refuses users who guess: see [`AuthLayer::with_limiter`](super::AuthLayer::with_limiter).
///
/// Wrong passwords are counted by realm, user and client address. By user alone, anyone could lock
/// a user out. Unknown users are counted, too, so that a limit does not reveal which users exist.
/// Only [`RejectionClass::WrongSecret`] counts, and a right password clears the count. Requests
/// that are checked at the same time can exceed the limit, each by one.
///
/// Against one client that tries many users, limit all requests of an address elsewhere.
///
/// ```
/// # use std::net::SocketAddr;
/// # use std::time::Duration;
/// # use countersign_tower::server::AuthLayer;
/// use axum::extract::ConnectInfo;
/// use countersign_tower::server::Limiter;
///
/// # fn layer<U>(layer: AuthLayer<U>) -> AuthLayer<U> {
/// // Serve with `into_make_service_with_connect_info::<SocketAddr>()`.
/// let limiter = Limiter::new(5, Duration::from_secs(300), 10_000, |head| {
///     let peer = head.extensions.get::<ConnectInfo<SocketAddr>>();
///     peer.map(|peer| peer.0.ip())
/// });
/// let layer = layer.with_limiter(limiter);
/// # layer
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
    /// A limiter that refuses a user at an address after `limit` wrong passwords (at least one),
    /// for `period` after the last.
    ///
    /// It keeps up to `capacity` counts of about 50 bytes each, and forgets the oldest ones.
    ///
    /// `address` tells the client's address: that of the connection, or what a trusted proxy in
    /// front says. axum has it in `ConnectInfo`, but only if the router is served with
    /// `into_make_service_with_connect_info`. All requests without an address count as one. IPv6
    /// addresses count by their first 64 bits, of which one client usually has all addresses.
    pub fn new<F>(limit: u32, period: Duration, capacity: usize, address: F) -> Self
    where
        F: Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static,
    {
        Self {
            limit: limit.max(1),
            period,
            address: Box::new(address),
            hasher: RandomState::new(),
            counts: Mutex::new(Counts {
                half: (capacity / 2).max(1),
                recent: HashMap::new(),
                older: HashMap::new(),
            }),
        }
    }

    /// Returns how long the user is refused for.
    pub(super) fn wait(&self, claimed: &Claimed<'_>) -> Option<Duration> {
        let key = self.key(claimed.head, claimed.realm, claimed.user);
        self.wait_of(key, Instant::now())
    }

    /// Counts a wrong password, or clears the count after a right one.
    pub(super) fn record(&self, event: &Event<'_>) {
        let Some(user) = &event.user else { return };
        let key = || self.key(event.head, event.realm, user);
        match event.outcome {
            Outcome::Granted => self.counts().remove(key()),
            Outcome::Refused(why) if why.class() == RejectionClass::WrongSecret => {
                self.count(key(), Instant::now());
            }
            _ => {}
        }
    }

    /// Hashed, so that long names take no memory. The hash is keyed: nobody can provoke collisions.
    fn key(&self, head: &Parts, realm: &str, user: &User<'_>) -> u64 {
        let network = (self.address)(head).map(|address| match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !0 << 64).into(),
            address => address,
        });
        self.hasher.hash_one((realm, user, network))
    }

    fn wait_of(&self, key: u64, now: Instant) -> Option<Duration> {
        let count = self.counts().get(key)?;
        let left = self.period.saturating_sub(now - count.last);
        (count.wrong >= self.limit && !left.is_zero()).then_some(left)
    }

    fn count(&self, key: u64, now: Instant) {
        let mut counts = self.counts();
        let count = counts.get(key);
        let count = count.filter(|count| now - count.last < self.period);
        let wrong = count.map_or(0, |count| count.wrong).saturating_add(1);
        counts.insert(key, Count { wrong, last: now });
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

/// Two generations, so that the oldest counts are forgotten in constant time.
struct Counts {
    /// The capacity of each generation.
    half: usize,
    recent: HashMap<u64, Count>,
    older: HashMap<u64, Count>,
}

#[derive(Clone, Copy)]
struct Count {
    wrong: u32,
    last: Instant,
}

impl Counts {
    fn get(&self, key: u64) -> Option<Count> {
        let count = self.recent.get(&key).or_else(|| self.older.get(&key));
        count.copied()
    }

    fn insert(&mut self, key: u64, count: Count) {
        self.remove(key);
        if self.recent.len() >= self.half {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(key, count);
    }

    fn remove(&mut self, key: u64) {
        self.recent.remove(&key);
        self.older.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_secs(60);

    fn limiter(limit: u32, capacity: usize) -> Limiter {
        Limiter::new(limit, PERIOD, capacity, |head| {
            head.extensions.get::<IpAddr>().copied()
        })
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn refuses_after_the_limit_until_the_period_is_over() {
        let (limiter, start) = (limiter(3, 100), Instant::now());
        for second in 0..3 {
            let now = start + secs(second);
            assert_eq!(limiter.wait_of(1, now), None);
            limiter.count(1, now);
        }
        for (second, wait) in [(2, Some(60)), (61, Some(1)), (62, None)] {
            assert_eq!(limiter.wait_of(1, start + secs(second)), wait.map(secs));
        }
        assert_eq!(limiter.wait_of(2, start), None);
        // It begins at one again.
        let later = start + secs(62);
        limiter.count(1, later);
        limiter.count(1, later);
        assert_eq!(limiter.wait_of(1, later), None);
        limiter.count(1, later);
        assert_eq!(limiter.wait_of(1, later), Some(PERIOD));
        limiter.counts().remove(1);
        assert_eq!(limiter.wait_of(1, later), None);
    }

    #[test]
    fn keeps_as_many_counts_as_it_has_capacity_for() {
        let now = Instant::now();
        for capacity in [0, 1, 2, 10, 11] {
            let limiter = limiter(1, capacity);
            for key in 0..1000 {
                limiter.count(key, now);
                let counts = limiter.counts();
                assert!(counts.recent.len() + counts.older.len() <= capacity.max(2));
            }
            for key in 0..1000 {
                let is_kept = limiter.wait_of(key, now).is_some();
                let is_recent = key as usize >= 1000 - (capacity / 2).max(1);
                assert!(is_kept || !is_recent, "{capacity} {key}");
            }
        }
    }

    #[test]
    fn counts_by_realm_user_and_network() {
        let limiter = limiter(1, 100);
        let key = |realm: &str, user: &'static str, address: Option<&str>| {
            let (mut head, ()) = http::Request::new(()).into_parts();
            if let Some(address) = address {
                let address: IpAddr = address.parse().unwrap();
                head.extensions.insert(address);
            }
            limiter.key(&head, realm, &User::Name(user.into()))
        };
        let places = [
            None,
            Some("192.0.2.1"),
            Some("192.0.2.2"),
            Some("2001:db8::1"),
            Some("2001:db8:0:1::1"),
            Some("::1"),
        ];
        let mut keys = Vec::new();
        for place in places {
            for realm in ["a", "b"] {
                keys.extend(["a", "b"].map(|user| key(realm, user, place)));
            }
        }
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
        let same = |one, other| key("a", "a", Some(one)) == key("a", "a", Some(other));
        assert!(same("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
    }
}
