//! A request that may go on.

use alloc::string::String;

use crate::digest::{Algorithm, HexDigest, Qop, User, ha2, kd};
use crate::info::AuthenticationInfo;
use crate::server::Server;
use crate::server::nonce::{Nonce, NonceId};
use crate::server::proof::{DigestProof, Known};
use crate::server::uri::UriCheck;
use crate::syntax::Text;
use crate::target::Body;

/// A request that may go on.
#[derive(Clone, Debug)]
pub struct Grant<'a> {
    server: &'a Server,
    known: Known<'a>,
}

impl<'a> Grant<'a> {
    pub(super) const fn new(server: &'a Server, known: Known<'a>) -> Self {
        Self { server, known }
    }

    const fn digest(&self) -> Option<&DigestProof<'a>> {
        match &self.known {
            Known::Basic(_) => None,
            Known::Digest(proof) => Some(proof),
        }
    }

    /// Who sent it.
    pub fn user(&self) -> User<'_> {
        match &self.known {
            Known::Basic(pair) => User::from_octets(pair.username().into()),
            Known::Digest(proof) => proof.credentials.user(),
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

    pub(super) fn nonce(&self) -> Option<NonceId> {
        self.digest().map(|proof| proof.nonce)
    }

    /// The `Authentication-Info` value for the response, whatever its status, with a nonce to use
    /// next if there is one. `body` is the response's; only `qop=auth-int` looks at it.
    ///
    /// `None` if there is nothing to say: for Basic, and without a next nonce also for RFC 2069,
    /// and where the proof would cover a body that is not known.
    ///
    /// Before a trailer section is over, the value may as well go there (RFC 7615, section 3).
    pub fn info(&self, next: Option<&Nonce>, body: Body<'_>) -> Option<String> {
        let proof = self.digest()?;
        let mut info = AuthenticationInfo::new();
        if let Some(next) = next {
            info = info.with_nextnonce(Text::literal(next.as_str().as_bytes()));
        }
        let protection = proof.credentials.protection();
        let rspauth = rspauth(proof, body);
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

/// The server's proof, in the form the client used.
fn rspauth(proof: &DigestProof<'_>, body: Body<'_>) -> Option<HexDigest> {
    let credentials = &proof.credentials;
    let protection = credentials.protection()?;
    let hash = proof.key.hash();
    let body = match protection.qop() {
        Qop::Auth => None,
        Qop::AuthInt => Some(body.hash(hash)?),
    };
    let uri = credentials.uri().to_bytes();
    let ha2 = ha2(hash, "", uri, body.as_ref());
    let protection = Some(&protection).filter(|_| proof.counted);
    Some(kd(&proof.key, credentials.nonce(), protection, &ha2))
}
