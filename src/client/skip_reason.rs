//! Why a challenge was not answered.

use core::fmt;

use crate::error::HeaderError;

/// Why a challenge was not answered.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It could not be read, or asks for an algorithm or a qop that is not supported.
    Header(HeaderError),
    /// Its scheme is neither Basic nor Digest.
    UnknownScheme,
    /// Basic, refused by [`without_basic`](super::Policy::without_basic).
    Basic,
    /// Basic over a cleartext channel, which takes [`with_cleartext_basic`](super::Policy::with_cleartext_basic).
    CleartextBasic,
    /// A hash weaker than [`with_floor`](super::Policy::with_floor) or
    /// [`without_md5`](super::Policy::without_md5) allow.
    WeakAlgorithm,
    /// Another hash than that of [`require_hash`](super::Policy::require_hash).
    OtherHash,
    /// A `-sess` algorithm, refused by [`without_sess_algorithms`](super::Policy::without_sess_algorithms), or
    /// without a qop to go with.
    SessionAlgorithm,
    /// No qop: the form of RFC 2069, which takes [`with_rfc2069`](super::Policy::with_rfc2069).
    Rfc2069,
    /// No `auth-int`, which [`require_auth_int`](super::Policy::require_auth_int) wants.
    NoAuthInt,
    /// `auth-int` where the policy has the [uncounted form](super::Policy::with_uncounted_form), in
    /// which such an answer could be turned into one for another request. It takes a policy without
    /// that form.
    UncountedAuthInt,
    /// A form in which no server can prove itself, as
    /// [`require_server_proof`](super::Policy::require_server_proof) wants.
    Unproven,
    /// Weaker than what this server took before: see [`Strength`](super::Strength). It takes a client
    /// with another [strength](super::Client::with_strength).
    BelowStrength,
    /// Realm, nonce and opaque are longer than 4 KiB together. Most servers read no more than 8 KiB
    /// of a field, so they could not read the answer, which returns all three. Or the realm of a
    /// Basic challenge is.
    TooLong,
}

impl From<HeaderError> for SkipReason {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

/// The text names the setting that refused the challenge or would allow it, where there is one.
impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::UnknownScheme => "unknown scheme",
            Self::Basic => "Basic is not allowed (Policy::without_basic)",
            Self::CleartextBasic => {
                "Basic over a cleartext channel is not allowed (but by Policy::with_cleartext_basic)"
            }
            Self::WeakAlgorithm => {
                "algorithm weaker than allowed (Policy::with_floor or Policy::without_md5)"
            }
            Self::OtherHash => "algorithm of another hash than the one of Policy::require_hash",
            Self::SessionAlgorithm => {
                "session algorithm without a qop or not allowed (Policy::without_sess_algorithms)"
            }
            Self::Rfc2069 => {
                "challenge without a qop (RFC 2069) is not allowed (but by Policy::with_rfc2069)"
            }
            Self::NoAuthInt => "no qop that covers the body (Policy::require_auth_int)",
            Self::UncountedAuthInt => {
                "auth-int could be turned into another request in the uncounted form \
                 (Policy::with_uncounted_form)"
            }
            Self::Unproven => "no way for the server to prove itself (Policy::require_server_proof)",
            Self::BelowStrength => {
                "weaker than what this server took before (Client::with_strength)"
            }
            Self::TooLong => "realm, nonce and opaque too long to be returned",
        }
        .fmt(f)
    }
}
