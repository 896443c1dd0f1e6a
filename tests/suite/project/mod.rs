//! What holds for the crate as a whole.

mod any_argument;
mod error_texts;
mod layers;
mod redaction;
mod requirements;
pub(crate) mod sources;
mod types;
