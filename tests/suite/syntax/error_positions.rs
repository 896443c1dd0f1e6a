//! Every kind of error: which one, at which byte, in which words.

use countersign::wire::AuthenticationInfo;
use countersign::{Authorization, HeaderError, raw_challenges};

use crate::support::errors::syntax;

const EXPECTED_SCHEME: &str = "expected an authentication scheme";
const EXPECTED_NAME: &str = "expected a parameter name";
const EXPECTED_EQUALS: &str = "expected `=` after a parameter name";
const EXPECTED_VALUE: &str = "expected a parameter value";
const EXPECTED_COMMA: &str = "expected `,` or the end";
const EXPECTED_END: &str = "expected the end";
const UNCLOSED_QUOTE: &str = "quoted string without a closing quote";
const CONTROL_BYTE: &str = "control byte in a quoted string";

type Row<'a> = (&'a [u8], &'a str, usize);

/// Wrong in the same way as a challenge and as credentials.
const BOTH: &[Row<'_>] = &[
    (b"  \t@", EXPECTED_SCHEME, 3),
    (b"\xC3\xA4 b=c", EXPECTED_SCHEME, 0),
    (b" a=b", EXPECTED_SCHEME, 1),
    (b"A \"b\"", EXPECTED_NAME, 2),
    (b"A b=c,\t, =d", EXPECTED_NAME, 9),
    (b"A b=c, \x7F=d", EXPECTED_NAME, 7),
    (b"A b c=d", EXPECTED_EQUALS, 4),
    (b"A b\"c\"", EXPECTED_EQUALS, 3),
    (b"A b  @", EXPECTED_EQUALS, 5),
    (b"A b=\\", EXPECTED_VALUE, 4),
    (b"A b=\x80", EXPECTED_VALUE, 4),
    (b"A b=c, d= \t;", EXPECTED_VALUE, 11),
    (b"A@", EXPECTED_COMMA, 1),
    (b"A b=c d=e", EXPECTED_COMMA, 6),
    (b"A b=c;d", EXPECTED_COMMA, 5),
    (b"A b=c\0", EXPECTED_COMMA, 5),
    (b"A b=\"c\"d", EXPECTED_COMMA, 7),
    (b"A b=\"c\" \"d\"", EXPECTED_COMMA, 8),
    (b"A b=\"\\\"", UNCLOSED_QUOTE, 4),
    (b"A b=\"\\", UNCLOSED_QUOTE, 4),
    (b"A b=c, d = \"e, f  ", UNCLOSED_QUOTE, 11),
    (b"A b=\"ab\nc\"", CONTROL_BYTE, 7),
    (b"A b=\"a\\\x7F\"", CONTROL_BYTE, 7),
    (b"A b=\"\x1F", CONTROL_BYTE, 5),
];

const CHALLENGES: &[Row<'_>] = &[
    (b"A, b=c", EXPECTED_SCHEME, 3),
    (b"A b, c=d", EXPECTED_SCHEME, 5),
    (b"A b=c, D e=f g", EXPECTED_COMMA, 13),
    (b"A, B c=d, C e=\"", UNCLOSED_QUOTE, 14),
    (b"A b=c, D e f=g", EXPECTED_EQUALS, 11),
    // In a value that is read although it is no token.
    (b"A b=c/d\"e\"", EXPECTED_COMMA, 7),
    (b"A b=c/ d", EXPECTED_COMMA, 7),
    (b"A b==c=d  e", EXPECTED_COMMA, 10),
    (b"Digest b=, c=;", EXPECTED_VALUE, 13),
    (b"Basic b= , \"c\"", EXPECTED_NAME, 11),
    (b"A b=, c=d", EXPECTED_SCHEME, 6),
];

const CREDENTIALS: &[Row<'_>] = &[
    (b" \t", EXPECTED_SCHEME, 0),
    (b", A b=c", EXPECTED_SCHEME, 0),
    (b"A, B", EXPECTED_END, 1),
    (b"A b==  ,", EXPECTED_END, 7),
    (b"A b=c, D", EXPECTED_EQUALS, 8),
    (b"A b=c, D e=f", EXPECTED_EQUALS, 9),
    (b"A , b", EXPECTED_EQUALS, 5),
    // What a challenge may have without quotes.
    (b"A b=c, d= \t ", EXPECTED_VALUE, 9),
    (b"A b = , c", EXPECTED_VALUE, 6),
    (b"A b=c/d", EXPECTED_COMMA, 5),
    (b"Digest b=, c=d", EXPECTED_END, 9),
    // Basic and Digest are read in one pass with the grammar, which does not change what is wrong.
    (b"Basic realm=a, realm=a, b", EXPECTED_EQUALS, 25),
    (b"Digest nonce=a, nonce=a, b=\"c", UNCLOSED_QUOTE, 27),
    (b"Digest a=b=c", EXPECTED_COMMA, 10),
];

const INFO: &[Row<'_>] = &[
    (b" ,\"a\"", EXPECTED_NAME, 2),
    (b"a=b, c", EXPECTED_EQUALS, 6),
    (b"a=b, c d=e", EXPECTED_EQUALS, 7),
    (b"a=,b=c", EXPECTED_VALUE, 2),
    (b"a=b/c", EXPECTED_COMMA, 3),
    (b"a=b c=d", EXPECTED_COMMA, 4),
    (b"a=\"b", UNCLOSED_QUOTE, 2),
    (b"a=\"b\x7F\"", CONTROL_BYTE, 4),
];

#[test]
fn kind_and_position_of_every_syntax_error() {
    let challenge = |value: &[u8]| raw_challenges([value]).find_map(Result::err);
    let credentials = |value: &[u8]| Authorization::parse(value).err();
    let info = |value: &[u8]| AuthenticationInfo::parse([value]).err();
    type Read<'a> = &'a dyn Fn(&[u8]) -> Option<HeaderError>;
    let tables: [(Read<'_>, &[Row<'_>]); 5] = [
        (&challenge, BOTH),
        (&challenge, CHALLENGES),
        (&credentials, BOTH),
        (&credentials, CREDENTIALS),
        (&info, INFO),
    ];
    for (read, rows) in tables {
        for &(value, kind, at) in rows {
            let error = read(value).and_then(syntax);
            assert_eq!(error, Some((kind, at)), "{}", value.escape_ascii());
        }
    }
}

/// The positions are those in the value at fault, not in all of them. What no challenge can start with
/// is of the one before it, and no fault of its own.
#[test]
fn positions_are_relative_to_their_own_value() {
    let errors: Vec<_> = raw_challenges(["A b=c", "A b c, X@, B d e", " =", "A"])
        .filter_map(Result::err)
        .filter_map(syntax)
        .collect();
    assert_eq!(
        errors,
        [
            (EXPECTED_EQUALS, 4),
            (EXPECTED_EQUALS, 15),
            (EXPECTED_SCHEME, 1)
        ]
    );
    let error = AuthenticationInfo::parse(["nextnonce=a", "qop"]).unwrap_err();
    assert_eq!(syntax(error), Some((EXPECTED_EQUALS, 3)));
}

#[test]
fn parameter_errors_as_text() {
    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    for (value, name, words) in [
        ("Basic", "token68", "missing"),
        ("Basic a", "token68", "malformed"),
        ("Digest a=b", "username", "missing"),
        ("Digest username*=a", "username*", "malformed"),
        ("Digest username=a, userhash=yes", "userhash", "malformed"),
        (
            "Digest opaque=a, username=a, USERNAME=a, opaque=a",
            "username",
            "given more than once",
        ),
        (
            "Digest username=a, username*=UTF-8''a",
            "username*",
            "in conflict with another parameter",
        ),
        (
            "Digest username=a, qop=b, nc=1, cnonce=c",
            "qop",
            "not supported",
        ),
    ] {
        let rest = format!(", realm=a, nonce=b, uri=c, response={HEX}, algorithm=SHA-256");
        let rest = if value.starts_with("Digest") {
            &rest
        } else {
            ""
        };
        let error = Authorization::parse(&[value, rest].concat()).expect_err(value);
        assert_eq!((error.name(), error.position()), (Some(name), None));
        assert_eq!(error.to_string(), format!("parameter `{name}` {words}"));
    }
}
