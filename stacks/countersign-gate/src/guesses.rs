//! The wrong passwords of each user, which are limited.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::time::Duration;

use countersign::server::{Attempt, Reason};
use countersign_tower::server::{Guesser, Limiter};
use lru::LruCache;

use crate::lock::lock;

const PERIOD: Duration = Duration::from_secs(300);

/// How much more often a user may be wrong at all addresses together than at one.
const ADDRESSES: u32 = 10;

/// For 10,000 users at once, of whom each takes three counts.
const COUNTS: usize = 30_000;

/// How many users at an address are known to have been right there.
const KNOWN: NonZeroUsize = NonZeroUsize::new(20_000).unwrap();

/// Counts wrong passwords by user and network, and by user alone. Names that do not exist count,
/// too, so that a limit does not tell which do.
pub struct Guesses {
    at_network: Limiter,
    anywhere: Limiter,
    /// The users who were right in a network before. Guesses from elsewhere do not lock them out.
    known: Mutex<LruCache<Guesser, ()>>,
}

/// Who is counted.
pub struct Subject {
    at_network: Guesser,
    anywhere: Guesser,
}

impl Guesses {
    /// Refuses a user at an address after `limit` wrong passwords, for five minutes.
    pub fn new(limit: u32) -> Self {
        let limiter = |limit| {
            let limiter = Limiter::new().with_limit(limit, PERIOD);
            limiter.with_capacity(COUNTS)
        };
        Self {
            at_network: limiter(limit),
            anywhere: limiter(limit.saturating_mul(ADDRESSES)),
            known: Mutex::new(LruCache::new(KNOWN)),
        }
    }

    pub fn subject(&self, attempt: &Attempt<'_>, address: IpAddr) -> Subject {
        // One address for all.
        let anywhere = Ipv4Addr::UNSPECIFIED.into();
        Subject {
            at_network: self.at_network.guesser(address, attempt, None),
            anywhere: self.anywhere.guesser(anywhere, attempt, None),
        }
    }

    /// How long the user has to wait. Asked before the password is checked.
    pub fn wait(&self, subject: &Subject) -> Option<Duration> {
        let here = self.at_network.wait(&subject.at_network);
        here.or_else(|| self.unless_known(subject, self.anywhere.wait(&subject.anywhere)))
    }

    /// Counts why a check has failed, if it was a guess; `None` for a right password. Returns how
    /// long the user has to wait if the limit was reached in the meantime.
    pub fn count(&self, subject: &Subject, why: Option<Reason>) -> Option<Duration> {
        let here = self.at_network.count(&subject.at_network, why);
        here.or_else(|| self.unless_known(subject, self.anywhere.count(&subject.anywhere, why)))
    }

    /// Forgets the wrong passwords of a user who was right, in this network.
    pub fn right(&self, subject: Subject) {
        self.at_network.forgive(&subject.at_network);
        lock(&self.known).put(subject.at_network, ());
    }

    fn unless_known(&self, subject: &Subject, wait: Option<Duration>) -> Option<Duration> {
        wait.filter(|_| !lock(&self.known).contains(&subject.at_network))
    }
}

#[cfg(test)]
mod tests {
    use countersign::server::{Arrival, Authenticator, Realm};
    use countersign::{Channel, Target};

    use super::*;

    /// What the users `a` and `b` do.
    struct Stage {
        guesses: Guesses,
        auth: Authenticator,
    }

    impl Stage {
        fn new(limit: u32) -> Self {
            let realm = Realm::new("files").unwrap().with_basic();
            Self {
                guesses: Guesses::new(limit),
                auth: Authenticator::from_os_rng(realm, 10).unwrap(),
            }
        }

        fn subject(&self, user: char, address: &str) -> Subject {
            let credentials = match user {
                'a' => "Basic YTp4",
                _ => "Basic Yjp4",
            };
            let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
            let attempt = self.auth.begin([credentials].into_iter(), &target, arrival);
            let address = address.parse().unwrap();
            self.guesses.subject(&attempt.unwrap(), address)
        }

        fn guess(&self, user: char, address: &str, times: u32) -> Option<Duration> {
            let why = Some(Reason::WrongCredentials);
            let subject = self.subject(user, address);
            (0..times)
                .map(|_| self.guesses.count(&subject, why))
                .last()?
        }

        fn waits(&self, user: char, address: &str) -> bool {
            self.guesses.wait(&self.subject(user, address)).is_some()
        }
    }

    #[test]
    fn a_user_waits_at_an_address_after_the_limit() {
        let stage = Stage::new(3);
        assert_eq!(stage.guess('a', "192.0.2.1", 3), None);
        assert!(stage.waits('a', "192.0.2.1"));
        assert!(stage.guess('a', "192.0.2.1", 1).is_some(), "withheld");
        assert!(!stage.waits('a', "192.0.2.2"));
        assert!(!stage.waits('b', "192.0.2.1"));
        let right = stage.subject('a', "192.0.2.1");
        assert!(stage.guesses.count(&right, None).is_some(), "withheld");
        stage.guesses.right(right);
        assert!(!stage.waits('a', "192.0.2.1"));
    }

    #[test]
    fn a_user_waits_everywhere_after_ten_limits_but_where_the_password_was_right() {
        let stage = Stage::new(20);
        stage.guesses.right(stage.subject('a', "192.0.2.1"));
        for last in 2..52 {
            assert!(!stage.waits('a', "192.0.2.100"));
            stage.guess('a', &format!("192.0.2.{last}"), 4);
        }
        assert!(stage.waits('a', "192.0.2.100"));
        assert!(stage.waits('a', "2001:db8::1"));
        assert!(!stage.waits('a', "192.0.2.1"));
        assert!(!stage.waits('b', "192.0.2.100"));
        assert_eq!(stage.guess('a', "192.0.2.1", 20), None);
        assert!(
            stage.waits('a', "192.0.2.1"),
            "guesses at the address itself"
        );
    }
}
