//! Tests of statements in the manual.

mod caller_duties;
mod errors;
mod index;
mod leniency;
