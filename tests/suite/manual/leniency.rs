//! What the page `docs/odd-peers.md` says of reading a header, as far as the vectors that it names
//! do not show it.

use countersign::digest::QopSet;
use countersign::wire::DigestChallenge;
use countersign::{Authorization, Challenge, HeaderError, Text, challenges, raw_challenges};

use crate::support::errors::problem;

/// The one challenge of `value`, read in both ways there are.
fn typed(value: &str) -> Result<Challenge<'_>, HeaderError> {
    let mut all = challenges([value]);
    let one = all.next().expect("a challenge");
    assert!(all.next().is_none(), "{value}");
    one
}

fn digest_of(value: &str) -> Result<DigestChallenge<'_>, HeaderError> {
    match typed(value)? {
        Challenge::Digest(digest) => Ok(digest),
        other => panic!("{value}: {other:?}"),
    }
}

/// The realm, and whether the charset is UTF-8.
fn basic_of(value: &str) -> Result<(Text<'_>, bool), HeaderError> {
    match typed(value)? {
        Challenge::Basic { realm, utf8, .. } => Ok((realm, utf8)),
        other => panic!("{value}: {other:?}"),
    }
}

/// Which parameter a header was refused for, and why.
fn blamed<T: std::fmt::Debug>(read: Result<T, HeaderError>) -> (&'static str, &'static str) {
    match read {
        Err(error) => (error.name().unwrap_or_default(), problem(&error)),
        other => panic!("{other:?}"),
    }
}

/// Every challenge of `value`, written anew and joined.
fn rewritten(value: &str) -> String {
    let all: Vec<_> = raw_challenges([value])
        .map(|one| String::from_utf8(one.expect(value).to_field_value().into()).expect("UTF-8"))
        .collect();
    all.join(", ")
}

#[test]
fn a_missing_value_is_empty() {
    for (value, written) in [
        ("A b=c, d=", r#"A b=c, d="""#),
        ("A b=c, d= \t ", r#"A b=c, d="""#),
        ("A b=c, d=, e=f", r#"A b=c, d="", e=f"#),
        ("A b=c, d = , E", r#"A b=c, d="", E"#),
        ("A b = , c=d", r#"A b="", c=d"#),
        (
            "Digest realm=, nonce=\"x\"",
            r#"Digest realm="", nonce="x""#,
        ),
        ("digest realm= \t, nonce=x", r#"digest realm="", nonce=x"#),
        ("BASIC realm=", r#"BASIC realm="""#),
        ("Basic a=, Basic realm=", r#"Basic a="", Basic realm="""#),
    ] {
        assert_eq!(rewritten(value), written, "{value}");
        assert_eq!(rewritten(written), written, "{value}");
    }
    assert_eq!(basic_of("Basic realm=").expect("a challenge").0, "");
    let read =
        digest_of("Digest realm=, algorithm=SHA-256, nonce=\"x\", opaque=").expect("a challenge");
    assert_eq!(read.realm, "");
    assert_eq!(read.opaque.expect("an opaque"), "");
}

/// By the grammar `auth-int` begins another challenge, which then has the `opaque`.
#[test]
fn an_unquoted_qop_ends_at_its_comma() {
    let value = r#"Digest realm="r", nonce="n", algorithm=SHA-256, qop=auth,auth-int, opaque="o""#;
    let mut all = challenges([value]);
    let Some(Ok(Challenge::Digest(first))) = all.next() else {
        panic!("{value}")
    };
    assert_eq!((first.qop, first.opaque), (QopSet::AUTH, None));
    assert!(all.next().is_some());
}

#[test]
fn userhash_is_ignored_in_a_challenge_and_refused_in_credentials_unless_it_is_true_or_false() {
    for (userhash, has) in [
        ("true", true),
        ("\"TRUE\"", true),
        ("false", false),
        ("1", false),
    ] {
        let value = format!("Digest realm=a, nonce=b, algorithm=SHA-256, userhash={userhash}");
        assert_eq!(
            digest_of(&value).expect("a challenge").userhash == Some(true),
            has
        );
    }
    let sent = |userhash: &str| {
        let hex = "0123456789abcdef".repeat(4);
        let value = format!(
            "Digest username={hex}, realm=a, nonce=b, uri=c, algorithm=SHA-256, response={hex}, \
             userhash={userhash}"
        );
        Authorization::parse(&value).map(drop)
    };
    assert_eq!(sent("TRUE"), Ok(()));
    assert_eq!(sent("\"false\""), Ok(()));
    for other in ["1", "yes", "\"\"", "\"true \""] {
        let malformed = ("userhash", "malformed");
        assert_eq!(blamed(sent(other)), malformed, "{other}");
    }
}

#[test]
fn basic_credentials_need_a_colon() {
    // `user`, and `user:`
    let malformed = ("token68", "malformed");
    assert_eq!(blamed(Authorization::parse("Basic dXNlcg==")), malformed);
    // A control character.
    assert_eq!(blamed(Authorization::parse("Basic YQA6Yg==")), malformed);
    assert!(Authorization::parse("Basic dXNlcjo=").is_ok());
}

/// RFC 4648, sections 3.2 to 3.5. Only the padding may be missing, and then all of it.
#[test]
fn a_basic_pair_has_one_spelling_but_for_its_padding() {
    for (token68, pair) in [
        ("YTpi", Some("a:b")),
        ("YTpi=", None),
        ("YTpiYw==", Some("a:bc")),
        ("YTpiYw=", Some("a:bc")),
        ("YTpiYw", Some("a:bc")),
        // Bits that nobody reads.
        ("YTpiYx==", None),
        ("YTpiYx", None),
        ("YTpiY2Q=", Some("a:bcd")),
        ("YTpiY2Q", Some("a:bcd")),
        ("YTpiY2R=", None),
        ("YTpiY2R", None),
        ("YTpiY2Q==", None),
        // The alphabet for URLs.
        ("YTo+Pz4/", Some("a:>?>?")),
        ("YTo-Pz4/", None),
        ("YTo+Pz4_", None),
    ] {
        let value = format!("Basic {token68}");
        match (Authorization::parse(&value), pair) {
            (Ok(Authorization::Basic(read)), Some(pair)) => {
                let read = [read.username(), b":", read.password()].concat();
                assert_eq!(read, pair.as_bytes(), "{value}");
            }
            (read, None) => {
                let malformed = ("token68", "malformed");
                assert_eq!(blamed(read), malformed, "{value}");
            }
            (read, pair) => panic!("{value}: {read:?} instead of {pair:?}"),
        }
    }
}

/// The page names a row of the vectors for most of its own.
#[test]
fn the_vectors_named_on_the_page_exist() {
    let page = include_str!("../../../docs/odd-peers.md");
    let rows: Vec<_> = [
        "authinfo",
        "authorization",
        "basic",
        "challenges",
        "digest",
        "peers",
    ]
    .into_iter()
    .flat_map(crate::support::vectors::load)
    .collect();
    let mut count = 0;
    for line in page.lines().filter(|line| line.ends_with("`) |")) {
        let (_, names) = line.rsplit_once('(').expect("an opening parenthesis");
        for name in names.split('`').skip(1).step_by(2) {
            assert!(rows.iter().any(|row| row["id"] == name), "no row {name}");
            count += 1;
        }
    }
    assert_eq!(count, 22);
}
