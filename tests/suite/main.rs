//! All that is tested through the public interface, but for what needs other programs
//! (`tests/interop`) and what is measured (`tests/measured`).
//!
//! A module a subject: `cargo test --test suite client::policy` runs one.

#[path = "../support/mod.rs"]
mod support;

// Reading and writing headers.
mod headers;
mod syntax;

// The two sides, each by itself and against each other.
mod client;
mod end_to_end;
mod server;

// Recorded data.
mod captures;
mod vectors;

// The documentation and the project.
mod manual;
mod project;
