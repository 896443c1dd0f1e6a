//! Code shared by the measuring programs.
//!
//! `rows` has the operations that are measured.

use std::process::Command;

pub mod allocations;
pub mod floors;
pub mod inputs;
pub mod measure;
pub mod rows;

/// The counting allocator of every program in this package.
#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// What a program writes, if it is installed and succeeds.
pub fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.trim().to_string())
}
