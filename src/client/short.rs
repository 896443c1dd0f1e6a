//! Bytes that are kept, most of which are few.

use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Bytes that are kept where they are if there are no more than `ROOM`, and else in a box.
///
/// Realms, user names and request-targets are short nearly always, and each is kept once for each
/// login or request, where an allocation is a good part of the cost.
#[derive(Clone)]
pub(super) enum Short<const ROOM: usize> {
    Few { bytes: [u8; ROOM], length: usize },
    Many(Box<[u8]>),
}

impl<const ROOM: usize> Short<ROOM> {
    pub(super) fn new(text: &[u8]) -> Self {
        let mut bytes = [0; ROOM];
        match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text);
                Self::Few {
                    bytes,
                    length: text.len(),
                }
            }
            None => Self::Many(text.into()),
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Few { bytes, length } => bytes.get(..*length).unwrap_or_default(),
            Self::Many(bytes) => bytes,
        }
    }
}

impl<const ROOM: usize> PartialEq for Short<ROOM> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const ROOM: usize> Eq for Short<ROOM> {}

impl<const ROOM: usize> PartialOrd for Short<ROOM> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const ROOM: usize> Ord for Short<ROOM> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl<const ROOM: usize> Hash for Short<ROOM> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// No text: a request-target may hold a secret.
impl<const ROOM: usize> fmt::Debug for Short<ROOM> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_bytes().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_however_many() {
        for length in 0..9 {
            let bytes = &b"abcdefgh"[..length];
            let short = Short::<4>::new(bytes);
            assert_eq!(short.as_bytes(), bytes);
            assert_eq!(matches!(short, Short::Few { .. }), length <= 4);
        }
    }
}
