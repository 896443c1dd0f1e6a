//! The formulas of RFC 7616, section 3.4, each written once.

use crate::digest::ha1::Ha1;
use crate::digest::hash_input::HashInput;
use crate::digest::qop_params::QopParams;
use crate::hash::{HashFunction, Hasher, HexDigest, Prefix};
use crate::syntax::Text;
use crate::target::Target;

// unq(username) ":" unq(realm)
/// `H(username:realm)`: what stands for the user name where `userhash=true` (RFC 7616, section
/// 3.4.4). A store that keeps it for each user finds users by it.
///
/// ```
/// use countersign::digest::{HashFunction, userhash};
///
/// // RFC 7616, section 3.9.2, with erratum 4897
/// let hash = userhash(HashFunction::Sha512_256, "Jäsøn Doe", "api@example.org");
/// assert!(hash.as_str().starts_with("793263caabb707a56211940d90411ea4"));
/// ```
pub fn userhash<U, R>(hash: HashFunction, username: U, realm: R) -> HexDigest
where
    U: HashInput,
    R: HashInput,
{
    let mut hasher = Hasher::new(hash);
    hasher.text(username.text()).colon();
    hasher.text(realm.text());
    hasher.finish()
}

// A2 = Method ":" request-uri [ ":" H(entity-body) ]
/// HA2 (RFC 7616, section 3.4.3): `H(method:uri)`, or `H(method:uri:H(body))` for
/// `qop=auth-int`, where `body` is the hash of the body.
pub fn ha2<M, U>(hash: HashFunction, method: M, uri: U, body: Option<&HexDigest>) -> HexDigest
where
    M: HashInput,
    U: HashInput,
{
    ha2_of(hash, method.text(), uri.text(), body)
}

/// The same, once for all types.
fn ha2_of(
    hash: HashFunction,
    method: Text<'_>,
    uri: Text<'_>,
    body: Option<&HexDigest>,
) -> HexDigest {
    let mut hasher = Hasher::new(hash);
    hasher.text(method).colon().text(uri);
    if let Some(body) = body {
        hasher.colon().hex(body);
    }
    hasher.finish()
}

/// HA2 of a request, with its `uri` parameter as the client spelled it; `None` if the qop covers
/// the body and that is not known.
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
/// The `response` value (RFC 7616, section 3.4.1).
///
/// `key` is HA1, or [`Ha1::session`] of it for a `-sess` algorithm. Without a protection it is
/// the form of RFC 2069: `H(HA1:nonce:HA2)`.
pub fn response<N>(
    key: &Ha1,
    nonce: N,
    protection: Option<&QopParams<'_>>,
    ha2: &HexDigest,
) -> HexDigest
where
    N: HashInput,
{
    kd(key, nonce.text(), protection, ha2)
}

/// The `rspauth` value, by which a server proves that it knows the secret, too (RFC 7616,
/// section 3.5): as the response, but with no method, and for `qop=auth-int` with the hash of the
/// response's body.
pub fn rspauth<N, U>(
    key: &Ha1,
    nonce: N,
    protection: Option<&QopParams<'_>>,
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
        protection,
        &ha2(key.hash_function(), "", uri, body),
    )
}

pub(crate) fn kd(
    key: &Ha1,
    nonce: Text<'_>,
    protection: Option<&QopParams<'_>>,
    ha2: &HexDigest,
) -> HexDigest {
    let mut hasher = Hasher::new(key.hash_function());
    write_key(&mut hasher, key, nonce);
    finish_kd(&mut hasher, protection, ha2)
}

/// What all responses with one key and nonce begin with, so that it is hashed once for all.
#[derive(Clone)]
pub(crate) struct Keyed(Prefix);

impl Keyed {
    pub(crate) fn new(key: &Ha1, nonce: Text<'_>) -> Self {
        Self(Prefix::of(key.hash_function(), |hasher| {
            write_key(hasher, key, nonce);
        }))
    }

    pub(crate) fn response(
        &self,
        protection: Option<&QopParams<'_>>,
        ha2: &HexDigest,
    ) -> HexDigest {
        finish_kd(&mut self.0.hasher(), protection, ha2)
    }
}

#[inline(always)]
fn write_key(hasher: &mut Hasher, key: &Ha1, nonce: Text<'_>) {
    hasher.hex(key.digest()).colon();
    hasher.text(nonce).colon();
}

#[inline(always)]
fn finish_kd(
    hasher: &mut Hasher,
    protection: Option<&QopParams<'_>>,
    ha2: &HexDigest,
) -> HexDigest {
    if let Some(protection) = protection {
        hasher.text(protection.nc_text).colon();
        hasher.text(protection.cnonce).colon();
        hasher.text(protection.qop_text).colon();
    }
    hasher.hex(ha2);
    hasher.finish()
}
