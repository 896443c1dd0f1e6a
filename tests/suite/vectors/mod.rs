//! The vectors of `tests/vectors/*.json`, a module a file; `flows.json` is for both sides.

mod authentication_info;
mod authorization;
mod basic;
mod challenges;
mod client_flows;
mod digest;
mod peers;
mod server_flows;
