//! Digest, as the data speak of it.

use countersign::digest::{Algorithm, BodyHasher, Ha1, HashFunction, HexDigest, Qop, QopSet};
use countersign::wire::{DigestCredentials, QopParams, ha2, response};
use countersign::{HeaderError, RawChallenge, Target, raw_challenges};
use serde_json::Value;

/// The algorithm a row names, or MD5 if it names none. None if that is an MD5 algorithm and the
/// library was built without.
pub fn algorithm(name: &Value) -> Option<Algorithm> {
    let name = name.as_str().unwrap_or("MD5");
    let algorithm = name.parse();
    if !cfg!(feature = "md5") && is_md5(name) {
        assert!(algorithm.is_err(), "{name} without the feature");
        return None;
    }
    Some(algorithm.unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// Whether a challenge, or credentials, were refused because they need MD5 and the library was
/// built without.
pub fn lacks_md5(error: &HeaderError, refused: &[u8]) -> bool {
    !cfg!(feature = "md5")
        && error.to_string() == "parameter `algorithm` not supported"
        && needs_md5(refused)
}

/// Whether a challenge, or credentials, name an MD5 algorithm, or none.
fn needs_md5(value: &[u8]) -> bool {
    let Some(Ok(value)) = raw_challenges([value]).next() else {
        return false;
    };
    let name = value.param("algorithm");
    name.is_none_or(|name| name.to_str().is_ok_and(|name| is_md5(&name)))
}

/// The algorithm of a challenge, whatever else may be wrong with it; none if we do not speak it.
pub fn named_algorithm(challenge: &RawChallenge<'_>) -> Option<Algorithm> {
    match challenge.param("algorithm") {
        Some(name) => name.to_str().ok()?.parse().ok(),
        None => "MD5".parse().ok(),
    }
}

fn is_md5(name: &str) -> bool {
    ["MD5", "MD5-sess"]
        .iter()
        .any(|md5| name.eq_ignore_ascii_case(md5))
}

pub fn qop_set(auth: bool, auth_int: bool) -> QopSet {
    match (auth, auth_int) {
        (false, false) => QopSet::NONE,
        (true, false) => QopSet::AUTH,
        (false, true) => QopSet::AUTH_INT,
        (true, true) => QopSet::BOTH,
    }
}

/// The number of hexadecimal digits of a hash.
pub fn hex_len(hash: HashFunction) -> usize {
    BodyHasher::new(hash).finish().as_str().len()
}

/// What the algorithm keys the response with.
pub fn key(algorithm: Algorithm, ha1: &Ha1, nonce: &[u8], cnonce: &[u8]) -> Ha1 {
    if algorithm.is_sess() {
        ha1.session_key(nonce, cnonce)
    } else {
        ha1.clone()
    }
}

/// The hash of `body`, if a response of this protection covers it.
pub fn body_hash(
    algorithm: Algorithm,
    protection: Option<&QopParams<'_>>,
    body: &[u8],
) -> Option<HexDigest> {
    let covered = protection.is_some_and(|protection| protection.qop() == Qop::AuthInt);
    covered.then(|| {
        let mut hasher = BodyHasher::new(algorithm.hash_function());
        hasher.update(body);
        hasher.finish()
    })
}

/// The server's proof (RFC 7616, section 3.5): a response with an empty method.
pub fn rspauth(
    key: &Ha1,
    nonce: &[u8],
    protection: Option<&QopParams<'_>>,
    uri: &[u8],
    body: Option<&HexDigest>,
) -> HexDigest {
    let ha2 = ha2(key.hash_function(), "", uri, body);
    response(key, nonce, protection, &ha2)
}

/// The proof for these credentials, and a response with this body.
pub fn proof_for(credentials: &DigestCredentials<'_>, ha1: &Ha1, page: &[u8]) -> HexDigest {
    let (algorithm, protection) = (credentials.algorithm(), credentials.qop_params);
    let cnonce = protection.map(|it| it.cnonce().to_bytes().into_owned());
    let nonce = credentials.nonce.to_bytes();
    let key = key(algorithm, ha1, &nonce, &cnonce.unwrap_or_default());
    let body = body_hash(algorithm, protection.as_ref(), page);
    let uri = credentials.uri.to_bytes();
    rspauth(&key, &nonce, protection.as_ref(), &uri, body.as_ref())
}

/// Whether the response is the one that this user gives for this request, or for another with the
/// same method and body: some clients hash another `uri` than they request.
pub fn verifies(
    credentials: &DigestCredentials<'_>,
    [username, realm, password]: [&[u8]; 3],
    target: &Target<'_>,
) -> bool {
    let ha1 = Ha1::new(
        credentials.algorithm().hash_function(),
        username,
        realm,
        password,
    );
    let uri = credentials.uri.to_bytes();
    let target = Target::new(target.method, &*uri).with_body(target.body);
    credentials.expected_response(&ha1, &target) == Some(credentials.response)
}
