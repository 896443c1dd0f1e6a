//! Over loopback, against servers that log in by countersign-tower.

mod bodies;
mod connections;
mod login;
#[cfg(feature = "middleware")]
mod middleware;
mod proxy;
mod redirects;
mod support;
mod targets;
