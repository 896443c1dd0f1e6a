//! Replays: which counts of which nonces have been seen.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::server::grant::Grant;
use crate::server::nonce::NonceId;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay_key::ReplayKey;
use crate::server::verified::Verified;
use crate::server::window::NcWindow;
use crate::time::Timestamp;

/// Lets a request in if `claim` does, or if there is nothing to claim.
#[inline]
pub(super) fn admit<'a, A>(
    verified: Verified<'a, A>,
    keys_id: u64,
    claim: impl FnOnce(&ReplayKey) -> Result<(), Rejection>,
) -> Result<Grant<'a, A>, Rejected<'a>> {
    let claimed = match verified.replay_key() {
        // Another server remembers what was used of this nonce.
        _ if verified.keys_id != keys_id => Err(Rejection::NonceForeign),
        Some(key) => claim(&key),
        None => Ok(()),
    };
    match claimed {
        Ok(()) => Ok(Grant::new(verified)),
        Err(why) => Err(verified.reject(why)),
    }
}

/// The counts seen of the nonces in use, each as one HA1 uses it.
///
/// Only verified requests get in, so only clients that know a password take room. Each nonce has a
/// window of 64 counts, in which every count is let in once, in any order; counts behind the window
/// are taken for seen.
///
/// Its memory is fixed: at most 48 bytes a nonce, all of it allocated at the start. When full it
/// forgets the nonce that was first used longest ago, and from then on takes every nonce issued no
/// later than that, unless it is in the table, for [forgotten](Rejection::NonceForgotten). So
/// forgetting costs a client a round trip, and never lets a request in twice.
pub(super) struct ReplayTable {
    /// One cell per nonce in the order of first use: a ring that starts at `oldest`.
    cells: Vec<Cell>,
    capacity: usize,
    oldest: usize,
    /// Open addressing with linear probing: numbers of cells, counted from 1; 0 is free. At most
    /// half of it is in use.
    index: Box<[u32]>,
    /// Nonces issued up to then are forgotten, unless they are in the table.
    forgotten: Option<Timestamp>,
    /// The latest issue time that was used, or the first that is not forgotten.
    horizon: Timestamp,
}

#[derive(Clone, Copy)]
struct Cell {
    nonce: NonceId,
    window: NcWindow,
}

impl ReplayTable {
    /// Room for `nonces` nonces, 2³⁰ at most.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had, as every allocation does.
    pub(super) fn with_capacity(nonces: usize) -> Self {
        // A billion nonces are 48 GB.
        let capacity = nonces.min(1 << 30);
        Self {
            cells: Vec::with_capacity(capacity),
            capacity,
            oldest: 0,
            index: vec![0; (capacity * 2).next_power_of_two()].into_boxed_slice(),
            forgotten: None,
            horizon: Timestamp::EPOCH,
        }
    }

    /// Takes every nonce issued up to `time` for forgotten.
    #[must_use]
    pub(super) fn restarted_at(mut self, time: Timestamp) -> Self {
        self.forget_until(time);
        self
    }

    fn forget_until(&mut self, time: Timestamp) {
        self.forgotten = self.forgotten.max(Some(time));
        self.horizon = self.horizon.max(time.plus_millis(1));
    }

    /// The earliest time that a new nonce should carry: later than what is forgotten, and no earlier
    /// than any nonce that was used. Then no table has forgotten a nonce when it is issued, even if
    /// the clock was set back.
    ///
    /// It runs ahead of a clock that is right only in a table that is filled anew within a
    /// millisecond.
    pub(super) const fn horizon(&self) -> Timestamp {
        self.horizon
    }

    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Claims one use of a nonce, once. Takes a few reads of memory, however large the table.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if the count was used before, or is so far behind that it must be
    /// taken for used. [`Rejection::NonceForgotten`] if the nonce is not in the table and may have
    /// been.
    pub(super) fn claim(&mut self, key: &ReplayKey) -> Result<(), Rejection> {
        match (self.find(key.nonce), key.count) {
            (Some(cell), Some(nc)) => {
                let fresh = cell.window.insert(nc);
                fresh.then_some(()).ok_or(Rejection::Replayed)
            }
            (Some(_), None) => Err(Rejection::Replayed),
            (None, count) => {
                let issued = key.nonce.issued;
                if let Some(until) = self.forgotten.filter(|&time| issued <= time) {
                    return Err(Rejection::NonceForgotten { until });
                }
                // It was made before the clock was set back, and may have been used before the
                // table was made. A nonce that answers `Forgotten` is one millisecond later.
                let until = self.forgotten.unwrap_or(Timestamp::EPOCH);
                if issued > key.latest.max(until.plus_millis(1)) {
                    return Err(Rejection::NonceForgotten { until });
                }
                let mut window = NcWindow::EXHAUSTED;
                if let Some(nc) = count {
                    window = NcWindow::default();
                    if !window.insert(nc) {
                        return Err(Rejection::Replayed);
                    }
                }
                self.remember(Cell {
                    nonce: key.nonce,
                    window,
                })
            }
        }
    }

    fn find(&mut self, nonce: NonceId) -> Option<&mut Cell> {
        let (_, cell) = self.probe(nonce);
        self.cells.get_mut(cell?)
    }

    /// Where in the index the nonce stands, and its cell; or where it would stand, and none.
    fn probe(&self, nonce: NonceId) -> (usize, Option<usize>) {
        let mut slot = self.home(nonce);
        loop {
            match self.cell_at(slot) {
                Some(cell) if self.cells.get(cell).is_some_and(|c| c.nonce == nonce) => {
                    return (slot, Some(cell));
                }
                Some(_) => slot = self.after(slot),
                None => return (slot, None),
            }
        }
    }

    /// Where in the index a nonce belongs. The tag is made of a MAC that nobody sees, so nobody can
    /// choose nonces that belong together; shards go by its other half.
    fn home(&self, nonce: NonceId) -> usize {
        let low = nonce.tag & u64::from(u32::MAX);
        usize::try_from(low).unwrap_or_default() & (self.index.len() - 1)
    }

    const fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.index.len() - 1)
    }

    fn cell_at(&self, slot: usize) -> Option<usize> {
        let number = self.index.get(slot).copied().unwrap_or_default();
        usize::try_from(number).ok()?.checked_sub(1)
    }

    fn set(&mut self, slot: usize, cell: Option<usize>) {
        let number = cell.map_or(0, |cell| u32::try_from(cell + 1).unwrap_or_default());
        if let Some(place) = self.index.get_mut(slot) {
            *place = number;
        }
    }

    /// Takes a cell in, in the place of the oldest if there is no other.
    fn remember(&mut self, cell: Cell) -> Result<(), Rejection> {
        let number = if self.cells.len() < self.capacity {
            self.cells.push(cell);
            self.cells.len() - 1
        } else {
            let number = self.oldest;
            let Some(Cell { nonce, .. }) = self.cells.get(number).copied() else {
                // No room for even one.
                let until = cell.nonce.issued;
                return Err(Rejection::NonceForgotten { until });
            };
            self.remove(nonce);
            self.forget_until(nonce.issued);
            if let Some(place) = self.cells.get_mut(number) {
                *place = cell;
            }
            self.oldest = (number + 1) % self.capacity;
            number
        };
        let (slot, _) = self.probe(cell.nonce);
        self.set(slot, Some(number));
        self.horizon = self.horizon.max(cell.nonce.issued);
        Ok(())
    }

    /// Takes a nonce out of the index, and moves up what a free slot would cut off.
    fn remove(&mut self, nonce: NonceId) {
        let (mut hole, _) = self.probe(nonce);
        let mut slot = hole;
        loop {
            slot = self.after(slot);
            let Some(number) = self.cell_at(slot) else {
                break;
            };
            let Some(home) = self.cells.get(number).map(|cell| self.home(cell.nonce)) else {
                break;
            };
            let mask = self.index.len() - 1;
            let from_home = slot.wrapping_sub(home) & mask;
            let from_hole = slot.wrapping_sub(hole) & mask;
            if from_home >= from_hole {
                self.set(hole, Some(number));
                hole = slot;
            }
        }
        self.set(hole, None);
    }
}

impl fmt::Debug for ReplayTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayTable")
            .field("capacity", &self.capacity)
            .field("len", &self.len())
            .field("forgotten", &self.forgotten)
            .finish_non_exhaustive()
    }
}
