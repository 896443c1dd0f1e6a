//! Hash functions and the MAC: the only file that names `md5`, `sha2` or `hmac`.

use core::fmt;
use core::hint::black_box;

use hmac::{Hmac, KeyInit, Mac as _};
#[cfg(feature = "md5")]
use md5::Md5;
use sha2::{Digest, Sha256, Sha512_256};

use crate::error::{InvalidText, ParamError, ParamName, ParamProblem};
use crate::secret;
use crate::syntax::{Text, hex_digits};

/// A hash function of Digest (RFC 7616, section 6.1).
///
/// ```
/// use countersign::digest::HashFunction;
///
/// assert_eq!("sha-256".parse::<HashFunction>()?, HashFunction::Sha256);
/// assert_eq!(HashFunction::Sha256.hex_len(), 64);
/// # Ok::<(), countersign::ParamError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HashFunction {
    /// MD5. Broken as a hash function, but still the only one most devices support. Requires the
    /// feature `md5`.
    #[cfg(feature = "md5")]
    Md5,
    /// SHA-256.
    Sha256,
    /// SHA-512/256, which has its own initial values: it is not SHA-512 truncated.
    Sha512_256,
}

impl HashFunction {
    /// All hash functions, weakest first.
    pub const ALL: &'static [Self] = &[
        #[cfg(feature = "md5")]
        Self::Md5,
        Self::Sha256,
        Self::Sha512_256,
    ];

    /// The name of its algorithm without `-sess`, as registered by RFC 7616, section 6.1.
    pub const fn as_str(self) -> &'static str {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5 => "MD5",
            Self::Sha256 => "SHA-256",
            Self::Sha512_256 => "SHA-512-256",
        }
    }

    /// The number of hexadecimal digits of its output: 32 or 64.
    pub const fn hex_len(self) -> usize {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5 => 32,
            Self::Sha256 | Self::Sha512_256 => 64,
        }
    }
}

impl fmt::Display for HashFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Parses the [name](Self::as_str), ignoring ASCII case. The error is
/// [`Unsupported`](ParamProblem::Unsupported); so is MD5 without the feature `md5`.
impl core::str::FromStr for HashFunction {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .find(|hash| hash.as_str().eq_ignore_ascii_case(name))
            .copied()
            .ok_or(ParamError::new(
                ParamName::Algorithm,
                ParamProblem::Unsupported,
            ))
    }
}

/// The output of a hash function in lower-case hex, without an allocation.
///
/// Equality takes constant time.
///
/// ```
/// use countersign::digest::{BodyHasher, HashFunction, HexDigest};
///
/// let empty = BodyHasher::new(HashFunction::Sha256).finish();
/// assert!(empty.as_str().starts_with("e3b0c44298fc1c14"));
/// assert_eq!(empty, HexDigest::from_hex(HashFunction::Sha256, empty.as_str())?);
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Copy)]
pub struct HexDigest {
    /// The digits, zero-padded for 128-bit hashes (except in [`none`](Self::none)).
    hex: [u8; 64],
    hash: HashFunction,
}

impl HexDigest {
    /// Parses hex in either case, as stored or computed elsewhere.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NotHex`] at the first byte that is not a hexadecimal digit,
    /// [`InvalidText::Length`] unless there are [`hash.hex_len()`](HashFunction::hex_len) digits.
    pub fn from_hex(hash: HashFunction, hex: &str) -> Result<Self, InvalidText> {
        if let Some(at) = hex.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
            return Err(InvalidText::NotHex(at));
        }
        Self::from_text(hash, Text::literal(hex.as_bytes())).ok_or(InvalidText::Length)
    }

    /// Parses exactly `hash.hex_len()` digits of either case.
    #[inline]
    pub(crate) fn from_text(hash: HashFunction, text: Text<'_>) -> Option<Self> {
        let mut hex = [0; 64];
        let digits = hex.get_mut(..hash.hex_len())?;
        if !text.copy_to(digits) {
            return None;
        }
        // No early exit, so that the loop vectorizes.
        let mut all_hex = true;
        for digit in digits {
            all_hex &= digit.is_ascii_hexdigit();
            // Bit 5 is set in decimal digits and in lower-case letters.
            *digit |= 0x20;
        }
        all_hex.then_some(Self { hex, hash })
    }

    fn from_output(hash: HashFunction, output: &[u8]) -> Self {
        let mut hex = [0; 64];
        for (digits, byte) in hex.as_chunks_mut().0.iter_mut().zip(output) {
            *digits = hex_digits(*byte);
        }
        Self { hex, hash }
    }

    /// The digits: 32 or 64, in lower case.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The digits as bytes.
    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.hex.get(..self.hash.hex_len()).unwrap_or_default()
    }

    /// The hash function that computed it.
    pub const fn hash_function(&self) -> HashFunction {
        self.hash
    }

    /// A value that is the hash of no known input: all digits are zero.
    pub(crate) const fn none(hash: HashFunction) -> Self {
        Self {
            hex: [b'0'; 64],
            hash,
        }
    }

    pub(crate) fn wipe(&mut self) {
        secret::wipe(&mut self.hex);
    }
}

impl PartialEq for HexDigest {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && secret::eq(&self.hex, &other.hex)
    }
}

impl Eq for HexDigest {}

/// Lets a [`userhash`](crate::digest::userhash) be the key of a map.
impl core::hash::Hash for HexDigest {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
        self.as_bytes().hash(state);
    }
}

/// Writes the digits in lower case.
impl fmt::Display for HexDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for HexDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HexDigest({:?})", self.hash)
    }
}

/// An incremental hash.
///
/// Input is buffered, because the formulas hash a dozen short pieces: one `update` for all of them
/// is cheaper than one for each.
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
    /// Holds the input of a SHA-256 response, unless its nonces are unusually long.
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

    /// The bytes, hash padding included, up to which [`equalize_work`](Self::equalize_work) makes
    /// every input take the same time.
    pub(crate) const EQUAL_WORK_BYTES: usize = 512;

    /// Hashes as many blocks as an input of `length` bytes falls short of
    /// [`EQUAL_WORK_BYTES`](Self::EQUAL_WORK_BYTES).
    ///
    /// Without this, the time to hash a stored user name and password would reveal their length,
    /// and thereby that the user exists.
    pub(crate) fn equalize_work(hash: HashFunction, length: usize) {
        // The last block must also hold the padding: a marker byte and the length.
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

    /// Hashes the value, escapes resolved.
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

    /// Returns the hash of all bytes and resets the hasher. Takes `&mut self`, because moving the
    /// state would leave an unwiped copy behind.
    pub(crate) fn finish(&mut self) -> HexDigest {
        self.flush();
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

/// The midstate of a prefix that several inputs share. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct Prefix(State);

impl Prefix {
    pub(crate) fn of(hash: HashFunction, write: impl FnOnce(&mut Hasher)) -> Self {
        let mut hasher = Hasher::new(hash);
        write(&mut hasher);
        hasher.flush();
        Self(hasher.state.clone())
    }

    /// A hasher that continues after the prefix.
    pub(crate) fn hasher(&self) -> Hasher {
        Hasher {
            state: self.0.clone(),
            buffer: [0; Hasher::BUFFER_BYTES],
            length: 0,
        }
    }
}

// The padding of a smaller variant may hold stale key material that its own `Drop` does not wipe:
// overwrite it with the largest variant, whose `Drop` wipes it all.
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
///
/// ```
/// use countersign::digest::{BodyHasher, HashFunction};
/// use countersign::{EntityBody, Target};
///
/// let mut hasher = BodyHasher::new(HashFunction::Sha256);
/// hasher.update(b"name=");
/// hasher.update(b"value");
/// let body = hasher.finish();
/// let target = Target::new("POST", "/form").with_body(EntityBody::Hashed(body));
/// # let _ = target;
/// ```
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

/// HMAC-SHA-256 with one key, whose padded blocks are hashed once.
#[derive(Clone)]
pub(crate) struct Mac(Hmac<Sha256>);

impl Mac {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        // HMAC pads a key with zeros to the block size, so this is the same key.
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
