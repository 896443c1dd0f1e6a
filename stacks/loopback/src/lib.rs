//! A server on loopback within a program, and its log: what the clients among the recipes run against
//! where no other server is named.
//!
//! It lets in [`USER`] alone. It redirects from `…/near` to `…/dir/`, and from `…/away` to wherever
//! it was told.

mod area;
mod entry;
mod server;

pub use area::Area;
pub use entry::Entry;
pub use server::Server;

/// The name and password that are right.
pub const USER: (&str, &str) = ("Mufasa", "Circle of Life");
