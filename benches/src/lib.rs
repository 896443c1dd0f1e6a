//! Code shared by the measuring programs.
//!
//! `rows` has the operations that are measured, `floor` the least work that could do the same jobs.

pub mod allocations;
pub mod floor;
pub mod hostile;
pub mod inputs;
pub mod measure;
pub mod rows;

/// The counting allocator of every program in this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
