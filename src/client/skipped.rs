//! Why a challenge was not answered.

use core::fmt;

use crate::error::HeaderError;

/// Why a challenge was not answered.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Skipped {
    /// It could not be read, or asks for an algorithm or a qop that is not supported.
    Header(HeaderError),
    /// Its scheme is neither Basic nor Digest.
    UnknownScheme,
    /// Basic, refused by [`without_basic`](super::Policy::without_basic).
    Basic,
    /// Basic over a cleartext channel, which takes [`with_cleartext_basic`](super::Policy::with_cleartext_basic).
    CleartextBasic,
    /// A hash weaker than [`with_floor`](super::Policy::with_floor).
    WeakAlgorithm,
    /// Another hash than that of [`require_hash`](super::Policy::require_hash).
    OtherHash,
    /// A `-sess` algorithm, refused by [`without_sessions`](super::Policy::without_sessions), or
    /// without a qop to go with.
    SessionAlgorithm,
    /// No qop: the form of RFC 2069, which takes [`with_rfc2069`](super::Policy::with_rfc2069).
    Rfc2069,
    /// No `auth-int`, which [`require_auth_int`](super::Policy::require_auth_int) wants.
    NoAuthInt,
    /// A form in which no server can prove itself, as
    /// [`require_server_proof`](super::Policy::require_server_proof) wants.
    Unproven,
    /// Weaker than what this origin took before: see [`Pin`](super::Pin).
    WeakerThanPin,
}

impl From<HeaderError> for Skipped {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => return error.fmt(f),
            Self::UnknownScheme => "unknown scheme",
            Self::Basic => "Basic is not allowed",
            Self::CleartextBasic => "Basic over a cleartext channel is not allowed",
            Self::WeakAlgorithm => "algorithm weaker than allowed",
            Self::OtherHash => "algorithm of another hash than the one required",
            Self::SessionAlgorithm => "session algorithm not allowed or without a qop",
            Self::Rfc2069 => "challenge without a qop (RFC 2069) is not allowed",
            Self::NoAuthInt => "no qop that covers the body",
            Self::Unproven => "no way for the server to prove itself",
            Self::WeakerThanPin => "weaker than what this origin took before",
        }
        .fmt(f)
    }
}
