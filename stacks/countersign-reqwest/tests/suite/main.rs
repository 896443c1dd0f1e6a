//! Over loopback, against servers of this workspace.

mod bodies;
mod check;
mod connections;
mod login;
#[cfg(feature = "middleware")]
mod middleware;
mod origins;
mod proxy;
mod redirects;
mod refusals;
mod support;
mod targets;
