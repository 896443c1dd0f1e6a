//! How and when a request arrived.

use core::fmt;

use crate::channel::Channel;
use crate::time::Timestamp;

/// How and when a request arrived: what a server needs to know besides the message itself.
///
/// The nonce is checked against this time, and against the keys that the server has when it
/// [begins](super::Authenticator::begin). If a body is read after that, a sender can take hours
/// over it, so [begin again](super::Attempt::required_body_hash_function) after the body, with the
/// time at that point.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::Channel;
/// use countersign::server::Arrival;
///
/// let arrival = Arrival::now(Channel::Encrypted);
/// let bound = arrival.bound_to(b"192.0.2.7");
/// # let _ = bound;
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Arrival<'a> {
    pub(super) channel: Channel,
    pub(super) now: Timestamp,
    pub(super) binding: &'a [u8],
}

impl<'a> Arrival<'a> {
    /// A request that arrived over `channel` at `time`.
    pub const fn new(channel: Channel, time: Timestamp) -> Self {
        Self {
            channel,
            now: time,
            binding: b"",
        }
    }

    /// A request that arrived over `channel` at the current time of the system clock.
    #[cfg(feature = "std")]
    pub fn now(channel: Channel) -> Self {
        Self::new(channel, Timestamp::now())
    }

    /// Binds nonces to bytes that the client's next request will present again, such as its address
    /// or an exporter value of its TLS session (RFC 7616, section 5.4), but not the address of a
    /// reverse proxy, which all its clients share. With other bytes the nonce is
    /// [foreign](super::Rejection::NonceForeign).
    ///
    /// By default a nonce is not bound, because clients change address.
    #[must_use]
    pub const fn bound_to(self, binding: &'a [u8]) -> Self {
        Self { binding, ..self }
    }
}

/// Hides the binding, which may be a secret of the connection.
impl fmt::Debug for Arrival<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrival")
            .field("channel", &self.channel)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}
