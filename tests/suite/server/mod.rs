//! The server.

#[cfg(feature = "std")]
mod authenticator;
mod challenges;
mod claims;
mod concurrency;
mod flood;
mod model;
mod outcomes;
mod past_attacks;
mod responses;
mod threats;
mod uncovered_parameters;
mod users;
