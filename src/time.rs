//! Points in time.

/// A point in time, in milliseconds since the Unix epoch: wall-clock time, so that one process can
/// check the age of a nonce that another issued.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Timestamp(u64);

impl Timestamp {
    pub(crate) const EPOCH: Self = Self(0);

    /// The current time of the system clock.
    #[cfg(feature = "std")]
    pub fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self(u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX))
    }

    /// Creates a timestamp from milliseconds since the Unix epoch.
    pub const fn from_unix_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// The milliseconds since the Unix epoch.
    pub const fn as_unix_millis(self) -> u64 {
        self.0
    }

    pub(crate) const fn plus_secs(self, secs: u64) -> Self {
        self.plus_millis(secs.saturating_mul(1000))
    }

    /// Adds milliseconds, saturating.
    #[must_use]
    pub const fn plus_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}
