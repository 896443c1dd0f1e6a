//! How and when a request arrived.

use core::fmt;

use crate::channel::Channel;
use crate::time::Timestamp;

/// How and when a request arrived: the channel, the time, and what its nonces are bound to.
///
/// Each check takes one by value. A body that is read between two checks may take hours: with the
/// time of the first, a captured request could be finished after its nonce has expired.
///
/// ```compile_fail,E0382
/// # use countersign::{Target, server::{Arrival, Authenticator}};
/// fn upload(auth: &Authenticator, field: &str, target: Target<'_>, at: Arrival<'_>) {
///     let _ = auth.begin([field].into_iter(), &target, at);
///     let _ = auth.begin([field].into_iter(), &target, at); // moved
/// }
/// ```
#[derive(Debug)]
pub struct Arrival<'a>(pub(super) When<'a>);

/// The content of an [`Arrival`], which the steps after `begin` keep.
#[derive(Clone, Copy)]
pub(super) struct When<'a> {
    pub(super) channel: Channel,
    pub(super) now: Timestamp,
    pub(super) binding: &'a [u8],
}

impl<'a> Arrival<'a> {
    /// A request that arrived over `channel` at `time`.
    pub const fn new(channel: Channel, time: Timestamp) -> Self {
        Self(When {
            channel,
            now: time,
            binding: b"",
        })
    }

    /// A request that arrived over `channel` at the current time of the system clock.
    #[cfg(feature = "std")]
    pub fn now(channel: Channel) -> Self {
        Self::new(channel, Timestamp::now())
    }

    /// Binds nonces to bytes that the client's next request presents again: the client's address
    /// (not the address of a reverse proxy) or an exporter value of its TLS session (RFC 7616, section
    /// 5.4). By default nonces are not bound, because clients change their address.
    #[must_use]
    pub const fn bound_to(self, binding: &'a [u8]) -> Self {
        Self(When { binding, ..self.0 })
    }
}

/// Hides the binding, which may be a secret of the connection.
impl fmt::Debug for When<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When")
            .field("channel", &self.channel)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}
