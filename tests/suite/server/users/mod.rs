//! User names, and the stores they are looked up in.

mod names;
mod several_passwords;
mod stores;

use countersign::server::Reason;

const WRONG: Reason = Reason::WrongCredentials;
