//! The client.

mod any_server;
mod concurrent_exchanges;
mod interleavings;
mod liveness;
mod policy;
mod protection_space;
mod quirks;
mod threats;
mod transitions;
