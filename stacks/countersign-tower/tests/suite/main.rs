//! Both layers against each other in memory, and the server layer over a socket.

mod areas;
mod auth_int;
mod client;
mod crowd;
mod forwarding;
mod guessing;
mod held_body;
mod login;
mod preemptive;
mod proxy;
mod redirect;
mod sent_again;
mod server;
mod shared_store;
mod socket;
mod support;
