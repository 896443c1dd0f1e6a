//! Hash functions, and the MAC of nonces.

// A module imports from those above it on this page only.

mod output;

mod hasher;

pub use hasher::BodyHasher;
pub(crate) use hasher::{Hasher, Mac, Prefix};
pub use output::{HashFunction, HexDigest};
