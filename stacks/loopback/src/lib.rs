//! What the recipes share: everything that is the same for each of them.
//!
//! - [`Server`]: a server within a program, and its log, for clients to run against where no other is
//!   named. It lets in [`USER`] alone. It redirects from `…/near` to `…/dir/`, and from `…/away` to
//!   wherever it was told.
//! - [`Example`]: the same, where the server is among the examples of the library.
//! - [`Visitor`] and [`check`]: a client for servers to check themselves with.
//! - [`channel`] and [`check_channel`]: whether a server takes Basic, by its arguments.
//! - [`Curl`]: a client for servers that this project did not write.
//! - [`Site`], [`serve`], [`start`], [`Limits`], [`granted`], [`refused`], [`Users`]: servers on hyper.

mod answers;
mod area;
mod channel;
mod checks;
mod curl;
mod entry;
mod example;
mod program;
mod server;
mod site;
mod users;
mod visit;
mod visitor;

pub use answers::{granted, refused};
pub use area::Area;
pub use channel::{channel, check_channel};
pub use checks::{check, refusal_times};
pub use curl::Curl;
pub use entry::Entry;
pub use example::Example;
pub use server::Server;
pub use site::{Limits, Site, Stream, connection, next, serve, start, start_with};
pub use users::{Account, Users};
pub use visit::Visit;
pub use visitor::{Visitor, send};

/// The name and password that are right.
pub const USER: (&str, &str) = ("Mufasa", "Circle of Life");

pub type Error = Box<dyn std::error::Error + Send + Sync>;
