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
    kd(key, nonce.bytes(), qop_params, ha2)
}

/// [`response`] without type parameters, so that it is compiled once.
fn kd(
    key: &Ha1,
    nonce: Bytes<'_>,
    qop_params: Option<&QopParams<'_>>,
    ha2: &HexDigest,
) -> HexDigest {
    let mut hasher = Hasher::new(key.hash_function());
    write_prefix(&mut hasher, key, nonce);
    finish_kd(&mut hasher, qop_params, ha2)
}

// The server does the same in `server/grant.rs`, and the client checks it in `client/exchange.rs`.
/// Computes the `rspauth` value, by which the server proves that it also knows the secret (RFC
/// 7616, section 3.5). It is computed like [`response`], but with an empty method. `body` is, for
/// `qop=auth-int`, the hash of the body of the HTTP response.
pub(crate) fn rspauth<N, U>(
    key: &Ha1,
    nonce: N,
    qop_params: Option<&QopParams<'_>>,
    uri: U,
    body: Option<&HexDigest>,
) -> HexDigest
where
    N: HashInput,
    U: HashInput,
{
    response(
        key,
        nonce,
        qop_params,
        &ha2(key.hash_function(), "", uri, body),
    )
}

/// The midstate of the prefix `key:nonce:`, which the responses with one key and nonce share.
#[derive(Clone)]
pub(crate) struct Keyed(Prefix);

impl Keyed {
    pub(crate) fn new(key: &Ha1, nonce: &[u8]) -> Self {
        Self(Prefix::of(key.hash_function(), |hasher| {
            write_prefix(hasher, key, Bytes::of(nonce));
        }))
    }

    pub(crate) fn response(
        &self,
        qop_params: Option<&QopParams<'_>>,
        ha2: &HexDigest,
    ) -> HexDigest {
        finish_kd(&mut self.0.hasher(), qop_params, ha2)
    }
}

fn write_prefix(hasher: &mut Hasher, key: &Ha1, nonce: Bytes<'_>) {
    hasher.hex(key.digest()).colon();
    hasher.input(nonce).colon();
}

fn finish_kd(
    hasher: &mut Hasher,
    qop_params: Option<&QopParams<'_>>,
    ha2: &HexDigest,
) -> HexDigest {
    // RFC 2069, section 2.1.2, has none: KD(H(A1), nonce ":" H(A2)).
    if let Some(qop_params) = qop_params {
        hasher.input(qop_params.nc_text.bytes()).colon();
        hasher.input(qop_params.cnonce.bytes()).colon();
        hasher.input(qop_params.qop_text.bytes()).colon();
    }
    hasher.hex(ha2);
    hasher.finish()
}
