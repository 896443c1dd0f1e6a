//! Code shared by the measuring programs.
//!
//! `rows` has the operations that are measured.

pub mod allocations;
pub mod floors;
pub mod hostile;
pub mod inputs;
pub mod measure;
pub mod rows;

/// The counting allocator of every program in this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;
