//! What is not told at any one item: prose, and nothing to call.
//!
//! - [`design`]: why the crate is as it is
//! - [`security`]: what it promises, what it asks of you, what it cannot do
//! - [`leniency`]: what is read although the grammar does not allow it
//! - [`cookbook`]: how to do what the examples do not show
//! - [`interoperability`]: which peers it was tried with, and what came of it

pub mod cookbook;
pub mod design;
pub mod interoperability;
pub mod leniency;
pub mod security;
