//! What the integration tests share: the recorded data and a second parser to compare with.
// None of it can be reached from outside.
#![allow(unreachable_pub)]

pub mod accounts;
pub mod captures;
pub mod client;
pub mod compare;
pub mod digest;
pub mod effort;
pub mod errors;
pub mod generate;
pub mod generic;
// What is measured uses all of it.
#[allow(dead_code)]
pub mod hostile;
pub mod naive;
pub mod pair;
pub mod round_trip;
pub mod server;
pub mod tally;
pub mod vectors;

use serde_json::Value;

/// A value of `Authorization` with Basic credentials.
pub fn basic_header(username: impl AsRef<[u8]>, password: impl AsRef<[u8]>) -> String {
    let value = countersign::wire::basic_credentials(username, password).expect("a fine pair");
    value.to_str().expect("base64").to_owned()
}

/// The entries of `tests/{folder}/{file}.json`.
///
/// To see a test fail, copy the folder, spoil the copy, and name it in `COUNTERSIGN_VECTORS` or
/// `COUNTERSIGN_CAPTURES`: then the copy is read.
fn read(folder: &str, file: &str) -> Vec<Value> {
    let folder = std::env::var(format!("COUNTERSIGN_{}", folder.to_uppercase()))
        .unwrap_or_else(|_| format!("{}/tests/{folder}", env!("CARGO_MANIFEST_DIR")));
    let path = format!("{folder}/{file}.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}
