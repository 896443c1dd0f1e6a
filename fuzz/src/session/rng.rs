//! A stand-in for a random number generator.

use countersign::rand_core::{Infallible, TryCryptoRng, TryRng};

/// A generator that counts. Scripts only need values that do not repeat.
pub(super) struct Counter(pub(super) u64);

impl TryRng for Counter {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|n| (n >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 += 1;
        Ok(self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for place in bytes {
            *place = (self.try_next_u64()? >> 56) as u8;
        }
        Ok(())
    }
}

impl TryCryptoRng for Counter {}
