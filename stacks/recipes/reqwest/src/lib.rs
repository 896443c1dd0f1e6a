//! reqwest: logins at origins and at a proxy, one prompt for all tasks, and redirects that leak nothing.

mod auth;
mod hop;
mod journal;
mod prompt;

pub use auth::{Auth, Error};
pub use journal::{Journal, Sent};
pub use prompt::Prompt;
