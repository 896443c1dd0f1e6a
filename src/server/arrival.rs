//! When and how a request came.

use crate::channel::Channel;
use crate::time::Timestamp;

/// When and how a request came: the same for its credentials and for the challenges that answer
/// it.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::server::Arrival;
/// use countersign::{Channel, Timestamp};
///
/// let now = Timestamp::from(std::time::SystemTime::now());
/// let anywhere = Arrival::new(Channel::Encrypted, now);
/// let from_there_only = anywhere.bound_to(b"192.0.2.7");
/// # let _ = from_there_only;
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub(super) channel: Channel,
    pub(super) now: Timestamp,
    pub(super) binding: &'a [u8],
    floor: Timestamp,
}

impl<'a> Arrival<'a> {
    /// Over this channel, at this time.
    pub const fn new(channel: Channel, now: Timestamp) -> Self {
        Self {
            channel,
            now,
            binding: b"",
            floor: Timestamp::from_unix_millis(0),
        }
    }

    /// Makes nonces carry no earlier time than `horizon`, whatever the clock says: that of the
    /// [`ReplayTable`](super::ReplayTable::horizon), or the latest of several. Say so of every
    /// request.
    ///
    /// Then no table has forgotten a nonce when it is made, and a nonce made later than all that
    /// were used is forgotten only after as many others as the table has room for. Without it, a
    /// nonce made while the clock is behind the table, or within one millisecond with the nonces
    /// that filled it, is forgotten already: that costs a round trip, and a client whose nonce
    /// before was stale gives up at the second in a row.
    #[must_use]
    pub fn not_before(mut self, horizon: Timestamp) -> Self {
        self.floor = self.floor.max(horizon);
        self
    }

    /// The time for a nonce to carry; no nonce of now carries a later one.
    pub(super) fn issue_time(&self) -> Timestamp {
        self.now.max(self.floor)
    }

    /// Binds nonces to something that the next request of the client will show again: its
    /// address, an exporter of its TLS session. Under another binding they are foreign.
    ///
    /// By default a nonce is bound to nothing, because clients change address (RFC 7616, section
    /// 5.4).
    #[must_use]
    pub const fn bound_to(self, binding: &'a [u8]) -> Self {
        Self { binding, ..self }
    }
}
