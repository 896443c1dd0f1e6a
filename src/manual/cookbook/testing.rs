//! Tests of your own program.
//!
//! The crate `countersign-testing`, in `stacks/countersign-testing`, tests programs that
//! authenticate, whether they use this crate or another. It opens no sockets: a server is any
//! function from `http::Request` to `http::Response`, and a client any function that sends by one.
//!
//! ```toml
//! [dev-dependencies]
//! countersign-testing = "0.1"
//! ```
//!
//! | to test | it has |
//! |---|---|
//! | a server | `ServerCheck`: 28 scenarios, such as a replayed header, a count that jumps, another uri, a body that was changed, a user name in another spelling, and 600 malformed values |
//! | a client | `ClientCheck`: 25 scenarios, such as each algorithm alone, a weaker challenge beside the stronger, old nonces, a wrong proof, and a server that refuses for ever |
//! | a parser | valid, nearly valid and noisy header values: strategies for proptest, `Arbitrary` for fuzz targets, and values by a seed |
//! | anything | the vectors and the recorded traffic that this crate is tested with, typed and as JSON, and a dictionary for fuzzers |
//!
//! A scenario that fails is reported with what was expected, what came, and the messages. The
//! guide in its documentation plants a fault in a server and in a client, and finds them.
//!
//! # Without that crate
//!
//! Nothing here reads a clock or draws random numbers by itself, so a test can hold both: pass
//! [`Arrival::new`](crate::server::Arrival::new) a time of your choice, make the client by
//! [`Client::from_seed`](crate::client::Client::from_seed), and give
//! [`Authenticator::with_key`](crate::server::Authenticator::with_key) a key and a seeded generator.
