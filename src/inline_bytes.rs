//! Short byte strings stored without an allocation.

use alloc::boxed::Box;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Bytes stored inline up to a length of `INLINE`, and in a box beyond.
///
/// Realms, user names, nonces and request-targets are usually short, and are stored at each login
/// or request, where an allocation would be a considerable part of the cost.
#[derive(Clone)]
pub(crate) enum InlineBytes<const INLINE: usize> {
    Inline { bytes: [u8; INLINE], length: usize },
    Heap(Box<[u8]>),
}

impl<const INLINE: usize> InlineBytes<INLINE> {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut bytes = [0; INLINE];
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

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { bytes, length } => bytes.get(..*length).unwrap_or_default(),
            Self::Heap(bytes) => bytes,
        }
    }
}

impl<const INLINE: usize> PartialEq for InlineBytes<INLINE> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const INLINE: usize> Eq for InlineBytes<INLINE> {}

impl<const INLINE: usize> PartialOrd for InlineBytes<INLINE> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const INLINE: usize> Ord for InlineBytes<INLINE> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl<const INLINE: usize> Hash for InlineBytes<INLINE> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

/// Shows the length only, because a request-target may contain a secret.
impl<const INLINE: usize> fmt::Debug for InlineBytes<INLINE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_bytes().len())
    }
}
