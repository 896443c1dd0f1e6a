//! All randomness of a client, from one seed.

use core::fmt;

use crate::digest::{BodyHasher, Cnonce, HashFunction, HexDigest};
use crate::secret;

/// Draws numbers that nobody can guess who does not know the seed: the SHA-256 of the seed and a
/// counter that only goes up.
pub(super) struct Seed {
    seed: [u8; 32],
    blocks: u64,
    /// The last block, as hexadecimal digits.
    block: HexDigest,
    /// How many cnonces are left of it.
    left: usize,
}

impl Seed {
    /// How many cnonces one block gives.
    const CNONCES: usize = 64 / Cnonce::DRAWN_LEN;

    pub(super) const fn new(seed: [u8; 32]) -> Self {
        Self {
            seed,
            blocks: 0,
            block: HexDigest::none(HashFunction::Sha256),
            left: 0,
        }
    }

    /// The next cnonce: 16 digits, which hold 64 bits.
    pub(super) fn cnonce(&mut self) -> Cnonce {
        if self.left == 0 {
            self.draw();
            self.left = Self::CNONCES;
        }
        self.left -= 1;
        let mut pieces = self.block.as_bytes().chunks(Cnonce::DRAWN_LEN);
        Cnonce::drawn(pieces.nth(self.left).unwrap_or_default())
    }

    /// A seed for someone else.
    pub(super) fn seed(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.draw();
        self.left = 0;
        // A SHA-256 is 64 digits, so this cannot fail.
        let _ = hex::decode_to_slice(self.block.as_bytes(), &mut seed);
        seed
    }

    fn draw(&mut self) {
        let mut hasher = BodyHasher::new(HashFunction::Sha256);
        hasher.update(&self.seed);
        hasher.update(&self.blocks.to_le_bytes());
        self.block.wipe();
        self.block = hasher.finish();
        // Nobody draws 2⁶⁴ blocks.
        self.blocks = self.blocks.wrapping_add(1);
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        secret::wipe(&mut self.seed);
        self.block.wipe();
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn no_cnonce_comes_twice() {
        let (mut one, mut same, mut other) =
            (Seed::new([7; 32]), Seed::new([7; 32]), Seed::new([8; 32]));
        let mut seen = BTreeSet::new();
        for _ in 0..1000 {
            let cnonce = one.cnonce();
            assert_eq!(cnonce, same.cnonce());
            let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            assert!(cnonce.as_str().chars().all(is_digit));
            assert_eq!(cnonce.as_str().len(), 16);
            assert!(seen.insert(cnonce.to_string()));
            assert!(seen.insert(other.cnonce().to_string()));
        }
    }

    /// What was handed out to another is in no cnonce.
    #[test]
    fn a_seed_is_used_for_nothing_else() {
        let mut seed = Seed::new([7; 32]);
        seed.cnonce();
        let handed_out = seed.seed();
        let digits = handed_out.map(|byte| alloc::format!("{byte:02x}")).concat();
        for _ in 0..100 {
            assert!(!digits.contains(seed.cnonce().as_str()));
        }
        assert_ne!(seed.seed(), handed_out);
    }
}
