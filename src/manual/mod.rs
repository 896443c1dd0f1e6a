//! Guides and background: only prose, no API.
//!
//! - [`tutorial`]: one exchange step by step, with every value computed
//! - [`glossary`]: the words of the RFCs and of this crate
//! - [`cookbook`]: tasks that the examples do not show
//! - [`errors`]: every error and every rejection, and what to do about it
//! - [`security`]: what the crate guarantees, what it requires of you, and what it cannot do
//! - [`leniency`]: deviations from the grammar that are accepted, and that are refused
//! - [`interoperability`]: the peers that were tested, and the results
//! - [`comparison`]: what other libraries and programs do, feature by feature
//! - [`requirements`]: what the RFCs require, and the test that holds each requirement
//! - [`design`]: why the crate is built as it is

pub mod comparison;
pub mod cookbook;
pub mod design;
pub mod errors;
pub mod glossary;
pub mod interoperability;
pub mod leniency;
pub mod requirements;
pub mod security;
pub mod tutorial;
