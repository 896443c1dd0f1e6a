//! The time of the server under test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use countersign::Timestamp;

/// A clock that stands still until the test moves it. Clones show the same time.
///
/// Give a clone to the server under test wherever it would read the system's clock, and another to
/// [`ServerCheck::with_clock`](crate::server::ServerCheck::with_clock).
///
/// ```
/// use countersign_testing::Clock;
///
/// let clock = Clock::new();
/// let servers = clock.clone();
/// let before = servers.now();
/// clock.advance(60);
/// assert_eq!(servers.now(), before.plus_millis(1000 * 60));
/// ```
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// Seconds since the Unix epoch.
    Held(Arc<AtomicU64>),
    Real(Instant),
}

impl Clock {
    /// A clock that shows 1,700,000,000 seconds after the Unix epoch, in November 2023.
    pub fn new() -> Self {
        Self(Kind::Held(Arc::new(AtomicU64::new(1_700_000_000))))
    }

    /// The system's clock, for a server that can read no other. To [advance](Self::advance) it is to
    /// wait.
    pub fn real() -> Self {
        Self(Kind::Real(Instant::now()))
    }

    /// The time it shows.
    pub fn now(&self) -> Timestamp {
        let since = self.system_time().duration_since(SystemTime::UNIX_EPOCH);
        let millis = since.unwrap_or_default().as_millis();
        Timestamp::from_unix_millis(u64::try_from(millis).unwrap_or(u64::MAX))
    }

    /// The time it shows, for servers that know only the standard library's type.
    pub fn system_time(&self) -> SystemTime {
        match &self.0 {
            Kind::Held(_) => SystemTime::UNIX_EPOCH + self.elapsed(),
            Kind::Real(_) => SystemTime::now(),
        }
    }

    /// Moves it forward.
    pub fn advance(&self, secs: u64) {
        match &self.0 {
            Kind::Held(time) => drop(time.fetch_add(secs, Ordering::SeqCst)),
            Kind::Real(_) => std::thread::sleep(Duration::from_secs(secs)),
        }
    }

    /// The time since some moment.
    pub(crate) fn elapsed(&self) -> Duration {
        match &self.0 {
            Kind::Held(time) => Duration::from_secs(time.load(Ordering::SeqCst)),
            Kind::Real(start) => start.elapsed(),
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
