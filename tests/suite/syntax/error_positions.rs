//! Every kind of error: which one, at which byte, in which words.

use countersign::wire::{AuthenticationInfo, basic_challenge, basic_credentials};
use countersign::{
    Authorization, FieldValue, HeaderError, InvalidText, MAX_CHALLENGES, MAX_PARAMS,
    MAX_VALUE_BYTES, digest,
};

use crate::support::errors::syntax;

const EXPECTED_SCHEME: &str = "expected an authentication scheme";
const EXPECTED_NAME: &str = "expected a parameter name";
const EXPECTED_EQUALS: &str = "expected `=` after a parameter name";
const EXPECTED_VALUE: &str = "expected a parameter value";
const EXPECTED_COMMA: &str = "expected `,` or the end";
const EXPECTED_END: &str = "expected the end";
const UNCLOSED_QUOTE: &str = "quoted string without a closing quote";
const CONTROL_BYTE: &str = "control byte in a quoted string";
const VALUE_TOO_LONG: &str = "header value too long";
const TOO_MANY_PARAMS: &str = "too many parameters";
const TOO_MANY_CHALLENGES: &str = "too many challenges";

type Row<'a> = (&'a [u8], &'a str, usize);

fn error<T: std::fmt::Debug>(result: Result<T, HeaderError>) -> Option<(&'static str, usize)> {
    syntax(result.expect_err("an error"))
}

/// Right or wrong in the same way as a challenge and as credentials.
const BOTH: &[Row<'_>] = &[
    (b"=", EXPECTED_SCHEME, 0),
    (b"  \t@", EXPECTED_SCHEME, 3),
    (b"\"A\" b=c", EXPECTED_SCHEME, 0),
    (b"\xC3\xA4 b=c", EXPECTED_SCHEME, 0),
    (b"\0", EXPECTED_SCHEME, 0),
    (b"a=b", EXPECTED_SCHEME, 0),
    (b" a=b", EXPECTED_SCHEME, 1),
    (b"A \"b\"", EXPECTED_NAME, 2),
    (b"A =b", EXPECTED_NAME, 2),
    (b"A b=c, \"d\"", EXPECTED_NAME, 7),
    (b"A b=c,\t, =d", EXPECTED_NAME, 9),
    (b"A b=c, \x7F=d", EXPECTED_NAME, 7),
    (b"A b c", EXPECTED_EQUALS, 4),
    (b"A b c=d", EXPECTED_EQUALS, 4),
    (b"A b\"c\"", EXPECTED_EQUALS, 3),
    (b"A b  @", EXPECTED_EQUALS, 5),
    (b"A b=;", EXPECTED_VALUE, 4),
    (b"A b=\\", EXPECTED_VALUE, 4),
    (b"A b=\0", EXPECTED_VALUE, 4),
    (b"A b=\x80", EXPECTED_VALUE, 4),
    (b"A b=c, d= \t;", EXPECTED_VALUE, 11),
    (b"A@", EXPECTED_COMMA, 1),
    (b"A\"b\"", EXPECTED_COMMA, 1),
    (b"A b=c d=e", EXPECTED_COMMA, 6),
    (b"A b=c;d", EXPECTED_COMMA, 5),
    (b"A b=c\\d", EXPECTED_COMMA, 5),
    (b"A b=c\"d\"", EXPECTED_COMMA, 5),
    (b"A b=c\0", EXPECTED_COMMA, 5),
    (b"A b=c\x80", EXPECTED_COMMA, 5),
    (b"A b=\"c\"d", EXPECTED_COMMA, 7),
    (b"A b=\"c\" \"d\"", EXPECTED_COMMA, 8),
    (b"A b=\"", UNCLOSED_QUOTE, 4),
    (b"A b=\"\\\"", UNCLOSED_QUOTE, 4),
    (b"A b=\"\\", UNCLOSED_QUOTE, 4),
    (b"A b=c, d = \"e, f  ", UNCLOSED_QUOTE, 11),
    (b"A b=\"\0\"", CONTROL_BYTE, 5),
    (b"A b=\"ab\nc\"", CONTROL_BYTE, 7),
    (b"A b=\"ab\x7F\"", CONTROL_BYTE, 7),
    (b"A b=\"a\\\x7F\"", CONTROL_BYTE, 7),
    (b"A b=\"\\\r\"", CONTROL_BYTE, 6),
    (b"A b=\"\x1F", CONTROL_BYTE, 5),
];

const CHALLENGES: &[Row<'_>] = &[
    (b", =", EXPECTED_SCHEME, 2),
    (b"A, b=c", EXPECTED_SCHEME, 3),
    (b"A b, c=d", EXPECTED_SCHEME, 5),
    (b"A b=c, D@", EXPECTED_COMMA, 8),
    (b"A b=c, D e=f g", EXPECTED_COMMA, 13),
    (b"A, B c=d, C e=\"", UNCLOSED_QUOTE, 14),
    (b"A b=c, D e f=g", EXPECTED_EQUALS, 11),
    // In a value that is read although it is no token.
    (b"A b=c/d\"e\"", EXPECTED_COMMA, 7),
    (b"A b=@;", EXPECTED_COMMA, 5),
    (b"A b==\\", EXPECTED_COMMA, 5),
    (b"A b=c/d\0", EXPECTED_COMMA, 7),
    (b"A b=c/d\x80", EXPECTED_COMMA, 7),
    (b"A b=c/ d", EXPECTED_COMMA, 7),
    (b"A b==c=d  e", EXPECTED_COMMA, 10),
    (b"A b=c, d=, =", EXPECTED_NAME, 11),
    (b"Digest b=, c=;", EXPECTED_VALUE, 13),
    (b"Basic b= , \"c\"", EXPECTED_NAME, 11),
    (b"A b=, c=d", EXPECTED_SCHEME, 6),
];

const CREDENTIALS: &[Row<'_>] = &[
    (b"", EXPECTED_SCHEME, 0),
    (b" \t", EXPECTED_SCHEME, 0),
    (b", A b=c", EXPECTED_SCHEME, 0),
    (b"A,", EXPECTED_END, 1),
    (b"A, B", EXPECTED_END, 1),
    (b"A b, c=d", EXPECTED_END, 3),
    (b"A b==  ,", EXPECTED_END, 7),
    (b"A b=c, D", EXPECTED_EQUALS, 8),
    (b"A b=c, D e=f", EXPECTED_EQUALS, 9),
    (b"A b=c, D, e=f", EXPECTED_EQUALS, 8),
    (b"A , b", EXPECTED_EQUALS, 5),
    // What a challenge may have without quotes.
    (b"A b=c, d=", EXPECTED_VALUE, 9),
    (b"A b=c, d= \t ", EXPECTED_VALUE, 9),
    (b"A b=c, d=,", EXPECTED_VALUE, 9),
    (b"A b = , c", EXPECTED_VALUE, 6),
    (b"A b=@", EXPECTED_VALUE, 4),
    (b"A b==c", EXPECTED_VALUE, 4),
    (b"A b=c/d", EXPECTED_COMMA, 5),
    (b"A b=c, d=e==", EXPECTED_COMMA, 10),
    (b"Digest b=, c=d", EXPECTED_END, 9),
];

const INFO: &[Row<'_>] = &[
    (b"=", EXPECTED_NAME, 0),
    (b" ,\"a\"", EXPECTED_NAME, 2),
    (b"a", EXPECTED_EQUALS, 1),
    (b"a b=c", EXPECTED_EQUALS, 2),
    (b"a=b, c", EXPECTED_EQUALS, 6),
    (b"a=b, c d=e", EXPECTED_EQUALS, 7),
    (b"a=", EXPECTED_VALUE, 2),
    (b"a = ", EXPECTED_VALUE, 3),
    (b"a=,b=c", EXPECTED_VALUE, 2),
    (b"a=@", EXPECTED_VALUE, 2),
    (b"a=b/c", EXPECTED_COMMA, 3),
    (b"a=b==", EXPECTED_COMMA, 3),
    (b"a=b c=d", EXPECTED_COMMA, 4),
    (b"a=\"b", UNCLOSED_QUOTE, 2),
    (b"a=\"b\x7F\"", CONTROL_BYTE, 4),
];

#[test]
fn kind_and_position_of_every_syntax_error() {
    for &(value, kind, at) in BOTH.iter().chain(CHALLENGES) {
        let error = countersign::raw_challenges([value]).find_map(Result::err);
        let error = error.and_then(syntax);
        assert_eq!(error, Some((kind, at)), "{}", value.escape_ascii());
    }
    for &(value, kind, at) in BOTH.iter().chain(CREDENTIALS) {
        let error = error(Authorization::parse(value));
        assert_eq!(error, Some((kind, at)), "{}", value.escape_ascii());
    }
    for &(value, kind, at) in INFO {
        let error = error(AuthenticationInfo::parse([value]));
        assert_eq!(error, Some((kind, at)), "{}", value.escape_ascii());
    }
}

/// Basic and Digest are read in one pass with the grammar, which must not change what is wrong.
#[test]
fn grammar_errors_precede_scheme_errors() {
    for scheme in ["Basic", "Digest"] {
        for (rest, kind, at) in [
            (" realm=a, realm=a, b", EXPECTED_EQUALS, 20),
            (" nonce=a, nonce=a, b=\"c", UNCLOSED_QUOTE, 21),
            (" a=b=c", EXPECTED_COMMA, 4),
        ] {
            let value = format!("{scheme}{rest}");
            let error = error(Authorization::parse(&value));
            assert_eq!(error, Some((kind, at + scheme.len())), "{value}");
        }
    }
}

/// The positions are those in the value at fault, not in all of them.
#[test]
fn positions_are_relative_to_their_own_value() {
    let errors: Vec<_> = countersign::raw_challenges(["A b=c", "A b c, B d e", " =", "A"])
        .filter_map(Result::err)
        .filter_map(syntax)
        .collect();
    assert_eq!(
        errors,
        [
            (EXPECTED_EQUALS, 4),
            (EXPECTED_EQUALS, 11),
            (EXPECTED_SCHEME, 1)
        ]
    );
    let error = error(AuthenticationInfo::parse(["nextnonce=a", "qop"]));
    assert_eq!(error, Some((EXPECTED_EQUALS, 3)));
}

#[test]
fn limits_have_kinds_of_their_own() {
    let long = vec![b' '; MAX_VALUE_BYTES + 1];
    let params = format!("A {}", "b=c,".repeat(MAX_PARAMS + 1));
    let challenges = "A,".repeat(MAX_CHALLENGES + 1);
    for (value, kind, at) in [
        (long.as_slice(), VALUE_TOO_LONG, MAX_VALUE_BYTES),
        (params.as_bytes(), TOO_MANY_PARAMS, 2 + 4 * MAX_PARAMS),
        (
            challenges.as_bytes(),
            TOO_MANY_CHALLENGES,
            2 * MAX_CHALLENGES,
        ),
    ] {
        let error = countersign::raw_challenges([value]).find_map(Result::err);
        assert_eq!(error.and_then(syntax), Some((kind, at)));
    }
}

#[test]
fn parameter_errors_as_text() {
    let error = |value: &str| Authorization::parse(value).expect_err(value);
    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    let rest = format!(", realm=a, nonce=b, uri=c, response={HEX}, algorithm=SHA-256");
    let digest = |start: &str| error(&format!("Digest {start}{rest}"));
    for (error, name, words) in [
        (error("Basic"), "token68", "missing"),
        (error("Basic a"), "token68", "malformed"),
        (digest("a=b"), "username", "missing"),
        (
            digest("username=a, USERNAME=a"),
            "username",
            "given more than once",
        ),
        (
            digest("username=a, username*=UTF-8''a"),
            "username*",
            "in conflict with another parameter",
        ),
        (
            digest("username=a, qop=b, nc=1, cnonce=c"),
            "qop",
            "not supported",
        ),
    ] {
        assert_eq!((error.name(), error.position()), (Some(name), None));
        assert_eq!(error.to_string(), format!("parameter `{name}` {words}"));
    }
}

#[test]
fn caller_errors_as_text() {
    let hash = digest::HashFunction::Sha256;
    for (error, expected, words) in [
        (
            basic_challenge("a\nb", true).err(),
            InvalidText::Control(1),
            "control character at byte 1",
        ),
        (
            basic_credentials("a:b", "").err(),
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
        InvalidText::NotLatin1(3).to_string(),
        "character outside ISO-8859-1 at byte 3"
    );
    for (refused, expected, words) in [
        (
            FieldValue::with_params("a b", &[]).err(),
            InvalidText::NotToken(1),
            "invalid token at byte 1",
        ),
        (
            FieldValue::with_token68("a", "b=c").err(),
            InvalidText::NotToken68(2),
            "invalid token68 at byte 2",
        ),
        (
            FieldValue::with_params("BASIC", &[]).err(),
            InvalidText::ImplementedScheme,
            "Basic or Digest, which the module `wire` writes",
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
    is::<HeaderError>();
    is::<InvalidText>();
}
