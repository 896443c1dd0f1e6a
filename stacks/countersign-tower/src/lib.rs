//! HTTP Basic and Digest authentication as [tower] layers, on [`countersign`].
//!
//! | to | use |
//! |---|---|
//! | authenticate the clients of a service | [`server::AuthLayer`] |
//! | order layers, and know what else a login takes | [`around`] |
//! | log in to servers and proxies | [`client::AuthClientLayer`] |
//!
//! Both wrap any `Service<http::Request<B>>`, for example of axum, hyper-util or tonic. They need no
//! particular runtime.
//!
//! # Features
//!
//! - `axum`: for axum 0.8, and no other version: [`server::Identity`] as an extractor, the address of
//!   the connection for a [`server::Limiter`], and the request-target below `Router::nest`, which
//!   strips a prefix from the path.
//! - `md5` (default): the MD5 algorithms of Digest, which most clients need.
//!
//! [tower]: https://docs.rs/tower
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc = include_str!("../docs/around.md")]
pub mod around {}
pub mod client;
mod fields;
pub mod server;
mod target;

/// Re-exported because its types are part of this crate's API.
pub use countersign;

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "axum", feature = "md5"))]
#[doc = include_str!("../README.md")]
struct Readme;
