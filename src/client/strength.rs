//! How strong credentials are.

use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::digest::HashFunction;

/// How strong the credentials were that a server took: it may not silently want weaker ones later.
///
/// A client raises its own with every answer whose response it
/// [accepted](super::Client::completed). Keep it with what else you
/// know of a server, and give it to the next client by
/// [`Client::with_strength`](super::Client::with_strength). Its text is made for storing.
///
/// It tells a response that covers a nonce count from one that does not (RFC 2069), but not `auth`
/// from `auth-int`: a client that must not go without the latter wants
/// [`Policy::require_auth_int`](super::Policy::require_auth_int).
///
/// Over a cleartext channel someone on the way can answer in the server's place, and so raise
/// it above what the server itself can do. Then the server's own challenges are skipped as
/// [`BelowStrength`](super::SkipReason::BelowStrength) until a client without it takes over.
///
/// ```
/// use countersign::client::Strength;
///
/// let stored = Strength::DigestSha2.to_string();
/// assert_eq!(stored.parse(), Ok(Strength::DigestSha2));
/// assert!(Strength::DigestSha2 > Strength::Basic);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Strength {
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

impl Strength {
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

    /// The strength of Digest with a hash, with or without a qop.
    pub(super) const fn of(hash: HashFunction, has_qop: bool) -> Self {
        match hash {
            _ if !has_qop => Self::DigestRfc2069,
            #[cfg(feature = "md5")]
            HashFunction::Md5 => Self::DigestMd5,
            HashFunction::Sha256 | HashFunction::Sha512_256 => Self::DigestSha2,
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is the name of no [`Strength`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct UnknownStrength;

impl fmt::Display for UnknownStrength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown strength")
    }
}

impl Error for UnknownStrength {}

/// From what [`as_str`](Strength::as_str) gives, and nothing else.
impl FromStr for Strength {
    type Err = UnknownStrength;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|strength| strength.as_str() == text)
            .ok_or(UnknownStrength)
    }
}
