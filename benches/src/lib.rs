//! What the measuring programs share.
//!
//! `rows` is what countersign is measured by, each with the `floor` under it: the least work that
//! could do the same.

pub mod allocations;
pub mod floor;
pub mod hostile;
pub mod inputs;
pub mod measure;
pub mod rows;

/// Counts for every program of this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
