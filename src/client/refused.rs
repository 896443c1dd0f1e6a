//! Secrets that a server has refused.

use alloc::vec::Vec;

use crate::client::ask::Ask;
use crate::client::exchange::Exchange;
use crate::digest::Ha1;
use crate::field_value::FieldValue;

/// The secrets that were refused last in one protection space.
///
/// Anyone on a cleartext channel can forge a refusal, so a refused secret is not refused for good:
/// see [`forbids`](Self::forbids).
#[derive(Default)]
pub(super) struct Refused {
    entries: Vec<Option<Entry>>,
    /// The place of the oldest.
    oldest: usize,
    /// None was accepted since.
    is_last: bool,
    /// How many refusals there were, of any secret.
    count: u32,
}

struct Entry {
    secret: RefusedSecret,
    /// How often it was refused.
    times: u32,
    /// Which refusal was its last, counted as in [`Refused::count`].
    last: u32,
    /// How many asks must come before it may be used again.
    asks_left: u32,
}

pub(super) enum RefusedSecret {
    Ha1(Ha1),
    Basic(FieldValue),
}

impl Refused {
    /// The most that are kept: who mistypes more may mistype the first one again.
    const MOST: usize = 4;

    /// How many refusals there were.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// Whether the last that was heard of a secret is that it was refused.
    pub(super) const fn is_last(&self) -> bool {
        self.is_last
    }

    pub(super) fn add(&mut self, secret: RefusedSecret) {
        self.count = self.count.saturating_add(1);
        self.is_last = true;
        if self.entries.is_empty() {
            // At once and for good, because what moves leaves copies behind.
            self.entries.resize_with(Self::MOST, || None);
        }
        let known = self.entries.iter_mut().flatten();
        if let Some(entry) = known.into_iter().find(|entry| entry.secret == secret) {
            entry.times = entry.times.saturating_add(1);
            entry.last = self.count;
            // Twice as many each time, so that a program that has the wrong password and does not
            // stop sends it ten times in a thousand requests.
            entry.asks_left = 1_u32.checked_shl(entry.times - 1).unwrap_or(u32::MAX);
            return;
        }
        if let Some(place) = self.entries.get_mut(self.oldest) {
            *place = Some(Entry {
                secret,
                times: 1,
                last: self.count,
                asks_left: 1,
            });
        }
        self.oldest = (self.oldest + 1) % Self::MOST;
    }

    /// Counts an ask that follows no refusal.
    pub(super) fn count_ask(&mut self) {
        for entry in self.entries.iter_mut().flatten() {
            entry.asks_left = entry.asks_left.saturating_sub(1);
        }
    }

    /// Whether a secret must not be used to log in for this ask: it was refused since, or by the
    /// response that asks; or it was refused several times, and the server has not asked again
    /// several times since then.
    pub(super) fn forbids(&self, ask: &Ask, is: impl Fn(&RefusedSecret) -> bool) -> bool {
        let mut entries = self.entries.iter().flatten();
        let entry = entries.find(|entry| is(&entry.secret));
        entry.is_some_and(|entry| !ask.is_fresh || ask.refusals < entry.last || entry.asks_left > 0)
    }

    /// Whether the last answer of an exchange was made with one of them.
    pub(super) fn has_sent(&self, exchange: &Exchange) -> bool {
        let mut entries = self.entries.iter().flatten();
        entries.any(|entry| entry.secret.made(exchange))
    }

    /// The last answer of an exchange was accepted, so what it was made with is right after all.
    pub(super) fn take_back(&mut self, exchange: &Exchange) {
        for place in &mut self.entries {
            if place
                .as_ref()
                .is_some_and(|entry| entry.secret.made(exchange))
            {
                *place = None;
            }
        }
        self.is_last = false;
    }
}

impl RefusedSecret {
    pub(super) fn is_ha1(&self, other: &Ha1) -> bool {
        matches!(self, Self::Ha1(ha1) if ha1 == other)
    }

    pub(super) fn is_basic(&self, other: &FieldValue) -> bool {
        matches!(self, Self::Basic(value) if value == other)
    }

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
