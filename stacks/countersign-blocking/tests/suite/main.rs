//! Over loopback, against servers of the tests' own.

mod any_library;
mod check;
mod support;
#[cfg(feature = "ureq")]
mod with_ureq;
