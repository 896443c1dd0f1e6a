//! What holds for the crate as a whole.

mod examples;
mod layers;
mod redaction;
mod requirements;
mod types;
