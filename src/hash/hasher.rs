//! Incremental hashing, and the MAC that authenticates nonces.

use core::fmt;
use core::hint::black_box;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;
use sha2::block_api::{compress256, compress512};

use crate::hash::function::HashFunction;
use crate::hash::output::HexDigest;
use crate::secret;
use crate::syntax::Bytes;

/// An incremental hash. Wiped when dropped.
///
/// The formulas hash a dozen short pieces. They are gathered and padded in one buffer, and then
/// hashed by one call of the block function: with the incremental interface of the hash crates, an
/// answer takes 8 % longer (`benches`, with SHA instructions).
#[derive(Clone)]
pub(crate) struct Hasher {
    state: State,
    /// Zero from `length` on.
    buffer: [u8; Self::BUFFER_BYTES],
    /// The whole blocks up to here are hashed.
    start: usize,
    length: usize,
    /// The number of bytes that were hashed before those in the buffer.
    hashed: u64,
}

/// What the block function works on.
#[derive(Clone, Copy)]
enum State {
    #[cfg(feature = "md5")]
    Md5([u32; 4]),
    Sha256([u32; 8]),
    Sha512_256([u64; 8]),
}

impl State {
    /// RFC 1321, section 3.3, and FIPS 180-4, sections 5.3.3 and 5.3.6.2.
    const fn initial(hash: HashFunction) -> Self {
        match hash {
            #[cfg(feature = "md5")]
            HashFunction::Md5 => Self::Md5([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]),
            HashFunction::Sha256 => Self::Sha256([
                0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                0x5be0cd19,
            ]),
            HashFunction::Sha512_256 => Self::Sha512_256([
                0x22312194fc2bf72c,
                0x9f555fa3c84c64c2,
                0x2393b86b6f53b151,
                0x963877195940eabd,
                0x96283ee2a88effe3,
                0xbe5e1e2553863992,
                0x2b0199fc2c85b8aa,
                0x0eb72ddc81c52ca2,
            ]),
        }
    }

    const fn hash_function(&self) -> HashFunction {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(_) => HashFunction::Md5,
            Self::Sha256(_) => HashFunction::Sha256,
            Self::Sha512_256(_) => HashFunction::Sha512_256,
        }
    }

    /// The bytes of a block, and of the length after it.
    const fn block_bytes(&self) -> (usize, usize) {
        match self {
            Self::Sha512_256(_) => (128, 16),
            _ => (64, 8),
        }
    }

    /// Hashes whole blocks.
    fn compress(&mut self, blocks: &[u8]) {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(words) => md5::block_api::compress(words, blocks.as_chunks().0),
            Self::Sha256(words) => compress256(words, blocks.as_chunks().0),
            Self::Sha512_256(words) => compress512(words, blocks.as_chunks().0),
        }
    }

    /// The hash.
    fn output(&self) -> [u8; 32] {
        let mut output = [0; 32];
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(words) => write(&mut output, words.map(u32::to_le_bytes)),
            Self::Sha256(words) => write(&mut output, words.map(u32::to_be_bytes)),
            Self::Sha512_256(words) => write(&mut output, words.map(u64::to_be_bytes)),
        }
        output
    }

    /// Overwrites all of it: the bytes that a smaller variant does not use may hold older secrets.
    fn wipe(&mut self) {
        *self = Self::Sha512_256([0; 8]);
        zeroize::optimization_barrier(self);
    }
}

/// Does not fail: no input is longer than memory.
fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or_default()
}

#[inline(always)]
fn write<const WORD: usize, const WORDS: usize>(output: &mut [u8; 32], words: [[u8; WORD]; WORDS]) {
    for (place, word) in output.as_chunks_mut().0.iter_mut().zip(words) {
        *place = word;
    }
}

impl Hasher {
    /// Enough for the input of a SHA-256 response, unless nonce or cnonce is unusually long. Whole
    /// blocks of each hash function.
    const BUFFER_BYTES: usize = 256;

    pub(crate) fn new(hash: HashFunction) -> Self {
        Self {
            state: State::initial(hash),
            buffer: [0; Self::BUFFER_BYTES],
            start: 0,
            length: 0,
            hashed: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.length + bytes.len();
        if let Some(place) = self.buffer.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        } else {
            self.long(bytes);
        }
        self
    }

    /// Adds more than fits into the buffer.
    #[cold]
    fn long(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(Self::BUFFER_BYTES - self.length);
        self.bytes(first).flush();
        let (blocks, rest) = rest.split_at(rest.len() - rest.len() % Self::BUFFER_BYTES);
        self.state.compress(blocks);
        self.hashed += count(blocks.len());
        self.bytes(rest);
    }

    /// Hashes the whole blocks in the buffer, and leaves them there.
    fn settle(&mut self) {
        let whole = self.length - self.length % self.state.block_bytes().0;
        if let Some(blocks) = self.buffer.get(self.start..whole) {
            self.state.compress(blocks);
        }
        self.start = whole;
    }

    /// Hashes the whole blocks in the buffer, and makes room.
    #[cold]
    fn flush(&mut self) {
        self.settle();
        self.buffer.copy_within(self.start..self.length, 0);
        self.length -= self.start;
        self.hashed += count(self.start);
        self.start = 0;
        if let Some(moved) = self.buffer.get_mut(self.length..) {
            moved.fill(0);
        }
    }

    /// What was added so far, for others to continue after it as this one can.
    pub(crate) fn prefix(&mut self) -> Prefix {
        self.settle();
        let rest = self.buffer.get(self.start..).and_then(<[u8]>::first_chunk);
        let Some(rest) = rest else {
            self.flush();
            return self.prefix();
        };
        Prefix {
            state: self.state,
            rest: *rest,
            length: self.length - self.start,
            hashed: self.hashed + count(self.start),
        }
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
        let mut state = State::initial(hash);
        let (block, length_bytes) = state.block_bytes();
        // The padding is at least a marker byte and the length.
        let blocks = (length + 1 + length_bytes).div_ceil(block);
        let missing = (Self::EQUAL_WORK_BYTES / block).saturating_sub(blocks);
        let zeros = [0; Self::EQUAL_WORK_BYTES];
        let zeros = zeros.get(..missing * block).unwrap_or_default();
        // In pieces, as it costs more to buffer a long input.
        zeros
            .chunks(Self::BUFFER_BYTES)
            .for_each(|piece| state.compress(piece));
        black_box(state.output());
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
        HexDigest::from_output(self.state.hash_function(), &self.finish_bytes())
    }

    /// Like [`finish`](Self::finish), as bytes: MD5 fills half of them.
    pub(crate) fn finish_bytes(&mut self) -> [u8; 32] {
        let (block, length_bytes) = self.state.block_bytes();
        if self.length + 1 + length_bytes > Self::BUFFER_BYTES {
            self.flush();
        }
        // A 1 bit, zeros, and the number of bits up to the end of a block.
        let end = (self.length + 1 + length_bytes).next_multiple_of(block);
        let bits = (self.hashed + count(self.length)) << 3;
        let padded = self.buffer.get_mut(..end).unwrap_or_default();
        if let Some(marker) = padded.get_mut(self.length) {
            *marker = 0x80;
        }
        if let Some(place) = padded.last_chunk_mut() {
            *place = match self.state {
                #[cfg(feature = "md5")]
                State::Md5(_) => bits.to_le_bytes(),
                _ => bits.to_be_bytes(),
            };
        }
        self.state
            .compress(padded.get(self.start..).unwrap_or_default());
        secret::wipe(padded);
        self.start = 0;
        self.length = 0;
        self.hashed = 0;
        let output = self.state.output();
        self.state = State::initial(self.state.hash_function());
        output
    }
}

/// The state after a prefix that several inputs share. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct Prefix {
    state: State,
    /// What does not fill a block; zero from `length` on.
    rest: [u8; 128],
    length: usize,
    hashed: u64,
}

impl Prefix {
    /// A hasher that continues after the prefix.
    pub(crate) fn hasher(&self) -> Hasher {
        let mut buffer = [0; Hasher::BUFFER_BYTES];
        if let Some(place) = buffer.first_chunk_mut() {
            *place = self.rest;
        }
        Hasher {
            state: self.state,
            buffer,
            start: 0,
            length: self.length,
            hashed: self.hashed,
        }
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        self.state.wipe();
        secret::wipe(&mut self.rest);
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.state.wipe();
        if self.length > 0 {
            secret::wipe(&mut self.buffer);
        }
    }
}

/// Hashes a body piece by piece, for `qop=auth-int`.
#[derive(Clone)]
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

impl fmt::Debug for BodyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyHasher(..)")
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

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256, Sha512_256};
    use std::vec::Vec;

    use super::*;

    #[test]
    fn any_length_in_any_pieces_is_hashed_as_by_the_crates() {
        let all: Vec<u8> = (0..=u8::MAX).cycle().take(700).collect();
        for length in 0..all.len() {
            let input = &all[..length];
            for (hash, expected) in [
                #[cfg(feature = "md5")]
                (HashFunction::Md5, md5::Md5::digest(input).to_vec()),
                (HashFunction::Sha256, Sha256::digest(input).to_vec()),
                (HashFunction::Sha512_256, Sha512_256::digest(input).to_vec()),
            ] {
                for split in [0, length / 3, length] {
                    let mut hasher = Hasher::new(hash);
                    let prefix = hasher.bytes(&input[..split]).prefix();
                    for mut hasher in [hasher, prefix.hasher()] {
                        let bytes = hasher.bytes(&input[split..]).finish_bytes();
                        let bytes = &bytes[..expected.len()];
                        assert_eq!(bytes, expected, "{hash} {length} {split}");
                    }
                }
            }
        }
    }
}
