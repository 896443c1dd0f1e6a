//! HTTP authentication as pure functions and small state machines.
//!
//! This crate reads and writes `WWW-Authenticate`, `Authorization` and `Authentication-Info` (and
//! their `Proxy-` twins), for the Basic and Digest schemes, for clients and for servers. It opens
//! no socket, reads no clock, draws no random number and holds no callback: what it needs, you
//! pass as an argument, and what it decides, it returns.
//!
//! | you are                  | start at                                   |
//! |--------------------------|--------------------------------------------|
//! | a client                 | [`client::Client`]                         |
//! | a server                 | [`server::Authenticator`]                  |
//! | only reading challenges  | [`challenges()`]                           |
//! | only speaking Basic      | [`basic`]                                  |
//! | at home in the formulas  | [`digest`]                                 |
//! | asking why               | [`manual`]                                 |
//!
//! # What it does not do
//!
//! It speaks no HTTP, stores no users and knows no other schemes, though it hands on their headers.
//! It does not normalise Unicode: names and passwords should be in Normalization Form C when they
//! get here, see [`Ha1::new`](digest::Ha1::new). Digest hides the password, not the request: use
//! TLS.
//!
//! # Features
//!
//! - `std` (default): [`Timestamp`] from `std::time::SystemTime`. Without it the crate is `no_std`
//!   and needs `alloc`.
//! - `md5` (default): the MD5 algorithms of Digest. Without it they are recognised and reported as
//!   unsupported. Another crate of the program may switch it on for all: if you must not use MD5,
//!   say so by [`Policy::without_md5`](client::Policy::without_md5) and
//!   [`Realm::with_algorithms`](server::Realm::with_algorithms), too.
#![no_std]
#![forbid(unsafe_code)]
// Of the library only: tests and examples may unwrap and use std.
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

// A module imports from the layers above it on this page only (tests/layers.rs holds it to that),
// so this list is also an order to read them in.

// Leaves.
mod challenger;
mod channel;
mod error;
mod secret;
mod time;

// Form without meaning: the grammar, the hashes.
mod field_value;

mod syntax;

mod hash;

// The request that credentials are bound to.
mod target;

// The schemes. They do not know each other.
pub mod basic;
pub mod digest;

// Header values of any scheme.
mod header;

// The roles. They do not know each other.
pub mod client;
pub mod server;

// Prose.
pub mod manual;

pub use crate::challenger::Challenger;
pub use crate::channel::Channel;
pub use crate::error::{
    HeaderError, InvalidText, ParamError, ParamName, ParamProblem, ParseError, ParseErrorKind,
};
pub use crate::field_value::FieldValue;
pub use crate::header::{AuthenticationInfo, Authorization, Challenge, Challenges, challenges};
pub use crate::syntax::{
    Chunks, MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES, Param, Params, RawChallenge,
    RawChallenges, Scheme, Text,
};
pub use crate::target::{EntityBody, Target};
pub use crate::time::Timestamp;

/// The traits randomness comes in by, so that callers need not guess the version. A new breaking
/// version of it is a new breaking version of this crate.
pub use rand_core;

/// The code of the README is tested with that of the documentation.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
