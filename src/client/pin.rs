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
/// It tells a response that covers a nonce count from one that does not (RFC 2069), but not `auth`
/// from `auth-int`: a client that must not go without the latter wants
/// [`Policy::require_auth_int`](super::Policy::require_auth_int).
///
/// Over a cleartext channel someone on the way can answer in the server's place, and so raise a
/// pin above what the server itself can do. Then the server's own challenges are skipped as
/// [`WeakerThanPin`](super::Skipped::WeakerThanPin) until a client without that pin takes over.
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
    /// Digest without a qop (RFC 2069), with any hash: whoever captures a request may be able to
    /// send it again.
    DigestRfc2069,
    /// Digest with MD5.
    DigestMd5,
    /// Digest with SHA-256 or SHA-512/256.
    DigestSha2,
}

impl Pin {
    const ALL: [Self; 5] = [
        Self::Nothing,
        Self::Basic,
        Self::DigestRfc2069,
        Self::DigestMd5,
        Self::DigestSha2,
    ];

    /// The text to store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Basic => "basic",
            Self::DigestRfc2069 => "digest-rfc2069",
            Self::DigestMd5 => "digest-md5",
            Self::DigestSha2 => "digest-sha2",
        }
    }

    /// The pin for Digest with a hash, with or without a qop.
    pub(super) const fn of(hash: Hash, has_qop: bool) -> Self {
        match hash {
            _ if !has_qop => Self::DigestRfc2069,
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
