//! `Authentication-Info` against `tests/vectors/authinfo.json`.

use countersign::digest::Ha1;
use countersign::wire::{AuthenticationInfo, QopParams};
use countersign::{HeaderError, raw_challenges};
use serde_json::{Value, json};

use crate::support::digest::{algorithm, body_hash, key, rspauth};
use crate::support::generic;
use crate::support::tally::{self, Outcome};
use crate::support::vectors::{bytes, header_lines, written};

#[test]
fn authinfo_vectors() {
    tally::every_row("authinfo", [34, 0], &[], check);
}

fn check(row: &Value) -> Outcome {
    let lines = header_lines(row);
    let read = AuthenticationInfo::parse(&lines);
    check_syntax(row, &lines, &read);
    match (&read, row["verdict"] == "valid") {
        (Ok(info), true) => assert_eq!(meaning(info), row["expected"]),
        (Err(_), false) => {}
        _ => panic!("{read:?}"),
    }
    match &row["context"] {
        Value::Null => Outcome::Strict,
        context => check_proof(row, context, read.ok()),
    }
}

/// The generic reading. The library has none of this field, but the same list follows a scheme.
fn check_syntax(
    row: &Value,
    lines: &[Vec<u8>],
    read: &Result<AuthenticationInfo<'_>, HeaderError>,
) {
    let value = [b"Digest ", &lines.join(&b", "[..])[..]].concat();
    let plain: Result<Vec<_>, _> = raw_challenges([&value]).collect();
    let is_ok = row["syntax"] == "ok";
    let is_fault = matches!(read, Err(error) if error.position().is_some());
    assert_eq!((plain.is_ok(), is_fault), (is_ok, !is_ok), "{read:?}");
    if let Ok(plain) = plain {
        assert_eq!(plain.len(), 1);
        assert_eq!(generic::params(&plain[0]), row["params"]);
    }
}

fn meaning(info: &AuthenticationInfo<'_>) -> Value {
    json!({
        "nextnonce": info.nextnonce.map(|nonce| written(nonce.to_bytes())),
        "qop": info.qop.map(|qop| qop.to_string()),
        "rspauth": info.rspauth.map(|rspauth| written(rspauth.to_bytes())),
        "cnonce": info.cnonce.map(|cnonce| written(cnonce.to_bytes())),
        "nc": info.nc.map(|nc| format!("{nc:08x}")),
    })
}

/// Whether the client that sent the request finds the server's proof to be right.
fn check_proof(row: &Value, context: &Value, info: Option<AuthenticationInfo<'_>>) -> Outcome {
    let Some(algorithm) = algorithm(&context["algorithm"]) else {
        return Outcome::NeedsMd5;
    };
    let text = |name: &str| context[name].as_str().unwrap();
    let [username, realm, password] = ["username", "realm", "password"].map(text);
    let [uri, nonce, cnonce] = ["uri", "nonce", "cnonce"].map(text);
    let ha1 = Ha1::new(algorithm.hash_function(), username, realm, password);
    let key = key(algorithm, &ha1, nonce.as_ref(), cnonce.as_ref());
    let protection = QopParams::new(text("qop"), text("nc"), cnonce).unwrap();
    let body = bytes(context, "response_body").unwrap();
    let body = body_hash(algorithm, Some(&protection), &body);
    let expected = rspauth(
        &key,
        nonce.as_ref(),
        Some(&protection),
        uri.as_ref(),
        body.as_ref(),
    );
    assert_eq!(row["expected_rspauth"], expected.as_str());

    // A field that cannot be read proves nothing.
    let proof = info.map(|info| (info.rspauth.is_some(), info.has_proof(&expected)));
    assert_eq!(
        row["mutual_auth"],
        match proof {
            Some((_, true)) => "ok",
            Some((false, false)) => "absent",
            Some((true, false)) | None => "mismatch",
        }
    );
    Outcome::Strict
}
