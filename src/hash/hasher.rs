//! Incremental hashing, and the MAC that authenticates nonces.

use core::fmt;
use core::hint::black_box;

use hmac::{Hmac, KeyInit, Mac as _};
#[cfg(feature = "md5")]
use md5::Md5;
use sha2::{Digest, Sha256, Sha512_256};

use crate::hash::function::HashFunction;
use crate::hash::output::HexDigest;
use crate::secret;
use crate::syntax::Bytes;

/// An incremental hash.
///
/// Input is buffered, because the formulas hash a dozen short pieces. With an `update` for each of
/// them, verifying a response executes 3 % more instructions (callgrind, `benches`).
#[derive(Clone)]
pub(crate) struct Hasher {
    state: State,
    buffer: [u8; Self::BUFFER_BYTES],
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
    /// Enough for the input of a SHA-256 response, unless nonce or cnonce is unusually long.
    const BUFFER_BYTES: usize = 256;

    pub(crate) fn new(hash: HashFunction) -> Self {
        Self {
            state: match hash {
                #[cfg(feature = "md5")]
                HashFunction::Md5 => State::Md5(Md5::new()),
                HashFunction::Sha256 => State::Sha256(Sha256::new()),
                HashFunction::Sha512_256 => State::Sha512_256(Sha512_256::new()),
            },
            buffer: [0; Self::BUFFER_BYTES],
            length: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.length + bytes.len();
        if let Some(place) = self.buffer.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        } else {
            self.update_unbuffered(bytes);
        }
        self
    }

    /// What was added so far, for others to continue after it as this one can.
    pub(crate) fn prefix(&mut self) -> Prefix {
        self.flush();
        Prefix(self.state.clone())
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
        let mut hasher = Self::new(hash);
        let zeros = [0; Self::EQUAL_WORK_BYTES];
        let zeros = zeros.get(..missing * block).unwrap_or_default();
        // The pieces with which the work is most equal, as `tests/measured` counts it.
        let piece = if block == 64 { 256 } else { 128 };
        let pieces = zeros.chunks(piece);
        pieces.for_each(|piece| hasher.state.update(piece));
        black_box(hasher.finish());
    }

    #[cold]
    fn update_unbuffered(&mut self, bytes: &[u8]) {
        self.flush();
        self.state.update(bytes);
    }

    fn flush(&mut self) {
        let buffer = self.buffer.get_mut(..self.length).unwrap_or_default();
        self.state.update(buffer);
        secret::wipe(buffer);
        self.length = 0;
    }

    /// Adds a value, escapes resolved.
    #[inline]
    pub(crate) fn input(&mut self, value: Bytes<'_>) -> &mut Self {
        match value.as_slice() {
            Some(bytes) => self.bytes(bytes),
            None => self.unescaped(value),
        }
    }

    #[cold]
    fn unescaped(&mut self, value: Bytes<'_>) -> &mut Self {
        for byte in value {
            self.bytes(&[byte]);
        }
        self
    }

    pub(crate) fn hex(&mut self, digest: &HexDigest) -> &mut Self {
        self.bytes(digest.as_bytes())
    }

    pub(crate) fn colon(&mut self) -> &mut Self {
        self.bytes(b":")
    }

    /// Returns the hash of all bytes and resets the hasher. Takes `&mut self`, because moving the
    /// state would leave an unwiped copy behind.
    pub(crate) fn finish(&mut self) -> HexDigest {
        let hash = match &self.state {
            #[cfg(feature = "md5")]
            State::Md5(_) => HashFunction::Md5,
            State::Sha256(_) => HashFunction::Sha256,
            State::Sha512_256(_) => HashFunction::Sha512_256,
        };
        HexDigest::from_output(hash, &self.finish_bytes())
    }

    /// Like [`finish`](Self::finish), as bytes: MD5 fills half of them.
    pub(crate) fn finish_bytes(&mut self) -> [u8; 32] {
        self.flush();
        match &mut self.state {
            #[cfg(feature = "md5")]
            State::Md5(state) => {
                let mut output = [0; 32];
                if let Some(half) = output.first_chunk_mut::<16>() {
                    *half = state.finalize_reset().into();
                }
                output
            }
            State::Sha256(state) => state.finalize_reset().into(),
            State::Sha512_256(state) => state.finalize_reset().into(),
        }
    }
}

/// The midstate of a prefix that several inputs share. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct Prefix(State);

impl Prefix {
    /// A hasher that continues after the prefix.
    pub(crate) fn hasher(&self) -> Hasher {
        Hasher {
            state: self.0.clone(),
            buffer: [0; Hasher::BUFFER_BYTES],
            length: 0,
        }
    }
}

// The bytes that a smaller variant does not use may hold stale key material, which its own `Drop`
// does not wipe: overwrite them with the largest variant, whose `Drop` does.
impl Drop for Prefix {
    fn drop(&mut self) {
        self.0 = State::Sha512_256(Sha512_256::new());
    }
}

// Wipes buffered input if the hasher is dropped before `finish`.
impl Drop for Hasher {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.get_mut(..self.length) {
            secret::wipe(buffer);
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

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

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

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mac(..)")
    }
}
