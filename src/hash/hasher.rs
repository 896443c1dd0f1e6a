//! Hashing of short inputs that come in many pieces: the only file that names `md5` and `sha2`.
//!
//! The formulas of Digest hash a dozen pieces of a few bytes each. This calls the block functions of
//! the hash crates directly and does the padding itself. Through the streaming interface of the same
//! crates, buffering, finishing and wiping took as long as the blocks.

use core::hint::black_box;

use crate::hash::function::HashFunction;
use crate::hash::hex_digest::HexDigest;
use crate::secret;
use crate::syntax::Text;

/// A hash function at work: its chaining value, and the bytes that wait for it.
#[derive(Clone)]
pub(crate) struct Hasher {
    state: State,
    pending: [u8; Self::ROOM],
    /// How many bytes are pending.
    length: usize,
    /// How many bytes are in the chaining value.
    hashed: u64,
}

impl Hasher {
    /// Whole blocks of every function.
    const ROOM: usize = 256;

    pub(crate) const fn new(function: HashFunction) -> Self {
        Self::resumed(State::new(function), 0)
    }

    /// Goes on from a chaining value of `hashed` bytes.
    pub(super) const fn resumed(state: State, hashed: u64) -> Self {
        Self {
            state,
            pending: [0; Self::ROOM],
            length: 0,
            hashed,
        }
    }

    #[inline(always)]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.length + bytes.len();
        match self.pending.get_mut(self.length..end) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.length = end;
            }
            None => self.overflow(bytes),
        }
        self
    }

    /// Takes more bytes than there is room for.
    #[cold]
    fn overflow(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            let place = self.pending.get_mut(self.length..).unwrap_or_default();
            let (now, later) = rest.split_at(place.len().min(rest.len()));
            for (place, byte) in place.iter_mut().zip(now) {
                *place = *byte;
            }
            self.length += now.len();
            if later.is_empty() {
                return;
            }
            self.compress();
            // The rest need not be copied, but for what is no whole block.
            let whole = later.len() - later.len() % self.state.block_len();
            let (blocks, after) = later.split_at(whole);
            self.state.compress(blocks);
            self.count(whole);
            rest = after;
        }
    }

    /// Hashes the whole blocks that are pending.
    fn compress(&mut self) {
        let whole = self.length - self.length % self.state.block_len();
        self.state
            .compress(self.pending.get(..whole).unwrap_or_default());
        self.pending.copy_within(whole..self.length, 0);
        self.length -= whole;
        self.count(whole);
    }

    /// Counts bytes that were hashed.
    fn count(&mut self, bytes: usize) {
        // No input is that long.
        self.hashed = self
            .hashed
            .wrapping_add(bytes.try_into().unwrap_or_default());
    }

    /// Hashes the digits.
    #[inline(always)]
    pub(crate) fn hex(&mut self, digest: &HexDigest) -> &mut Self {
        self.bytes(digest.as_bytes())
    }

    /// Hashes the `:` between the parts of all formulas.
    #[inline(always)]
    pub(crate) fn colon(&mut self) -> &mut Self {
        self.bytes(b":")
    }

    /// Hashes a text, escapes resolved.
    #[inline(always)]
    pub(crate) fn text(&mut self, text: Text<'_>) -> &mut Self {
        for chunk in text.chunks() {
            self.bytes(chunk);
        }
        self
    }

    /// Returns the hash of all bytes, once. It is finished in place: a move would leave a copy behind.
    pub(crate) fn finish(&mut self) -> HexDigest {
        self.pad();
        let mut output = [0; 32];
        let length = self.state.output(&mut output);
        let digest = HexDigest::from_output(
            self.state.function(),
            output.get(..length).unwrap_or_default(),
        );
        secret::wipe(&mut output);
        digest
    }

    /// The same as bytes, for functions that give as many.
    pub(super) fn finish_bytes(&mut self) -> [u8; 32] {
        self.pad();
        let mut output = [0; 32];
        self.state.output(&mut output);
        output
    }

    /// Hashes what is pending, and the padding (RFC 1321, section 3.1; FIPS 180-4, section 5.1).
    #[inline]
    fn pad(&mut self) {
        let (block, field) = (self.state.block_len(), self.state.length_field());
        self.compress();
        self.count(self.length);
        let bits = self.hashed.wrapping_mul(8);
        let end = match self.length + 1 + field <= block {
            true => block,
            false => 2 * block,
        };
        let padding = self.pending.get_mut(self.length..end).unwrap_or_default();
        padding.fill(0);
        if let Some(first) = padding.first_mut() {
            *first = 0x80;
        }
        if let Some(last) = padding.last_chunk_mut() {
            *last = self.state.length_bytes(bits);
        }
        self.state
            .compress(self.pending.get(..end).unwrap_or_default());
    }

    /// Up to this length, [`fill_up`](Self::fill_up) makes the work the same for every input.
    pub(crate) const EQUAL_WORK_BYTES: usize = 512;

    /// Hashes as many blocks as an input of `length` bytes lacks of `EQUAL_WORK_BYTES`.
    ///
    /// A hash function works in blocks, of which the last has room for the padding. Without this the
    /// time to hash a stored name and password tells their length, and so that the user exists.
    pub(crate) fn fill_up(function: HashFunction, length: usize) {
        let mut state = State::new(function);
        let block = state.block_len();
        let blocks = (length + 1 + state.length_field()).div_ceil(block);
        for _ in blocks..Self::EQUAL_WORK_BYTES / block {
            state.compress(black_box(&[0; Self::ROOM]).get(..block).unwrap_or_default());
        }
        black_box(&state);
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        secret::wipe(&mut self.pending);
        self.state.wipe();
    }
}

/// What several inputs have in common at their start, hashed once as far as it fills blocks. Wiped
/// when dropped.
#[derive(Clone)]
pub(crate) struct Prefix {
    state: State,
    hashed: u64,
    /// The rest, which is less than a block.
    rest: [u8; Self::MAX_REST],
    length: usize,
}

impl Prefix {
    const MAX_REST: usize = 128;

    pub(crate) fn of(function: HashFunction, write: impl FnOnce(&mut Hasher)) -> Self {
        let mut hasher = Hasher::new(function);
        write(&mut hasher);
        hasher.compress();
        let mut rest = [0; Self::MAX_REST];
        for (place, byte) in rest.iter_mut().zip(&hasher.pending) {
            *place = *byte;
        }
        Self {
            state: hasher.state.clone(),
            hashed: hasher.hashed,
            rest,
            length: hasher.length,
        }
    }

    /// For the rest of one of them.
    pub(crate) fn hasher(&self) -> Hasher {
        let mut hasher = Hasher::resumed(self.state.clone(), self.hashed);
        if let Some((place, _)) = hasher.pending.split_first_chunk_mut() {
            *place = self.rest;
        }
        hasher.length = self.length;
        hasher
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        secret::wipe(&mut self.rest);
        self.state.wipe();
    }
}

/// The chaining value of a hash function.
#[derive(Clone)]
pub(super) enum State {
    #[cfg(feature = "md5")]
    Md5([u32; 4]),
    Sha256([u32; 8]),
    Sha512_256([u64; 8]),
}

impl State {
    /// The initial value (RFC 1321, section 3.3; FIPS 180-4, sections 5.3.3 and 5.3.6.2).
    pub(super) const fn new(function: HashFunction) -> Self {
        match function {
            #[cfg(feature = "md5")]
            HashFunction::Md5 => Self::Md5([0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]),
            HashFunction::Sha256 => Self::Sha256([
                0x6A09_E667,
                0xBB67_AE85,
                0x3C6E_F372,
                0xA54F_F53A,
                0x510E_527F,
                0x9B05_688C,
                0x1F83_D9AB,
                0x5BE0_CD19,
            ]),
            HashFunction::Sha512_256 => Self::Sha512_256([
                0x2231_2194_FC2B_F72C,
                0x9F55_5FA3_C84C_64C2,
                0x2393_B86B_6F53_B151,
                0x9638_7719_5940_EABD,
                0x9628_3EE2_A88E_FFE3,
                0xBE5E_1E25_5386_3992,
                0x2B01_99FC_2C85_B8AA,
                0x0EB7_2DDC_81C5_2CA2,
            ]),
        }
    }

    const fn function(&self) -> HashFunction {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(_) => HashFunction::Md5,
            Self::Sha256(_) => HashFunction::Sha256,
            Self::Sha512_256(_) => HashFunction::Sha512_256,
        }
    }

    /// In bytes.
    const fn block_len(&self) -> usize {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(_) => 64,
            Self::Sha256(_) => 64,
            Self::Sha512_256(_) => 128,
        }
    }

    /// How many bytes of the padding hold the length of the input.
    const fn length_field(&self) -> usize {
        self.block_len() / 8
    }

    /// The last bytes of the padding. No input is so long that SHA-512/256 needs more of its field.
    const fn length_bytes(&self, bits: u64) -> [u8; 8] {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(_) => bits.to_le_bytes(),
            Self::Sha256(_) | Self::Sha512_256(_) => bits.to_be_bytes(),
        }
    }

    /// Hashes whole blocks.
    #[inline(always)]
    pub(super) fn compress(&mut self, blocks: &[u8]) {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(state) => md5::block_api::compress(state, blocks.as_chunks().0),
            Self::Sha256(state) => sha2::block_api::compress256(state, blocks.as_chunks().0),
            Self::Sha512_256(state) => sha2::block_api::compress512(state, blocks.as_chunks().0),
        }
    }

    /// Writes the output and returns its length in bytes.
    fn output(&self, output: &mut [u8; 32]) -> usize {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5(state) => {
                for (place, word) in output.as_chunks_mut().0.iter_mut().zip(state) {
                    *place = word.to_le_bytes();
                }
                16
            }
            Self::Sha256(state) => {
                for (place, word) in output.as_chunks_mut().0.iter_mut().zip(state) {
                    *place = word.to_be_bytes();
                }
                32
            }
            Self::Sha512_256(state) => {
                for (place, word) in output.as_chunks_mut().0.iter_mut().zip(state) {
                    *place = word.to_be_bytes();
                }
                32
            }
        }
    }

    fn wipe(&mut self) {
        // As the largest, so that no byte of it is left out.
        *self = black_box(Self::Sha512_256([0; 8]));
    }
}
