//! Over loopback, against servers of this workspace.

mod bodies;
mod check;
mod connections;
mod login;
#[cfg(feature = "middleware")]
mod middleware;
mod proxy;
mod redirects;
mod refusals;
mod support;
mod targets;
