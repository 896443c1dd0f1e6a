//! The refusals that may mean that a login's secret is wrong.

use alloc::boxed::Box;

use crate::client::exchange::{Exchange, Request};

/// The refusals of a login's answers since one was accepted in a way that shows that its secret is
/// right. Each may have another reason, so it does not make the secret wrong, but several do.
///
/// They are counted for the login and not for an exchange, because an exchange may end after any of
/// them: the program cannot send the request again, or its next response says nothing.
#[derive(Default)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Doubts {
    weight: u8,
    /// How often `weight` was changed. It wraps.
    epoch: u32,
    /// The request that was refused last.
    request: Option<Box<Request>>,
}

impl Doubts {
    /// The weight that makes a secret wrong: of four refusals of nonces that no other request had
    /// used, or of eight others, which may have been refused because the nonce was used up.
    pub(super) const MAX: u8 = 8;
    const UNUSED: u8 = 2;
    const USED: u8 = 1;

    pub(super) const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// All but the epoch.
    #[cfg(test)]
    pub(super) fn parts(&self) -> (u8, Option<&Request>) {
        (self.weight, self.request.as_deref())
    }

    /// Counts the refusal of an exchange's answer. `is_shared` if other requests had used its nonce,
    /// too. Returns whether the secret is now taken to be wrong.
    pub(super) fn add(&mut self, exchange: &Exchange, is_shared: bool) -> bool {
        // One event, such as a restart of the server, refuses all answers that are under way.
        if exchange.doubts_epoch == self.epoch {
            self.weight += if is_shared { Self::USED } else { Self::UNUSED };
            self.epoch = self.epoch.wrapping_add(1);
            self.request = exchange.request.clone().map(Box::new);
        }
        self.weight >= Self::MAX
    }

    /// Forgets the refusals if an accepted answer shows that the secret is right: because
    /// `is_secret_right`, or because the request is one that was refused before. Other resources
    /// may need no secret.
    pub(super) fn settle(&mut self, exchange: &Exchange, is_secret_right: bool) {
        if is_secret_right || self.request.as_deref() == exchange.request.as_ref() {
            self.forget();
        }
    }

    /// Forgets the refusals, because the login is gone or another, or its secret is right.
    pub(super) fn forget(&mut self) {
        self.weight = 0;
        self.epoch = self.epoch.wrapping_add(1);
        self.request = None;
    }
}
