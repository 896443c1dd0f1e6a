//! Which peers it was tried with, and what came of it.
//!
//! `cargo test --test interop matrix -- --ignored --nocapture` tries every case below with every
//! peer on the machine, over loopback, and prints this page's tables; with
//! `COUNTERSIGN_WRITE_MATRIX=1` it also writes them here. A peer that is not installed is skipped,
//! and its row says so.
//!
//! - *ok*: it went as it should.
//! - *refused*: it was refused, as it should be.
//! - *limit*: the peer cannot do it, or does it in a way of its own; the reason stands below the
//!   table.
//!
//! An empty cell was not tried: the peer has no such thing.
//!
#![doc = include_str!("interoperability.md")]
