//! Guides and background: only prose, no API.
//!
//! - [`tutorial`]: one exchange step by step, with every value computed
//! - [`glossary`]: the words of the RFCs and of this crate
//! - [`cookbook`]: recipes for common tasks, one page per subject
//! - [`errors`]: every error and every rejection, and what to do about it
//! - [`security`]: what the crate guarantees, what it requires of you, what to store, and what a
//!   lost key or store means
//! - [`leniency`]: deviations from the grammar that are accepted, and that are refused
//! - [`interoperability`]: the peers that were tested, and the results
//! - [`performance`]: what operations cost, a server under load, and how to size one
//! - [`comparison`]: what other libraries and programs do, feature by feature
//! - [`requirements`]: what the RFCs require, with the test of each requirement, or why there is
//!   none
//! - [`assurance`]: how the guarantees are checked, with commands and figures
//! - [`design`]: why the crate is built as it is
//!
//! # Where to find it
//!
//! | question | answer | code, in `src/` |
//! |---|---|---|
//! | whitespace around `=` and other departures from the grammar | [`leniency`] | `syntax/params.rs` |
//! | repeated parameters | [`leniency`](leniency#what-is-refused-although-others-accept-it) | `syntax/params.rs` |
//! | control bytes in headers and in text from the caller | [`Text`](crate::Text) | `syntax/cursor.rs`, `syntax/text.rs` |
//! | limits on input | [`security`](security#limits-on-input) | `syntax/cursor.rs`, `syntax/params.rs`, `syntax/raw_challenge.rs` |
//! | `username*` | [`User`](crate::digest::User) | `digest/user.rs` |
//! | `userhash`, which your user store matches | [`userhash`](crate::digest::userhash), [`Realm::with_userhash`](crate::server::Realm::with_userhash) | `digest/compute.rs`, `digest/user.rs` |
//! | the formulas, with and without qop (RFC 2069) | [`response`](crate::wire::response), [`ha2`](crate::wire::ha2), [`rspauth`](crate::wire::rspauth) | `digest/compute.rs` |
//! | RFC 2069: who allows it | [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069), [`Realm::with_rfc2069`](crate::server::Realm::with_rfc2069) | `client/policy.rs`, `server/realm.rs` |
//! | the order of the server's checks | [`server`](crate::server#order-of-checks) | `server/credentials.rs`, `server/secret_check.rs` |
//! | when `uri` and request-target agree | [`UriCheck`](crate::server::UriCheck) | `server/uri.rs` |
//! | what a nonce contains | [`design`](design#one-value-owns-the-key-and-the-used-counts) | `server/nonce.rs` |
//! | when the server says `stale`, and each status | [`Rejection`](crate::server::Rejection) | `server/rejection.rs` |
//! | two keys: rotation | [`Authenticator::rotate`](crate::server::Authenticator::rotate) | `server/keys.rs` |
//! | replays, the window, eviction | [`server`](crate::server#what-the-server-remembers) | `server/replay.rs`, `server/window.rs` |
//! | which challenge a client prefers | [`Client::challenged`](crate::client::Client::challenged) | `client/selector.rs`, `client/strength.rs` |
//! | where a client sends credentials | [`Client::covers`](crate::client::Client::covers), [`Client::authorize`](crate::client::Client::authorize) | `client/paths.rs`, `client/spaces.rs` |
//! | retries, `stale` and giving up in a client | [`states`](crate::client::states) | `client/verdict.rs`, `client/transitions.rs` |
//! | credentials sent before the server asks | [`states`](crate::client::states#answers-sent-before-the-server-asks) | `client/authorize.rs`, `client/transitions.rs` |
//! | the server's proof, `rspauth`: made | [`Grant::authentication_info`](crate::server::Grant::authentication_info) | `server/receipt.rs` |
//! | the server's proof: checked | [`Client::completed`](crate::client::Client::completed) | `client/proof.rs`, `client/response.rs` |
//! | resistance to downgrades | [`Strength`](crate::client::Strength) | `client/strengths.rs` |
//! | what is wiped and hidden | [`security`](security#what-the-crate-guarantees) | `secret.rs` |

pub mod assurance;
pub mod comparison;
pub mod cookbook;
pub mod design;
pub mod errors;
pub mod glossary;
pub mod interoperability;
pub mod leniency;
pub mod performance;
pub mod requirements;
pub mod security;
pub mod tutorial;
