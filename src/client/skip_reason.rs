//! The reason why a client skips a challenge.

use core::fmt;

use crate::error::HeaderError;

/// The reason why a client skips a challenge instead of answering it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It could not be parsed, or its algorithm or qop is not supported.
    Header(HeaderError),
    /// Its scheme is neither Basic nor Digest.
    UnknownScheme,
    /// Basic, which [`without_basic`](super::Policy::without_basic) refuses.
    Basic,
    /// Basic over a cleartext channel, which only
    /// [`with_cleartext_basic`](super::Policy::with_cleartext_basic) allows.
    CleartextBasic,
    /// A hash function weaker than [`with_floor`](super::Policy::with_floor) or
    /// [`without_md5`](super::Policy::without_md5) allows.
    WeakAlgorithm,
    /// A hash function other than that of [`require_hash`](super::Policy::require_hash).
    OtherHash,
    /// A `-sess` algorithm, which
    /// [`without_sess_algorithms`](super::Policy::without_sess_algorithms) refuses, or one without
    /// the qop that it needs.
    SessionAlgorithm,
    /// No qop (RFC 2069), which only [`with_rfc2069`](super::Policy::with_rfc2069) allows.
    Rfc2069,
    /// Basic, or Digest without `auth-int`, which
    /// [`require_auth_int`](super::Policy::require_auth_int) requires.
    NoAuthInt,
    /// The policy has the [uncounted form](super::Policy::with_uncounted_form), and the challenge
    /// offers no qop except `auth-int`, or the policy requires it. In that form a captured answer
    /// with `auth-int` could be valid for another request, too.
    UncountedAuthInt,
    /// Basic, RFC 2069 or the [uncounted form](super::Policy::with_uncounted_form), with which a
    /// server cannot prove that it knows the secret now, although
    /// [`require_server_proof`](super::Policy::require_server_proof) requires it.
    NoServerProof,
    /// Weaker than what this realm accepted earlier with a valid proof, or than
    /// [`with_strength`](super::Client::with_strength) requires. This may be a downgrade attack, so
    /// it is checked before the policy. See [`Strength`](super::Strength) for how to recover.
    BelowStrength,
    /// The realm, nonce and opaque together, or the realm of a Basic challenge, are longer than 4
    /// KiB. A Digest answer repeats all three, and most servers read no more than 8 KiB of a field.
    TooLong,
}

impl From<HeaderError> for SkipReason {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

/// Names the setting, if any, that refused the challenge or that is needed to allow it. Of several
/// reasons a challenge has the first one found.
impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::UnknownScheme => "unknown scheme",
            Self::Basic => "Basic is refused by Policy::without_basic",
            Self::CleartextBasic => {
                "Basic over a cleartext channel without Policy::with_cleartext_basic"
            }
            Self::WeakAlgorithm => {
                "hash function weaker than Policy::with_floor or Policy::without_md5 allows"
            }
            Self::OtherHash => "hash function other than that of Policy::require_hash",
            Self::SessionAlgorithm => {
                "session algorithm without a qop, or refused by Policy::without_sess_algorithms"
            }
            Self::Rfc2069 => "no qop (RFC 2069) without Policy::with_rfc2069",
            Self::NoAuthInt => "no auth-int, which Policy::require_auth_int requires",
            Self::UncountedAuthInt => {
                "auth-int is not safe in the uncounted form of Policy::with_uncounted_form"
            }
            Self::NoServerProof => {
                "in this form no proof shows that the server knows the secret now \
                 (Policy::require_server_proof requires one)"
            }
            Self::BelowStrength => {
                "weaker than this realm accepted before, or than Client::with_strength requires"
            }
            Self::TooLong => "the realm, with nonce and opaque in Digest, is longer than 4 KiB",
        }
        .fmt(f)
    }
}
