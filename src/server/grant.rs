//! A request that may go on.

use alloc::string::String;

use crate::digest::{Algorithm, Qop, User};
use crate::info::AuthenticationInfo;
use crate::server::Server;
use crate::server::nonce::{Nonce, NonceId};
use crate::server::proof::Proof;
use crate::server::uri::UriCheck;
use crate::syntax::Text;
use crate::target::Body;

/// A request that may go on.
#[derive(Clone, Debug)]
#[must_use]
pub struct Grant<'a>(Proof<'a>);

impl<'a> Grant<'a> {
    #[inline]
    pub(super) const fn new(proof: Proof<'a>) -> Self {
        Self(proof)
    }

    /// The user's name as the request spelled it. No response covers the spelling: where the store
    /// takes several for one account, authorise by the account it found, not by this.
    pub fn user(&self) -> User<'_> {
        self.0.claimed.user()
    }

    /// The algorithm of the response; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.0.claimed.algorithm()
    }

    /// What the response covers; `None` for Basic and for the form of RFC 2069, which covers the
    /// request line but no count.
    pub fn qop(&self) -> Option<Qop> {
        self.0.digest()?.credentials.qop()
    }

    /// Whether the response covers the nonce count, so that a captured header is worth nothing
    /// more. Not so for Basic, RFC 2069 and the overview form.
    pub fn is_counted(&self) -> bool {
        self.0.counted
    }

    /// The strictest check that the `uri` parameter passes; [`UriCheck::Unchecked`] for Basic,
    /// which covers no request at all.
    pub fn uri_match(&self) -> UriCheck {
        self.0
            .digest()
            .map_or(UriCheck::Unchecked, |claim| claim.uri_match)
    }

    /// Whether its nonce is good for no other request.
    pub(super) fn uses_up_nonce(&self) -> bool {
        self.0.is_single_use()
    }

    pub(super) fn nonce(&self) -> Option<NonceId> {
        self.0.digest().map(|claim| claim.nonce)
    }

    /// The `Authentication-Info` value for the response, whatever its status, with a nonce to use
    /// next if there is one. `body` is the response's; only `qop=auth-int` looks at it.
    ///
    /// `None` if there is nothing to say: for Basic, and without a next nonce also for RFC 2069,
    /// and where the proof would cover a body that is not known.
    ///
    /// It may also be sent in a trailer section (RFC 7615, section 3). Over a cleartext channel it
    /// shows listeners that the request was authenticated (section 5).
    pub fn info(&self, next: Option<&Nonce>, body: Body<'_>) -> Option<String> {
        let Proof { key, counted, .. } = &self.0;
        let credentials = &self.0.digest()?.credentials;
        let mut info = AuthenticationInfo::new();
        if let Some(next) = next {
            info = info.with_nextnonce(Text::literal(next.as_str().as_bytes()));
        }
        let protection = credentials.protection();
        let key = key.as_ref().filter(|_| protection.is_some());
        let rspauth = key.and_then(|key| credentials.rspauth(key, *counted, body));
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
        self.0.server
    }
}
