//! The wrong passwords of each user, which are limited.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;

const PERIOD: Duration = Duration::from_secs(300);

/// Many times what a limit has to count at once.
const CAPACITY: usize = 20_000;

/// How much more often a user may be wrong at all addresses together than at one.
const ADDRESSES: u32 = 10;

/// Counts wrong passwords by user and network, and by user alone. Names that do not exist count,
/// too, so that a limit does not tell which do.
pub struct Guesses {
    limit: u32,
    hasher: RandomState,
    counts: Mutex<Counts>,
}

/// Those at their limit are kept apart, so that an attacker has to reach the limit of many others
/// to have them forgotten.
struct Counts {
    below: LruCache<u64, Count>,
    reached: LruCache<u64, Count>,
    /// The users who were right in a network lately. Guesses from elsewhere do not lock them out.
    right: LruCache<u64, Instant>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    wrong: u32,
    last: Option<Instant>,
}

/// Who is counted.
#[derive(Clone, Copy)]
pub struct Subject {
    at_network: u64,
    anywhere: u64,
}

impl Guesses {
    /// Refuses a user at an address after `limit` wrong passwords, for five minutes.
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            hasher: RandomState::new(),
            counts: Mutex::new(Counts {
                // `insert` bounds them: bounded ones would allocate all of their memory now.
                below: LruCache::unbounded(),
                reached: LruCache::unbounded(),
                right: LruCache::unbounded(),
            }),
        }
    }

    /// IPv6 clients are counted by their first 64 bits, of which each usually has all addresses.
    pub fn subject(&self, user: &[u8], address: IpAddr) -> Subject {
        let network = match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !0 << 64).into(),
            address => address,
        };
        Subject {
            at_network: self.hasher.hash_one((user, network)),
            anywhere: self.hasher.hash_one(user),
        }
    }

    /// How long the user has to wait. Asked before the password is checked, and again before the
    /// result is told.
    pub fn wait(&self, subject: Subject, now: Instant) -> Option<Duration> {
        self.counts().wait(self.limit, subject, now)
    }

    /// Counts a wrong password, and returns how long the user has to wait if the limit was reached
    /// in the meantime.
    pub fn wrong(&self, subject: Subject, now: Instant) -> Option<Duration> {
        // Locked once, so that no two requests are both the last within the limit.
        let mut counts = self.counts();
        let wait = counts.wait(self.limit, subject, now);
        if wait.is_none() {
            counts.count(subject.at_network, self.limit, now);
            counts.count(subject.anywhere, self.limit.saturating_mul(ADDRESSES), now);
        }
        wait
    }

    /// Forgets the wrong passwords of a user who was right, in this network.
    pub fn right(&self, subject: Subject, now: Instant) {
        let mut counts = self.counts();
        counts.remove(subject.at_network);
        counts.right.put(subject.at_network, now);
        if counts.right.len() > CAPACITY {
            counts.right.pop_lru();
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn wait(&self, limit: u32, subject: Subject, now: Instant) -> Option<Duration> {
        let left = |key, limit| {
            let count = self.reached.peek(&key).filter(|it| it.wrong >= limit)?;
            let left = PERIOD.saturating_sub(now.duration_since(count.last?));
            (!left.is_zero()).then_some(left)
        };
        let was_right = self.right.peek(&subject.at_network);
        let is_known = was_right.is_some_and(|then| now.duration_since(*then) < PERIOD);
        let anywhere = limit.saturating_mul(ADDRESSES);
        let anywhere = (!is_known).then(|| left(subject.anywhere, anywhere));
        left(subject.at_network, limit).max(anywhere.flatten())
    }

    fn count(&mut self, key: u64, limit: u32, now: Instant) {
        let is_new = |last| now.duration_since(last) < PERIOD;
        let count = self.remove(key).filter(|it| it.last.is_some_and(is_new));
        let count = Count {
            wrong: count.unwrap_or_default().wrong.saturating_add(1),
            last: Some(now),
        };
        let (counts, capacity) = match count.wrong >= limit {
            true => (&mut self.reached, CAPACITY / 2),
            false => (&mut self.below, CAPACITY / 2),
        };
        counts.put(key, count);
        if counts.len() > capacity {
            counts.pop_lru();
        }
    }

    fn remove(&mut self, key: u64) -> Option<Count> {
        self.below.pop(&key).or_else(|| self.reached.pop(&key))
    }
}
