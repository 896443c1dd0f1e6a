//! Credentials, above all of Digest, against `tests/vectors/authorization.json`.

use countersign::digest::User;
use countersign::wire::DigestCredentials;
use countersign::{Authorization, EntityBody, HeaderError, Target, raw_challenges};
use serde_json::{Value, json};

use crate::support::digest::{lacks_md5, verifies};
use crate::support::generic;
use crate::support::tally::{self, Outcome, Table};
use crate::support::vectors::{bytes, octets, written};

/// Rows that say, with no doubt about it, that they are invalid, and that we accept.
const LENIENCIES: Table = &[
    (
        "nc-1-digit",
        "old Android and SIP clients send fewer digits than eight",
    ),
    (
        "nc-zero",
        "Ruby's net-http-digest_auth counts from zero, and Apache and lighttpd let it in",
    ),
];

/// Ambiguous rows that say they are valid, and that we refuse, as their note allows.
const REFUSED: Table = &[("star-nul", "no user name has control characters")];

/// Ambiguous rows that can be read in another form, in which their response is wrong.
const MISMATCHES: Table = &[(
    "missing-qop-only",
    "nc and cnonce without qop are ignored, which leaves the form of RFC 2069",
)];

/// Rows that would read otherwise in `WWW-Authenticate`.
const OTHER_AS_CHALLENGE: Table = &[(
    "alg-empty-token",
    "Basic and Digest have no token68 in a challenge, so that a name and `=` is a parameter",
)];

#[test]
fn authorization_vectors() {
    let tables = [LENIENCIES, REFUSED, MISMATCHES, OTHER_AS_CHALLENGE];
    tally::every_row("authorization", [142, 7], &tables, check);
}

fn check(row: &Value) -> Outcome {
    let header = bytes(row, "header").expect("a header");
    let read = Authorization::parse(&header);
    check_syntax(row, &header, &read);

    let expect_valid = row["verdict"] == "valid";
    let credentials = match &read {
        Ok(Authorization::Digest(credentials)) => credentials,
        Err(error) if lacks_md5(error, &header) => return Outcome::NeedsMd5,
        _ => {
            let listed = tally::has(LENIENCIES, row) || tally::has(REFUSED, row) != expect_valid;
            assert!(!listed, "refused: {read:?}");
            return match expect_valid {
                true => Outcome::Tolerant,
                false => Outcome::Strict,
            };
        }
    };
    assert!(!tally::has(REFUSED, row), "accepted");
    let outcome = match expect_valid {
        // Only strict readings have their meaning written down.
        true => {
            assert_eq!(meaning(credentials), row["digest"]);
            Outcome::Strict
        }
        false if tally::has(LENIENCIES, row) => Outcome::Leniency,
        false => {
            let listed = row["lenient_verdict"] == "valid" || tally::has(MISMATCHES, row);
            assert!(listed, "accepted");
            Outcome::Tolerant
        }
    };
    if let Some(known) = row["verify"].as_object() {
        let right =
            known.get("response_matches") != Some(&json!(false)) && !tally::has(MISMATCHES, row);
        assert_eq!(response_matches(credentials, &row["verify"]), right);
    }
    outcome
}

/// The generic reading, whatever the scheme makes of it.
fn check_syntax(row: &Value, header: &[u8], read: &Result<Authorization<'_>, HeaderError>) {
    if row["syntax"] != "ok" {
        match read {
            Ok(_) => assert_eq!(row["lenient_verdict"], "valid", "read"),
            Err(error) if error.position().is_some() => {}
            Err(error) => assert!(lacks_md5(error, header), "{error}"),
        }
        return;
    }
    assert!(
        !matches!(read, Err(error) if error.position().is_some()),
        "{read:?}"
    );
    if let Ok(Authorization::Other(other)) = read {
        assert_eq!(generic::challenge(other), row["credentials"]);
    }
    // DigestCredentials are a challenge in form, and as one their parameters can be had of any scheme.
    let plain: Vec<_> = raw_challenges([header]).collect::<Result<_, _>>().unwrap();
    assert_eq!(plain.len(), 1);
    let is_same = generic::challenge(&plain[0]) == row["credentials"];
    assert_eq!(is_same, !tally::has(OTHER_AS_CHALLENGE, row), "{plain:?}");
}

fn meaning(credentials: &DigestCredentials<'_>) -> Value {
    let (username, is_hash) = match credentials.user() {
        User::Name(name) => (name.as_bytes().to_vec(), false),
        User::Octets(octets) => (octets.to_vec(), false),
        User::Hash(hash) => (hash.as_str().into(), true),
        _ => panic!("a new kind of user"),
    };
    // What is written back has an algorithm if there was one.
    let again = credentials.to_field_value();
    let again = raw_challenges([&again]).next().unwrap().unwrap();
    let source = match is_hash {
        true => "hash",
        false if again.param("username").is_some() => "plain",
        false => "ext",
    };
    let protection = credentials.qop_params;
    json!({
        "username": written(&username),
        "username_source": source,
        "realm": written(credentials.realm.to_bytes()),
        "nonce": written(credentials.nonce.to_bytes()),
        "uri": written(credentials.uri.to_bytes()),
        "response": credentials.response.as_str(),
        "algorithm": credentials.algorithm().to_string(),
        "algorithm_given": again.param("algorithm").is_some(),
        "qop": protection.map(|protection| protection.qop().to_string()),
        "nc": protection.map(|protection| protection.nc()),
        "cnonce": protection.map(|protection| written(protection.cnonce().to_bytes())),
        "opaque": credentials.opaque.map(|opaque| written(opaque.to_bytes())),
    })
}

fn response_matches(credentials: &DigestCredentials<'_>, known: &Value) -> bool {
    let [method, uri] = ["method", "request_uri"].map(|name| octets(&known[name]));
    let user = ["username", "realm", "password"].map(|name| octets(&known[name]));
    let target = Target::new(&method, &uri).with_body(EntityBody::Bytes(b""));
    verifies(credentials, user.each_ref().map(Vec::as_slice), &target)
}
