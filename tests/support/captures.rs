//! Reads the recorded exchanges of `tests/captures/`.

use serde_json::Value;

/// All entries of `tests/captures/{file}.json`.
pub fn load(file: &str) -> Vec<Value> {
    let path = format!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures/{}.json"),
        file.trim_end_matches(".json")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The octets of a recorded field value, which is written with one character an octet.
pub fn octets(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a string");
    text.chars()
        .map(|c| u8::try_from(c).expect("a character below U+0100"))
        .collect()
}
