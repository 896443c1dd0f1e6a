//! The server's proof that it knows the secret.

use core::error::Error;
use core::fmt;

use crate::error::HeaderError;

/// Whether a server proved that it knows the secret, by `rspauth` in `Authentication-Info` (RFC
/// 7616, section 3.5). Only [`Valid`](Self::Valid) rules out an impostor.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProof {
    /// There was no proof.
    Absent,
    /// `Authentication-Info` could not be parsed. This is no better than no proof.
    Unreadable,
    /// The proof covers the body (`qop=auth-int`), which was passed as
    /// [`EntityBody::Unknown`](crate::EntityBody::Unknown), so it could not be checked.
    Unchecked,
    /// The proof is wrong, and
    /// [`ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) allows that. This is
    /// no better than no proof.
    Wrong,
    /// The server knows the secret.
    Valid,
}

/// A server's proof that is wrong, or missing although it is required.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProofError {
    /// `Authentication-Info` could not be parsed, and
    /// [`require_server_proof`](super::Policy::require_server_proof) requires a proof.
    Header(HeaderError),
    /// `rspauth`, `qop`, `cnonce` or `nc` does not match the request and the secret.
    /// [`ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) would allow it.
    Wrong,
    /// There is no proof that could be checked, and
    /// [`require_server_proof`](super::Policy::require_server_proof) requires one.
    Missing,
}

impl fmt::Display for ServerProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => error.fmt(f),
            Self::Wrong => f.write_str(
                "the server's proof is wrong (Policy::ignore_wrong_server_proof would allow it)",
            ),
            Self::Missing => f.write_str(
                "no checkable server proof, which Policy::require_server_proof requires",
            ),
        }
    }
}

impl Error for ServerProofError {}

impl From<HeaderError> for ServerProofError {
    fn from(error: HeaderError) -> Self {
        Self::Header(error)
    }
}
