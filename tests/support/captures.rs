//! Reads the recorded exchanges of `tests/captures/`.

use countersign::{RawChallenge, Text, raw_challenges};
use serde_json::Value;

/// All entries of `tests/captures/{file}.json`.
pub fn load(file: &str) -> Vec<Value> {
    super::read("captures", file.trim_end_matches(".json"))
}

/// The octets of a recorded field value, which is written with one character an octet.
pub fn octets(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a string");
    text.chars()
        .map(|c| u8::try_from(c).expect("a character below U+0100"))
        .collect()
}

/// One recording, in octets.
pub struct Exchange {
    pub challenges: Vec<Vec<u8>>,
    pub authorization: Vec<u8>,
    pub info: Vec<Vec<u8>>,
    pub method: String,
    pub uri: String,
    pub body: String,
    pub username: Vec<u8>,
    pub password: Vec<u8>,
}

impl Exchange {
    pub fn of(row: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let values = |value: &Value| {
            let values = value.as_array().into_iter().flatten();
            values.map(octets).collect()
        };
        // Names and passwords stand as text, and went out in this or that charset.
        let is_latin1 = row["notes"].as_str().is_some_and(|n| n.contains("latin-1"));
        let encoded = |value: &Value| match is_latin1 {
            true => octets(value),
            false => text(value).into_bytes(),
        };
        Self {
            challenges: values(&row["challenge"]),
            authorization: octets(&row["authorization"]),
            info: values(&row["authentication_info"]),
            method: text(&row["method"]),
            uri: text(&row["request_line"]).split(' ').nth(1).unwrap().into(),
            body: text(&row["body"]),
            username: encoded(&row["username"]),
            password: encoded(&row["password"]),
        }
    }

    /// Every challenge; a value must have one and no fault.
    pub fn challenges(&self) -> Vec<RawChallenge<'_>> {
        let mut all = Vec::new();
        for value in &self.challenges {
            let before = all.len();
            all.extend(raw_challenges([value]).map(|one| one.expect("a challenge")));
            assert!(all.len() > before, "no challenge");
        }
        all
    }
}

/// Whether a challenge has it. There may be two, to see which one a client takes.
pub fn has_nonce(challenge: &RawChallenge<'_>, nonce: Text<'_>) -> bool {
    let mut params = challenge.params();
    params.any(|(name, value)| name.eq_ignore_ascii_case("nonce") && value == nonce)
}
