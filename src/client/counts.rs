//! Which counts of which nonces have been sent.

use alloc::vec::Vec;
use core::fmt;

use crate::client::short::Short;
use crate::digest::Cnonce;

/// The most nonces whose counts are kept beside the present one's. A server that comes back to an
/// older one sees its counts begin anew.
const MAX_PAST: usize = 16;

/// What was sent with the nonces used last, whoever it was sent for: there are servers that have
/// one nonce for all, or come back to one, and they take a count they have seen for a replay.
#[derive(Clone)]
pub(super) struct Counts {
    present: Option<Uses>,
    /// Oldest first.
    past: Vec<Uses>,
}

/// What was sent with one nonce.
#[derive(Clone)]
pub(super) struct Uses {
    nonce: Short<64>,
    /// The last count.
    pub(super) count: u32,
    /// The cnonce of a `-sess` algorithm, kept for as long as the nonce: peers differ on whether
    /// the session key follows the cnonce, and one that stays the same suits both.
    pub(super) cnonce: Option<Cnonce>,
}

impl Counts {
    pub(super) const fn new() -> Self {
        Self {
            present: None,
            past: Vec::new(),
        }
    }

    /// What was sent with this nonce, if that is known.
    pub(super) fn get(&self, nonce: &[u8]) -> Option<&Uses> {
        let mut known = self.present.iter().chain(&self.past);
        known.find(|uses| uses.nonce.as_bytes() == nonce)
    }

    /// What was sent with this nonce, to be added to. It is the present one from now on.
    pub(super) fn of(&mut self, nonce: &[u8]) -> &mut Uses {
        let is = |uses: &Uses| uses.nonce.as_bytes() == nonce;
        if !self.present.as_ref().is_some_and(is) {
            let before = self.past.iter().position(is);
            let before = before.map(|at| self.past.remove(at));
            self.past.extend(self.present.take());
            if self.past.len() > MAX_PAST {
                self.past.remove(0);
            }
            self.present = before;
        }
        self.present.get_or_insert_with(|| Uses {
            nonce: Short::new(nonce),
            count: 0,
            cnonce: None,
        })
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uses = self.past.iter().chain(&self.present);
        f.debug_list().entries(uses.map(|uses| uses.count)).finish()
    }
}
