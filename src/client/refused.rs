//! The secret that a realm refused last: *Refused secrets* in [`rules`](super::rules).

use crate::client::ask::Ask;
use crate::client::exchange::Exchange;
use crate::secret::SecretBytes;

/// The secret that was refused last in a protection space.
///
/// Anyone on a cleartext channel can forge a refusal, so the secret may be used again after a
/// number of fresh asks: all but those that told of its refusal.
#[derive(Default)]
pub(super) struct Refused {
    secret: Option<SecretBytes>,
    /// The number of times that it was refused.
    times: u32,
    /// The number of fresh asks until it may be used again. The last of them may use it.
    pub(super) asks_left: u32,
    /// The number of refusals, of any secret.
    pub(super) refusals: u32,
    /// None has been accepted since.
    pub(super) is_unsettled: bool,
}

impl Refused {
    /// How many times the number of asks to wait for doubles, from 1 to 64, so that a forged
    /// refusal locks a correct secret out for 63 fresh asks at most.
    const MAX_DOUBLINGS: u32 = 6;

    /// Records a refusal.
    pub(super) fn add(&mut self, secret: &[u8]) {
        if !self.is(secret) {
            self.secret = Some(SecretBytes::new(secret.into()));
            self.times = 0;
        }
        self.asks_left = 1 << self.times.min(Self::MAX_DOUBLINGS);
        self.times = self.times.saturating_add(1);
        self.refusals = self.refusals.saturating_add(1);
        self.is_unsettled = true;
    }

    fn is(&self, secret: &[u8]) -> bool {
        self.secret.as_ref().map(SecretBytes::as_bytes) == Some(secret)
    }

    /// Returns whether a secret must not be used for this ask: it was refused, and the ask came
    /// with the refusal or before it, or too few fresh asks have come since.
    pub(super) fn forbids(&self, ask: &Ask, secret: &[u8]) -> bool {
        let is_early = ask.refusals < self.refusals || self.asks_left > 0;
        is_early && self.is(secret)
    }

    /// Returns whether an exchange carries the answer of the secret that was refused.
    pub(super) fn has_sent(&self, exchange: &Exchange) -> bool {
        exchange.secret().is_some_and(|secret| self.is(secret))
    }

    /// Forgets the refusal of the secret that an exchange's answer was made with, because the
    /// answer was accepted. Another secret stays refused, but no refusal is unsettled.
    pub(super) fn take_back(&mut self, exchange: &Exchange) {
        if self.has_sent(exchange) {
            self.secret = None;
        }
        self.is_unsettled = false;
    }
}
