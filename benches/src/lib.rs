//! What the measuring programs share: inputs, a clock, a counting allocator.

pub mod allocations;
pub mod hostile;
pub mod measure;

/// Counts for every program of this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
