//! The counts that were sent with each nonce.

use alloc::vec::Vec;
use core::fmt;

use crate::client::inline_bytes::InlineBytes;
use crate::digest::Cnonce;

/// The number of nonces to keep besides the current one. If a server returns to a nonce older than
/// these, its counts start again from 1.
const MAX_PAST: usize = 16;

/// The counts sent with the most recent nonces, for all logins together. Some servers have one
/// nonce for everybody or return to an earlier one, and treat a count that they have seen as a
/// replay.
#[derive(Clone)]
pub(super) struct Counts {
    current: Option<Uses>,
    /// Oldest first.
    past: Vec<Uses>,
}

/// The uses of one nonce.
#[derive(Clone)]
pub(super) struct Uses {
    nonce: InlineBytes<64>,
    /// The last count sent.
    pub(super) count: u32,
    /// The cnonce of a `-sess` algorithm, kept as long as the nonce. Peers differ on whether a new
    /// cnonce changes the session key, and an unchanged one works with both.
    pub(super) cnonce: Option<Cnonce>,
}

impl Counts {
    pub(super) const fn new() -> Self {
        Self {
            current: None,
            past: Vec::new(),
        }
    }

    /// The uses of a nonce, if there are any.
    pub(super) fn get(&self, nonce: &[u8]) -> Option<&Uses> {
        let mut known = self.current.iter().chain(&self.past);
        known.find(|uses| uses.nonce.as_bytes() == nonce)
    }

    /// The uses of a nonce, which becomes the current one.
    pub(super) fn of(&mut self, nonce: &[u8]) -> &mut Uses {
        let is_of_nonce = |uses: &Uses| uses.nonce.as_bytes() == nonce;
        if !self.current.as_ref().is_some_and(is_of_nonce) {
            let before = self.past.iter().position(is_of_nonce);
            let before = before.map(|at| self.past.remove(at));
            self.past.extend(self.current.take());
            if self.past.len() > MAX_PAST {
                self.past.remove(0);
            }
            self.current = before;
        }
        self.current.get_or_insert_with(|| Uses {
            nonce: InlineBytes::new(nonce),
            count: 0,
            cnonce: None,
        })
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uses = self.past.iter().chain(&self.current);
        f.debug_list().entries(uses.map(|uses| uses.count)).finish()
    }
}
