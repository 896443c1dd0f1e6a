//! The random numbers of a client or a cache, derived from one seed.

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
    pub(super) const fn new(seed: [u8; 32]) -> Self {
        Self {
            seed,
            blocks: 0,
            block: HexDigest::zeros(HashFunction::Sha256),
            left: 0,
        }
    }

    /// Returns the next cnonce: 16 hexadecimal digits, 64 bits.
    pub(super) fn cnonce(&mut self) -> Cnonce {
        if self.left == 0 {
            self.block.wipe();
            self.block = self.draw(Hasher::finish);
            self.left = 4;
        }
        self.left -= 1;
        let pieces = self.block.as_bytes().as_chunks().0;
        Cnonce(pieces.get(self.left).copied().unwrap_or_default())
    }

    /// Returns a seed for another generator.
    #[cfg(feature = "cache")]
    pub(super) fn seed(&mut self) -> [u8; 32] {
        self.draw(Hasher::finish_bytes)
    }

    fn draw<T>(&mut self, finish: impl FnOnce(&mut Hasher) -> T) -> T {
        let mut hasher = Hasher::new(HashFunction::Sha256);
        hasher.bytes(&self.seed).bytes(&self.blocks.to_le_bytes());
        self.blocks = self.blocks.wrapping_add(1);
        finish(&mut hasher)
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        secret::wipe(&mut self.seed);
        self.block.wipe();
    }
}
