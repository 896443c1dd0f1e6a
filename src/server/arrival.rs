//! How and when a request came.

use crate::channel::Channel;
use crate::time::Timestamp;

/// How and when a request came: what a server must know beside the message itself.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::Channel;
/// use countersign::server::Arrival;
///
/// let anywhere = Arrival::now(Channel::Encrypted);
/// let from_there_only = anywhere.bound_to(b"192.0.2.7");
/// # let _ = from_there_only;
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub(super) channel: Channel,
    pub(super) now: Timestamp,
    pub(super) binding: &'a [u8],
}

impl<'a> Arrival<'a> {
    /// A request that came over this channel, at this time.
    pub const fn new(channel: Channel, time: Timestamp) -> Self {
        Self {
            channel,
            now: time,
            binding: b"",
        }
    }

    /// A request that came over this channel just now, by the system's clock.
    #[cfg(feature = "std")]
    pub fn now(channel: Channel) -> Self {
        Self::new(channel, Timestamp::now())
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
