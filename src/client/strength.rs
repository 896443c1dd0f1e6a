//! The strength of credentials.

use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::digest::HashFunction;

/// The strength of credentials, weakest first. A client uses it to resist downgrades: once a server
/// has accepted strong credentials and proved that it knows the secret, weaker challenges for the
/// same realm are skipped as [`BelowStrength`](super::SkipReason::BelowStrength). A client
/// remembers this for up to eight realms.
///
/// Until a realm has proved Digest, no strength is required of it except that of
/// [`Client::with_strength`](super::Client::with_strength), and anyone who controls some paths of
/// the origin can name a new realm or the same one. So a program with a fixed password must compare
/// [`Ask::realm`](super::Ask::realm) and [`Ask::scheme`](super::Ask::scheme) with those of the
/// account before it logs in. Otherwise it sends the password by Basic, if the policy allows that,
/// to whoever asks first.
///
/// A realm's strength rises only with [`ServerProof::Valid`](super::ServerProof::Valid). Without
/// that condition, an attacker in the server's place could accept strong credentials, and the real
/// server, which offers weaker ones, would be locked out. Basic has no proof, so it never raises
/// the strength.
///
/// To keep the protection for later clients, store [`Client::strength`](super::Client::strength),
/// and pass it to [`Client::with_strength`](super::Client::with_strength): see [the
/// manual](crate::manual::client#the-servers-proof). If a server has a good reason to
/// offer only weaker challenges now, forget its strength with
/// [`AuthCache::forget`](super::AuthCache::forget), or make a new client.
///
/// The strength distinguishes Digest with a qop from Digest without one (RFC 2069), but not `auth`
/// from `auth-int`: see [`Policy::require_auth_int`](super::Policy::require_auth_int).
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
    /// Nothing is known, and nothing is required.
    #[default]
    Nothing,
    /// Basic.
    Basic,
    /// Digest without a qop (RFC 2069), with any hash function: a captured request may be replayed.
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

    /// The name to store, for example `digest-sha2`. It parses back by [`FromStr`].
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Basic => "basic",
            Self::DigestRfc2069 => "digest-rfc2069",
            Self::DigestMd5 => "digest-md5",
            Self::DigestSha2 => "digest-sha2",
        }
    }

    /// The strength of Digest with a hash function, with or without a qop.
    pub(super) const fn of(hash: HashFunction, has_qop: bool) -> Self {
        match hash {
            _ if !has_qop => Self::DigestRfc2069,
            #[cfg(feature = "md5")]
            HashFunction::Md5 => Self::DigestMd5,
            HashFunction::Sha256 | HashFunction::Sha512_256 => Self::DigestSha2,
        }
    }
}

/// The rank of a hash function; a stronger one has a higher rank.
pub(super) const fn hash_rank(hash: HashFunction) -> u8 {
    match hash {
        #[cfg(feature = "md5")]
        HashFunction::Md5 => 0,
        HashFunction::Sha256 => 1,
        HashFunction::Sha512_256 => 2,
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for text that is not the name of a [`Strength`].
///
/// The text may have been stored by a newer version of this crate that knows more strengths. Refuse
/// to log in rather than treat it as [`Strength::Nothing`], which would allow a downgrade.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct UnknownStrength;

impl fmt::Display for UnknownStrength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the name of a strength that this version knows")
    }
}

impl Error for UnknownStrength {}

/// Parses the output of [`as_str`](Strength::as_str), case-sensitively.
impl FromStr for Strength {
    type Err = UnknownStrength;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|strength| strength.as_str() == text)
            .ok_or(UnknownStrength)
    }
}
