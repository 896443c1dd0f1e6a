//! What real clients and servers sent is read, and verifies by calculation if it is right.

use countersign::digest::{Ha1, Qop};
use countersign::wire::{AuthenticationInfo, DigestCredentials, rspauth};
use countersign::{Authorization, HeaderError};
use serde_json::Value;

use crate::support::captures::{Exchange, load};
use crate::support::digest::{key, lacks_md5};
use crate::support::tally;

/// What is right as a calculation, and what we refuse all the same.
struct Refusal {
    error: &'static str,
    /// How often, in all files.
    count: usize,
    /// A field of the recordings, and the values it has in them.
    of: (&'static str, &'static [&'static str]),
    why: &'static str,
}

const REFUSED: &[Refusal] = &[
    Refusal {
        error: "expected the end",
        count: 1,
        of: ("scenario", &["negotiate"]),
        why: "digest-fetch writes `Negotiate,` for the scheme",
    },
    Refusal {
        error: "expected a parameter value",
        count: 20,
        of: ("shape", &["unquoted uri"]),
        why: "the probe leaves out the quotes, and `/` is not of a token",
    },
    Refusal {
        error: "parameter `algorithm` not supported",
        count: 9,
        of: ("scenario", &["sha1", "sha512"]),
        why: "SHA and SHA-512 are not registered",
    },
    Refusal {
        error: "parameter `algorithm` not supported",
        count: 23,
        of: ("peer", &["twisted"]),
        why: "Twisted offers SHA, which is not registered",
    },
    Refusal {
        error: "parameter `qop` missing",
        count: 1,
        of: ("peer", &["java HttpURLConnection"]),
        why: "Java sends no qop for a -sess algorithm either, and the server must guess what it hashed",
    },
    Refusal {
        error: "parameter `qop` not supported",
        count: 1,
        of: ("scenario", &["badqop"]),
        why: "urllib takes any qop that is offered",
    },
    Refusal {
        error: "parameter `nc` given more than once",
        count: 21,
        of: ("shape", &["dup nc param"]),
        why: "readers differ on which one counts",
    },
    Refusal {
        error: "parameter `username` given more than once",
        count: 2,
        of: ("shape", &["dup username param"]),
        why: "readers differ on which one counts",
    },
    Refusal {
        error: "parameter `nc` malformed",
        count: 18,
        of: ("shape", &["nc 9 digits"]),
        why: "a count has no ninth digit",
    },
    Refusal {
        error: "parameter `realm` missing",
        count: 3,
        of: ("shape", &["no realm"]),
        why: "RFC 7616, section 3.4, requires it",
    },
    Refusal {
        error: "parameter `nc` malformed",
        count: 1,
        of: ("shape", &["nc=1 (short)"]),
        why: "Apache repeats nc as it came, and in Authentication-Info it must have eight digits",
    },
];

/// What came of one field.
#[derive(Clone, Copy)]
enum Seen {
    As(&'static str),
    Refused(&'static Refusal),
}

const NEEDS_MD5: Seen = Seen::As("skipped for want of MD5");

#[test]
fn right_answers_verify() {
    let mut all = Vec::new();
    for (file, count) in [
        ("clients", 706),
        ("proxy_clients", 26),
        ("rtsp_clients", 29),
        ("sip_clients", 14),
        ("real_pairs", 350),
        ("servers_probed", 629),
    ] {
        all.extend(every_exchange(file, count, check_right));
    }
    for refusal in REFUSED.iter().filter(|_| cfg!(feature = "md5")) {
        let of_it = |seen: &&Seen| matches!(seen, Seen::Refused(by) if std::ptr::eq(*by, refusal));
        let count = all.iter().filter(of_it).count();
        assert_eq!(count, refusal.count, "{}: {}", refusal.error, refusal.why);
    }
}

#[test]
fn wrong_answers_do_not_verify() {
    every_exchange("nonconforming", 235, check_wrong);
}

/// Runs `check` on all exchanges of a file, of which there must be `count`, and prints what came
/// of them.
fn every_exchange(file: &str, count: usize, check: fn(&Value) -> Vec<Seen>) -> Vec<Seen> {
    let rows = load(file);
    assert_eq!(rows.len(), count, "exchanges in {file}.json");
    let seen = tally::each(file, &rows, check).concat();
    let words = seen.iter().map(|seen| match seen {
        Seen::As(what) => what,
        Seen::Refused(_) => "refused as listed",
    });
    let words = tally::count(words);
    println!("{file}.json: {count} exchanges ({words}): all as they must be");
    seen
}

fn check_right(row: &Value) -> Vec<Seen> {
    assert_eq!(row["expected_valid"], true);
    let exchange = Exchange::of(row);
    let challenges = exchange.challenges();
    match Authorization::parse(&exchange.authorization) {
        Err(error) if lacks_md5(&error, &exchange.authorization) => vec![NEEDS_MD5],
        Err(error) => vec![refused(row, &error)],
        Ok(Authorization::Basic(pair)) => {
            assert!(pair.matches(&exchange.username, &exchange.password));
            vec![Seen::As("right Basic answers")]
        }
        Ok(Authorization::Digest(credentials)) => {
            let realm = exchange.right_realm(&credentials, &challenges);
            let realm = realm.expect("the response is wrong");
            let mut seen = vec![Seen::As("right Digest answers")];
            if !exchange.info.is_empty() {
                seen.push(check_info(row, &exchange, &credentials, &realm));
            }
            seen
        }
        other => panic!("{other:?}"),
    }
}

/// Finds the entry of the table for a row that was refused with this error.
fn refused(row: &Value, error: &HeaderError) -> Seen {
    let error = error.to_string();
    let error = error.split(" at byte ").next().unwrap();
    let entry = REFUSED.iter().find(|entry| {
        let (field, values) = entry.of;
        entry.error == error && values.iter().any(|value| row[field] == *value)
    });
    Seen::Refused(entry.unwrap_or_else(|| panic!("refused: {error}")))
}

/// What the server said to an answer it found right, made with this realm.
fn check_info(
    row: &Value,
    exchange: &Exchange,
    answer: &DigestCredentials<'_>,
    realm: &[u8],
) -> Seen {
    let info = match AuthenticationInfo::parse(&exchange.info) {
        Ok(info) => info,
        Err(error) => return refused(row, &error),
    };
    if info.rspauth.is_none() {
        return Seen::As("infos without a proof");
    }
    let protection = answer.qop_params;
    // For the others it would take the response's body, which is not recorded.
    assert!(protection.is_none_or(|protection| protection.qop() == Qop::Auth));
    let (nonce, uri) = (answer.nonce.to_bytes(), answer.uri.to_bytes());
    let cnonce = protection.map(|protection| protection.cnonce().to_bytes());

    let (username, password) = (&exchange.username, &exchange.password);
    let ha1 = Ha1::new(
        answer.algorithm().hash_function(),
        username,
        realm,
        password,
    );
    let cnonce = cnonce.unwrap_or_default();
    let key = key(answer.algorithm(), &ha1, &nonce, &cnonce);
    let expected = rspauth(&key, &nonce, protection.as_ref(), &uri, None);
    if row["scenario"] == "badrspauth" {
        assert!(!info.has_proof(&expected), "a wrong rspauth");
        return Seen::As("infos with a wrong proof");
    }
    assert!(info.has_proof(&expected), "rspauth");
    Seen::As("infos with a right proof")
}

fn check_wrong(row: &Value) -> Vec<Seen> {
    assert_eq!(row["expected_valid"], false);
    let exchange = Exchange::of(row);
    let challenges = exchange.challenges();
    match Authorization::parse(&exchange.authorization) {
        Err(error) if lacks_md5(&error, &exchange.authorization) => return vec![NEEDS_MD5],
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
