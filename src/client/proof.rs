//! The server's proof that it knows the secret.

use core::error::Error;
use core::fmt;

use crate::client::sent::Sent;
use crate::digest::{Qop, QopParams, nc_digits, rspauth};
use crate::error::HeaderError;
use crate::header::AuthenticationInfo;
use crate::syntax::Text;
use crate::target::EntityBody;

/// Whether a server proved that it knows the secret, by `rspauth` in `Authentication-Info` (RFC
/// 7616, section 3.5). Without [`Valid`](Self::Valid), the response may be from anybody, as far as
/// this shows: over TLS, the certificate tells who the server is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProof {
    /// There was no proof to check.
    Absent,
    /// `Authentication-Info` could not be parsed. Trust the response no more than one without a
    /// proof.
    Unreadable,
    /// The proof could not be checked, because it covers the body (`qop=auth-int`), which was
    /// passed as [`EntityBody::Unknown`] or hashed by another function.
    Unchecked,
    /// The proof is wrong, and
    /// [`ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) allows that. Trust
    /// the response no more than one without a proof.
    Wrong,
    /// A server that knows the secret has seen this request. Only with `qop=auth-int` does the
    /// proof cover the body, and it never covers the status and the other fields: on a cleartext
    /// channel, somebody in between may have changed what it does not cover.
    ///
    /// With [`with_rfc2069`](super::Policy::with_rfc2069) or
    /// [`with_uncounted_form`](super::Policy::with_uncounted_form), the proof may cover no cnonce,
    /// so an attacker may have captured it in an earlier response for the same nonce and
    /// request-target.
    Valid,
}

/// A server's proof that is wrong, or that is required and is missing or unreadable.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProofError {
    /// `Authentication-Info` could not be parsed, and
    /// [`require_server_proof`](super::Policy::require_server_proof) requires a proof.
    Header(HeaderError),
    /// `rspauth`, `qop`, `cnonce` or `nc` does not match the request and the secret.
    /// [`ignore_wrong_server_proof`](super::Policy::ignore_wrong_server_proof) would allow it.
    Wrong,
    /// There is no proof, or it could not be checked, and
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

impl Sent {
    /// Checks `rspauth` and the parameters that the server repeats against what was sent (RFC 7616,
    /// section 3.5).
    pub(super) fn check(
        &self,
        info: &AuthenticationInfo<'_>,
        uri: &[u8],
        body: EntityBody<'_>,
    ) -> Result<ServerProof, ServerProofError> {
        if info.rspauth.is_none() {
            return Ok(ServerProof::Absent);
        }
        let sent_qop = self.qop.as_ref();
        let qop = sent_qop.map(|sent| sent.qop);
        let echoes_cnonce =
            |text: Text<'_>| sent_qop.is_some_and(|sent| text == sent.cnonce.text());
        if info.qop.is_some_and(|echoed| Some(echoed) != qop)
            || info.cnonce.is_some_and(|echoed| !echoes_cnonce(echoed))
            || info
                .nc
                .is_some_and(|nc| sent_qop.is_none() || self.nc != nc)
        {
            return Err(ServerProofError::Wrong);
        }
        let body = match qop {
            Some(Qop::AuthInt) => match body.hash(self.algorithm.hash_function()) {
                None => return Ok(ServerProof::Unchecked),
                body => body,
            },
            _ => None,
        };
        let covered = sent_qop.filter(|sent| sent.is_covered);
        let nc = nc_digits(self.nc);
        let params = covered.map(|sent| {
            QopParams::from_parts(sent.qop, self.nc, Text::nc(&nc), sent.cnonce.text())
        });
        let nonce = self.nonce.as_bytes();
        let session = match sent_qop {
            Some(sent) if self.algorithm.is_sess() => {
                Some(self.ha1.session_key(nonce, sent.cnonce.text()))
            }
            _ => None,
        };
        let key = session.as_ref().unwrap_or(&self.ha1);
        match info.has_proof(&rspauth(key, nonce, params.as_ref(), uri, body.as_ref())) {
            true => Ok(ServerProof::Valid),
            false => Err(ServerProofError::Wrong),
        }
    }
}
