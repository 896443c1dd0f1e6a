//! Measurements of allocations, freed memory and instructions.
//!
//! It is a program of its own because of its allocator, and because callgrind runs it once more.

mod allocations;
mod allocator;
mod callgrind;
mod constant_work;
mod linear;
// The tests of the suite use the rest of it.
#[allow(dead_code, unused_imports)]
#[path = "../support/mod.rs"]
mod support;
mod wiped;
