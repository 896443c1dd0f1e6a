//! Hash functions, and the MAC of nonces.

// A module imports from those above it on this page only.

mod function;

mod hex_digest;

mod hasher;

mod body_hasher;
mod mac;

pub use body_hasher::BodyHasher;
pub use function::HashFunction;
pub(crate) use hasher::{Hasher, Prefix};
pub use hex_digest::HexDigest;
pub(crate) use mac::Mac;
