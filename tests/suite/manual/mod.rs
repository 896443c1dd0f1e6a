//! What the pages of the manual say, tried out.

mod caller_duties;
mod errors;
mod leniency;
