//! Measures times: the smallest of many, taken in turns.
//!
//! Other programs on the machine add time, so the smallest of many measurements is the best. The
//! operations to compare are measured in turns, so that a slow minute slows all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::allocations::allocations_of;

/// The length of one measurement: far above the resolution of the clock, far below a time slice of
/// the scheduler.
const BATCH: Duration = Duration::from_micros(20);

/// An operation to measure.
pub struct Operation {
    run: Box<dyn FnMut(u32) -> Duration>,
    calls: u32,
    /// The smallest time of one call so far.
    pub nanoseconds: f64,
    /// The number of allocations of one call.
    pub allocations: u64,
}

impl Operation {
    /// One call of `work`, and the drop of what it returns.
    pub fn new<R>(mut work: impl FnMut() -> R + 'static) -> Self {
        Self::prepared(u32::MAX, || (), move |()| work())
    }

    /// Like [`new`](Self::new), with a state that serves at most `limit` calls. Making it is not
    /// measured.
    pub fn prepared<S, R>(
        limit: u32,
        mut prepare: impl FnMut() -> S + 'static,
        mut work: impl FnMut(&mut S) -> R + 'static,
    ) -> Self {
        let mut state = prepare();
        // The first calls may allocate memory that later calls reuse.
        drop(work(&mut state));
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
            nanoseconds: f64::INFINITY,
            allocations,
        };
        while operation.calls < limit && operation.run(operation.calls) < BATCH {
            operation.calls = operation.calls.saturating_mul(2).min(limit);
        }
        operation
    }

    /// Runs the operation `calls` times and returns the time it took.
    pub fn run(&mut self, calls: u32) -> Duration {
        (self.run)(calls)
    }

    /// Measures once more.
    ///
    /// The operation measured before has filled the caches and the branch predictors, so this one
    /// first runs once unmeasured.
    pub fn measure(&mut self) {
        self.run(self.calls);
        let time = self.run(self.calls).as_secs_f64() * 1e9 / f64::from(self.calls);
        self.nanoseconds = self.nanoseconds.min(time);
    }
}
