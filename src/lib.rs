//! [`countersign-blocking`]: https://docs.rs/countersign-blocking
//! [`countersign-testing`]: https://docs.rs/countersign-testing
//! [`countersign-reqwest`]: https://docs.rs/countersign-reqwest
//! [`countersign-tower`]: https://docs.rs/countersign-tower
//! [SIP]: manual::sip
//! [RTSP]: manual::rtsp
//! [client]: manual::client
//! [coming from]: manual::coming_from
//! [errors]: manual::errors
//! [first program]: manual::first_program
//! [odd peers]: manual::odd_peers
//! [security]: manual::security
//! [server]: manual::server
//! [stack authors]: manual::stack_author
//!
// Its programs need the features.
#![cfg_attr(
    any(not(doctest), all(feature = "std", feature = "http")),
    doc = include_str!("../README.md")
)]
#![no_std]
#![forbid(unsafe_code)]
// Unit tests may unwrap and use std.
#![cfg_attr(
    not(test),
    warn(
        clippy::alloc_instead_of_core,
        clippy::as_conversions,
        clippy::indexing_slicing,
        clippy::std_instead_of_core,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

// Modules are listed in layers, in reading order: each imports only from the layers above it.
// tests/suite/project/layers.rs enforces this.

// Leaves.
mod challenger;
mod channel;
mod error;
mod inline_bytes;
mod secret;
mod time;

// One spelling for user names and passwords.
#[cfg(feature = "precis")]
pub mod precis;

// Header values, the grammar and the hash functions.
mod field_value;

mod syntax;

// What a new hash function needs is listed in `digest/algorithm.rs`.
mod hash;

// The request that credentials are bound to.
mod target;

// The schemes. They do not import each other.
mod basic;
pub mod digest;

// The header fields.
mod header;

// What programs use that write them themselves.
pub mod wire;

// The roles. They do not import each other.
pub mod client;
pub mod server;

// Prose.
pub mod manual;

pub use crate::challenger::Challenger;
pub use crate::channel::Channel;
pub use crate::error::{HeaderError, InvalidText};
pub use crate::field_value::FieldValue;
pub use crate::header::{Authorization, Challenge, challenges, raw_challenges};
pub use crate::syntax::{MAX_CHALLENGES, MAX_VALUE_BYTES, RawChallenge, Scheme, Text};
pub use crate::target::{EntityBody, Target};
pub use crate::time::Timestamp;

/// Re-exported because its traits are part of this crate's API: a breaking release of `rand_core`
/// is a breaking release of this crate.
pub use rand_core;
