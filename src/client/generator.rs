//! The random numbers of a client or a cache, derived from one seed.

use core::mem;

use crate::digest::Cnonce;
use crate::hash::{HashFunction, Hasher, HexDigest};
use crate::secret;

/// A deterministic generator: the SHA-256 of the seed and a counter. Its output cannot be predicted
/// without the seed.
pub(super) struct Generator {
    seed: [u8; 32],
    blocks: u64,
    /// The last block, as hexadecimal digits.
    block: HexDigest,
    /// The number of cnonces left in `block`.
    left: usize,
}

impl Generator {
    /// The first cnonce is eight bytes of the seed, which nothing else is derived from: most clients
    /// need no other.
    pub(super) fn new(mut seed: [u8; 32]) -> Self {
        let mut first = [0; 32];
        if let (Some(first), Some(last)) = (first.first_chunk_mut::<8>(), seed.last_chunk_mut()) {
            mem::swap(first, last);
        }
        Self {
            seed,
            blocks: 0,
            block: HexDigest::from_output(HashFunction::Sha256, &first),
            left: 1,
        }
    }

    /// Returns the next cnonce: 16 hexadecimal digits, 64 bits.
    pub(super) fn cnonce(&mut self) -> Cnonce {
        if self.left == 0 {
            self.block.wipe();
            self.block = HexDigest::from_output(HashFunction::Sha256, &self.seed());
            self.left = 4;
        }
        self.left -= 1;
        let pieces = self.block.as_bytes().as_chunks().0;
        Cnonce(pieces.get(self.left).copied().unwrap_or_default())
    }

    /// Returns a block, which may be the seed of another generator.
    pub(super) fn seed(&mut self) -> [u8; 32] {
        let mut hasher = Hasher::new(HashFunction::Sha256);
        hasher.bytes(&self.seed).bytes(&self.blocks.to_le_bytes());
        self.blocks = self.blocks.wrapping_add(1);
        hasher.finish_bytes()
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        secret::wipe(&mut self.seed);
        self.block.wipe();
    }
}
