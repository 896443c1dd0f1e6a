//! The random numbers of a client or a cache, derived from one seed.

use core::fmt;

use crate::digest::{BodyHasher, Cnonce, HashFunction, HexDigest};
use crate::secret;

/// A deterministic generator: the SHA-256 of the seed and a counter. Its output cannot be predicted
/// without the seed.
#[cfg_attr(test, derive(Clone))]
pub(super) struct Generator {
    seed: [u8; 32],
    blocks: u64,
    /// The last block, as hexadecimal digits.
    block: HexDigest,
    /// The number of cnonces left in `block`.
    left: usize,
}

impl Generator {
    /// The number of cnonces per block.
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
        // 2⁶⁴ blocks are never reached.
        self.blocks = self.blocks.wrapping_add(1);
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        secret::wipe(&mut self.seed);
        self.block.wipe();
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Generator(..)")
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_cnonce_comes_twice() {
        let (mut one, mut same, mut other) = (
            Generator::new([7; 32]),
            Generator::new([7; 32]),
            Generator::new([8; 32]),
        );
        let mut seen = BTreeSet::new();
        for _ in 0..1000 {
            let cnonce = one.cnonce();
            assert_eq!(cnonce, same.cnonce());
            let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            let text = cnonce.text().to_str().unwrap().into_owned();
            assert!(text.chars().all(is_digit));
            assert_eq!(text.len(), 16);
            assert!(seen.insert(text));
            let other = other.cnonce();
            assert!(seen.insert(other.text().to_str().unwrap().into_owned()));
        }
    }

    #[test]
    fn a_seed_that_was_given_out_is_in_no_cnonce() {
        let mut generator = Generator::new([7; 32]);
        generator.cnonce();
        let handed_out = generator.seed();
        let digits = handed_out.map(|byte| alloc::format!("{byte:02x}")).concat();
        for _ in 0..100 {
            let cnonce = generator.cnonce();
            assert!(!digits.contains(&*cnonce.text().to_str().unwrap()));
        }
        assert_ne!(generator.seed(), handed_out);
    }
}
