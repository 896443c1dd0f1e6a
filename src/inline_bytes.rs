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
        Self::joined(&[text])
    }

    /// These texts, one after the other.
    #[inline(always)]
    pub(crate) fn joined(texts: &[&[u8]]) -> Self {
        let (mut bytes, mut length) = ([0; INLINE], 0);
        for text in texts {
            let Some(place) = bytes.get_mut(length..length + text.len()) else {
                return Self::Heap(texts.concat().into());
            };
            place.copy_from_slice(text);
            length += text.len();
        }
        Self::Inline { bytes, length }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { bytes, length } => bytes.get(..*length).unwrap_or_default(),
            Self::Heap(bytes) => bytes,
        }
    }

    pub(crate) fn make_ascii_lowercase(&mut self) {
        match self {
            Self::Inline { bytes, .. } => bytes.make_ascii_lowercase(),
            Self::Heap(bytes) => bytes.make_ascii_lowercase(),
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
