//! Hash functions, and the MAC of nonces.

// A module imports from those above it on this page only.

mod function;

mod output;

mod hasher;

pub use function::HashFunction;
pub use hasher::BodyHasher;
pub(crate) use hasher::{Hasher, Mac};
pub use output::HexDigest;
