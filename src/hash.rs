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

/// A hash function of Digest.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HashFunction {
    /// MD5. Broken as a hash; still what most devices speak. Only with the feature `md5`.
    #[cfg(feature = "md5")]
    Md5,
    /// SHA-256.
    Sha256,
    /// SHA-512/256, which is not the first half of SHA-512.
    Sha512_256,
}

impl HashFunction {
    /// All of them, weakest first.
    pub const ALL: &'static [Self] = &[
        #[cfg(feature = "md5")]
        Self::Md5,
        Self::Sha256,
        Self::Sha512_256,
    ];

    /// The name: that of the algorithm which is not `-sess`, as RFC 7616, section 6.1, registers it.
    pub const fn as_str(self) -> &'static str {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5 => "MD5",
            Self::Sha256 => "SHA-256",
            Self::Sha512_256 => "SHA-512-256",
        }
    }

    /// How many hexadecimal digits its output has: 32 or 64.
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

/// Parses the [name](Self::as_str) in any case. The error says that it is unsupported, as MD5 is
/// without the feature `md5`.
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

/// The output of a hash function in lower-case hex, in place.
///
/// Equality takes a time that does not depend on the digits.
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
    /// The digits; behind those of a short hash zero, but in [`none`](Self::none).
    hex: [u8; 64],
    hash: HashFunction,
}

impl HexDigest {
    /// From hex of either case, as computed elsewhere or stored.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Length`] if it does not have as many digits as `hash` gives,
    /// [`InvalidText::NotHex`] at the first byte that is no digit.
    pub fn from_hex(hash: HashFunction, hex: &str) -> Result<Self, InvalidText> {
        if let Some(at) = hex.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
            return Err(InvalidText::NotHex(at));
        }
        Self::from_text(hash, Text::literal(hex.as_bytes())).ok_or(InvalidText::Length)
    }

    /// From exactly as many digits as `hash` gives, of either case.
    #[inline]
    pub(crate) fn from_text(hash: HashFunction, text: Text<'_>) -> Option<Self> {
        let mut hex = [0; 64];
        let digits = hex.get_mut(..hash.hex_len())?;
        if !text.copy_to(digits) {
            return None;
        }
        // All of them, whatever they are: without a branch for each this is a few instructions.
        let mut all_hex = true;
        for digit in digits {
            all_hex &= digit.is_ascii_hexdigit();
            // Decimal digits have this bit, and letters have it in lower case.
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

    /// The hash function it is the output of.
    pub const fn hash_function(&self) -> HashFunction {
        self.hash
    }

    /// Digits that no password gives.
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

/// Hashes what [`PartialEq`] compares, so that a [`userhash`](crate::digest::userhash) can be the
/// key of a map.
impl core::hash::Hash for HexDigest {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
        self.as_bytes().hash(state);
    }
}

/// The digits.
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

/// Hashes a body as it streams by, for `qop=auth-int`.
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
    /// Before the first byte.
    pub fn new(hash: HashFunction) -> Self {
        Self(Hasher::new(hash))
    }

    /// Takes the next piece of the body.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    /// The hash of all pieces.
    pub fn finish(mut self) -> HexDigest {
        self.0.finish()
    }
}

impl fmt::Debug for BodyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyHasher(..)")
    }
}

/// HMAC-SHA-256 under one key, whose schedule is computed once.
#[derive(Clone)]
pub(crate) struct Mac(Hmac<Sha256>);

impl Mac {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        // HMAC fills a key up to the block of the hash with zeros, which makes this the same key.
        let mut block = [0; 64];
        for (place, byte) in block.iter_mut().zip(key) {
            *place = *byte;
        }
        let mac = Hmac::new((&block).into());
        secret::wipe(&mut block);
        Self(mac)
    }

    /// The MAC of all parts, one behind the other.
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
