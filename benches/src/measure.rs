//! Times as the smallest of many, taken in turns.
//!
//! Other programs on the machine only ever add time, so the smallest of many measurements is the
//! one to believe; and what is to be compared is measured in turns, so that a slow minute slows
//! all of it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::allocations::allocations_of;

/// How long one measurement is to take: well over the resolution of the clock, well under what
/// the system lets a program run undisturbed.
const BATCH: Duration = Duration::from_micros(20);

/// Something to measure, and the smallest time it took so far.
pub struct Operation {
    run: Box<dyn FnMut(u32) -> Duration>,
    calls: u32,
    best: f64,
    allocations: u64,
}

impl Operation {
    /// One call of `work`, and the drop of what it returns.
    pub fn new<R>(mut work: impl FnMut() -> R + 'static) -> Self {
        Self::prepared(u32::MAX, || (), move |()| work())
    }

    /// The same, where one state is good for at most `limit` calls. Its making is not measured.
    pub fn prepared<S, R>(
        limit: u32,
        mut prepare: impl FnMut() -> S + 'static,
        mut work: impl FnMut(&mut S) -> R + 'static,
    ) -> Self {
        let mut state = prepare();
        // The first call may make room once and for all.
        drop(work(&mut state));
        let allocations = allocations_of(|| drop(work(&mut state)));
        drop(state);
        let run = move |calls: u32| {
            let mut state = prepare();
            let start = Instant::now();
            for _ in 0..calls {
                black_box(&work(&mut state));
            }
            start.elapsed()
        };
        let mut operation = Self {
            run: Box::new(run),
            calls: 1,
            best: f64::INFINITY,
            allocations,
        };
        while operation.calls < limit && operation.run(operation.calls) < BATCH {
            operation.calls = operation.calls.saturating_mul(2).min(limit);
        }
        operation
    }

    /// Runs it so often, and says how long that took.
    pub fn run(&mut self, calls: u32) -> Duration {
        (self.run)(calls)
    }

    /// Measures once more.
    ///
    /// What was measured before has left its own in the caches and the branch predictors, so the
    /// same is done once without looking at the clock.
    pub fn measure(&mut self) {
        self.run(self.calls);
        let time = self.run(self.calls).as_secs_f64() * 1e9 / f64::from(self.calls);
        self.best = self.best.min(time);
    }

    /// How often one call allocates.
    pub const fn allocations(&self) -> u64 {
        self.allocations
    }

    /// The smallest time of one call so far, in nanoseconds.
    pub const fn nanoseconds(&self) -> f64 {
        self.best
    }
}
