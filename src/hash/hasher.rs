//! Incremental hashing, and the MAC that authenticates nonces.

use core::hint::black_box;

use hmac::{Hmac, KeyInit, Mac as _};
#[cfg(feature = "md5")]
use md5::Md5;
use sha2::{Digest, Sha256, Sha512_256};

use crate::hash::function::HashFunction;
use crate::hash::output::HexDigest;
use crate::secret;

/// An incremental hash, whose state is wiped when dropped.
#[derive(Clone)]
pub(crate) enum Hasher {
    #[cfg(feature = "md5")]
    Md5(Md5),
    Sha256(Sha256),
    Sha512_256(Sha512_256),
}

impl Hasher {
    pub(crate) fn new(hash: HashFunction) -> Self {
        match hash {
            #[cfg(feature = "md5")]
            HashFunction::Md5 => Self::Md5(Md5::new()),
            HashFunction::Sha256 => Self::Sha256(Sha256::new()),
            HashFunction::Sha512_256 => Self::Sha512_256(Sha512_256::new()),
        }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.joined(&[bytes])
    }

    /// Adds these parts, with a colon between them.
    #[inline(never)]
    pub(crate) fn joined(&mut self, parts: &[&[u8]]) -> &mut Self {
        fn join(state: &mut impl Digest, parts: &[&[u8]]) {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    state.update(b":");
                }
                state.update(part);
            }
        }
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(state) => join(state, parts),
            Self::Sha256(state) => join(state, parts),
            Self::Sha512_256(state) => join(state, parts),
        }
        self
    }

    /// The hash of these parts, with a colon between them.
    #[inline(never)]
    pub(crate) fn hash(hash: HashFunction, parts: &[&[u8]]) -> HexDigest {
        Self::new(hash).joined(parts).finish()
    }

    /// The length of input, in bytes and including the padding of the hash function, up to which
    /// [`equalize_work`](Self::equalize_work) equalizes the number of blocks hashed.
    pub(crate) const EQUAL_WORK_BYTES: usize = 512;

    /// Hashes the blocks by which an input of `length` bytes falls short of
    /// [`EQUAL_WORK_BYTES`](Self::EQUAL_WORK_BYTES).
    ///
    /// On a server that stores passwords, the time to hash a user name and password would otherwise
    /// depend on their length, and could reveal that the user exists.
    pub(crate) fn equalize_work(hash: HashFunction, length: usize) {
        // The padding is at least a marker byte and the length.
        let (block, padding) = match hash {
            #[cfg(feature = "md5")]
            HashFunction::Md5 => (64, 9),
            HashFunction::Sha256 => (64, 9),
            HashFunction::Sha512_256 => (128, 17),
        };
        let blocks = (length + padding).div_ceil(block);
        let missing = (Self::EQUAL_WORK_BYTES / block).saturating_sub(blocks);
        let zeros = [0; Self::EQUAL_WORK_BYTES];
        let zeros = zeros.get(..missing * block).unwrap_or_default();
        let mut hasher = Self::new(hash);
        // The pieces with which the work is most equal, as `tests/measured` counts it.
        let pieces = zeros.chunks(if block == 64 { 256 } else { 128 });
        for piece in pieces {
            hasher.bytes(piece);
        }
        black_box(hasher.finish());
    }

    /// Returns the hash of all bytes and resets the hasher. Takes `&mut self`, because moving the
    /// state would leave an unwiped copy behind.
    #[inline(never)]
    pub(crate) fn finish(&mut self) -> HexDigest {
        let hash = match self {
            #[cfg(feature = "md5")]
            Self::Md5(_) => HashFunction::Md5,
            Self::Sha256(_) => HashFunction::Sha256,
            Self::Sha512_256(_) => HashFunction::Sha512_256,
        };
        HexDigest::from_output(hash, &self.finish_bytes())
    }

    /// Like [`finish`](Self::finish), as bytes: MD5 fills half of them.
    pub(crate) fn finish_bytes(&mut self) -> [u8; 32] {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(state) => {
                let mut output = [0; 32];
                if let Some(half) = output.first_chunk_mut::<16>() {
                    *half = state.finalize_reset().into();
                }
                output
            }
            Self::Sha256(state) => state.finalize_reset().into(),
            Self::Sha512_256(state) => state.finalize_reset().into(),
        }
    }
}

/// Hashes a body piece by piece, for `qop=auth-int`.
#[derive(Clone, Debug)]
pub struct BodyHasher(Hasher);

impl BodyHasher {
    /// A hasher with no input yet.
    pub fn new(hash: HashFunction) -> Self {
        Self(Hasher::new(hash))
    }

    /// Adds the next piece of the body.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    /// Returns the hash of all pieces.
    pub fn finish(mut self) -> HexDigest {
        self.0.finish()
    }
}

secret::hide!(Hasher);

/// HMAC-SHA-256 with one key, which is hashed only once, in [`new`](Self::new).
#[derive(Clone)]
pub(crate) struct Mac(Hmac<Sha256>);

impl Mac {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        // `Hmac::new` takes a key of one block. HMAC pads shorter keys with zeros (RFC 2104,
        // section 2), so this is the same key.
        let mut block = [0; 64];
        for (place, byte) in block.iter_mut().zip(key) {
            *place = *byte;
        }
        let mac = Hmac::new((&block).into());
        secret::wipe(&mut block);
        Self(mac)
    }

    /// The MAC of the concatenated parts.
    pub(crate) fn of(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}
