//! The header fields.

// A module imports from those above it on this page only.

mod authorization;
mod challenges;
mod info;

pub use authorization::Authorization;
pub use challenges::{Challenge, challenges, raw_challenges};
pub use info::AuthenticationInfo;
