//! A clock that the test holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

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
pub struct Clock(Arc<AtomicU64>);

impl Clock {
    /// A clock that shows 1,700,000,000 seconds after the Unix epoch, in November 2023.
    pub fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_700_000_000)))
    }

    /// The time it shows.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis((self.0.load(Ordering::SeqCst)) * 1000)
    }

    /// The time it shows, for servers that know only the standard library's type.
    pub fn system_time(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.0.load(Ordering::SeqCst))
    }

    /// Moves it forward.
    pub fn advance(&self, secs: u64) {
        self.0.fetch_add(secs, Ordering::SeqCst);
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
