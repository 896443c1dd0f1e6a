//! What real clients and servers sent is read, and verifies by calculation if it is right.

use std::collections::BTreeMap;

use countersign::digest::{Ha1, Qop};
use countersign::wire::{AuthenticationInfo, DigestCredentials, rspauth};
use countersign::{Authorization, HeaderError};
use serde_json::Value;

use super::RIGHT;
use crate::support::captures::{Exchange, load};
use crate::support::digest::{key, lacks_md5};
use crate::support::tally;

/// What is right as a calculation and refused all the same, and how often: `server/refused.json` says
/// why, but for one `nc` of Apache's `Authentication-Info`, which repeats what the client sent.
const REFUSED: [(&str, usize); 9] = [
    ("expected a parameter value", 20),
    ("expected the end", 1),
    ("parameter `algorithm` not supported", 32),
    ("parameter `nc` given more than once", 21),
    ("parameter `nc` malformed", 19),
    ("parameter `qop` missing", 1),
    ("parameter `qop` not supported", 1),
    ("parameter `realm` missing", 3),
    ("parameter `username` given more than once", 2),
];

/// What came of one field.
enum Seen {
    As(&'static str),
    Refused(String),
}

#[test]
fn right_answers_verify() {
    let mut refused = BTreeMap::new();
    for (file, count) in RIGHT {
        for seen in every_exchange(file, count, right) {
            if let Seen::Refused(error) = seen {
                *refused.entry(error).or_insert(0) += 1;
            }
        }
    }
    let refused: Vec<_> = refused
        .iter()
        .map(|(error, count)| (&**error, *count))
        .collect();
    match cfg!(feature = "md5") {
        true => assert_eq!(refused, REFUSED),
        false => assert!(
            refused
                .iter()
                .all(|(error, _)| REFUSED.iter().any(|it| it.0 == *error))
        ),
    }
}

#[test]
fn wrong_answers_do_not_verify() {
    every_exchange("nonconforming", 235, wrong);
}

/// Runs `check` on all exchanges of a file, of which there must be `count`, and prints what came
/// of them.
fn every_exchange(
    file: &str,
    count: usize,
    check: fn(&Exchange, &Value) -> Vec<Seen>,
) -> Vec<Seen> {
    let rows = load(file);
    assert_eq!(rows.len(), count, "exchanges in {file}.json");
    let check = |row: &Value| {
        let exchange = Exchange::of(row);
        match Authorization::parse(&exchange.authorization) {
            Err(error) if lacks_md5(&error, &exchange.authorization) => {
                vec![Seen::As("skipped for want of MD5")]
            }
            _ => check(&exchange, row),
        }
    };
    let seen = tally::each(file, &rows, check)
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    let words = tally::count(seen.iter().map(|seen| match seen {
        Seen::As(what) => what,
        Seen::Refused(_) => "refused as listed",
    }));
    println!("{file}.json: {count} exchanges ({words}): all as they must be");
    seen
}

fn right(exchange: &Exchange, row: &Value) -> Vec<Seen> {
    assert_eq!(row["expected_valid"], true);
    let challenges = exchange.challenges();
    match Authorization::parse(&exchange.authorization) {
        Err(error) => vec![refused(&error)],
        Ok(Authorization::Basic(pair)) => {
            assert!(pair.matches(&exchange.username, &exchange.password));
            vec![Seen::As("right Basic answers")]
        }
        Ok(Authorization::Digest(credentials)) => {
            let realm = exchange.right_realm(&credentials, &challenges);
            let realm = realm.expect("the response is wrong");
            let mut seen = vec![Seen::As("right Digest answers")];
            if !exchange.info.is_empty() {
                let is_wrong = row["scenario"] == "badrspauth";
                seen.push(check_info(exchange, &credentials, &realm, is_wrong));
            }
            seen
        }
        other => panic!("{other:?}"),
    }
}

fn refused(error: &HeaderError) -> Seen {
    let error = error.to_string();
    Seen::Refused(error.split(" at byte ").next().unwrap().to_owned())
}

/// What the server said to an answer it found right, made with this realm.
fn check_info(
    exchange: &Exchange,
    answer: &DigestCredentials<'_>,
    realm: &[u8],
    is_wrong: bool,
) -> Seen {
    let info = match AuthenticationInfo::parse(&exchange.info) {
        Ok(info) => info,
        Err(error) => return refused(&error),
    };
    if info.rspauth.is_none() {
        return Seen::As("infos without a proof");
    }
    let protection = answer.qop_params;
    // For the others it would take the response's body, which is not recorded.
    assert!(protection.is_none_or(|protection| protection.qop() == Qop::Auth));
    let (nonce, uri) = (answer.nonce.to_bytes(), answer.uri.to_bytes());
    let cnonce = protection.map(|protection| protection.cnonce().to_bytes());
    let hash = answer.algorithm().hash_function();
    let ha1 = Ha1::new(hash, &exchange.username, realm, &exchange.password);
    let key = key(
        answer.algorithm(),
        &ha1,
        &nonce,
        &cnonce.unwrap_or_default(),
    );
    let expected = rspauth(&key, &nonce, protection.as_ref(), &uri, None);
    assert_eq!(info.has_proof(&expected), !is_wrong, "rspauth");
    Seen::As("infos with a proof")
}

fn wrong(exchange: &Exchange, row: &Value) -> Vec<Seen> {
    assert_eq!(row["expected_valid"], false);
    let challenges = exchange.challenges();
    match Authorization::parse(&exchange.authorization) {
        Err(_) => return vec![Seen::As("refused answers")],
        Ok(Authorization::Digest(credentials)) => {
            let realm = exchange.right_realm(&credentials, &challenges);
            assert!(realm.is_none(), "taken for right");
        }
        Ok(Authorization::Basic(pair)) => {
            assert!(!pair.matches(&exchange.username, &exchange.password));
        }
        Ok(_) => {}
    }
    vec![Seen::As("wrong answers")]
}
