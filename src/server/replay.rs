//! Replay detection: which counts of which nonces were used.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::digest::Ha1;
use crate::secret;
use crate::server::nonce::NonceId;
use crate::server::reason::Reason;
use crate::time::Timestamp;

/// One use of one nonce by the holder of one HA1, equal for a request and its replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplayKey {
    /// The nonce, [bound to the HA1](bind_to_ha1).
    pub(super) nonce: NonceId,
    /// `None` if the nonce is valid for one use.
    pub(super) count: Option<u32>,
    pub(super) valid_until: Timestamp,
}

/// Mixes an HA1 into the tag of a nonce, so that each user of a nonce has separate counts. Not the
/// user name, whose spelling an attacker can change. Two users collide with a probability of about
/// 2⁻⁶⁴, and then share a window, which can refuse a request but never admit a replay.
pub(super) fn bind_to_ha1(nonce: NonceId, ha1: &Ha1) -> NonceId {
    let NonceId { issued, mut tag } = nonce;
    // 32 hex digits (128 bits) are enough to tell users apart.
    for word in ha1.digest().as_bytes().as_chunks().0.iter().take(4) {
        tag = (tag ^ u64::from_le_bytes(*word))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }
    NonceId { issued, tag }
}

/// The nonce counts that were used: a [window](NcWindow) for each pair of a nonce and an HA1, in at
/// most 48 bytes, all allocated at construction. A full table evicts the entry whose first use is
/// the oldest. Then every nonce issued no later than the evicted one counts as
/// [forgotten](Reason::NonceForgotten), unless it is in the table.
pub(super) struct ReplayTable {
    /// A ring buffer in the order of first use, starting at `oldest`.
    entries: Vec<Entry>,
    capacity: usize,
    oldest: usize,
    /// A hash table with open addressing and linear probing, at most half full. A slot holds the
    /// position of an entry in `entries` plus 1; 0 is free.
    slots: Box<[u32]>,
    /// Nonces issued up to this time count as forgotten unless they are in the table.
    forgotten_until: Option<Timestamp>,
    issue_floor: Timestamp,
}

#[derive(Clone, Copy)]
struct Entry {
    nonce: NonceId,
    window: NcWindow,
}

impl ReplayTable {
    /// An empty table with room for `capacity` entries, 2³⁰ at most.
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

    fn forget_issued_until(&mut self, time: Timestamp) {
        self.forgotten_until = self.forgotten_until.max(Some(time));
        self.issue_floor = self.issue_floor.max(time.plus_millis(1));
    }

    /// The earliest issue time for a new nonce: later than every forgotten one, and no earlier than
    /// any used one, whose eviction makes all that were issued before it count as forgotten.
    pub(super) const fn issue_floor(&self) -> Timestamp {
        self.issue_floor
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Records one use of a nonce, in constant expected time.
    pub(super) fn record(&mut self, key: &ReplayKey) -> Result<(), Reason> {
        // Without a count, the nonce is valid for one use.
        match (self.find(key.nonce), key.count) {
            (Some(entry), Some(nc)) => {
                let is_new = entry.window.insert(nc);
                is_new.then_some(()).ok_or(Reason::Replayed)
            }
            (Some(_), None) => Err(Reason::Replayed),
            (None, count) => {
                let issued = key.nonce.issued;
                if let Some(until) = self.forgotten_until.filter(|&time| issued <= time) {
                    return Err(Reason::NonceForgotten { until });
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

    /// Returns the slot of a nonce and the position of its entry, or the free slot for it.
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

    /// The home slot, by the lower half of the tag: the upper half selects one of the tables.
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
    fn insert(&mut self, entry: Entry) -> Result<(), Reason> {
        let position = if self.entries.len() < self.capacity {
            self.entries.push(entry);
            self.entries.len() - 1
        } else {
            let position = self.oldest;
            let Some(evicted) = self.entries.get(position).copied() else {
                // The capacity is 0, so every nonce is refused, whatever `until` is.
                let until = entry.nonce.issued;
                return Err(Reason::NonceForgotten { until });
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

    /// Frees the slot of a nonce by backward-shift deletion. The caller overwrites its entry.
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

secret::hide!(ReplayTable);

/// The nonce counts that one HA1 has used with one nonce: a sliding window, as in IPsec (RFC 4303,
/// section 3.4.3), because clients with several connections send counts out of order.
///
/// ```text
///  0 ..= highest-64       highest-63 ..= highest       highest+1 ..
///  treated as seen        one bit each                 not seen
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct NcWindow {
    highest: u32,
    /// Bit `n` is set if `highest - n` was seen.
    seen: u64,
}

impl NcWindow {
    const WIDTH: u32 = u64::BITS;

    /// All counts seen, for a nonce valid for one use: a later request with it may have a count.
    pub(super) const EXHAUSTED: Self = Self {
        highest: u32::MAX,
        seen: u64::MAX,
    };

    pub(super) const fn starting_with(nc: u32) -> Self {
        Self {
            highest: nc,
            seen: 1,
        }
    }

    /// Returns whether `nc` was new.
    #[must_use]
    pub(super) const fn insert(&mut self, nc: u32) -> bool {
        match nc.checked_sub(self.highest) {
            // Above the window: slide it.
            Some(ahead @ 1..) => {
                self.seen = match self.seen.checked_shl(ahead) {
                    Some(seen) => seen | 1,
                    None => 1,
                };
                self.highest = nc;
                true
            }
            Some(0) | None => {
                let behind = self.highest - nc;
                // Below the window, so it is treated as seen.
                if behind >= Self::WIDTH {
                    return false;
                }
                let bit = 1 << behind;
                let is_new = self.seen & bit == 0;
                self.seen |= bit;
                is_new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashSet, VecDeque};

    use super::*;
    use crate::digest::HashFunction;
    use proptest::prelude::*;

    #[test]
    fn every_bit_of_the_tag_and_of_the_ha1_matters() {
        let ha1 = |password: &str| Ha1::new(HashFunction::Sha256, "Mufasa", "files", password);
        let issued = Timestamp::EPOCH;
        let bound = |tag, ha1: &Ha1| bind_to_ha1(NonceId { issued, tag }, ha1).tag;
        let tag = 0x0123_4567_89AB_CDEF;
        for password in ["Circle of Life", "Hakuna Matata"] {
            let ha1 = ha1(password);
            let mut seen = HashSet::from([bound(tag, &ha1)]);
            for bit in 0..64 {
                assert!(seen.insert(bound(tag ^ (1 << bit), &ha1)), "bit {bit}");
            }
            // A changed digit may equal a changed tag, so these are another set.
            let mut seen = HashSet::from([bound(tag, &ha1)]);
            let digits = ha1.digest();
            for at in 0..32 {
                let mut other = digits.as_bytes().to_vec();
                other[at] = if other[at] == b'0' { b'1' } else { b'0' };
                let other = core::str::from_utf8(&other).unwrap();
                let other = Ha1::from_hex(HashFunction::Sha256, other).unwrap();
                assert!(seen.insert(bound(tag, &other)), "digit {at}");
            }
        }
    }

    impl ReplayTable {
        /// All that the next step depends on: the homes of the entries in the order of first use,
        /// and the slots, with positions in that order.
        fn state(&self) -> (Vec<usize>, Vec<Option<usize>>) {
            let count = self.entries.len();
            let from_oldest = |at| (at + count - self.oldest) % count;
            let entries = (0..count).map(|at| self.entries[(self.oldest + at) % count]);
            let slots = 0..self.slots.len();
            (
                entries.map(|entry| self.home(entry.nonce)).collect(),
                slots
                    .map(|slot| self.position_at(slot).map(from_oldest))
                    .collect(),
            )
        }

        fn copy(&self) -> Self {
            let mut entries = Vec::with_capacity(self.capacity);
            entries.extend_from_slice(&self.entries);
            let slots = self.slots.clone();
            Self {
                entries,
                slots,
                ..*self
            }
        }
    }

    /// Every state that a table of capacity 1 to 4 can come to, whatever the home slots of the nonces
    /// are. Issue times grow, so two states that differ in these alone are one.
    #[test]
    fn in_every_state_a_table_knows_what_it_has_and_grants_nothing_else_twice() {
        let key = |nonce, count| ReplayKey {
            nonce,
            count,
            valid_until: Timestamp::EPOCH,
        };
        let mut states = 0;
        for capacity in 1..=4 {
            let first = ReplayTable::with_capacity(capacity);
            let mut known = HashSet::from([first.state()]);
            let mut next = VecDeque::from([(first, 2_u64)]);
            while let Some((before, clock)) = next.pop_front() {
                for home in 0..before.slots.len() as u64 {
                    let mut table = before.copy();
                    let tag = home | clock << 32;
                    let nonce = NonceId {
                        issued: Timestamp::from_unix_millis(clock),
                        tag,
                    };
                    assert_eq!(table.record(&key(nonce, Some(1))), Ok(()));
                    assert_eq!(table.record(&key(nonce, Some(1))), Err(Reason::Replayed));
                    let evicted = (before.len() == capacity).then(|| before.entries[before.oldest]);
                    // Every stored key is found, and no other key.
                    for entry in before.entries.iter().chain(&table.copy().entries) {
                        let is_gone = evicted.is_some_and(|it| it.nonce == entry.nonce);
                        assert_eq!(table.find(entry.nonce).is_none(), is_gone);
                        let outcome = table.copy().record(&key(entry.nonce, None));
                        match is_gone {
                            true => {
                                assert!(matches!(outcome, Err(Reason::NonceForgotten { until })
                                if entry.nonce.issued <= until && until < table.issue_floor()))
                            }
                            false => assert_eq!(outcome, Err(Reason::Replayed)),
                        }
                        assert!(entry.nonce.issued <= table.issue_floor());
                    }
                    let used = table.slots.iter().filter(|slot| **slot != 0);
                    assert_eq!(
                        (used.count(), table.len()),
                        (table.len(), table.entries.len())
                    );
                    for home in 0..table.slots.len() as u64 {
                        let (issued, tag) = (Timestamp::EPOCH, home | 1 << 63);
                        assert!(table.find(NonceId { issued, tag }).is_none());
                    }
                    if known.insert(table.state()) {
                        next.push_back((table, clock + 1));
                    }
                }
            }
            states += known.len();
        }
        // One for each sequence of homes, so the slots depend on nothing else.
        assert_eq!(states, 5290);
    }

    #[test]
    fn counts_do_not_wrap_around() {
        let mut window = NcWindow::starting_with(u32::MAX - 1);
        assert!(window.insert(u32::MAX));
        assert!(!window.insert(u32::MAX));
        assert!(!window.insert(u32::MAX - 1));
        assert!(!window.insert(0));
        assert!(!NcWindow::EXHAUSTED.clone().insert(u32::MAX));
        assert!(!NcWindow::EXHAUSTED.clone().insert(1));
    }

    proptest! {
        #[test]
        fn the_window_remembers_the_highest_count_and_the_63_below(
            first in 0..200_u32,
            counts in prop::collection::vec(
                prop_oneof![99 => 0..200_u32, 1 => any::<u32>()],
                1..300,
            ),
        ) {
            let mut window = NcWindow::starting_with(first);
            let mut seen = HashSet::from([first]);
            let mut highest = first;
            for nc in counts {
                let is_not_below = nc >= highest || highest - nc < 64;
                let is_new = window.insert(nc);
                prop_assert_eq!(is_new, is_not_below && !seen.contains(&nc));
                seen.insert(nc);
                highest = highest.max(nc);
            }
        }
    }
}
