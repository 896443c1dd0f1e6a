//! countersign for C: HTTP Basic and Digest authentication, for clients and servers, without I/O.
//!
//! `include/countersign.h` is made of [`border`], which alone has `unsafe` code: it reads what C
//! passes, and hands out and takes back boxes. `README.md` has whole programs.

mod flags;

mod client;
mod server;

pub mod border;
pub mod types;
