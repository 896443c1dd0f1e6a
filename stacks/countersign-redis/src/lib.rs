//! Redis or Valkey as the [shared store](countersign::server::SharedStore) of several machines: a
//! request is granted once by all of them together, also after the store has lost its data.
//!
//! It is for any server of [`countersign`]. Where you call `admit` otherwise:
//!
//! ```
//! use countersign::server::{Authenticator, Grant, Refusal, SharedStore, Verified};
//! use countersign_redis::{Error, RedisStore};
//!
//! /// `Err` is answered with status 503, and with `Retry-After`.
//! async fn admit<'a>(
//!     auth: &Authenticator<SharedStore>,
//!     store: &RedisStore,
//!     verified: Verified<'a, String>,
//! ) -> Result<Result<Grant<'a, String>, Refusal>, Error> {
//!     Ok(match auth.claim(verified) {
//!         Ok(grant) => Ok(grant),
//!         Err(claim) => {
//!             let reply = store.claim(&claim.key(), claim.time_to_live()).await?;
//!             claim.settle(reply)
//!         }
//!     })
//! }
//!
//! let store = RedisStore::new(redis::Client::open("redis://127.0.0.1/")?);
//! # let _ = (store, admit);
//! # Ok::<(), redis::RedisError>(())
//! ```
//!
//! The README has the program for axum and actix-web.
//!
//! # What it does
//!
//! One script, in one round trip, records the count of a nonce if it is new, and returns the time of
//! the server and until when it may have lost keys. The counts of a nonce are in one key, as a window of
//! 64, as in the memory of one machine: a count that is 64 below the highest is refused, as used.
//! The server tells a loss by its replication id, which changes when it starts and when a replica takes
//! its place; the script compares the id with the id it has stored. Nonces from before are refused once,
//! as `NonceForgotten`, and nobody is prompted.
//!
//! | what happens | what users see |
//! |---|---|
//! | it restarts, with or without its data; a replica that lags takes its place; `FLUSHALL`; its first replica connects, or the last is gone for an hour, because Redis then changes the id | one refused request a client |
//! | it cannot be reached, hangs, is full, or is a replica | status 503, within the [timeout](RedisStore::with_timeout) |
//! | it evicts keys (`maxmemory` with a `maxmemory-policy` other than `noeviction`) | status 503: [`Error::Evicts`]; then one refused request a client |
//! | clocks of machines differ from its own | nothing, up to a minute ahead and any time late; further ahead, `NonceForgotten` until its clock is mended |
//!
//! Not covered: two servers that both take writes, where a primary that was cut off goes on. Set
//! `min-replicas-to-write 1`, with which it stops. The clock of a replica must not be behind the
//! clock of the primary whose place it takes.
//!
//! # The server
//!
//! Redis from version 5 on, or Valkey: one server, or a primary with replicas behind one name
//! ([`new`](RedisStore::new)), or found by Sentinel ([`found_by`](RedisStore::found_by)); a Redis Cluster
//! ([`in_cluster`](RedisStore::in_cluster)), of which one primary takes all claims. A nonce takes some
//! 170 bytes there, however many its requests, for its lifetime and a minute. Persistence is not needed.
//!
//! A user for it needs no more than this, with the prefix that the keys have:
//!
//! ```text
//! ACL SETUSER site on >PASSWORD ~{countersign}:* +evalsha +script|load +time +info +get +set +setrange
//! ```
//!
//! User and password are in the URL, `redis://site:PASSWORD@host/`. For TLS, `rediss://`, enable
//! `tokio-rustls-comp` and `tls-rustls-webpki-roots` of the crate `redis`, and depend on `rustls` with one
//! of its features `aws_lc_rs` and `ring`: without its cryptography the first connection panics.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod cluster;
mod error;
mod store;

pub use error::Error;
pub use store::RedisStore;

/// Re-exported because its client is part of this crate's API.
pub use redis;

/// Tests the code in the README together with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
