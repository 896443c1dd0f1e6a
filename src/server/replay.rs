//! Replays: which counts of which nonces have been seen.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::server::grant::Grant;
use crate::server::nonce::NonceId;
use crate::server::proof::Proof;
use crate::server::rejection::Rejection;
use crate::server::ticket::Ticket;
use crate::server::window::NcWindow;
use crate::time::Timestamp;

/// The counts seen of the nonces in use.
///
/// Only proofs get in, so only clients that know a password take room. Each nonce has a window of
/// 64 counts, in which every count is let in once, in any order; counts behind the window are
/// taken for seen. Users who share a nonce have a window each.
///
/// Its memory is fixed: at most 48 bytes a nonce, all of it allocated at the start. When full it
/// forgets the nonce that was first used longest ago, and from then on takes every nonce issued no
/// later than that, unless it is in the table, for [`Forgotten`](Rejection::Forgotten). So
/// forgetting costs a client a round trip, and never lets a request in twice.
///
/// Give it room for the clients you expect in one nonce lifetime, so that it forgets only nonces
/// that have expired.
pub struct ReplayTable {
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
    /// Creates a table with room for `nonces` nonces, 2³⁰ at most. With 0 no Digest request that has to be counted is
    /// ever let in, because each nonce is taken for forgotten; that is enough for Basic alone. One
    /// without a count is not counted where
    /// [nonces may be used again](super::Server::with_reusable_nonces), and is let in.
    ///
    /// Any one account can fill the table: each nonce that it uses takes a place, and when all are
    /// taken, the nonces of everyone else are evicted, oldest first. Each of these clients then pays
    /// one round trip for a new nonce, for as long as the account goes on; no replay gets in. To
    /// rule that out, make room for as many nonces as the accounts you do not trust can use in one
    /// [nonce lifetime](super::Server::with_nonce_lifetime), on top of one or two for each honest
    /// client: where requests are limited to 100 a second for each account and nonces live 300
    /// seconds, that is 30 000 nonces, or 1.4 MB, for each of these accounts.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had, as every allocation does.
    pub fn with_capacity(nonces: usize) -> Self {
        // A billion nonces are 48 GB.
        let capacity = nonces.min(1 << 30);
        Self {
            cells: Vec::with_capacity(capacity),
            capacity,
            oldest: 0,
            index: vec![0; (capacity * 2).next_power_of_two()].into_boxed_slice(),
            forgotten: None,
            horizon: Timestamp::from_unix_millis(0),
        }
    }

    /// Takes every nonce issued up to `time` for forgotten: for a server that starts with a key it
    /// had before, and no longer knows which counts were used then.
    ///
    /// `time` must not be earlier than the last [`horizon`](Self::horizon) of the table before. The
    /// present time will do if the clock is right, and was so before; if it may not be, keep the
    /// horizon with the key, or make a new key.
    #[must_use]
    pub fn restarted_at(mut self, time: Timestamp) -> Self {
        self.forget_until(time);
        self
    }

    fn forget_until(&mut self, time: Timestamp) {
        self.forgotten = self.forgotten.max(Some(time));
        self.horizon = self.horizon.max(time.plus_millis(1));
    }

    /// The earliest time that a new nonce should carry: later than what is forgotten, and no earlier
    /// than any nonce that was used. For [`Arrival::not_before`](super::Arrival::not_before), and
    /// for [`restarted_at`](Self::restarted_at) after the next start.
    ///
    /// It runs ahead of a clock that is right only in a table that is filled anew within a
    /// millisecond.
    pub const fn horizon(&self) -> Timestamp {
        self.horizon
    }

    /// How many nonces it has room for.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many nonces it knows.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The bytes it takes, itself included; this does not change while it is in use.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.cells.capacity() * size_of::<Cell>()
            + self.index.len() * size_of::<u32>()
    }

    /// Lets a proof in, once.
    ///
    /// Takes a few reads of memory, however large the table. A table that many threads use is best
    /// one of many, each with a lock of its own, chosen by [`Proof::shard`].
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if the count was used before, or is so far behind that it must be
    /// taken for used. [`Rejection::Forgotten`] if the nonce is not in the table and may have been.
    #[inline]
    pub fn admit<'a>(&mut self, proof: Proof<'a>) -> Result<Grant<'a>, Rejection> {
        if let Some(ticket) = proof.ticket() {
            self.claim(&ticket)?;
        }
        Ok(proof.into_grant())
    }

    fn claim(&mut self, ticket: &Ticket) -> Result<(), Rejection> {
        match (self.find(ticket.nonce), ticket.count) {
            (Some(cell), Some(nc)) => {
                let fresh = cell.window.insert(nc);
                fresh.then_some(()).ok_or(Rejection::Replayed)
            }
            (Some(_), None) => Err(Rejection::Replayed),
            (None, count) => {
                let issued = ticket.nonce.issued;
                if let Some(until) = self.forgotten.filter(|&time| issued <= time) {
                    return Err(Rejection::Forgotten { until });
                }
                // It was made before the clock was set back, and may have been used before the
                // table was made. A nonce that answers `Forgotten` is one millisecond later.
                let until = self.forgotten.unwrap_or(Timestamp::from_unix_millis(0));
                if issued > ticket.latest.max(until.plus_millis(1)) {
                    return Err(Rejection::Forgotten { until });
                }
                let mut window = NcWindow::EXHAUSTED;
                if let Some(nc) = count {
                    window = NcWindow::default();
                    if !window.insert(nc) {
                        return Err(Rejection::Replayed);
                    }
                }
                self.remember(Cell {
                    nonce: ticket.nonce,
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

    /// Where in the index a nonce belongs. The tag is a MAC that nobody sees, so nobody can choose
    /// nonces that belong together; shards go by its other half.
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
                return Err(Rejection::Forgotten { until });
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
