//! What a server proves about itself.

use core::error::Error;
use core::fmt;

use crate::client::answer::Answer;
use crate::digest::Credentials;
use crate::error::HeaderError;
use crate::info::AuthenticationInfo;
use crate::target::Body;

/// What a server proved about itself.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProof {
    /// It gave no proof.
    Absent,
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
    /// The header could not be read.
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

impl Answer {
    /// Checks what the server says of itself.
    pub(super) fn check(
        &self,
        credentials: &Credentials<'_>,
        info: &AuthenticationInfo<'_>,
        body: Body<'_>,
    ) -> Result<ServerProof, ServerProofError> {
        if info.rspauth().is_none() {
            return Ok(ServerProof::Absent);
        }
        let protection = credentials.protection();
        let (qop, cnonce, nc) = match &protection {
            Some(p) => (Some(p.qop()), Some(p.cnonce()), Some(p.nc())),
            None => (None, None, None),
        };
        if (info.qop().is_some() && info.qop() != qop)
            || (info.cnonce().is_some() && info.cnonce() != cnonce)
            || (info.nc().is_some() && info.nc() != nc)
        {
            return Err(ServerProofError::Wrong);
        }
        let key = self.ha1.as_ref().and_then(|ha1| credentials.key(ha1));
        let key = key.ok_or(ServerProofError::Wrong)?;
        match credentials.rspauth(&key, !self.overview_form, body) {
            None => Ok(ServerProof::Unchecked),
            Some(rspauth) if info.proves(&rspauth) => Ok(ServerProof::Valid),
            Some(_) => Err(ServerProofError::Wrong),
        }
    }
}
