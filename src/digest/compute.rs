//! The formulas of RFC 7616, sections 3.4 and 3.5. HA1 is computed in `ha1.rs`.

use crate::digest::ha1::{Ha1, HashInput};
use crate::digest::qop::QopParams;
use crate::hash::{HashFunction, Hasher, HexDigest};

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
    Hasher::hash(hash, &[&username.bytes(), &realm.bytes()])
}

// A2 = Method ":" request-uri [ ":" H(entity-body) ]
/// Computes HA2 (RFC 7616, section 3.4.3): `H(method:uri)`, or `H(method:uri:H(body))` for
/// `qop=auth-int`, where `body` is the hash of the body.
pub fn ha2<M, U>(hash: HashFunction, method: M, uri: U, body: Option<&HexDigest>) -> HexDigest
where
    M: HashInput,
    U: HashInput,
{
    let (method, uri) = (&*method.bytes(), &*uri.bytes());
    match body {
        None => Hasher::hash(hash, &[method, uri]),
        Some(body) => Hasher::hash(hash, &[method, uri, body.as_bytes()]),
    }
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
/// from the response of the client in HA2 alone: its method is empty. A clone continues after what
/// was added so far, such as `key:nonce:`, which all responses with one key and nonce share.
#[derive(Clone)]
pub(crate) struct Kd(Hasher);

impl Kd {
    /// Begins with `key:nonce:`.
    pub(crate) fn new<N: HashInput>(key: &Ha1, nonce: N) -> Self {
        let mut hasher = Hasher::new(key.hash_function());
        hasher.joined(&[key.digest().as_bytes(), &nonce.bytes(), b""]);
        Self(hasher)
    }

    /// Adds `nc:cnonce:qop:`. RFC 2069, section 2.1.2, has none: KD(H(A1), nonce ":" H(A2)).
    pub(crate) fn cover(&mut self, qop_params: Option<&QopParams<'_>>) -> &mut Self {
        if let Some(qop_params) = qop_params {
            let QopParams {
                nc_text,
                cnonce,
                qop_text,
                ..
            } = qop_params;
            let (nc, cnonce, qop) = (nc_text.to_bytes(), cnonce.to_bytes(), qop_text.to_bytes());
            self.0.joined(&[&nc, &cnonce, &qop, b""]);
        }
        self
    }

    pub(crate) fn finish(&mut self, ha2: &HexDigest) -> HexDigest {
        self.0.bytes(ha2.as_bytes()).finish()
    }
}
