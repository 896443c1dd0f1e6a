//! HTTP authentication as pure functions and small state machines.
//!
//! This crate parses and writes `WWW-Authenticate`, `Authorization` and `Authentication-Info` (and
//! their `Proxy-` counterparts) for the Basic and Digest schemes, for clients and servers. It opens
//! no sockets and keeps no callbacks: you pass what arrived, and the time, and it returns its
//! decisions. A client or server takes a random number generator only when it is made.
//!
//! A client and a server, without the HTTP between them:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
//! use countersign::digest::{HashFunction, User};
//! use countersign::server::{Arrival, Authenticator, Realm};
//! use countersign::{Channel, EntityBody, FieldValue, Target};
//!
//! let target = Target::new("GET", "/dir/index.html");
//!
//! // The server: one for all threads, with memory for the counts of 10,000 nonces.
//! let realm = Realm::new("files")?;
//! let ha1 = realm.ha1(HashFunction::Sha256, "Mufasa", "Circle of Life");
//! let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
//! let serve = |authorization: Option<&FieldValue>| {
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let find = |user: &User<'_>, _| (user.name() == Some("Mufasa")).then_some(&ha1);
//!     match auth.check(authorization.into_iter(), &target, arrival, find) {
//!         Ok(_) => (200, Vec::new()),
//!         Err(refusal) => (refusal.status, refusal.challenges),
//!     }
//! };
//!
//! // The client: one for each origin or proxy.
//! let endpoint = Endpoint::origin("https", "example.com", None)?;
//! let account = Account::new("Mufasa", "Circle of Life").for_realm("files");
//! let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! let mut client = client.with_account(account)?;
//! let mut exchange = Exchange::new();
//! let status = loop {
//!     let field = client.authorize(&mut exchange, &target)?;
//!     let (status, challenges) = serve(field.for_new_request());
//!     let fields = |name| challenges.iter().filter(move |_| name == "www-authenticate");
//!     match client.received(&mut exchange, status, fields, EntityBody::Unknown)? {
//!         Next::Done(_) => break status,
//!         Next::GiveUp(why) => return Err(why.into()),
//!         _ => {} // Send it again.
//!     }
//! };
//! assert_eq!(status, 200);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to                                   | start at                       |
//! |--------------------------------------|--------------------------------|
//! | authenticate to servers and proxies  | [`client::Client`]             |
//! | authenticate the clients of a server | [`server::Authenticator`]      |
//! | parse challenges                     | [`challenges()`]               |
//! | write headers yourself               | [`wire`]                       |
//! | use reqwest                          | the crate `countersign-reqwest` |
//! | use axum or tower                    | the crate `countersign-tower`  |
//! | read on                              | [`manual`]                     |
//!
//! # What it does not do
//!
//! It does not implement HTTP, store users or support other schemes, although it [parses and writes
//! their headers](manual::client#other-schemes). It does not normalise Unicode unless asked to, with
//! the feature `precis`: pass user names and passwords in Normalization Form C (see
//! [`Ha1::new`](digest::Ha1::new)). Digest encrypts nothing: use TLS.
//!
//! # Features
//!
//! - `std` (default): threads may share a [`server::Authenticator`], and the time comes from
//!   `std::time::SystemTime`. Without it the crate is `no_std` and needs `alloc`.
//! - `md5` (default): the MD5 algorithms of Digest. Without it they are reported as unsupported.
//!   Cargo unifies features, so another crate may enable it: if you must not use MD5, also call
//!   [`Policy::without_md5`](client::Policy::without_md5) and
//!   [`Realm::with_algorithms`](server::Realm::with_algorithms).
//! - `cache` (default): `client::AuthCache`, the clients of many endpoints.
//! - `getrandom`: keys from the operating system, by `Authenticator::from_os_rng`.
//! - `http`: `http::HeaderValue` from a [`FieldValue`], and [`Target`] from an `http::Request`.
//! - `precis`: the module `precis` and `Policy::with_precis`, which give user names and passwords
//!   one spelling.
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
pub use crate::syntax::{MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES, RawChallenge, Scheme, Text};
pub use crate::target::{EntityBody, Target};
pub use crate::time::Timestamp;

/// Re-exported because its traits are part of this crate's API: a breaking release of `rand_core`
/// is a breaking release of this crate.
pub use rand_core;

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
