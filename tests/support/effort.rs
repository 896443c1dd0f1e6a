//! How much of a long test is done.
//!
//! The tests are built without optimisation when somebody waits for them, and optimised in
//! `.ci/nightly`. So what only gains by being done more often (cases of a property, requests of a
//! flood) is done in full there, and a twentieth of it here.

use proptest::prelude::ProptestConfig;

/// So many cases of a property when optimised, else a twentieth, but a hundred if there are as many.
///
/// No files of failed cases are kept: what failed is to become a test of its own.
pub fn cases(full: u32) -> ProptestConfig {
    ProptestConfig {
        cases: repeats(full).max(full.min(100)),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// So many repeats when optimised, else a twentieth.
pub const fn repeats(full: u32) -> u32 {
    if cfg!(debug_assertions) {
        full / 20
    } else {
        full
    }
}
