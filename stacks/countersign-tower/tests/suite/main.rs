//! Both layers against each other in memory, and the server layer over a socket.

mod areas;
mod around;
mod auth_int;
mod challenge_bodies;
mod client;
mod crowd;
mod events;
#[cfg(feature = "axum")]
mod extract;
#[cfg(feature = "gateway")]
mod forwarding;
mod guessing;
mod held_body;
mod login;
mod preemptive;
mod proxy;
#[cfg(feature = "axum")]
mod readme;
mod redirect;
mod sent_again;
mod server;
mod shared_store;
mod socket;
mod support;
