//! Every kind of error: which one, at which byte, in which words.

use countersign::ParseErrorKind::*;
use countersign::{
    AuthenticationInfo, Authorization, HeaderError, InvalidText, MAX_CHALLENGES, MAX_PARAMS,
    MAX_VALUE_BYTES, ParamError, ParamName, ParamProblem, ParseError, ParseErrorKind, RawChallenge,
    basic, digest,
};

type Row<'a> = (&'a [u8], ParseErrorKind, usize);

/// What a row holds of an error.
fn of(error: ParseError) -> (ParseErrorKind, usize) {
    (error.kind(), error.position())
}

fn syntax<T: std::fmt::Debug>(result: Result<T, HeaderError>) -> ParseError {
    match result {
        Err(HeaderError::Syntax(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Right or wrong in the same way as a challenge and as credentials.
const BOTH: &[Row<'_>] = &[
    (b"=", ExpectedScheme, 0),
    (b"  \t@", ExpectedScheme, 3),
    (b"\"A\" b=c", ExpectedScheme, 0),
    (b"\xC3\xA4 b=c", ExpectedScheme, 0),
    (b"\0", ExpectedScheme, 0),
    (b"a=b", ExpectedScheme, 0),
    (b" a=b", ExpectedScheme, 1),
    (b"A \"b\"", ExpectedName, 2),
    (b"A =b", ExpectedName, 2),
    (b"A b=c, \"d\"", ExpectedName, 7),
    (b"A b=c,\t, =d", ExpectedName, 9),
    (b"A b=c, \x7F=d", ExpectedName, 7),
    (b"A b c", ExpectedEquals, 4),
    (b"A b c=d", ExpectedEquals, 4),
    (b"A b\"c\"", ExpectedEquals, 3),
    (b"A b  @", ExpectedEquals, 5),
    (b"A b=;", ExpectedValue, 4),
    (b"A b=\\", ExpectedValue, 4),
    (b"A b=\0", ExpectedValue, 4),
    (b"A b=\x80", ExpectedValue, 4),
    (b"A b=c, d= \t;", ExpectedValue, 11),
    (b"A@", ExpectedComma, 1),
    (b"A\"b\"", ExpectedComma, 1),
    (b"A b=c d=e", ExpectedComma, 6),
    (b"A b=c;d", ExpectedComma, 5),
    (b"A b=c\\d", ExpectedComma, 5),
    (b"A b=c\"d\"", ExpectedComma, 5),
    (b"A b=c\0", ExpectedComma, 5),
    (b"A b=c\x80", ExpectedComma, 5),
    (b"A b=\"c\"d", ExpectedComma, 7),
    (b"A b=\"c\" \"d\"", ExpectedComma, 8),
    (b"A b=\"", UnclosedQuote, 4),
    (b"A b=\"\\\"", UnclosedQuote, 4),
    (b"A b=\"\\", UnclosedQuote, 4),
    (b"A b=c, d = \"e, f  ", UnclosedQuote, 11),
    (b"A b=\"\0\"", ControlByte, 5),
    (b"A b=\"ab\nc\"", ControlByte, 7),
    (b"A b=\"ab\x7F\"", ControlByte, 7),
    (b"A b=\"a\\\x7F\"", ControlByte, 7),
    (b"A b=\"\\\r\"", ControlByte, 6),
    (b"A b=\"\x1F", ControlByte, 5),
];

const CHALLENGES: &[Row<'_>] = &[
    (b", =", ExpectedScheme, 2),
    (b"A, b=c", ExpectedScheme, 3),
    (b"A b, c=d", ExpectedScheme, 5),
    (b"A b=c, D@", ExpectedComma, 8),
    (b"A b=c, D e=f g", ExpectedComma, 13),
    (b"A, B c=d, C e=\"", UnclosedQuote, 14),
    (b"A b=c, D e f=g", ExpectedEquals, 11),
    // In a value that is read although it is no token.
    (b"A b=c/d\"e\"", ExpectedComma, 7),
    (b"A b=@;", ExpectedComma, 5),
    (b"A b==\\", ExpectedComma, 5),
    (b"A b=c/d\0", ExpectedComma, 7),
    (b"A b=c/d\x80", ExpectedComma, 7),
    (b"A b=c/ d", ExpectedComma, 7),
    (b"A b==c=d  e", ExpectedComma, 10),
    (b"A b=c, d=, =", ExpectedName, 11),
    (b"Digest b=, c=;", ExpectedValue, 13),
    (b"Basic b= , \"c\"", ExpectedName, 11),
    (b"A b=, c=d", ExpectedScheme, 6),
];

const CREDENTIALS: &[Row<'_>] = &[
    (b"", ExpectedScheme, 0),
    (b" \t", ExpectedScheme, 0),
    (b", A b=c", ExpectedScheme, 0),
    (b"A,", ExpectedEnd, 1),
    (b"A, B", ExpectedEnd, 1),
    (b"A b, c=d", ExpectedEnd, 3),
    (b"A b==  ,", ExpectedEnd, 7),
    (b"A b=c, D", ExpectedEquals, 8),
    (b"A b=c, D e=f", ExpectedEquals, 9),
    (b"A b=c, D, e=f", ExpectedEquals, 8),
    (b"A , b", ExpectedEquals, 5),
    // What a challenge may have without quotes.
    (b"A b=c, d=", ExpectedValue, 9),
    (b"A b=c, d= \t ", ExpectedValue, 9),
    (b"A b=c, d=,", ExpectedValue, 9),
    (b"A b = , c", ExpectedValue, 6),
    (b"A b=@", ExpectedValue, 4),
    (b"A b==c", ExpectedValue, 4),
    (b"A b=c/d", ExpectedComma, 5),
    (b"A b=c, d=e==", ExpectedComma, 10),
    (b"Digest b=, c=d", ExpectedEnd, 9),
];

const INFO: &[Row<'_>] = &[
    (b"=", ExpectedName, 0),
    (b" ,\"a\"", ExpectedName, 2),
    (b"a", ExpectedEquals, 1),
    (b"a b=c", ExpectedEquals, 2),
    (b"a=b, c", ExpectedEquals, 6),
    (b"a=b, c d=e", ExpectedEquals, 7),
    (b"a=", ExpectedValue, 2),
    (b"a = ", ExpectedValue, 3),
    (b"a=,b=c", ExpectedValue, 2),
    (b"a=@", ExpectedValue, 2),
    (b"a=b/c", ExpectedComma, 3),
    (b"a=b==", ExpectedComma, 3),
    (b"a=b c=d", ExpectedComma, 4),
    (b"a=\"b", UnclosedQuote, 2),
    (b"a=\"b\x7F\"", ControlByte, 4),
];

#[test]
fn kind_and_position_of_every_syntax_error() {
    for &(value, kind, at) in BOTH.iter().chain(CHALLENGES) {
        let error = countersign::challenges([value]).raw().find_map(Result::err);
        assert_eq!(error.map(of), Some((kind, at)), "{}", value.escape_ascii());
    }
    for &(value, kind, at) in BOTH.iter().chain(CREDENTIALS) {
        let error = syntax(Authorization::parse(value));
        assert_eq!(of(error), (kind, at), "{}", value.escape_ascii());
    }
    for &(value, kind, at) in INFO {
        let error = syntax(AuthenticationInfo::parse([value]));
        assert_eq!(of(error), (kind, at), "{}", value.escape_ascii());
    }
}

/// Basic and Digest are read in one pass with the grammar, which must not change what is wrong.
#[test]
fn grammar_errors_precede_scheme_errors() {
    for scheme in ["Basic", "Digest"] {
        for (rest, kind, at) in [
            (" realm=a, realm=a, b", ExpectedEquals, 20),
            (" nonce=a, nonce=a, b=\"c", UnclosedQuote, 21),
            (" a=b=c", ExpectedComma, 4),
        ] {
            let value = format!("{scheme}{rest}");
            let error = syntax(Authorization::parse(&value));
            assert_eq!(of(error), (kind, at + scheme.len()), "{value}");
        }
    }
}

/// The positions are those in the value at fault, not in all of them.
#[test]
fn positions_are_relative_to_their_own_value() {
    let errors: Vec<_> = countersign::challenges(["A b=c", "A b c, B d e", " =", "A"])
        .raw()
        .filter_map(Result::err)
        .map(of)
        .collect();
    assert_eq!(
        errors,
        [
            (ExpectedEquals, 4),
            (ExpectedEquals, 11),
            (ExpectedScheme, 1)
        ]
    );
    let error = syntax(AuthenticationInfo::parse(["nextnonce=a", "qop"]));
    assert_eq!(of(error), (ExpectedEquals, 3));
}

#[test]
fn limits_have_kinds_of_their_own() {
    let long = vec![b' '; MAX_VALUE_BYTES + 1];
    let params = format!("A {}", "b=c,".repeat(MAX_PARAMS + 1));
    let challenges = "A,".repeat(MAX_CHALLENGES + 1);
    for (value, kind, at) in [
        (long.as_slice(), ValueTooLong, MAX_VALUE_BYTES),
        (params.as_bytes(), TooManyParams, 2 + 4 * MAX_PARAMS),
        (challenges.as_bytes(), TooManyChallenges, 2 * MAX_CHALLENGES),
    ] {
        let error = countersign::challenges([value]).raw().find_map(Result::err);
        assert_eq!(error.map(of), Some((kind, at)));
    }
}

#[test]
fn syntax_errors_as_text() {
    let first = |value: &str| {
        let error = countersign::challenges([value]).raw().find_map(Result::err);
        error.expect("an error").to_string()
    };
    for (value, words) in [
        ("=", "expected an authentication scheme at byte 0"),
        ("A b=c, \"d\"", "expected a parameter name at byte 7"),
        ("A b c=d", "expected `=` after a parameter name at byte 4"),
        ("A b= ;", "expected a parameter value at byte 5"),
        ("A b=c d=e", "expected `,` or the end at byte 6"),
        ("A b=\"c", "quoted string without a closing quote at byte 4"),
        ("A b=\"\n\"", "control byte in a quoted string at byte 5"),
    ] {
        assert_eq!(first(value), words);
    }
    assert_eq!(
        first(&" ".repeat(MAX_VALUE_BYTES + 1)),
        "header value too long at byte 131072"
    );
    assert_eq!(
        first(&format!("A {}", "b=c,".repeat(MAX_PARAMS + 1))),
        "too many parameters at byte 16386"
    );
    assert_eq!(
        first(&"A,".repeat(MAX_CHALLENGES + 1)),
        "too many challenges at byte 512"
    );
    let error = Authorization::parse("A, B").expect_err("a list");
    assert_eq!(error.to_string(), "expected the end at byte 1");
}

#[test]
fn parameter_errors_as_text() {
    use ParamName::*;
    use ParamProblem::*;

    let error = |value: &str| match Authorization::parse(value) {
        Err(HeaderError::Param(error)) => error,
        other => panic!("{other:?}"),
    };
    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let rest = format!(", realm=a, nonce=b, uri=c, response={HEX}, algorithm=SHA-256");
    let digest = |start: &str| error(&format!("Digest {start}{rest}"));
    for (error, name, problem, words) in [
        (
            error("Basic"),
            Token68,
            Missing,
            "parameter `token68` missing",
        ),
        (
            error("Basic a"),
            Token68,
            Malformed,
            "parameter `token68` malformed",
        ),
        (
            digest("a=b"),
            Username,
            Missing,
            "parameter `username` missing",
        ),
        (
            digest("username=a, USERNAME=a"),
            Username,
            Repeated,
            "parameter `username` given more than once",
        ),
        (
            digest("username=a, username*=UTF-8''a"),
            UsernameExt,
            Inconsistent,
            "parameter `username*` in conflict with another parameter",
        ),
        (
            digest("username=a, qop=b, nc=1, cnonce=c"),
            Qop,
            Unsupported,
            "parameter `qop` not supported",
        ),
    ] {
        assert_eq!((error.name, error.problem), (name, problem));
        assert_eq!(error.to_string(), words);
        assert_eq!(HeaderError::from(error).to_string(), words);
    }
}

#[test]
fn caller_errors_as_text() {
    let hash = digest::HashFunction::Sha256;
    for (error, expected, words) in [
        (
            basic::challenge("a\nb").err(),
            InvalidText::Control(1),
            "control character at byte 1",
        ),
        (
            basic::credentials("a:b", "").err(),
            InvalidText::ColonInUsername,
            "user name with a colon, which Basic cannot carry",
        ),
        (
            digest::HexDigest::from_hex(hash, "01g").err(),
            InvalidText::NotHex(2),
            "expected a hexadecimal digit at byte 2",
        ),
        (
            digest::HexDigest::from_hex(hash, "01").err(),
            InvalidText::Length,
            "wrong length, or too many parameters",
        ),
    ] {
        assert_eq!(error, Some(expected));
        assert_eq!(expected.to_string(), words);
    }
    assert_eq!(
        InvalidText::NotAscii(3).to_string(),
        "character outside ASCII at byte 3"
    );
    assert_eq!(
        InvalidText::NotLatin1(3).to_string(),
        "character outside ISO-8859-1 at byte 3"
    );
    for (refused, expected, words) in [
        (
            RawChallenge::builder("a b").err(),
            InvalidText::NotToken(1),
            "invalid token at byte 1",
        ),
        (
            RawChallenge::of_token68("a", "b=c").err(),
            InvalidText::NotToken68(2),
            "invalid token68 at byte 2",
        ),
        (
            RawChallenge::builder("BASIC").err(),
            InvalidText::ImplementedScheme,
            "Basic or Digest, which the modules `basic` and `digest` write",
        ),
    ] {
        assert_eq!(refused, Some(expected));
        assert_eq!(expected.to_string(), words);
    }
    assert_eq!(
        InvalidText::RepeatedName.to_string(),
        "parameter given more than once"
    );
}

#[test]
fn errors_implement_error() {
    fn is<E: std::error::Error + Send + Sync + Copy + Eq + 'static>() {}
    is::<ParseError>();
    is::<ParamError>();
    is::<HeaderError>();
    is::<InvalidText>();
}
