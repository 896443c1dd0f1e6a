//! Short byte strings stored without an allocation.

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Bytes stored inline up to a length of `INLINE`, and in a box beyond.
///
/// Realms, user names, nonces and request-targets are usually short, and are stored at each login
/// or request, where an allocation would be a considerable part of the cost.
#[derive(Clone, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum InlineBytes<const INLINE: usize> {
    /// The rest is zeros, so that equal texts are equal values.
    Inline {
        bytes: [u8; INLINE],
        length: usize,
    },
    Heap(Box<[u8]>),
}

impl<const INLINE: usize> InlineBytes<INLINE> {
    #[inline(never)]
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

/// Leaves out the zeros, which would cost time.
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
