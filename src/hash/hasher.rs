//! Hashing of what comes in many short pieces.

use core::hint::black_box;

#[cfg(feature = "md5")]
use md5::Md5;
use sha2::{Digest, Sha256, Sha512_256};

use crate::hash::function::HashFunction;
use crate::hash::hex_digest::HexDigest;
use crate::secret;
use crate::syntax::Text;

/// A hash function at work.
///
/// The formulas hash a dozen short pieces. They are joined first, so that the function is called
/// once, for as many blocks as there are.
#[derive(Clone)]
pub(crate) struct Hasher {
    state: State,
    joined: [u8; Self::ROOM],
    length: usize,
}

#[derive(Clone)]
enum State {
    #[cfg(feature = "md5")]
    Md5(Md5),
    Sha256(Sha256),
    Sha512_256(Sha512_256),
}

impl Hasher {
    /// Enough for a response by SHA-256, if nonces are not very long.
    const ROOM: usize = 256;

    pub(crate) fn new(hash: HashFunction) -> Self {
        Self {
            state: match hash {
                #[cfg(feature = "md5")]
                HashFunction::Md5 => State::Md5(Md5::new()),
                HashFunction::Sha256 => State::Sha256(Sha256::new()),
                HashFunction::Sha512_256 => State::Sha512_256(Sha512_256::new()),
            },
            joined: [0; Self::ROOM],
            length: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.length + bytes.len();
        if let Some(place) = self.joined.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        } else {
            self.hash_long(bytes);
        }
        self
    }

    /// Up to this length, [`fill_up`](Self::fill_up) makes the work the same for every input.
    pub(crate) const EQUAL_WORK_BYTES: usize = 512;

    /// Hashes as many blocks as an input of `length` bytes lacks of `EQUAL_WORK_BYTES`.
    ///
    /// A hash function works in blocks, of which the last has room for the padding. Without this the
    /// time to hash a stored name and password tells their length, and so that the user exists.
    pub(crate) fn fill_up(hash: HashFunction, length: usize) {
        let (block, padding) = match hash {
            #[cfg(feature = "md5")]
            HashFunction::Md5 => (64, 9),
            HashFunction::Sha256 => (64, 9),
            HashFunction::Sha512_256 => (128, 17),
        };
        let blocks = (length + padding).div_ceil(block);
        let missing = (Self::EQUAL_WORK_BYTES / block).saturating_sub(blocks);
        let mut hasher = Self::new(hash);
        for _ in 0..missing * block / 64 {
            hasher.state.update(&[0; 64]);
        }
        black_box(hasher.finish());
    }

    #[cold]
    fn hash_long(&mut self, bytes: &[u8]) {
        self.hash_joined();
        self.state.update(bytes);
    }

    fn hash_joined(&mut self) {
        let joined = self.joined.get_mut(..self.length).unwrap_or_default();
        self.state.update(joined);
        secret::wipe(joined);
        self.length = 0;
    }

    /// What comes before a `:` in all formulas, escapes resolved.
    pub(crate) fn text(&mut self, text: Text<'_>) -> &mut Self {
        for chunk in text.chunks() {
            self.bytes(chunk);
        }
        self
    }

    pub(crate) fn hex(&mut self, digest: &HexDigest) -> &mut Self {
        self.bytes(digest.as_bytes())
    }

    pub(crate) fn colon(&mut self) -> &mut Self {
        self.bytes(b":")
    }

    /// The hash of all bytes; what is left is as new. It is finished where it is, because a copy of
    /// its state would be left behind.
    pub(crate) fn finish(&mut self) -> HexDigest {
        self.hash_joined();
        match &mut self.state {
            #[cfg(feature = "md5")]
            State::Md5(state) => HexDigest::from_output(HashFunction::Md5, &state.finalize_reset()),
            State::Sha256(state) => {
                HexDigest::from_output(HashFunction::Sha256, &state.finalize_reset())
            }
            State::Sha512_256(state) => {
                HexDigest::from_output(HashFunction::Sha512_256, &state.finalize_reset())
            }
        }
    }
}

/// What several inputs have in common at their start, hashed once. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct Prefix(State);

impl Prefix {
    pub(crate) fn of(hash: HashFunction, write: impl FnOnce(&mut Hasher)) -> Self {
        let mut hasher = Hasher::new(hash);
        write(&mut hasher);
        hasher.hash_joined();
        Self(hasher.state.clone())
    }

    /// For the rest of one of them.
    pub(crate) fn hasher(&self) -> Hasher {
        Hasher {
            state: self.0.clone(),
            joined: [0; Hasher::ROOM],
            length: 0,
        }
    }
}

// A state that is smaller than the largest leaves room, which is filled with whatever lay where it
// was made, and which its own drop does not know of. So it is dropped as the largest.
impl Drop for Prefix {
    fn drop(&mut self) {
        self.0 = State::Sha512_256(Sha512_256::new());
    }
}

// Of one that was not finished.
impl Drop for Hasher {
    fn drop(&mut self) {
        if let Some(joined) = self.joined.get_mut(..self.length) {
            secret::wipe(joined);
        }
    }
}

impl State {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(state) => state.update(bytes),
            Self::Sha256(state) => state.update(bytes),
            Self::Sha512_256(state) => state.update(bytes),
        }
    }
}
