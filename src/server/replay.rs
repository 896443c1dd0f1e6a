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

/// Grants a verified request if `record` succeeds or there is nothing to record. Refuses it if the
/// server that verified it has another [id](super::keys::Keys::server_id), that is, another first
/// key or realm name.
#[inline]
pub(super) fn admit<'a, A>(
    verified: Verified<'a, A>,
    server_id: u64,
    record: impl FnOnce(&ReplayKey) -> Result<(), Rejection>,
) -> Result<Grant<'a, A>, Rejected<'a>> {
    // If the ids differ, the used counts of the nonce are in the table of the other server, so this
    // one cannot tell a replay. Two servers with the same first key and realm name have the same
    // id, so they are not told apart.
    if verified.server_id != server_id {
        return Err(verified.reject(Rejection::NonceForeign));
    }
    let recorded = match verified.replay_key() {
        Some(key) => record(&key),
        None => Ok(()),
    };
    match recorded {
        Ok(()) => Ok(Grant::new(verified)),
        Err(why) => Err(verified.reject(why)),
    }
}

/// The nonce counts (`nc`) that were used. Each pair of a nonce and an HA1 has an entry, so that
/// two users of one nonce do not use up each other's counts.
///
/// Only verified requests are recorded. Each entry has a sliding [window](NcWindow) of 64 counts.
///
/// The memory is fixed: at most 48 bytes per entry, all of it allocated at construction. When the
/// table is full, it evicts the entry whose first use is the oldest. From then on, every nonce
/// issued no later than the nonce of an evicted entry counts as
/// [forgotten](Rejection::NonceForgotten), unless it is in the table. This never admits a replay,
/// and costs each client with such a nonce one round trip.
pub(super) struct ReplayTable {
    /// A ring buffer in the order of first use, starting at `oldest`.
    entries: Vec<Entry>,
    capacity: usize,
    oldest: usize,
    /// A hash table with open addressing and linear probing, at most half full. A slot holds the
    /// position of an entry in `entries` plus 1; 0 is free.
    slots: Box<[u32]>,
    /// Nonces issued up to this time count as forgotten unless they are in the table. `None` as
    /// long as no nonce counts as forgotten.
    forgotten_until: Option<Timestamp>,
    /// See [`issue_floor`](Self::issue_floor).
    issue_floor: Timestamp,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Stands for the pair of a nonce and an HA1, which is [mixed into its
    /// tag](super::replay_key::bind_to_ha1).
    nonce: NonceId,
    window: NcWindow,
}

impl ReplayTable {
    /// An empty table with room for `capacity` entries, 2³⁰ at most.
    ///
    /// # Panics
    ///
    /// If the memory cannot be allocated. With `std` this may abort the process instead.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        // So that a position plus 1 fits into the u32 of a slot.
        let capacity = capacity.min(1 << 30);
        Self {
            entries: Vec::with_capacity(capacity),
            capacity,
            oldest: 0,
            slots: vec![0; (capacity * 2).next_power_of_two()].into_boxed_slice(),
            forgotten_until: None,
            issue_floor: Timestamp::EPOCH,
        }
    }

    /// Treats every nonce issued up to `used_until` as forgotten.
    #[must_use]
    pub(super) fn with_forgotten(mut self, used_until: Timestamp) -> Self {
        self.forget_issued_until(used_until);
        self
    }

    fn forget_issued_until(&mut self, time: Timestamp) {
        self.forgotten_until = self.forgotten_until.max(Some(time));
        self.issue_floor = self.issue_floor.max(time.plus_millis(1));
    }

    /// The earliest issue time for a new nonce, for when the clock was set back. It is later than
    /// every forgotten nonce, so that the new one does not count as forgotten at once. It is also
    /// no earlier than the issue time of any used nonce: the eviction of that one makes all that
    /// were issued before it count as forgotten.
    pub(super) const fn issue_floor(&self) -> Timestamp {
        self.issue_floor
    }

    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Records one use of a nonce, in constant expected time.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if the count, or a nonce that is valid for one use, was used before,
    /// or if the count is below the window. [`Rejection::NonceForgotten`] if the nonce is not in
    /// the table but may have been used before, or if the capacity is 0.
    pub(super) fn record(&mut self, key: &ReplayKey) -> Result<(), Rejection> {
        // Without a count, the nonce is valid for one use.
        match (self.find(key.nonce), key.count) {
            (Some(entry), Some(nc)) => {
                let is_new = entry.window.insert(nc);
                is_new.then_some(()).ok_or(Rejection::Replayed)
            }
            (Some(_), None) => Err(Rejection::Replayed),
            (None, count) => {
                let issued = key.nonce.issued;
                if let Some(until) = self.forgotten_until.filter(|&time| issued <= time) {
                    return Err(Rejection::NonceForgotten { until });
                }
                // The nonce is of this server, but a nonce that is issued now would have an earlier
                // time, so the clock was set back. The nonce may have been used before this table
                // was made: if the `NonceKey` is older than the process, and the horizon that
                // `Authenticator::with_key` got was too early.
                if issued > key.latest_issue_time {
                    // `until` must not be `issued`, which is in the future: the next nonce gets an
                    // issue time after `until`, so it would be in the future, too, and be refused
                    // here again.
                    let until = self.forgotten_until.unwrap_or(Timestamp::EPOCH);
                    return Err(Rejection::NonceForgotten { until });
                }
                self.insert(Entry {
                    nonce: key.nonce,
                    window: count.map_or(NcWindow::EXHAUSTED, NcWindow::starting_with),
                })
            }
        }
    }

    fn find(&mut self, nonce: NonceId) -> Option<&mut Entry> {
        let (_, position) = self.probe(nonce);
        self.entries.get_mut(position?)
    }

    /// Returns the slot of a nonce and the position of its entry. If the nonce is not in the table,
    /// returns the free slot for it, and no position.
    fn probe(&self, nonce: NonceId) -> (usize, Option<usize>) {
        let mut slot = self.home(nonce);
        loop {
            match self.position_at(slot) {
                Some(at) if self.entries.get(at).is_some_and(|e| e.nonce == nonce) => {
                    return (slot, Some(at));
                }
                Some(_) => slot = self.next_slot(slot),
                None => return (slot, None),
            }
        }
    }

    /// The home slot of a nonce. It depends on the lower half of the [tag](NonceId::tag), because
    /// the upper half selects one of the `Authenticator`'s tables.
    fn home(&self, nonce: NonceId) -> usize {
        let low = nonce.tag & u64::from(u32::MAX);
        usize::try_from(low).unwrap_or_default() & (self.slots.len() - 1)
    }

    const fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    fn position_at(&self, slot: usize) -> Option<usize> {
        let stored = self.slots.get(slot).copied().unwrap_or_default();
        usize::try_from(stored).ok()?.checked_sub(1)
    }

    fn set(&mut self, slot: usize, position: Option<usize>) {
        let stored = position.map_or(0, |at| u32::try_from(at + 1).unwrap_or_default());
        if let Some(place) = self.slots.get_mut(slot) {
            *place = stored;
        }
    }

    /// Inserts an entry, evicting the oldest one if the table is full. Fails if the capacity is 0.
    fn insert(&mut self, entry: Entry) -> Result<(), Rejection> {
        let position = if self.entries.len() < self.capacity {
            self.entries.push(entry);
            self.entries.len() - 1
        } else {
            let position = self.oldest;
            let Some(evicted) = self.entries.get(position).copied() else {
                // The capacity is 0, so every nonce is refused, whatever `until` is.
                let until = entry.nonce.issued;
                return Err(Rejection::NonceForgotten { until });
            };
            self.free_slot_of(evicted.nonce);
            self.forget_issued_until(evicted.nonce.issued);
            if let Some(place) = self.entries.get_mut(position) {
                *place = entry;
            }
            self.oldest = (position + 1) % self.capacity;
            position
        };
        let (slot, _) = self.probe(entry.nonce);
        self.set(slot, Some(position));
        self.issue_floor = self.issue_floor.max(entry.nonce.issued);
        Ok(())
    }

    /// Frees the slot of a nonce by backward-shift deletion. The nonce must be in the table. Its
    /// entry stays in `entries`, for the caller to overwrite.
    fn free_slot_of(&mut self, nonce: NonceId) {
        let (mut hole, _) = self.probe(nonce);
        let mut slot = hole;
        loop {
            slot = self.next_slot(slot);
            let Some(position) = self.position_at(slot) else {
                break;
            };
            let Some(home) = self.entries.get(position).map(|e| self.home(e.nonce)) else {
                break;
            };
            let mask = self.slots.len() - 1;
            let from_home = slot.wrapping_sub(home) & mask;
            let from_hole = slot.wrapping_sub(hole) & mask;
            // An entry must not move to a slot before its home, where `probe` would not find it.
            if from_home >= from_hole {
                self.set(hole, Some(position));
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
            .field("forgotten_until", &self.forgotten_until)
            .finish_non_exhaustive()
    }
}
