//! The hash functions of Digest.

use core::fmt;

use crate::error::{ParamError, ParamName, ParamProblem};

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
