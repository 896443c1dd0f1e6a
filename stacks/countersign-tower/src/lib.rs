//! HTTP Basic and Digest authentication as [tower] layers, on [`countersign`].
//!
//! A service that only its users reach, with axum and the features `axum` here and `getrandom` of
//! `countersign`:
//!
#![cfg_attr(feature = "axum", doc = "```no_run")]
#![cfg_attr(not(feature = "axum"), doc = "```ignore")]
//! use axum::{Router, routing::get};
//! use countersign_tower::countersign::Channel;
//! use countersign_tower::countersign::server::{Authenticator, Realm};
//! use countersign_tower::server::{AuthLayer, Identity, UserMap};
//!
//! async fn hello(user: Identity<UserMap>) -> String {
//!     format!("hello {}\n", user.account())
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let realm = Realm::new("files")?;
//!     let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
//!     // It remembers the nonces of 10,000 logins. Make one for the whole program.
//!     let auth = Authenticator::from_os_rng(realm, 10_000)?;
//!     // `Encrypted` where clients reach the server by TLS: then Basic may be offered, too.
//!     let login = AuthLayer::new(auth, Channel::Cleartext, users);
//!     let app = Router::new().route("/", get(hello)).route_layer(login);
//!     let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//!     Ok(axum::serve(listener, app).await?)
//! }
//! ```
//!
//! ```sh
//! curl --digest --user 'Mufasa:Circle of Life' http://127.0.0.1:3000/
//! ```
//!
//! | to | use |
//! |---|---|
//! | authenticate the clients of a service | [`server::AuthLayer`] |
//! | have several realms, a limit for guesses, a log | [`server::AuthLayer::builder`] and [`area`](server::AuthLayer::area) |
//! | keep users in a database, with HA1s or slow hashes | [`server::Users`] |
//! | serve behind a reverse proxy that ends TLS | [`server::ForwardedLayer`] |
//! | know why a 403 or 500 has no body | [`on_event`](server::AuthLayerBuilder::on_event), or the feature `tracing` |
//! | order layers, and know what else a login takes | [`around`] |
//! | log in by WebSocket | [`websocket`] |
//! | serve with hyper, warp, tonic, salvo or poem | [`frameworks`] |
//! | log in to servers and proxies | [`client::AuthClientLayer`] |
//!
//! Both layers wrap any `Service<http::Request<B>>`, for example of axum, hyper-util or tonic. They need no
//! particular runtime.
//!
//! # Features
//!
//! - `axum`: for axum 0.8, and no other version: [`server::Identity`] as an extractor (without it a
//!   handler that takes one does not compile: `Handler<_, _> is not satisfied`), the address of the
//!   connection for a [`server::Limiter`], and the request-target below `Router::nest`, which strips a
//!   prefix from the path.
//! - `gateway`: for reverse proxies to servers that are not trusted with logins:
//!   [`for_gateway`](server::AuthLayerBuilder::for_gateway), [`server::GatewayLayer`] and
//!   [`server::remove_spellings`].
//! - `md5` (default): the MD5 algorithms of Digest, which most clients need.
//! - `tokio`: [`server::HashPool`], which runs slow hashes on the blocking threads of tokio.
//! - `tracing`: events of the server's layer for `tracing`, by the target `countersign_tower`: faults of
//!   the server as `WARN`, all others as `DEBUG`.
//!
//! [tower]: https://docs.rs/tower
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc = include_str!("../docs/around.md")]
pub mod around {}
pub mod client;
mod fields;
#[doc = include_str!("../docs/frameworks.md")]
pub mod frameworks {}
pub mod server;
mod target;
#[doc = include_str!("../docs/websocket.md")]
pub mod websocket {}

/// Re-exported because its types are part of this crate's API.
pub use countersign;

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "axum", feature = "md5"))]
#[doc = include_str!("../README.md")]
struct Readme;
