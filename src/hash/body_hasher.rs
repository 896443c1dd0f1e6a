//! The hash of an entity body.

use core::fmt;

use crate::hash::function::HashFunction;
use crate::hash::hasher::Hasher;
use crate::hash::hex_digest::HexDigest;

/// Hashes a body piece by piece, for `qop=auth-int`.
///
/// ```
/// use countersign::digest::{BodyHasher, HashFunction};
/// use countersign::{EntityBody, Target};
///
/// let mut hasher = BodyHasher::new(HashFunction::Sha256);
/// hasher.update(b"name=");
/// hasher.update(b"value");
/// let body = hasher.finish();
/// let target = Target::new("POST", "/form").with_body(EntityBody::Hashed(body));
/// # let _ = target;
/// ```
#[derive(Clone)]
pub struct BodyHasher(Hasher);

impl BodyHasher {
    /// A hasher with no input yet.
    pub fn new(hash: HashFunction) -> Self {
        Self(Hasher::new(hash))
    }

    /// Adds the next piece of the body.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    /// Returns the hash of all pieces.
    pub fn finish(mut self) -> HexDigest {
        self.0.finish()
    }
}

impl fmt::Debug for BodyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyHasher(..)")
    }
}
