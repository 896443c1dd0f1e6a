//! Challenges and credentials as the vectors write them.

use countersign::RawChallenge;
use countersign::digest::Qop;
use countersign::wire::DigestChallenge;
use serde_json::{Value, json};

use super::vectors::written;

/// `{"scheme": .., "params": [..]}`, or with `"token68"`.
pub fn challenge(challenge: &RawChallenge<'_>) -> Value {
    match challenge.token68() {
        Some(token68) => json!({ "scheme": challenge.scheme_name(), "token68": token68 }),
        None => json!({ "scheme": challenge.scheme_name(), "params": params(challenge) }),
    }
}

/// `[[name, value], ..]`, names as written, values unescaped.
pub fn params(challenge: &RawChallenge<'_>) -> Value {
    let params = challenge.params();
    params
        .map(|(name, value)| json!([name, written(value.to_bytes())]))
        .collect()
}

/// What a Digest challenge means.
pub fn digest_challenge(digest: &DigestChallenge<'_>) -> Value {
    let qop = [Qop::Auth, Qop::AuthInt].into_iter();
    let qop = qop
        .filter(|&qop| digest.qop.contains(qop))
        .map(|qop| qop.to_string());
    let qop: Vec<_> = qop.collect();
    json!({
        "realm": written(digest.realm.to_bytes()),
        "nonce": written(digest.nonce.to_bytes()),
        "algorithm": digest.algorithm().as_str(),
        "qop": (!qop.is_empty()).then_some(qop),
        "stale": digest.stale,
        "opaque": digest.opaque.map(|opaque| written(opaque.to_bytes())),
    })
}
