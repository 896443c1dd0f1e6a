//! What the page `docs/odd-peers.md` says of reading a header, row by row: what is read, what it is
//! read as, how it is written again, and what is refused.

use countersign::digest::{QopSet, User};
use countersign::wire::{AuthenticationInfo, BasicChallenge, DigestChallenge};
use countersign::{Authorization, Challenge, HeaderError, challenges, raw_challenges};

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

fn basic_of(value: &str) -> Result<BasicChallenge<'_>, HeaderError> {
    match typed(value)? {
        Challenge::Basic { realm, .. } => Ok(basic),
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
fn an_unquoted_value_goes_on_to_the_next_comma_or_blank() {
    for (value, written) in [
        ("A b=c==, d=e", r#"A b="c==", d=e"#),
        ("A b=c/d", r#"A b="c/d""#),
        ("A b=/, d=e", r#"A b="/", d=e"#),
        ("A b=@\t, C", r#"A b="@", C"#),
        ("A b= =, d=e", r#"A b="=", d=e"#),
        ("A b==c", r#"A b="=c""#),
        ("A b=(<[{:?@/=}]>)c, d=e", r#"A b="(<[{:?@/=}]>)c", d=e"#),
        ("A b=a@b, D e=f/g ,h=i:", r#"A b="a@b", D e="f/g", h="i:""#),
        (
            "Digest realm=api@example.org, domain=/, nonce=YWJj==, qop=auth",
            r#"Digest realm="api@example.org", domain="/", nonce="YWJj==", qop=auth"#,
        ),
        // What is a token stays one, but for a realm.
        ("A b=c", "A b=c"),
        ("A REALM=c", r#"A REALM="c""#),
    ] {
        assert_eq!(rewritten(value), written, "{value}");
        assert_eq!(rewritten(written), written, "{value}");
        let read: Vec<_> = raw_challenges([value]).flatten().collect();
        let again: Vec<_> = raw_challenges([written]).flatten().collect();
        assert_eq!(read, again, "{value}");
        // What is written needs no leniency.
        if read.len() == 1 && matches!(read[0].scheme_name(), "A") {
            assert!(Authorization::parse(written).is_ok(), "{written}");
        }
    }
    let read = digest_of("Digest realm=api@example.org, domain=/, algorithm=SHA-256, nonce=YWJj==")
        .expect("a challenge");
    assert_eq!(read.realm, "api@example.org");
    assert_eq!(read.nonce, "YWJj==");
    assert_eq!(read.domain.expect("a domain"), "/");
}

/// Readers do not agree on where such a value ends.
#[test]
fn an_unquoted_value_with_a_delimiter_of_some_parsers_is_refused() {
    for (value, at) in [
        ("A b=c\"", 5),
        ("A b=c/\"d\"", 6),
        ("A b=@;e", 5),
        ("A b=c\\d", 5),
        ("A b=c/ d", 7),
        ("A b=c/\x7F", 6),
        ("A b=c/\u{80}", 6),
    ] {
        let error = raw_challenges([value])
            .next()
            .expect("a challenge")
            .expect_err(value);
        assert_eq!(
            (problem(&error), error.position()),
            ("expected `,` or the end", Some(at)),
            "{value}"
        );
    }
    for value in ["A b=;", "A b=\\", "A b=\x01", "A b=\u{80}"] {
        let error = raw_challenges([value])
            .next()
            .expect("a challenge")
            .expect_err(value);
        assert_eq!(
            (problem(&error), error.position()),
            ("expected a parameter value", Some(4)),
            "{value}"
        );
    }
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
    assert_eq!(basic_of("Basic realm=").expect("a challenge").realm, "");
    let read =
        digest_of("Digest realm=, algorithm=SHA-256, nonce=\"x\", opaque=").expect("a challenge");
    assert_eq!(read.realm, "");
    assert_eq!(read.opaque.expect("an opaque"), "");
}

/// Basic and Digest have no token68 in a challenge; of other schemes nobody can tell.
#[test]
fn a_possible_token68_of_another_scheme_is_one() {
    for (value, token68) in [
        ("Negotiate abc=", Some("abc=")),
        ("Negotiate realm=", Some("realm=")),
        ("Negotiate realm= , A", Some("realm=")),
        ("Basic YTpi", Some("YTpi")),
        ("Basic YQ==", Some("YQ==")),
        ("Digest a/b=", Some("a/b=")),
        ("Digest realm=", None),
        ("Basic YWI=", None),
    ] {
        let read = raw_challenges([value])
            .next()
            .expect("a challenge")
            .expect(value);
        assert_eq!(read.token68(), token68, "{value}");
    }
    // Credentials have one.
    assert!(matches!(
        Authorization::parse("Basic YTpiY2Q="),
        Ok(Authorization::Basic(_))
    ));
}

#[test]
fn authorization_and_authentication_info_follow_the_grammar() {
    const REST: &str = "realm=a, nonce=b, uri=\"/\", username=c, algorithm=SHA-256, \
        response=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    assert!(Authorization::parse(&format!("Digest {REST}, x=y")).is_ok());
    for odd in [
        "x=y==",
        "x=/",
        "x=",
        "x= ",
        "x=, y=z",
        "nonce=",
        "realm=a@b",
    ] {
        for value in [
            format!("Digest {REST}, {odd}"),
            format!("Digest {odd}, {REST}"),
        ] {
            let read = Authorization::parse(&value);
            assert!(
                matches!(read, Err(error) if error.position().is_some()),
                "{value}: {read:?}"
            );
        }
        let read = AuthenticationInfo::parse([odd]);
        assert!(
            matches!(read, Err(error) if error.position().is_some()),
            "{odd}: {read:?}"
        );
    }
}

#[test]
fn a_basic_challenge_without_a_realm_has_an_empty_one() {
    for (value, utf8) in [
        ("Basic", false),
        ("Basic charset=\"UTF-8\"", true),
        ("Basic x=y", false),
        ("Basic realm=\"\"", false),
    ] {
        let read = basic_of(value).expect(value);
        assert_eq!(read.realm, "", "{value}");
        assert_eq!(read.utf8, utf8, "{value}");
        assert!(
            read.to_field_value()
                .as_bytes()
                .starts_with(b"Basic realm=\"\"")
        );
        let generic = raw_challenges([value])
            .next()
            .expect("a challenge")
            .expect(value);
        assert_eq!(BasicChallenge::try_from(generic), Ok(read));
    }
    let missing = ("realm", "missing");
    for value in ["Basic realm", "Basic realm==", "Basic YTpi"] {
        assert_eq!(blamed(basic_of(value)), missing, "{value}");
    }
    for value in ["Digest", "Digest nonce=\"x\"", "Digest nonce="] {
        assert_eq!(blamed(digest_of(value)), missing, "{value}");
    }
}

#[test]
fn an_empty_qop_list_offers_none_and_one_of_unknown_values_is_refused() {
    let read = |qop: &str| {
        let value = format!("Digest realm=a, nonce=b, algorithm=SHA-256, qop={qop}");
        digest_of(&value).map(|challenge| challenge.qop)
    };
    for empty in ["\"\"", "\" \t\"", "\",\"", "\" , ,\t\"", "\"\\,\\ \"", ""] {
        assert_eq!(read(empty), Ok(QopSet::NONE), "{empty}");
    }
    let unsupported = ("qop", "not supported");
    for unknown in [
        "\"x\"",
        "\", x\"",
        "\"auth auth-int\"",
        "x",
        "/",
        "=",
        "\"\\x\"",
    ] {
        assert_eq!(blamed(read(unknown)), unsupported, "{unknown}");
    }
    // In credentials it says which formula was used, so there it must be one.
    let sent = "Digest username=a, realm=a, nonce=b, uri=c, algorithm=SHA-256, qop=\"\", nc=1, \
        cnonce=d, response=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    assert_eq!(blamed(Authorization::parse(sent)), unsupported);
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
fn a_user_name_has_no_control_characters() {
    let sent = |username: &str| {
        let hex = "0123456789abcdef".repeat(4);
        let value = format!(
            "Digest {username}, realm=a, nonce=b, uri=c, algorithm=SHA-256, response={hex}"
        );
        match Authorization::parse(&value) {
            Ok(Authorization::Digest(digest)) => match digest.user() {
                User::Name(name) => Ok(name.into_owned()),
                other => panic!("{other:?}"),
            },
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error),
        }
    };
    for encoded in ["%00", "%0A", "%7F", "%09", "%C2%85"] {
        let sent = sent(&format!("username*=UTF-8''a{encoded}"));
        let malformed = ("username*", "malformed");
        assert_eq!(blamed(sent), malformed, "{encoded}");
    }
    assert!(matches!(
        sent("username=\"a\n\""),
        Err(error) if error.position().is_some()
    ));
    // HTAB is text where it stands in quotes.
    assert_eq!(sent("username=\"a\tb\""), Ok("a\tb".into()));
    assert!(Authorization::parse("Basic YQA6Yg==").is_err());
}

#[test]
fn a_session_needs_a_qop() {
    let hex = "0123456789abcdef".repeat(4);
    for counted in ["", ", nc=00000001, cnonce=d"] {
        let value = format!(
            "Digest username=a, realm=a, nonce=b, uri=c, algorithm=SHA-256-sess, \
             response={hex}{counted}"
        );
        let missing = ("qop", "missing");
        assert_eq!(blamed(Authorization::parse(&value)), missing, "{counted}");
    }
}

#[test]
fn basic_credentials_need_a_colon() {
    // `user`, and `user:`
    let malformed = ("token68", "malformed");
    assert_eq!(blamed(Authorization::parse("Basic dXNlcg==")), malformed);
    assert!(Authorization::parse("Basic dXNlcjo=").is_ok());
}

/// RFC 4648, sections 3.2 to 3.5. Only the padding may be missing, and then all of it.
#[test]
fn a_basic_pair_has_one_spelling_but_for_its_padding() {
    for (token68, pair) in [
        ("YTpi", Some("a:b")),
        ("YTpi=", None),
        ("YTpiYw==", Some("a:bc")),
        ("YTpiYw=", None),
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
