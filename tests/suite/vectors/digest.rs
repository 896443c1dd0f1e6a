//! The calculations of Digest against `tests/vectors/digest.json`.

use countersign::digest::{Algorithm, Ha1, HexDigest, User, userhash};
use countersign::wire::{DigestChallenge, DigestCredentials, QopParams, ha2, response};
use countersign::{EntityBody, Target, Text};
use serde_json::Value;

use crate::support::digest::{algorithm, body_hash, key, rspauth};
use crate::support::tally::{self, Outcome};
use crate::support::vectors::{self, bytes, list};

#[test]
fn digest_vectors() {
    tally::every_row("digest", [255, 3], &[], check);
}

fn check(row: &Value) -> Outcome {
    let Some(algorithm) = algorithm(&row["algorithm"]) else {
        return Outcome::NeedsMd5;
    };
    let [username, realm, password] = ["username", "realm", "password"].map(|name| get(row, name));

    let ha1 = Ha1::new(algorithm.hash_function(), &username, &realm, &password);
    if algorithm.is_sess() {
        assert_eq!(row["ha1_base"], ha1.as_hex(), "ha1_base");
    }
    let key = key(
        algorithm,
        &ha1,
        &bytes(row, "nonce_prime").unwrap_or_else(|| get(row, "nonce")),
        &bytes(row, "cnonce_prime").unwrap_or_else(|| get(row, "cnonce")),
    );
    assert_eq!(row["ha1"], key.as_hex(), "ha1");
    assert_not_refused(row, "ha1", key.as_hex());

    let userhash = userhash(algorithm.hash_function(), &username, &realm);
    if row.get("userhash_value").is_some() {
        assert_eq!(row["userhash_value"], userhash.as_str(), "userhash_value");
    }
    assert_not_refused(row, "userhash_value", userhash.as_str());

    match [&row["kind"], &row["form"]].map(|field| field.as_str().unwrap()) {
        ["ha1", "ha1-only"] => Outcome::Strict,
        ["response", _] => check_response(row, algorithm, &ha1, &key),
        other => panic!("unknown: {other:?}"),
    }
}

fn check_response(row: &Value, algorithm: Algorithm, ha1: &Ha1, key: &Ha1) -> Outcome {
    let [method, uri, nonce] = ["method", "uri", "nonce"].map(|name| get(row, name));
    let text = |name: &str| row[name].as_str().unwrap_or_else(|| panic!("no {name}"));
    let sent = (!row["qop"].is_null())
        .then(|| QopParams::new(text("qop"), text("nc"), text("cnonce")).unwrap());
    let hashed = match (text("form"), &sent) {
        ("rfc7616", Some(_)) => sent.as_ref(),
        ("rfc2069", None) | ("rfc2069-with-qop-fields", Some(_)) => None,
        _ => panic!("a form that is not that of the row"),
    };

    let body = body_hash(algorithm, hashed, &get(row, "body"));
    let ha2 = ha2(algorithm.hash_function(), &method, &uri, body.as_ref());
    assert_eq!(row["ha2"], ha2.as_str(), "ha2");

    let response = response(key, &nonce, hashed, &ha2);
    assert_eq!(row["response"], response.as_str(), "response");
    assert_not_refused(row, "response", response.as_str());

    if !row["rspauth"].is_null() {
        let body = body_hash(algorithm, hashed, &get(row, "response_body"));
        // `rspauth_basis` calls for the same formula with what there is.
        let rspauth = rspauth(key, &nonce, hashed, &uri, body.as_ref());
        assert_eq!(row["rspauth"], rspauth.as_str(), "rspauth");
    }

    // A header with these fields is not read at all: there is no cnonce without qop.
    if algorithm.is_sess() && sent.is_none() {
        return Outcome::Strict;
    }
    let expected = server_expects(row, algorithm, ha1, sent, response);
    if row["ambiguous"] != true {
        let accepted = row["verifier_should_accept"] != false;
        assert_eq!(expected == response, accepted, "accepted by a server");
        if !accepted {
            assert_eq!(pair(row)["response"], expected.as_str(), "the pair");
        }
    } else if expected != response {
        let listed = alternatives(row).any(|alt| alt["response"] == expected.as_str());
        assert!(listed, "a server expects what no reading has");
        return Outcome::Tolerant;
    }
    Outcome::Strict
}

/// What a server expects that is sent these fields, each in its place.
fn server_expects(
    row: &Value,
    algorithm: Algorithm,
    ha1: &Ha1,
    sent: Option<QopParams<'_>>,
    response: HexDigest,
) -> HexDigest {
    let [username, realm, nonce] = ["username", "realm", "nonce"].map(|name| get(row, name));
    let [method, uri, body] = ["method", "uri", "body"].map(|name| get(row, name));
    let user = User::Octets(username.as_slice().into());
    let credentials = DigestCredentials::new(
        &DigestChallenge::new(&realm, &nonce, algorithm).unwrap(),
        &user,
        Text::new(&uri).unwrap(),
        sent,
        response,
    )
    .unwrap();
    let target = Target::new(&method, &uri).with_body(EntityBody::Bytes(&body));
    credentials.expected_response(ha1, &target).unwrap()
}

fn assert_not_refused(row: &Value, field: &str, value: &str) {
    for alt in alternatives(row).filter(|alt| alt["accept"] == false) {
        assert_ne!(alt[field], value, "{}", alt["reading"]);
    }
}

fn alternatives(row: &Value) -> impl Iterator<Item = &Value> {
    list(&row["alt"]).iter()
}

/// The row that has the right response for the same fields.
fn pair(row: &Value) -> Value {
    let mut rows = vectors::load("digest").into_iter();
    let pair = rows.find(|other| other["id"] == row["pair"]);
    pair.expect("a pair")
}

/// The octets of a field; none if the row has it not, as for a body.
fn get(row: &Value, field: &str) -> Vec<u8> {
    bytes(row, field).unwrap_or_default()
}
