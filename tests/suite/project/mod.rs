//! What holds for the crate as a whole.

mod hostile_caller;
mod layers;
mod messages;
mod redaction;
mod requirements;
pub(crate) mod sources;
mod surface;
mod types;
