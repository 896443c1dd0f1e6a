//! Secrets that a server refused.

use alloc::vec::Vec;

use crate::client::ask::Ask;
use crate::client::exchange::Exchange;
use crate::digest::Ha1;
use crate::field_value::FieldValue;

/// Secrets that were refused in one protection space.
///
/// Anyone on a cleartext channel can forge a refusal, so a secret may be used again after a number
/// of fresh asks: asks for a login other than those that told of its refusal. See
/// [`forbids`](Self::forbids).
#[derive(Default)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Refused {
    entries: Vec<Option<Entry>>,
    /// A secret was refused, and none has been accepted since.
    is_unsettled: bool,
    /// The number of refusals, of any secret.
    refusals: u32,
}

#[cfg_attr(test, derive(Clone))]
pub(super) struct Entry {
    pub(super) secret: RefusedSecret,
    /// The number of times that the secret was refused.
    pub(super) times: u32,
    /// The value of [`Refused::refusals`] at the secret's last refusal.
    pub(super) last: u32,
    /// The number of fresh asks until the secret may be used again. The last of them may use it.
    pub(super) asks_left: u32,
}

#[cfg_attr(test, derive(Clone))]
pub(super) enum RefusedSecret {
    Ha1(Ha1),
    Basic(FieldValue),
}

impl Refused {
    /// How many times the number of asks to wait for doubles, from 1 to 64, so that a forged
    /// refusal locks a correct secret out for 63 fresh asks at most.
    const MAX_DOUBLINGS: u32 = 6;

    /// The number of secrets to keep.
    const CAPACITY: usize = 4;

    /// The number of refusals so far.
    pub(super) const fn refusals(&self) -> u32 {
        self.refusals
    }

    /// Returns whether a secret was refused and none has been accepted since.
    pub(super) const fn is_unsettled(&self) -> bool {
        self.is_unsettled
    }

    /// The entries. Their places do not matter.
    #[cfg(test)]
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        // All fields are named, so that a new one does not compile until it is decided whether the
        // states of `client::model` have it.
        let Self {
            entries,
            is_unsettled: _,
            refusals: _,
        } = self;
        entries.iter().flatten()
    }

    /// Records a refusal.
    pub(super) fn add(&mut self, secret: RefusedSecret) {
        self.refusals = self.refusals.saturating_add(1);
        self.is_unsettled = true;
        if self.entries.is_empty() {
            // Allocated once, because a vector that grows leaves copies of secrets behind.
            self.entries.resize_with(Self::CAPACITY, || None);
        }
        let mut known = self.entries.iter_mut().flatten();
        if let Some(entry) = known.find(|entry| entry.secret == secret) {
            entry.times = entry.times.saturating_add(1);
            entry.last = self.refusals;
            // Exponential backoff, up to 64 asks.
            entry.asks_left = 1 << (entry.times - 1).min(Self::MAX_DOUBLINGS);
            return;
        }
        // A free place, or else the secret whose last refusal was the longest ago.
        let last = |place: &&mut Option<Entry>| place.as_ref().map_or(0, |entry| entry.last);
        if let Some(place) = self.entries.iter_mut().min_by_key(last) {
            *place = Some(Entry {
                secret,
                times: 1,
                last: self.refusals,
                asks_left: 1,
            });
        }
    }

    /// Counts a fresh ask.
    pub(super) fn count_ask(&mut self) {
        for entry in self.entries.iter_mut().flatten() {
            entry.asks_left = entry.asks_left.saturating_sub(1);
        }
    }

    /// Returns whether a refused secret must not be used for this ask: the ask came with a refusal,
    /// the secret was refused after the ask was made, or too few fresh asks have come since it was
    /// refused.
    pub(super) fn forbids(&self, ask: &Ask, is_same: impl Fn(&RefusedSecret) -> bool) -> bool {
        let mut entries = self.entries.iter().flatten();
        let entry = entries.find(|entry| is_same(&entry.secret));
        entry.is_some_and(|entry| !ask.is_fresh || ask.refusals < entry.last || entry.asks_left > 0)
    }

    /// Returns whether an exchange carries the answer of a secret that was refused.
    pub(super) fn has_sent(&self, exchange: &Exchange) -> bool {
        let mut entries = self.entries.iter().flatten();
        entries.any(|entry| entry.secret.made(exchange))
    }

    /// Forgets the refusals of the secret that the last answer of an exchange was made with,
    /// because the answer was accepted. Other secrets stay refused, but no refusal is unsettled.
    pub(super) fn take_back(&mut self, exchange: &Exchange) {
        for place in &mut self.entries {
            if place
                .as_ref()
                .is_some_and(|entry| entry.secret.made(exchange))
            {
                *place = None;
            }
        }
        self.is_unsettled = false;
    }
}

impl RefusedSecret {
    pub(super) fn is_ha1(&self, other: &Ha1) -> bool {
        matches!(self, Self::Ha1(ha1) if ha1 == other)
    }

    pub(super) fn is_basic(&self, other: &FieldValue) -> bool {
        matches!(self, Self::Basic(value) if value == other)
    }

    /// Returns whether the last answer of an exchange was made with this secret.
    fn made(&self, exchange: &Exchange) -> bool {
        match (&exchange.sent, &exchange.answer) {
            (Some(sent), _) => self.is_ha1(&sent.ha1),
            (None, Some(value)) => self.is_basic(value),
            (None, None) => false,
        }
    }
}

impl PartialEq for RefusedSecret {
    fn eq(&self, other: &Self) -> bool {
        match other {
            Self::Ha1(ha1) => self.is_ha1(ha1),
            Self::Basic(value) => self.is_basic(value),
        }
    }
}
