//! The refusals that may mean that a login's secret is wrong.

use alloc::boxed::Box;

use crate::client::exchange::{Exchange, Request};

/// The refusals of a login's answers since one was accepted in a way that shows that its secret is
/// right. Each may have another reason, so it does not make the secret wrong, but four do.
///
/// They are counted for the login and not for an exchange, because an exchange may end after any of
/// them: the program cannot send the request again, or its next response says nothing.
#[derive(Default)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Doubts {
    count: u8,
    /// The request that was refused last.
    request: Option<Box<Request>>,
}

impl Doubts {
    /// The number of refusals that makes a secret wrong: those of two exchanges, of which each
    /// forgives one and ends with the second.
    pub(super) const MAX: u8 = 4;

    pub(super) const fn count(&self) -> u8 {
        self.count
    }

    /// The request that was refused last.
    #[cfg(test)]
    pub(super) fn request(&self) -> Option<&Request> {
        self.request.as_deref()
    }

    /// Counts the refusal of an exchange's answer. Returns whether the secret is now taken to be
    /// wrong.
    pub(super) fn add(&mut self, exchange: &Exchange) -> bool {
        // One event, such as a restart of the server, refuses all answers that are under way.
        if exchange.earlier_doubts == self.count {
            self.count += 1;
            self.request = exchange.request.clone().map(Box::new);
        }
        self.count >= Self::MAX
    }

    /// Forgets the refusals if an accepted answer shows that the secret is right: because
    /// `is_secret_right`, or because the request is one that was refused before. Other resources
    /// may need no secret.
    pub(super) fn settle(&mut self, exchange: &Exchange, is_secret_right: bool) {
        if is_secret_right || self.request.as_deref() == exchange.request.as_ref() {
            *self = Self::default();
        }
    }
}
