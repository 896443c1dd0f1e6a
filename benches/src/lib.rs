//! What the measuring programs share.
//!
//! `operations` is what countersign is measured by, `floor` the least work that could do the
//! same, `peers` how other crates do it.

pub mod allocations;
pub mod floor;
pub mod hostile;
pub mod inputs;
pub mod measure;
pub mod operations;

/// Counts for every program of this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
