//! The formulas of RFC 7616, sections 3.4 and 3.5. HA1 is computed in `ha1.rs`.

use crate::digest::ha1::{Ha1, HashInput};
use crate::digest::qop::QopParams;
use crate::hash::{HashFunction, Hasher, HexDigest, Prefix};
use crate::syntax::{Bytes, Text};
use crate::target::Target;

// unq(username) ":" unq(realm)
/// Computes `H(username:realm)`, which replaces the user name in credentials with `userhash=true`
/// (RFC 7616, section 3.4.4).
///
/// A server stores the value for each user and hash function, and looks a
/// [`User::Hash`](crate::digest::User::Hash) up among them.
pub fn userhash<U, R>(hash: HashFunction, username: U, realm: R) -> HexDigest
where
    U: HashInput,
    R: HashInput,
{
    let mut hasher = Hasher::new(hash);
    hasher.input(username.bytes()).colon();
    hasher.input(realm.bytes());
    hasher.finish()
}

// A2 = Method ":" request-uri [ ":" H(entity-body) ]
/// Computes HA2 (RFC 7616, section 3.4.3): `H(method:uri)`, or `H(method:uri:H(body))` for
/// `qop=auth-int`, where `body` is the hash of the body.
pub fn ha2<M, U>(hash: HashFunction, method: M, uri: U, body: Option<&HexDigest>) -> HexDigest
where
    M: HashInput,
    U: HashInput,
{
    ha2_of(hash, method.bytes(), uri.bytes(), body)
}

/// [`ha2`] without type parameters, so that it is compiled once.
fn ha2_of(
    hash: HashFunction,
    method: Bytes<'_>,
    uri: Bytes<'_>,
    body: Option<&HexDigest>,
) -> HexDigest {
    let mut hasher = Hasher::new(hash);
    hasher.input(method).colon().input(uri);
    if let Some(body) = body {
        hasher.colon().hex(body);
    }
    hasher.finish()
}

/// Computes HA2 of a request, with the `uri` parameter in place of `target.uri`. `None` if the body
/// is covered, but unknown or hashed by another function.
pub(crate) fn request_ha2(
    hash: HashFunction,
    uri: Text<'_>,
    covers_body: bool,
    target: &Target<'_>,
) -> Option<HexDigest> {
    let body = if covers_body {
        Some(target.body.hash(hash)?)
    } else {
        None
    };
    Some(ha2(hash, target.method, uri, body.as_ref()))
}

// response = KD(H(A1), unq(nonce) ":" nc ":" unq(cnonce) ":" unq(qop) ":" H(A2))
/// Computes the `response` value (RFC 7616, section 3.4.1). `key` is HA1; for a `-sess` algorithm it
/// is [`Ha1::session_key`]. Without `qop_params` the result is the response of RFC 2069,
/// `H(key:nonce:HA2)`.
pub fn response<N>(
    key: &Ha1,
    nonce: N,
    qop_params: Option<&QopParams<'_>>,
    ha2: &HexDigest,
) -> HexDigest
where
    N: HashInput,
{
    Kd::new(key, nonce).cover(qop_params).finish(ha2)
}

/// The computation of a response, or of the server's proof (RFC 7616, section 3.5), which differs
/// from the response of the client in HA2 alone: its method is empty.
pub(crate) struct Kd(Hasher);

impl Kd {
    /// Begins with `key:nonce:`.
    pub(crate) fn new<N: HashInput>(key: &Ha1, nonce: N) -> Self {
        let mut hasher = Hasher::new(key.hash_function());
        hasher.hex(key.digest()).colon();
        hasher.input(nonce.bytes()).colon();
        Self(hasher)
    }

    /// Adds `nc:cnonce:qop:`. RFC 2069, section 2.1.2, has none: KD(H(A1), nonce ":" H(A2)).
    pub(crate) fn cover(&mut self, qop_params: Option<&QopParams<'_>>) -> &mut Self {
        if let Some(qop_params) = qop_params {
            let Self(hasher) = self;
            hasher.input(qop_params.nc_text.bytes()).colon();
            hasher.input(qop_params.cnonce.bytes()).colon();
            hasher.input(qop_params.qop_text.bytes()).colon();
        }
        self
    }

    /// What was added so far.
    pub(crate) fn begun(&mut self) -> Begun {
        Begun(self.0.prefix())
    }

    pub(crate) fn finish(&mut self, ha2: &HexDigest) -> HexDigest {
        self.0.hex(ha2).finish()
    }
}

/// The hash state after `key:nonce:`, which all responses with one key and nonce share, or after
/// `key:nonce:nc:cnonce:qop:`, which a response and the proof for it share. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct Begun(Prefix);

impl Begun {
    pub(crate) fn go_on(&self) -> Kd {
        Kd(self.0.hasher())
    }
}
