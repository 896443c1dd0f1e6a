//! Header values to try the parsers on: right ones, nearly right ones, and noise.
//!
//! Texts are put together from pieces rather than from bytes: each piece is there because some
//! rule of the grammar, or some mistake in reading it, turns on it.

mod digest;

pub use digest::{digest_challenge, digest_credentials, fields, info};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

pub type Bytes = Vec<u8>;
type Pieces = &'static [&'static [u8]];
const BLANKS: Pieces = &[b"", b"", b"", b"", b" ", b"\t", b"  ", b" \t"];
const BLANKS_1: Pieces = &[b" ", b" ", b" ", b" ", b"\t", b"  ", b"\t "];
const SEPARATORS: Pieces = &[
    b", ", b", ", b", ", b", ", b",", b" ,", b"\t,", b",\t", b",,", b" , ,\t",
];

const SCHEMES: Pieces = &[b"Basic", b"Digest", b"digest", b"A", b"Negotiate", b"!x~"];
const NAMES: Pieces = &[
    b"realm",
    b"realm",
    b"REALM",
    b"nonce",
    b"nonce",
    b"qop",
    b"algorithm",
    b"opaque",
    b"domain",
    b"stale",
    b"charset",
    b"userhash",
    b"username",
    b"username*",
    b"uri",
    b"response",
    b"cnonce",
    b"nc",
    b"nextnonce",
    b"rspauth",
    b"a",
    b"Basic",
    b"$1",
];

const TOKENS: Pieces = &[
    b"a",
    b"1",
    b"true",
    b"auth",
    b"AUTH-int",
    b"MD5",
    b"SHA-256",
    b"sha-512-256-sess",
    b"UTF-8",
    b"00000001",
    b"UTF-8''%C3%A4",
    b"!#$%&'*+-.^_`|~",
    b"0123456789abcdef0123456789ABCDEF",
];

const TOKEN68S: Pieces = &[
    b"a",
    b"b=",
    b"YTpi",
    b"YQ==",
    b"-._~+/",
    b"a=====",
    b"0",
    b"dXNlcjpwYXNz",
];

const TEXTS: Pieces = &[
    b"a",
    b"realm",
    b"auth",
    b"auth-int",
    b"0123456789abcdef0123456789abcdef",
    b" ",
    b"\t",
    b",",
    b"=",
    b", ",
    b", Basic x=y",
    b"'",
    b"/path?q",
    b"\x80",
    b"\xff",
    "ä€😀".as_bytes(),
];

/// Values without quotes that are no tokens, and are read in a challenge.
const WORDS: Pieces = &[
    b"",
    b"/",
    b"=",
    b"@",
    b"YWJj==",
    b"a/b",
    b"api@example.org",
    b"(a)",
    b"[<{?:}>]",
    b"x=y",
];

/// The same that are not: they hold what some readers end them at.
const BAD_WORDS: Pieces = &[
    b";",
    b"\\",
    b"a;b",
    b"a/b\\c",
    b"a\"b, C d=e\"",
    b"@\"\"",
    b"/;",
    b"=\\",
    b"\x80",
    b"a/\x80",
];

/// As they stand between quotes.
const ESCAPES: Pieces = &[
    b"\\\"", b"\\\\", b"\\a", b"\\ ", b"\\\t", b"\\,", b"\\\x80", b"\\\xff",
];

const FAULTS: Pieces = &[
    b"\0", b"\x01", b"\n", b"\r\n", b"\x1f", b"\x7f", b"\\\0", b"\\\n", b"\\\x7f",
];

const SPECIALS: &[u8] = b"\" \t,=\\aB1-/*@:;()\0\n\r\x1f\x7f\x80\xff";

fn piece(pieces: Pieces) -> impl Strategy<Value = Bytes> + Clone {
    select(pieces).prop_map(<[u8]>::to_vec)
}

fn pieces(pieces: Pieces, most: usize) -> impl Strategy<Value = Bytes> + Clone {
    vec(select(pieces), 0..=most).prop_map(|pieces| pieces.concat())
}

/// A text that a header can carry.
pub fn text() -> impl Strategy<Value = Bytes> + Clone {
    prop_oneof![
        4 => pieces(TEXTS, 4),
        1 => vec(select(&[b"\"" as &[u8], b"\\", b"\\\"", b"a", b","][..]), 0..6)
            .prop_map(|pieces| pieces.concat()),
    ]
}

/// The same, of UTF-8.
pub fn utf8() -> impl Strategy<Value = String> + Clone {
    let pieces = [
        "a", "Mufasa", " ", "\"", "\\", ",", "%", "'", "ä", "€", "😀",
    ];
    vec(select(pieces.to_vec()), 0..5).prop_map(|pieces| pieces.concat())
}

/// A quoted string.
pub fn quoted() -> impl Strategy<Value = Bytes> + Clone {
    let inside = prop_oneof![
        3 => select(TEXTS),
        1 => select(ESCAPES),
    ];
    vec(inside, 0..5).prop_map(|inside| [b"\"", inside.concat().as_slice(), b"\""].concat())
}

/// `name=value`, with blanks around the `=` or not.
pub fn param() -> impl Strategy<Value = Bytes> + Clone {
    let value = prop_oneof![piece(TOKENS), quoted()];
    (piece(NAMES), piece(BLANKS), piece(BLANKS), value).prop_map(|(name, before, after, value)| {
        [name, before, b"=".to_vec(), after, value].concat()
    })
}

/// The same, with a value that is no token, or none.
fn loose_param() -> impl Strategy<Value = Bytes> + Clone {
    (piece(NAMES), piece(BLANKS), piece(BLANKS), piece(WORDS))
        .prop_map(|(name, before, after, word)| [name, before, b"=".to_vec(), after, word].concat())
}

fn list(
    element: impl Strategy<Value = Bytes> + Clone,
    most: usize,
) -> impl Strategy<Value = Bytes> + Clone {
    let more = (piece(SEPARATORS), element.clone()).prop_map(|(comma, one)| [comma, one].concat());
    (element, vec(more, 0..most)).prop_map(|(first, more)| [first, more.concat()].concat())
}

/// With empty elements and blanks at both ends, or without.
fn with_ends(value: impl Strategy<Value = Bytes> + Clone) -> impl Strategy<Value = Bytes> + Clone {
    let ends = prop_oneof![
        4 => Just(Bytes::new()),
        1 => piece(SEPARATORS),
        1 => piece(BLANKS),
    ];
    (ends.clone(), value, ends).prop_map(|(before, value, after)| [before, value, after].concat())
}

/// `#auth-param`, as `Authentication-Info` has it. Follows the grammar.
pub fn params() -> impl Strategy<Value = Bytes> + Clone {
    with_ends(list(param(), 4))
}

/// One challenge, or credentials of any scheme. Follows the grammar.
pub fn challenge() -> impl Strategy<Value = Bytes> + Clone {
    let params =
        (piece(BLANKS_1), list(param(), 4)).prop_map(|(blank, list)| [blank, list].concat());
    let token68 = (piece(BLANKS_1), piece(TOKEN68S)).prop_map(|(blank, it)| [blank, it].concat());
    let body = prop_oneof![
        5 => params,
        2 => token68,
        1 => Just(Bytes::new()),
    ];
    (piece(SCHEMES), body).prop_map(|(scheme, body)| [scheme, body].concat())
}

/// One challenge with a parameter that does not follow the grammar, and is read.
///
/// Where a token68 could stand there is a right parameter, so that it is not taken for that; or, as Basic
/// and Digest have none, a name with an empty value.
fn loose_challenge() -> impl Strategy<Value = Bytes> + Clone {
    let start = prop_oneof![
        2 => (piece(SCHEMES), piece(BLANKS_1), param()),
        1 => (
            piece(&[b"Basic", b"Digest", b"dIGEST"]),
            piece(BLANKS_1),
            (piece(NAMES), piece(BLANKS)).prop_map(|(name, blank)| {
                [name, b"=".to_vec(), blank].concat()
            }),
        ),
    ];
    let more = list(prop_oneof![1 => param(), 2 => loose_param()], 3);
    (start, piece(SEPARATORS), more).prop_map(|((scheme, blank, first), comma, more)| {
        [scheme, blank, first, comma, more].concat()
    })
}

/// One challenge that is read.
pub fn good_challenge() -> impl Strategy<Value = Bytes> + Clone {
    prop_oneof![3 => challenge(), 1 => loose_challenge()]
}

/// A list of challenges that are read.
pub fn challenges() -> impl Strategy<Value = Bytes> + Clone {
    with_ends(list(good_challenge(), 3))
}

/// Something that starts like a challenge, so that it is none of the challenge before it, is at
/// fault, and ends where a reader can see it: every quote in it is closed.
pub fn bad_challenge() -> impl Strategy<Value = Bytes> + Clone {
    let fault = prop_oneof![
        // No comma.
        (param(), param()).prop_map(|(a, b)| [a.as_slice(), b" ", &b].concat()),
        (quoted(), quoted()).prop_map(|(a, b)| [b"a=", a.as_slice(), &b].concat()),
        // No name.
        quoted(),
        (param(), quoted()).prop_map(|(a, b)| [a.as_slice(), b", ", &b].concat()),
        param().prop_map(|a| [b"a=b, =", a.as_slice()].concat()),
        // No `=`.
        param().prop_map(|a| [b"a ", a.as_slice()].concat()),
        Just(b"a b".to_vec()),
        // A value whose end is a guess.
        piece(BAD_WORDS).prop_map(|word| [b"a=b, c=", word.as_slice()].concat()),
        piece(BAD_WORDS).prop_map(|word| [b"a= ", word.as_slice()].concat()),
        // A control byte, in a quoted string and elsewhere.
        (piece(FAULTS), quoted())
            .prop_map(|(fault, a)| [b"a=\"", fault.as_slice(), &a[1..]].concat()),
        (piece(FAULTS), quoted()).prop_map(|(fault, a)| [
            b"a=\"x, B c=d, e",
            fault.as_slice(),
            &a[1..]
        ]
        .concat()),
        Just(b"a=\x7f".to_vec()),
    ];
    // What comes after the fault is given up with it.
    let more = vec(prop_oneof![3 => param(), 1 => loose_param()], 0..3).prop_map(|more| {
        more.iter()
            .flat_map(|one| [b", ", one.as_slice()].concat())
            .collect()
    });
    let at_fault = (piece(SCHEMES), piece(BLANKS_1), fault, more).prop_map(
        |(scheme, blank, fault, more): (_, _, _, Bytes)| [scheme, blank, fault, more].concat(),
    );
    prop_oneof![
        8 => at_fault,
        1 => piece(&[b"A@", b"A\"b, c\"", b"A;b=c", b"A\x01"]),
    ]
}

/// Something that no challenge starts with.
pub fn no_challenge() -> impl Strategy<Value = Bytes> + Clone {
    prop_oneof![
        param(),
        quoted(),
        piece(&[
            b"=", b"=a", b"@", b"\\", b"\x01", b"\x80", b"a=", b"a =", b"(a)"
        ]),
    ]
}

/// The pieces of the grammar in any order: right here and there, and wrong in ways that no change
/// to a right one gives.
fn shuffled() -> impl Strategy<Value = Bytes> + Clone {
    let any = prop_oneof![
        4 => select(SEPARATORS),
        4 => select(BLANKS_1),
        4 => select(&[b"=" as &[u8], b"=", b"=", b"=\"", b"\"", b"\\"][..]),
        2 => select(SCHEMES),
        3 => select(NAMES),
        2 => select(TOKENS),
        1 => select(TOKEN68S),
        1 => select(TEXTS),
        1 => select(ESCAPES),
        1 => select(FAULTS),
    ];
    vec(any, 0..14).prop_map(|pieces| pieces.concat())
}

/// Few bytes, all of which the grammar looks at.
fn noise() -> impl Strategy<Value = Bytes> + Clone {
    vec(select(SPECIALS), 0..24)
}

#[derive(Debug, Clone)]
enum Edit {
    Insert(u8),
    Replace(u8),
    Remove,
    Cut,
}

/// `value` with one to three bytes changed, put in or left out.
fn changed(value: impl Strategy<Value = Bytes> + Clone) -> impl Strategy<Value = Bytes> + Clone {
    let edit = prop_oneof![
        3 => select(SPECIALS).prop_map(Edit::Insert),
        3 => select(SPECIALS).prop_map(Edit::Replace),
        2 => Just(Edit::Remove),
        1 => Just(Edit::Cut),
    ];
    let edits = vec((any::<Index>(), edit), 1..4);
    (value, edits).prop_map(|(mut value, edits)| {
        for (at, edit) in edits {
            let at = at.index(value.len() + 1);
            match edit {
                Edit::Insert(byte) => value.insert(at, byte),
                Edit::Replace(byte) if at < value.len() => value[at] = byte,
                Edit::Remove if at < value.len() => drop(value.remove(at)),
                Edit::Cut => value.truncate(at),
                Edit::Replace(_) | Edit::Remove => {}
            }
        }
        value
    })
}

/// `right`, changed or not, or something else altogether.
fn perhaps(right: impl Strategy<Value = Bytes> + Clone) -> impl Strategy<Value = Bytes> {
    prop_oneof![
        3 => right.clone(),
        4 => changed(right),
        2 => shuffled(),
        1 => noise(),
    ]
}

/// A value of `WWW-Authenticate`, right or wrong.
pub fn any_challenges() -> impl Strategy<Value = Bytes> {
    let faulty = list(prop_oneof![challenge(), bad_challenge(), no_challenge()], 3);
    prop_oneof![
        8 => perhaps(challenges()),
        1 => faulty,
        2 => digest_challenge(),
    ]
}

/// A value of `Authorization`, right or wrong.
pub fn any_credentials() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        5 => perhaps(with_ends(challenge())),
        3 => digest_credentials(),
        1 => challenges(),
        1 => bad_challenge(),
        1 => changed(challenge()).prop_map(|value| [b"A ", value.as_slice()].concat()),
    ]
}

/// A value of `Authentication-Info`, right or wrong.
pub fn any_info() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        4 => perhaps(params()),
        4 => info(),
    ]
}
