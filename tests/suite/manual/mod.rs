//! Tests of statements in the manual.

mod caller_duties;
mod errors;
mod leniency;
mod links;
mod settings;
mod tables;
