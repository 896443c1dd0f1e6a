//! What the integration tests share: the recorded data and a second parser to compare with.
// Each test binary uses its own part, and none of it can be reached from outside.
#![allow(dead_code, unreachable_pub)]

pub mod alloc;
pub mod captures;
pub mod compare;
pub mod generate;
pub mod hostile;
pub mod naive;
pub mod round_trip;
pub mod vectors;
