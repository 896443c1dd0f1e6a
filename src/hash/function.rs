//! The hash functions of Digest.

use core::fmt;

/// A hash function of Digest (RFC 7616, section 6.1), weakest first.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum HashFunction {
    /// MD5. Collisions are easy to find, but some devices support no other. Requires the feature
    /// `md5`.
    #[cfg(feature = "md5")]
    Md5,
    /// SHA-256.
    Sha256,
    /// SHA-512/256, which has its own initial values: it is not SHA-512 truncated.
    Sha512_256,
}

impl HashFunction {
    /// All hash functions, weakest first; MD5 only with the feature `md5`.
    pub const ALL: &'static [Self] = &[
        #[cfg(feature = "md5")]
        Self::Md5,
        Self::Sha256,
        Self::Sha512_256,
    ];

    /// The name of its algorithm without `-sess`, as registered by RFC 7616, section 6.1.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            #[cfg(feature = "md5")]
            Self::Md5 => "MD5",
            Self::Sha256 => "SHA-256",
            Self::Sha512_256 => "SHA-512-256",
        }
    }

    /// The number of hexadecimal digits of its output: 32 or 64.
    pub(crate) const fn hex_len(self) -> usize {
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
