//! Tests of your own program.
//!
//! The crate `countersign-testing`, in `stacks/countersign-testing`, tests servers,
//! clients and parsers, whether they use this crate or not. It opens no sockets: a server is any
//! function from `http::Request` to `http::Response`, and a client sends its requests by calling
//! one.
//!
//! ```toml
//! [dev-dependencies]
//! countersign-testing = "0.1"
//! ```
//!
//! | to test | it has |
//! |---|---|
//! | a server | `ServerCheck`: a replayed header, a count that jumps, another uri, a changed body, a user name in another spelling, malformed values and more |
//! | a client | `ClientCheck`: each algorithm, a weaker challenge beside a stronger one, old nonces, a wrong proof, endless refusals and more |
//! | a parser | valid, nearly valid and noisy header values, for proptest, for fuzz targets and by seed |
//! | anything | the vectors and the recorded traffic that this crate is tested with, and a dictionary for fuzzers |
//!
//! The report of a failed scenario says what was expected and what happened, with the messages. Two
//! examples of the crate check running servers and client programs in any language.
//!
//! # Without that crate
//!
//! A test controls the clock and the random numbers: pass any time to
//! [`Arrival::new`](crate::server::Arrival::new), make clients with
//! [`Client::from_seed`](crate::client::Client::from_seed), and servers with
//! [`Authenticator::from_seed`](crate::server::Authenticator::from_seed).
