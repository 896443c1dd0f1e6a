//! Replay detection: which counts of which nonces were used.

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

/// Admits a request if `record` succeeds, or if there is nothing to record.
#[inline]
pub(super) fn admit<'a, A>(
    verified: Verified<'a, A>,
    keys_id: u64,
    record: impl FnOnce(&ReplayKey) -> Result<(), Rejection>,
) -> Result<Grant<'a, A>, Rejected<'a>> {
    let recorded = match verified.replay_key() {
        // The used counts of this nonce are in another server's table.
        _ if verified.keys_id != keys_id => Err(Rejection::NonceForeign),
        Some(key) => record(&key),
        None => Ok(()),
    };
    match recorded {
        Ok(()) => Ok(Grant::new(verified)),
        Err(why) => Err(verified.reject(why)),
    }
}

/// The used counts of each pair of nonce and HA1. Below, such a pair is called a nonce.
///
/// Only verified requests are recorded, so only clients that know a password take up room. Each
/// nonce has a sliding window of 64 counts, in which every count is admitted once, in any order;
/// counts below the window are treated as used.
///
/// The memory is fixed: at most 48 bytes per nonce, all of it allocated at construction. When the
/// table is full, it evicts the nonce whose first use is the oldest. From then on, every nonce
/// issued no later than the evicted one counts as [forgotten](Rejection::NonceForgotten), unless it
/// is in the table. So eviction costs a client a round trip, and never admits a replay.
pub(super) struct ReplayTable {
    /// A ring buffer with one cell per nonce, in the order of first use, starting at `oldest`.
    cells: Vec<Cell>,
    capacity: usize,
    oldest: usize,
    /// A hash table with open addressing and linear probing, at most half full. A slot holds the
    /// number of a cell, counted from 1; 0 is free.
    index: Box<[u32]>,
    /// The latest issue time of a forgotten nonce: nonces issued up to this time count as forgotten
    /// unless they are in the table.
    forgotten: Option<Timestamp>,
    /// The latest issue time of a used nonce, or the first time after `forgotten` if that is later.
    issue_floor: Timestamp,
}

#[derive(Clone, Copy)]
struct Cell {
    nonce: NonceId,
    window: NcWindow,
}

impl ReplayTable {
    /// An empty table with room for `nonces` nonces, 2³⁰ at most.
    ///
    /// # Panics
    ///
    /// If the allocation fails.
    pub(super) fn with_capacity(nonces: usize) -> Self {
        // Keeps cell numbers within u32; 2³⁰ nonces take 48 GB.
        let capacity = nonces.min(1 << 30);
        Self {
            cells: Vec::with_capacity(capacity),
            capacity,
            oldest: 0,
            index: vec![0; (capacity * 2).next_power_of_two()].into_boxed_slice(),
            forgotten: None,
            issue_floor: Timestamp::EPOCH,
        }
    }

    /// Treats every nonce issued up to `time` as forgotten.
    #[must_use]
    pub(super) fn forgetting_until(mut self, time: Timestamp) -> Self {
        self.forget_until(time);
        self
    }

    fn forget_until(&mut self, time: Timestamp) {
        self.forgotten = self.forgotten.max(Some(time));
        self.issue_floor = self.issue_floor.max(time.plus_millis(1));
    }

    /// The earliest time that a new nonce should carry: later than every forgotten nonce, and no
    /// earlier than any used one. Then a nonce is never forgotten already when it is issued, even
    /// if the clock was set back.
    ///
    /// It exceeds a correct clock only if the whole table turns over within one millisecond.
    pub(super) const fn issue_floor(&self) -> Timestamp {
        self.issue_floor
    }

    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Records one use of a nonce, in constant expected time.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if the count was used before, or is below the window and treated as
    /// used. [`Rejection::NonceForgotten`] if the nonce is not in the table but may have
    /// been.
    pub(super) fn record(&mut self, key: &ReplayKey) -> Result<(), Rejection> {
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
                // The nonce is from the future, so it was issued before the clock was set back. It
                // may have been used before this table was made. The nonce in the challenge after
                // `NonceForgotten` is exempt: its time is one millisecond after `until`.
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
                self.insert(Cell {
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

    /// Returns the slot and the cell of a nonce, or the free slot where it would go and `None`.
    fn probe(&self, nonce: NonceId) -> (usize, Option<usize>) {
        let mut slot = self.home(nonce);
        loop {
            match self.cell_at(slot) {
                Some(cell) if self.cells.get(cell).is_some_and(|c| c.nonce == nonce) => {
                    return (slot, Some(cell));
                }
                Some(_) => slot = self.next_slot(slot),
                None => return (slot, None),
            }
        }
    }

    /// The home slot of a nonce: the lower half of its tag, because the upper half selects the
    /// table. The tag is part of a MAC and never sent, so clients cannot choose nonces that
    /// collide.
    fn home(&self, nonce: NonceId) -> usize {
        let low = nonce.tag & u64::from(u32::MAX);
        usize::try_from(low).unwrap_or_default() & (self.index.len() - 1)
    }

    const fn next_slot(&self, slot: usize) -> usize {
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

    /// Inserts a cell, evicting the oldest one if the table is full.
    fn insert(&mut self, cell: Cell) -> Result<(), Rejection> {
        let number = if self.cells.len() < self.capacity {
            self.cells.push(cell);
            self.cells.len() - 1
        } else {
            let number = self.oldest;
            let Some(Cell { nonce, .. }) = self.cells.get(number).copied() else {
                // The capacity is 0.
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
        self.issue_floor = self.issue_floor.max(cell.nonce.issued);
        Ok(())
    }

    /// Removes a nonce from the index by backward-shift deletion.
    fn remove(&mut self, nonce: NonceId) {
        let (mut hole, _) = self.probe(nonce);
        let mut slot = hole;
        loop {
            slot = self.next_slot(slot);
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
