//! Small-string optimisation.

use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Bytes stored inline up to a length of `ROOM`, and in a box beyond.
///
/// Realms, user names and request-targets are nearly always short, and are stored at each login or
/// request, where an allocation would be a considerable part of the cost.
#[derive(Clone)]
pub(super) enum Short<const ROOM: usize> {
    Inline { bytes: [u8; ROOM], length: usize },
    Heap(Box<[u8]>),
}

impl<const ROOM: usize> Short<ROOM> {
    pub(super) fn new(text: &[u8]) -> Self {
        let mut bytes = [0; ROOM];
        match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text);
                Self::Inline {
                    bytes,
                    length: text.len(),
                }
            }
            None => Self::Heap(text.into()),
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { bytes, length } => bytes.get(..*length).unwrap_or_default(),
            Self::Heap(bytes) => bytes,
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

/// Shows the length only, because a request-target may contain a secret.
impl<const ROOM: usize> fmt::Debug for Short<ROOM> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_bytes().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_every_length_come_back() {
        for length in 0..9 {
            let bytes = &b"abcdefgh"[..length];
            let short = Short::<4>::new(bytes);
            assert_eq!(short.as_bytes(), bytes);
            assert_eq!(matches!(short, Short::Inline { .. }), length <= 4);
        }
    }
}
