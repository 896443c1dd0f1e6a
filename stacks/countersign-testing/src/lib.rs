//! Tests for programs that authenticate over HTTP, RTSP or SIP, whether they use [`countersign`] or
//! not.
//!
//! | to | use |
//! |---|---|
//! | find faults in a server, any function from request to response | [`server::ServerCheck`] |
//! | find faults in a client, any function that sends by a function | [`client::ClientCheck`] |
//! | try a parser on header values: properties, fuzz targets, seeds | [`values`] |
//! | compare with vectors of the RFCs and with recorded traffic | [`data`] |
//! | see all of it at work, on two programs with a fault each | [`guide`] |
//!
//! Nothing here opens a socket, only [`Clock::real`] reads the system's clock, and every run is the
//! same: what is random comes from seeds.
//!
//! # Features
//!
//! - `data` (default): the vectors and recordings, 3 MB of JSON.
//! - `md5` (default): the MD5 algorithms, as in countersign.
//! - `proptest` (default): strategies for proptest.
//!
//! Fuzz targets need none of them.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod clock;
mod core;
mod message;
mod outcome;
mod params;
mod report;
mod scenarios;

pub mod client;
#[cfg(feature = "data")]
pub mod data;
pub mod guide;
pub mod server;
pub mod values;

pub use clock::Clock;
pub use message::RequestTarget;
pub use report::{Finding, Report, Verdict};

/// Re-exported because its types are part of this crate's API.
pub use countersign;

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "data", feature = "md5", feature = "proptest"))]
#[doc = include_str!("../README.md")]
struct Readme;
