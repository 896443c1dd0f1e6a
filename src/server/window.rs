//! The nonce counts (`nc`) that one user has used with one nonce.

/// The nonce counts (`nc`) that one user (one HA1) has used with one nonce: a sliding window, as
/// IPsec has it against replays (RFC 4303, section 3.4.3), because clients with several connections
/// send counts out of order.
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
    /// The number of counts that are tracked individually.
    const WIDTH: u32 = u64::BITS;

    /// All counts seen, so every further count is refused: the window of a nonce whose first request
    /// had no count in its [`ReplayKey`](super::replay_key::ReplayKey). Such a request uses the
    /// nonce up, but a later one with the same nonce may have a count in its key: for example, if
    /// the response of the first did not cover its `nc` (the [uncounted
    /// form](super::Realm::with_uncounted_form)), and that of the second does.
    pub(super) const EXHAUSTED: Self = Self {
        highest: u32::MAX,
        seen: u64::MAX,
    };

    /// The window after the first count.
    pub(super) const fn starting_with(nc: u32) -> Self {
        Self {
            highest: nc,
            seen: 1,
        }
    }

    /// Records `nc` and returns whether it was new.
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
    use std::collections::HashSet;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_window_is_64_wide() {
        let mut window = NcWindow::starting_with(100);
        assert!(window.insert(37), "63 behind");
        assert!(!window.insert(36), "64 behind");
        assert!(!window.insert(100));
        assert!(!window.insert(37));
        assert!(window.insert(101));
        assert!(!window.insert(0));
    }

    #[test]
    fn zero_is_a_count_like_any_other() {
        let mut window = NcWindow::starting_with(0);
        assert!(!window.insert(0));
        assert!(window.insert(1));
        assert!(!window.insert(0));
        let mut window = NcWindow::starting_with(63);
        assert!(window.insert(0), "63 behind");
        assert!(!window.insert(0));
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
                let is_not_below = nc >= highest || highest - nc < NcWindow::WIDTH;
                let is_new = window.insert(nc);
                prop_assert_eq!(is_new, is_not_below && !seen.contains(&nc));
                seen.insert(nc);
                highest = highest.max(nc);
            }
        }
    }
}
