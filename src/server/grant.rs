//! A request that may go on.

use alloc::string::String;

use crate::digest::{Algorithm, Qop, User};
use crate::info::AuthenticationInfo;
use crate::server::Server;
use crate::server::nonce::{Nonce, NonceId};
use crate::server::proof::{DigestProof, Verified};
use crate::server::uri::UriCheck;
use crate::syntax::Text;
use crate::target::Body;

/// A request that may go on.
#[derive(Clone, Debug)]
#[must_use]
pub struct Grant<'a> {
    server: &'a Server,
    verified: Verified<'a>,
}

impl<'a> Grant<'a> {
    pub(super) const fn new(server: &'a Server, verified: Verified<'a>) -> Self {
        Self { server, verified }
    }

    const fn digest(&self) -> Option<&DigestProof<'a>> {
        match &self.verified {
            Verified::Basic(_) => None,
            Verified::Digest(proof) => Some(proof),
        }
    }

    /// Who sent it.
    pub fn user(&self) -> User<'_> {
        match &self.verified {
            Verified::Basic(pair) => User::from_octets(pair.username().into()),
            Verified::Digest(proof) => proof.credentials.user(),
        }
    }

    /// The algorithm of the response; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        match self.digest() {
            Some(proof) => Some(proof.credentials.algorithm()),
            None => None,
        }
    }

    /// What the response covers; `None` for Basic and for the form of RFC 2069, which covers the
    /// request line but no count.
    pub fn qop(&self) -> Option<Qop> {
        self.digest()?.credentials.qop()
    }

    /// Whether the response covers the nonce count, so that a captured header is worth nothing
    /// more. Not so for Basic, RFC 2069 and the overview form.
    pub fn is_counted(&self) -> bool {
        self.digest().is_some_and(|proof| proof.counted)
    }

    /// The strictest check that the `uri` parameter passes; [`UriCheck::Unchecked`] for Basic,
    /// which covers no request at all.
    pub fn uri_match(&self) -> UriCheck {
        self.digest()
            .map_or(UriCheck::Unchecked, |proof| proof.uri_match)
    }

    /// Whether its nonce is good for no other request.
    pub(super) fn uses_up_nonce(&self) -> bool {
        self.digest()
            .is_some_and(|proof| proof.is_single_use(self.server))
    }

    pub(super) fn nonce(&self) -> Option<NonceId> {
        self.digest().map(|proof| proof.nonce)
    }

    /// The `Authentication-Info` value for the response, whatever its status, with a nonce to use
    /// next if there is one. `body` is the response's; only `qop=auth-int` looks at it.
    ///
    /// `None` if there is nothing to say: for Basic, and without a next nonce also for RFC 2069,
    /// and where the proof would cover a body that is not known.
    ///
    /// It may also be sent in a trailer section (RFC 7615, section 3).
    pub fn info(&self, next: Option<&Nonce>, body: Body<'_>) -> Option<String> {
        let proof = self.digest()?;
        let mut info = AuthenticationInfo::new();
        if let Some(next) = next {
            info = info.with_nextnonce(Text::literal(next.as_str().as_bytes()));
        }
        let protection = proof.credentials.protection();
        let rspauth =
            protection.and_then(|_| proof.credentials.rspauth(&proof.key, proof.counted, body));
        if let (Some(protection), Some(rspauth)) = (&protection, &rspauth) {
            info = info.with_proof(rspauth, protection);
        }
        // All of it is ASCII but for a cnonce of the client's, which need not be UTF-8. Such a
        // client gets no proof rather than an altered one.
        String::from_utf8(info.to_bytes())
            .ok()
            .filter(|value| !value.is_empty())
    }

    /// The server this grant is of.
    pub const fn server(&self) -> &'a Server {
        self.server
    }
}
