//! RawChallenge lists against `tests/vectors/challenges.json`.

use countersign::wire::basic_challenge;
use countersign::{Challenge, HeaderError, RawChallenge, challenges, raw_challenges};
use serde_json::{Value, json};

use crate::support::digest::lacks_md5;
use crate::support::generic;
use crate::support::tally::{self, Outcome, Table};
use crate::support::vectors::{header_lines, written};

/// Ambiguous rows with a challenge that `semantic` says is unusable, and that we use.
const USABLE: Table = &[(
    "g-dup-unknown",
    "a parameter that we give no meaning may come as often as it likes",
)];

/// Rows that say that they are not to be read, or not so, and that we read on purpose: written anew
/// after reading, each as one of its scheme where it can be read as that. `docs/odd-peers.md` has
/// the rules and who needs them.
const LENIENCIES: Table = &[
    // A Basic challenge without a realm has an empty one.
    ("gb-simplebasicnorealm", r#"Basic realm="""#),
    (
        "curl-1418-basic-bare",
        r#"Digest realm="loonie", nonce="314156592", Basic realm="""#,
    ),
    // A list of no qop offers none.
    ("field-qop-empty", r#"Digest realm="r", nonce="n""#),
    // Neither Basic nor Digest has a token68, so a name and `=` is a parameter without a value.
    ("cr-novalue", r#"Digest qop="""#),
    ("g-param-no-value-eq", r#"Basic realm="""#),
    ("g-param-no-value-eq-comma", r#"Basic realm="""#),
    // An unquoted value goes on to the next comma or blank.
    ("g-param-then-token68", r#"Basic realm="x""#),
];

#[test]
fn challenge_vectors() {
    tally::every_row("challenges", [154, 3], &[USABLE, LENIENCIES], check);
}

fn check(row: &Value) -> Outcome {
    let lines = header_lines(row);
    let outcome = check_values(row, &lines);
    if lines.len() > 1 {
        let joined = lines.join(&b", "[..]);
        assert_eq!(check_values(row, &[joined]), outcome, "joined");
    }
    outcome
}

fn check_values(row: &Value, values: &[Vec<u8>]) -> Outcome {
    let leniency = LENIENCIES.iter().find(|(id, _)| row["id"] == *id);
    if let Some((_, expected)) = leniency {
        return check_leniency(values, expected);
    }
    let read: Result<Vec<_>, _> = raw_challenges(values).collect();
    let (read, reading) = match (read, row["strict"] == "ok") {
        (Err(_), false) => return Outcome::Strict,
        (Err(_), true) if row["empty_or_error"] == true => return Outcome::Tolerant,
        (Err(error), true) => panic!("refused: {error}"),
        (Ok(read), true) => (read, "expected"),
        (Ok(read), false) => (read, "lenient_expected"),
    };
    let plain: Value = read.iter().map(generic::challenge).collect();
    assert_eq!(plain, row[reading], "{reading}");

    let mut outcomes = vec![match reading {
        "expected" => Outcome::Strict,
        _ => Outcome::Tolerant,
    }];
    if row["semantic_of"].as_str().unwrap_or("expected") == reading {
        let mut semantic = row["semantic"].as_array().into_iter().flatten();
        for (index, challenge) in read.iter().enumerate() {
            if ["basic", "digest"].contains(&&*challenge.scheme_name().to_lowercase()) {
                let semantic = semantic.next().expect("one for each Basic and Digest");
                assert_eq!(semantic["index"], index);
                outcomes.push(check_meaning(row, challenge, semantic));
            }
        }
        assert!(semantic.next().is_none(), "one for nothing");
    }
    let rarest = [Outcome::NeedsMd5, Outcome::Tolerant, Outcome::Strict];
    rarest.into_iter().find(|o| outcomes.contains(o)).unwrap()
}

fn check_leniency(values: &[Vec<u8>], expected: &str) -> Outcome {
    let all = raw_challenges(values).zip(challenges(values));
    let written = all.map(
        |(plain, typed)| match (plain.unwrap().to_field_value(), typed) {
            (_, Ok(Challenge::Basic { realm, utf8, .. })) => {
                let realm = realm.to_str().expect("UTF-8");
                Ok(basic_challenge(&realm, utf8).expect("a realm"))
            }
            (_, Ok(Challenge::Digest(digest))) => Ok(digest.to_field_value()),
            (plain, Err(error)) if lacks_md5(&error, plain.as_bytes()) => Err(Outcome::NeedsMd5),
            (plain, _) => Ok(plain),
        },
    );
    let written: Vec<_> = match written.collect() {
        Ok(written) => written,
        Err(outcome) => return outcome,
    };
    let written: Vec<_> = written.iter().map(|one| one.to_str().unwrap()).collect();
    assert_eq!(written.join(", "), expected);
    Outcome::Leniency
}

/// Compares what one challenge means with an entry of `semantic`.
fn check_meaning(row: &Value, challenge: &RawChallenge<'_>, semantic: &Value) -> Outcome {
    let scheme = challenge.scheme_name().to_ascii_lowercase();
    assert_eq!(semantic["scheme"], scheme);
    let mut expected = semantic.clone();
    expected
        .as_object_mut()
        .unwrap()
        .retain(|name, _| name != "index" && name != "reason");
    match meaning(challenge) {
        Err(error) if lacks_md5(&error, challenge.to_field_value().as_bytes()) => Outcome::NeedsMd5,
        Ok(meaning) if !tally::has(USABLE, row) => {
            assert_eq!(meaning, expected);
            Outcome::Strict
        }
        meaning => {
            assert_eq!(expected["usable"], false, "{meaning:?}");
            assert_eq!(meaning.is_ok(), tally::has(USABLE, row), "{meaning:?}");
            match meaning {
                Ok(_) => Outcome::Tolerant,
                Err(_) => Outcome::Strict,
            }
        }
    }
}

fn meaning(challenge: &RawChallenge<'_>) -> Result<Value, HeaderError> {
    let charset = |is_utf8: bool| is_utf8.then_some("UTF-8");
    let value = challenge.to_field_value();
    let digest = match challenges([&value]).next().expect("a challenge")? {
        Challenge::Digest(digest) => digest,
        Challenge::Basic { realm, utf8, .. } => {
            return Ok(json!({
                "scheme": "basic",
                "usable": true,
                "realm": written(realm.to_bytes()),
                "charset": charset(utf8),
            }));
        }
        other => panic!("{other:?}"),
    };
    let domain = digest.domain.map(|domain| domain.to_str().unwrap());
    let domain: Vec<_> = domain
        .iter()
        .flat_map(|domain| domain.split_whitespace())
        .collect();
    let mut meaning = generic::digest_challenge(&digest);
    let more = json!({
        "scheme": "digest",
        "usable": true,
        "domain": domain,
        "charset": charset(digest.utf8),
        "userhash": digest.userhash == Some(true),
    });
    let all = meaning.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    Ok(meaning)
}
