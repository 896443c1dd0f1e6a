//! Chance, the same in each run.

use countersign::rand_core::TryRng;

use crate::support::server::Seeded;

pub(super) struct Dice(Seeded);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(Seeded(seed))
    }

    /// A number below this one.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let Ok(number) = self.0.try_next_u64();
        number % bound
    }

    /// Returns true `many` times in a thousand.
    pub(super) fn of_thousand(&mut self, many: u64) -> bool {
        self.below(1000) < many
    }
}
