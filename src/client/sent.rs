//! What an answer was made of, kept to judge what the server says to it.

use core::fmt;

use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::short::Short;
use crate::digest::{Algorithm, Challenge, Cnonce, Ha1, Qop, QopParams, rspauth};
use crate::header::AuthenticationInfo;
use crate::syntax::{Text, nc_digits};
use crate::target::EntityBody;

/// What a Digest answer was made of.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) ha1: Ha1,
    pub(super) realm: Short<64>,
    pub(super) nonce: Short<64>,
    pub(super) algorithm: Algorithm,
    /// `None` for the form of RFC 2069.
    pub(super) count: Option<Count>,
    pub(super) is_hashed_name: bool,
}

/// The qop, and what goes with it.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) qop: Qop,
    pub(super) nc: u32,
    pub(super) cnonce: Cnonce,
    /// The response covers it, as the uncounted form does not.
    pub(super) is_covered: bool,
}

impl Sent {
    /// Whether a challenge offers the algorithm, the qop and the form of user name that were sent.
    pub(super) fn is_offered_by(&self, challenge: &Challenge<'_>) -> bool {
        let offers_qop = match &self.count {
            Some(count) => challenge.qop().contains(count.qop),
            None => challenge.qop().is_empty(),
        };
        offers_qop
            && self.algorithm == challenge.algorithm()
            && (challenge.supports_userhash() || !self.is_hashed_name)
    }

    /// Checks what the server says of itself.
    pub(super) fn check(
        &self,
        info: &AuthenticationInfo<'_>,
        uri: &[u8],
        body: EntityBody<'_>,
    ) -> Result<ServerProof, ServerProofError> {
        if info.rspauth().is_none() {
            return Ok(ServerProof::Absent);
        }
        let count = self.count.as_ref();
        let qop = count.map(|count| count.qop);
        let echoes_cnonce = |text: Text<'_>| count.is_some_and(|c| text == c.cnonce.as_str());
        if info.qop().is_some_and(|echoed| Some(echoed) != qop)
            || info.cnonce().is_some_and(|echoed| !echoes_cnonce(echoed))
            || info.nc().is_some_and(|nc| count.is_none_or(|c| c.nc != nc))
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
        let covered = count.filter(|count| count.is_covered);
        let nc = nc_digits(covered.map_or(0, |count| count.nc));
        let protection = covered.map(|count| {
            QopParams::counted(count.qop, count.nc, Text::digits(&nc), count.cnonce.text())
        });
        let nonce = Text::literal(self.nonce.as_bytes());
        let session = match count {
            Some(count) if self.algorithm.is_sess() => {
                Some(self.ha1.session(nonce, count.cnonce.text()))
            }
            _ => None,
        };
        let key = session.as_ref().unwrap_or(&self.ha1);
        match info.proves(&rspauth(
            key,
            nonce,
            protection.as_ref(),
            uri,
            body.as_ref(),
        )) {
            true => Ok(ServerProof::Valid),
            false => Err(ServerProofError::Wrong),
        }
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sent(..)")
    }
}
