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
    /// The users who were right in a network before. Guesses from elsewhere do not lock them out.
    right: LruCache<u64, ()>,
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
    pub fn right(&self, subject: Subject) {
        let mut counts = self.counts();
        counts.remove(subject.at_network);
        counts.right.put(subject.at_network, ());
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
        let is_known = self.right.contains(&subject.at_network);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u32) -> IpAddr {
        IpAddr::V4((0xC000_0200 + last).into())
    }

    /// Wrong passwords of a user at an address. Returns the wait of the last.
    fn guess(
        guesses: &Guesses,
        user: &str,
        address: IpAddr,
        times: u32,
        now: Instant,
    ) -> Option<Duration> {
        let subject = guesses.subject(user.as_bytes(), address);
        (0..times).map(|_| guesses.wrong(subject, now)).last()?
    }

    fn wait(guesses: &Guesses, user: &str, address: IpAddr, now: Instant) -> Option<Duration> {
        guesses.wait(guesses.subject(user.as_bytes(), address), now)
    }

    #[test]
    fn a_user_waits_at_an_address_after_the_limit() {
        let (guesses, start) = (Guesses::new(3), Instant::now());
        let at = |secs| start + Duration::from_secs(secs);
        assert_eq!(guess(&guesses, "a", address(1), 3, start), None);
        assert_eq!(
            wait(&guesses, "a", address(1), at(1)),
            Some(Duration::from_secs(299))
        );
        // Withheld, and not counted.
        assert!(guess(&guesses, "a", address(1), 1, at(100)).is_some());
        assert_eq!(wait(&guesses, "a", address(2), at(1)), None);
        assert_eq!(wait(&guesses, "b", address(1), at(1)), None);
        assert_eq!(wait(&guesses, "a", address(1), at(300)), None);
        assert_eq!(
            guess(&guesses, "a", address(1), 1, at(300)),
            None,
            "begins at one again"
        );
        let subject = guesses.subject(b"a", address(1));
        guess(&guesses, "a", address(1), 2, at(300));
        assert!(guesses.wait(subject, at(300)).is_some());
        guesses.right(subject);
        assert_eq!(guesses.wait(subject, at(300)), None);
    }

    #[test]
    fn a_user_waits_everywhere_after_ten_limits_but_where_the_password_was_right() {
        let (guesses, now) = (Guesses::new(20), Instant::now());
        guesses.right(guesses.subject(b"a", address(1)));
        for last in 2..62 {
            guess(&guesses, "a", address(last), 4, now);
        }
        assert!(wait(&guesses, "a", address(100), now).is_some());
        assert_eq!(wait(&guesses, "a", address(1), now), None);
        assert_eq!(wait(&guesses, "b", address(100), now), None);
    }

    #[test]
    fn a_network_of_ipv6_counts_once() {
        let (guesses, now) = (Guesses::new(3), Instant::now());
        for last in 1..4 {
            let address = format!("2001:db8::{last}").parse().unwrap();
            guess(&guesses, "a", address, 1, now);
        }
        assert!(wait(&guesses, "a", "2001:db8::ffff".parse().unwrap(), now).is_some());
        assert_eq!(
            wait(&guesses, "a", "2001:db8:0:1::1".parse().unwrap(), now),
            None
        );
        guess(&guesses, "a", "::ffff:192.0.2.1".parse().unwrap(), 3, now);
        assert!(wait(&guesses, "a", address(1), now).is_some());
    }

    #[test]
    fn other_names_do_not_free_a_user_at_the_limit() {
        let (guesses, now) = (Guesses::new(3), Instant::now());
        guess(&guesses, "a", address(1), 3, now);
        for name in 0..50_000 {
            guess(&guesses, &name.to_string(), address(1), 2, now);
        }
        assert!(wait(&guesses, "a", address(1), now).is_some());
        let counts = guesses.counts();
        assert!(counts.below.len() + counts.reached.len() <= CAPACITY);
    }
}
