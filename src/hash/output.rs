//! The output of hash functions.

use core::fmt;

use crate::error::InvalidText;
use crate::hash::function::HashFunction;
use crate::secret;
use crate::syntax::{Text, hex_digits};

/// The output of a hash function in lower-case hex. The time of `==` does not depend on the digits.
#[derive(Clone, Copy)]
pub struct HexDigest {
    /// The digits. After the digits of a 128-bit hash come zero bytes, except in
    /// [`zeros`](Self::zeros).
    hex: [u8; 64],
    hash: HashFunction,
}

impl HexDigest {
    /// Parses digits of either case. The error tells the first byte that is none, or their number.
    pub(crate) fn from_hex(hash: HashFunction, hex: &str) -> Result<Self, InvalidText> {
        if let Some(at) = hex.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
            return Err(InvalidText::NotHex(at));
        }
        let (wanted, found) = (hash.hex_len(), hex.len());
        Self::from_text(hash, Text::assume_checked(hex.as_bytes()))
            .ok_or(InvalidText::Digits { wanted, found })
    }

    /// Parses exactly `hash.hex_len()` digits of either case.
    #[inline]
    pub(crate) fn from_text(hash: HashFunction, text: Text<'_>) -> Option<Self> {
        let mut hex = [0; 64];
        let digits = hex.get_mut(..hash.hex_len())?;
        // Allocates only for a value with escapes, which is rare.
        let text = text.to_bytes();
        if text.len() != digits.len() {
            return None;
        }
        digits.copy_from_slice(&text);
        // No early exit, so that the loop vectorizes.
        let mut all_hex = true;
        for digit in digits {
            all_hex &= digit.is_ascii_hexdigit();
            // Bit 5 is set in decimal digits and in lower-case letters.
            *digit |= 0x20;
        }
        all_hex.then_some(Self { hex, hash })
    }

    /// `output` is as long as the longest; the rest is ignored.
    pub(crate) fn from_output(hash: HashFunction, output: &[u8; 32]) -> Self {
        let mut hex = [0; 64];
        for (digits, byte) in hex.as_chunks_mut().0.iter_mut().zip(output) {
            *digits = hex_digits(*byte);
        }
        if let Some(unused) = hex.get_mut(hash.hex_len()..) {
            unused.fill(0);
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

    /// A placeholder where there is no hash: only zero digits, which no known input hashes to.
    pub(crate) const fn zeros(hash: HashFunction) -> Self {
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
