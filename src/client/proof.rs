//! What a server proves about itself.

use core::error::Error;
use core::fmt;

use crate::error::HeaderError;

/// What a server proved about itself.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProof {
    /// It gave no proof.
    Absent,
    /// It said something that cannot be read. No more is known of it than without that.
    Unreadable,
    /// It gave one over a body that is not known, so it could not be checked.
    Unchecked,
    /// It gave one that is wrong, which
    /// [`ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) lets pass: no more is
    /// known of it than without one.
    Wrong,
    /// It knows the secret, too.
    Valid,
}

/// A server's proof that does not hold.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProofError {
    /// The header could not be read, and [`require_server_proof`](super::Policy::require_server_proof)
    /// wants a proof.
    Header(HeaderError),
    /// `rspauth`, `qop`, `cnonce` or `nc` does not match this request and the secret.
    /// [`ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) goes on all the same.
    Wrong,
    /// There is no proof, or none that can be checked, as
    /// [`require_server_proof`](super::Policy::require_server_proof) wants.
    Missing,
}

impl fmt::Display for ServerProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(error) => error.fmt(f),
            Self::Wrong => f.write_str(
                "the server's proof is wrong (Policy::ignore_wrong_server_proof lets it pass)",
            ),
            Self::Missing => f.write_str(
                "the server gave no proof that could be checked (Policy::require_server_proof)",
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
