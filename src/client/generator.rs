//! The random numbers of a client or a cache, derived from one seed.

use crate::digest::{BodyHasher, Cnonce, HashFunction, HexDigest};
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
    const CNONCES: usize = 64 / Cnonce::DRAWN_LEN;

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
            self.draw();
            self.left = Self::CNONCES;
        }
        self.left -= 1;
        let mut pieces = self.block.as_bytes().chunks(Cnonce::DRAWN_LEN);
        Cnonce::drawn(pieces.nth(self.left).unwrap_or_default())
    }

    /// Returns a seed for another generator.
    #[cfg(feature = "cache")]
    pub(super) fn seed(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.draw();
        self.left = 0;
        // Does not fail: a SHA-256 has 64 hexadecimal digits.
        let _ = hex::decode_to_slice(self.block.as_bytes(), &mut seed);
        seed
    }

    fn draw(&mut self) {
        let mut hasher = BodyHasher::new(HashFunction::Sha256);
        hasher.update(&self.seed);
        hasher.update(&self.blocks.to_le_bytes());
        self.block.wipe();
        self.block = hasher.finish();
        self.blocks = self.blocks.wrapping_add(1);
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        secret::wipe(&mut self.seed);
        self.block.wipe();
    }
}
