//! What an origin once offered.

use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::digest::Hash;

/// How strong the credentials were that an origin last took: it may not silently want weaker
/// ones later.
///
/// A client raises its own pin with every answer whose response it
/// [accepted](super::Client::accepted). Keep it with what else you
/// know of an origin, and give it to the next client by
/// [`Client::with_pin`](super::Client::with_pin). Its text is made for storing.
///
/// Over a cleartext channel someone on the way can answer in the server's place, and so raise a
/// pin above what the server itself can do.
///
/// ```
/// use countersign::client::Pin;
///
/// let stored = Pin::DigestSha2.to_string();
/// assert_eq!(stored.parse(), Ok(Pin::DigestSha2));
/// assert!(Pin::DigestSha2 > Pin::Basic);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Pin {
    /// Nothing is known.
    #[default]
    Nothing,
    /// Basic.
    Basic,
    /// Digest with MD5.
    DigestMd5,
    /// Digest with SHA-256 or SHA-512/256.
    DigestSha2,
}

impl Pin {
    const ALL: [Self; 4] = [
        Self::Nothing,
        Self::Basic,
        Self::DigestMd5,
        Self::DigestSha2,
    ];

    /// The text to store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Basic => "basic",
            Self::DigestMd5 => "digest-md5",
            Self::DigestSha2 => "digest-sha2",
        }
    }

    /// That of Digest with a hash.
    pub(super) const fn of(hash: Hash) -> Self {
        match hash {
            #[cfg(feature = "md5")]
            Hash::Md5 => Self::DigestMd5,
            Hash::Sha256 | Hash::Sha512_256 => Self::DigestSha2,
        }
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is no [`Pin`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct PinError;

impl fmt::Display for PinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown pin")
    }
}

impl Error for PinError {}

/// From what [`as_str`](Pin::as_str) gives, and nothing else.
impl FromStr for Pin {
    type Err = PinError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|pin| pin.as_str() == text)
            .ok_or(PinError)
    }
}
