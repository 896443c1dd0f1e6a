//! The number of a protection space.

use core::{fmt, mem};

/// The number of a protection space, by which asks and exchanges name it. A client counts up from a
/// random number, so that it does not take another client's ask for its own.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) struct SpaceId(u64);

impl SpaceId {
    /// Takes the first number out of a client's seed: asks and exchanges are not wiped, so these
    /// bytes must not determine cnonces as well.
    pub(super) fn take_from(seed: &mut [u8; 32]) -> Self {
        let id = seed.first_chunk_mut().map_or([0; 8], mem::take);
        Self(u64::from_le_bytes(id))
    }

    /// A number far from this one.
    pub(super) const fn opposite(self) -> Self {
        Self(!self.0)
    }

    /// Counts up, and returns the new number.
    pub(super) fn advance(&mut self) -> Self {
        self.0 = self.0.wrapping_add(1);
        *self
    }
}

/// Shows no number, because these bytes were part of the seed.
impl fmt::Debug for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpaceId(..)")
    }
}
