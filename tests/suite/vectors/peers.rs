//! What real peers do in their own way, from `tests/vectors/peers.json`: how we read it, and what
//! they hashed.

use countersign::digest::{Ha1, User};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, DigestCredentials, QopParams, ha2, response,
};
use countersign::{Authorization, Challenge, EntityBody, Target, challenges, raw_challenges};
use serde_json::{Value, json};

use crate::support::digest::{algorithm, body_hash, lacks_md5, verifies};
use crate::support::generic;
use crate::support::tally::{self, Outcome};
use crate::support::vectors::{bytes, header_lines, list, octets, written};

#[test]
fn peer_vectors() {
    tally::every_row("peers", [116, 0], &[], check);
}

fn check(row: &Value) -> Outcome {
    for name in ["peer", "version", "source", "fact"] {
        assert!(row[name].is_string(), "no {name}");
    }
    match row["kind"].as_str().unwrap() {
        "challenge" => check_challenge(row),
        "info" => check_info(row),
        "answer" => check_answer(row),
        "session" => check_session(row),
        "other" => check_other(row),
        kind => panic!("unknown: {kind}"),
    }
}

fn check_challenge(row: &Value) -> Outcome {
    let lines = header_lines(row);
    let read: Result<Vec<_>, _> = raw_challenges(&lines).collect();
    let read = match (read, row["strict"] == "ok") {
        (Ok(read), true) => read,
        (Err(_), false) => return Outcome::Strict,
        (read, _) => panic!("{read:?}"),
    };
    let plain: Value = read.iter().map(generic::challenge).collect();
    assert_eq!(plain, row["expected"]);
    let [challenge] = &read[..] else {
        panic!("{} challenges", read.len());
    };
    if row["digest"].is_null() {
        return Outcome::Strict;
    }
    let value = challenge.to_field_value();
    let digest = match challenges([&value]).next().expect("a challenge") {
        Ok(Challenge::Digest(digest)) => digest,
        Err(error) if lacks_md5(&error, &lines[0]) => return Outcome::NeedsMd5,
        other => panic!("{other:?}"),
    };
    assert_eq!(generic::digest_challenge(&digest), row["digest"]);
    Outcome::Strict
}

/// What a server said to an answer of ours. That proofs verify is in `captures`.
fn check_info(row: &Value) -> Outcome {
    let lines = header_lines(row);
    let info = AuthenticationInfo::parse(&lines).unwrap();
    let nextnonce = info.nextnonce.map(|nonce| written(nonce.to_bytes()));
    assert_eq!(json!(nextnonce), row["nextnonce"]);
    assert_eq!(json!(info.nc.map(|nc| format!("{nc:08x}"))), row["nc"]);
    assert_eq!(row["proves"], info.rspauth.is_some());
    Outcome::Strict
}

/// What a client answered: how it is read, whether it is right, and what it hashed.
fn check_answer(row: &Value) -> Outcome {
    let Some(hash) = algorithm(&row["hashed"]["algorithm"]) else {
        return Outcome::NeedsMd5;
    };
    let challenge = bytes(row, "challenge").unwrap();
    let Some(Ok(Challenge::Digest(offered))) = challenges([&challenge]).next() else {
        panic!("no challenge");
    };
    let realm = octets(&row["login"]["realm"]);
    assert_eq!(*offered.realm.to_bytes(), realm);
    let nonce = octets(&row["hashed"]["nonce"]);
    assert_eq!(*offered.nonce.to_bytes(), nonce);

    let header = bytes(row, "header").unwrap();
    match (Authorization::parse(&header), row["syntax"] == "ok") {
        (Ok(Authorization::Digest(read)), true) => check_credentials(row, &offered, &read),
        (Err(error), false) if error.position().is_some() => {}
        (read, _) => panic!("{read:?}"),
    }
    let hashed = &row["hashed"];
    let get = |name: &str| octets(&hashed[name]);
    let text = |name: &str| hashed[name].as_str().unwrap();
    let protection = (!hashed["qop"].is_null())
        .then(|| QopParams::new(text("qop"), text("nc"), text("cnonce")).unwrap());
    let body = match &hashed["body"] {
        // Left out although the qop wants it.
        Value::Null => None,
        body => body_hash(hash, protection.as_ref(), &octets(body)),
    };
    let key = Ha1::new(
        hash.hash_function(),
        get("username"),
        get("realm"),
        get("password"),
    );
    let ha2 = ha2(
        hash.hash_function(),
        get("method"),
        get("uri"),
        body.as_ref(),
    );
    let computed = response(&key, &nonce, protection.as_ref(), &ha2);
    assert_eq!(row["response"], computed.as_str());
    Outcome::Strict
}

fn check_credentials(row: &Value, offered: &DigestChallenge<'_>, read: &DigestCredentials<'_>) {
    let request = |name: &str| octets(&row["request"][name]);
    let login = ["username", "realm", "password"].map(|name| octets(&row["login"][name]));
    let user = match read.user() {
        User::Name(name) => name.as_bytes().to_vec(),
        User::Octets(octets) => octets.to_vec(),
        user => panic!("{user:?}"),
    };
    let qop = read.qop_params.map(|protection| protection.qop());
    let uri = request("uri");
    let agrees = json!({
        "username": user == login[0],
        "realm": *read.realm.to_bytes() == login[1],
        "uri": *read.uri.to_bytes() == uri,
        "algorithm": read.algorithm() == offered.algorithm(),
        "qop": qop.is_some_and(|qop| offered.qop.contains(qop)),
    });
    assert_eq!(agrees, row["agrees"]);

    let (method, body) = (request("method"), request("body"));
    let target = Target::new(&method, &uri).with_body(EntityBody::Bytes(&body));
    // With the realm that it names: that may be another than that of the challenge.
    let realm = read.realm.to_bytes();
    let is_right = verifies(read, [&login[0], &realm, &login[2]], &target);
    assert_eq!(row["right"], is_right);
}

/// Several answers of one client: which nonces it used, by their number, and how it counted.
fn check_session(row: &Value) -> Outcome {
    let mut nonces = Vec::new();
    let mut uses = Vec::new();
    for header in list(&row["headers"]).iter().map(octets) {
        let read = match Authorization::parse(&header) {
            Ok(Authorization::Digest(read)) => read,
            Err(error) if lacks_md5(&error, &header) => return Outcome::NeedsMd5,
            read => panic!("{read:?}"),
        };
        let nonce = read.nonce.to_bytes().into_owned();
        if !nonces.contains(&nonce) {
            nonces.push(nonce.clone());
        }
        let place = nonces.iter().position(|known| *known == nonce);
        uses.push(json!([place, read.qop_params.unwrap().nc()]));
    }
    assert_eq!(json!(uses), row["uses"]);
    Outcome::Strict
}

/// Credentials of no scheme of ours.
fn check_other(row: &Value) -> Outcome {
    match Authorization::parse(&bytes(row, "header").unwrap()) {
        Ok(Authorization::Other(other)) => {
            assert_eq!(generic::challenge(&other), row["credentials"]);
            Outcome::Strict
        }
        read => panic!("{read:?}"),
    }
}
