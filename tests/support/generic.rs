//! Challenges and credentials without their meaning, as the vectors write them.

use countersign::RawChallenge;
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
