//! What responses have shown about the secret of a Digest login.

use alloc::boxed::Box;

use crate::client::request::Request;

/// The acceptances and the refusals of a login's answers.
///
/// A refusal may have another reason than the secret, so one does not make the secret wrong, but
/// several in a row do. They are counted for the login and not for an exchange, because an exchange
/// may end after any of them: the program cannot send the request again, or its next response says
/// nothing.
#[derive(Default)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Evidence {
    accepted: Accepted,
    /// How many answers with the secret were accepted. It wraps.
    acceptances: u32,
    /// The weight of the refusals since they were last forgotten.
    refusals: u8,
    /// How often `refusals` was changed. It wraps.
    changes: u32,
    /// The request that was refused last. In a box, because it is long, and few logins have one.
    refused: Option<Box<Request>>,
}

/// Whether an acceptance has shown that the secret is right.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Accepted {
    /// None has yet.
    #[default]
    No,
    /// An answer was accepted, but the server had not asked for it and proved nothing, so the
    /// resource may need no password.
    Unasked,
    /// One has.
    Yes,
}

/// The moment when an answer was made.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    acceptances: u32,
    changes: u32,
}

impl Evidence {
    /// The weight that makes a secret wrong: of four refusals of nonces that no other request had
    /// used, or of eight others, which may have been refused because the nonce was used up.
    pub(super) const MAX_REFUSALS: u8 = 8;
    const UNUSED: u8 = 2;
    const USED: u8 = 1;

    pub(super) const fn accepted(&self) -> Accepted {
        self.accepted
    }

    pub(super) const fn now(&self) -> Moment {
        Moment {
            acceptances: self.acceptances,
            changes: self.changes,
        }
    }

    /// Returns whether the secret was accepted since.
    pub(super) fn has_accepted_since(&self, moment: Moment) -> bool {
        self.accepted != Accepted::No && self.acceptances != moment.acceptances
    }

    /// Returns whether a refusal was counted since, or all were forgotten.
    pub(super) const fn has_changed_since(&self, moment: Moment) -> bool {
        self.changes != moment.changes
    }

    /// The weight of the refusals, and the request that was refused last.
    #[cfg(test)]
    pub(super) fn refusals(&self) -> (u8, Option<&Request>) {
        (self.refusals, self.refused.as_deref())
    }

    /// Counts an accepted answer. Forgets the refusals if `is_secret_right`, or if the request is
    /// the one that was refused last. Other resources may need no secret.
    pub(super) fn accept(&mut self, request: Option<&Request>, is_secret_right: bool) {
        self.acceptances = self.acceptances.wrapping_add(1);
        match self.accepted {
            _ if is_secret_right => self.accepted = Accepted::Yes,
            Accepted::No => self.accepted = Accepted::Unasked,
            Accepted::Unasked | Accepted::Yes => {}
        }
        if is_secret_right || self.refused.as_deref() == request {
            self.forget_refusals();
        }
    }

    /// Counts the refusal of an answer that was made at this moment. `is_shared` if other requests
    /// had used its nonce, too. Returns whether the secret is now taken to be wrong.
    pub(super) fn refuse(
        &mut self,
        made: Moment,
        request: Option<&Request>,
        is_shared: bool,
    ) -> bool {
        // One event, such as a restart of the server, refuses all answers that are under way.
        if !self.has_changed_since(made) {
            self.refusals += if is_shared { Self::USED } else { Self::UNUSED };
            self.changes = self.changes.wrapping_add(1);
            self.refused = request.cloned().map(Box::new);
        }
        self.refusals >= Self::MAX_REFUSALS
    }

    /// Forgets what was shown, because the login is gone, or another.
    pub(super) fn forget(&mut self) {
        self.accepted = Accepted::No;
        self.forget_refusals();
    }

    fn forget_refusals(&mut self) {
        self.refusals = 0;
        self.changes = self.changes.wrapping_add(1);
        self.refused = None;
    }
}
