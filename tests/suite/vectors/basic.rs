//! Basic credentials against `tests/vectors/basic.json`.

use countersign::Authorization;
use countersign::wire::basic_credentials;
use serde_json::Value;

use crate::support::tally::{self, Outcome};
use crate::support::vectors::{bytes, hex};

#[test]
fn basic_vectors() {
    tally::every_row("basic", [70, 4], &[], check);
}

fn check(row: &Value) -> Outcome {
    match row["direction"].as_str() {
        Some("decode") => decode(row),
        Some("encode") => encode(row),
        Some("both") => {
            encode(row);
            decode(row)
        }
        _ => panic!("unknown direction"),
    }
}

fn decode(row: &Value) -> Outcome {
    let value = bytes(row, "credentials").expect("credentials");
    let read = match Authorization::parse(&value) {
        Ok(Authorization::Basic(pair)) => Some(pair),
        _ => None,
    };
    let (read, outcome) = match (read, row["expect"] == "ok") {
        (None, false) => return Outcome::Strict,
        (None, true) => panic!("refused"),
        (Some(read), true) => (read, Outcome::Strict),
        (Some(read), false) if row["lenient_expect"] == "ok" => (read, Outcome::Tolerant),
        (Some(_), false) => panic!("accepted"),
    };
    let field = |name: &str| {
        let lenient = &row[format!("lenient_{name}")];
        hex(if outcome == Outcome::Tolerant && !lenient.is_null() {
            lenient
        } else {
            &row[name]
        })
    };
    let [username, password] = ["user_bytes", "pass_bytes"].map(field);
    assert_eq!(read.username(), username, "user name");
    assert_eq!(read.password(), password, "password");
    assert!(read.matches(&username, &password));
    assert!(!read.matches(&username, "another") && !read.matches("another", &password));
    outcome
}

fn encode(row: &Value) -> Outcome {
    let [username, password] = ["user_bytes", "pass_bytes"].map(|name| hex(&row[name]));
    match (basic_credentials(username, password), row["expect"] == "ok") {
        (Ok(written), true) => assert_eq!(row["credentials"], written.to_str().unwrap()),
        (Err(_), false) => {}
        (written, _) => panic!("written: {written:?}"),
    }
    Outcome::Strict
}
