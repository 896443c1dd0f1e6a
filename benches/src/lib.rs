//! Code shared by the measuring programs.
//!
//! `rows` has the operations that are measured, `floor` the least work that could do the same.

pub mod allocations;
pub mod floor;
pub mod hostile;
pub mod inputs;
pub mod measure;
pub mod rows;

/// Counts for every program of this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
