//! A caller that passes anything: every byte in every text and absurd numbers, to every public
//! function that takes one. The answer is a typed error or the documented result, never a panic
//! and never a grant without the secret.
//!
//! The functions are read from the source: one without a row here fails.

mod client;
mod headers;
mod server;
mod values;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use countersign::{Authorization, FieldValue, InvalidText, raw_challenges};

use super::surface;

/// What takes the argument and checks the outcome.
enum Try {
    Text(fn(&str)),
    Bytes(fn(&[u8])),
    Number(fn(u64)),
}

/// The function, the argument, and what tries it.
type Row = (&'static str, &'static str, Try);

/// What may hold any value. Types of our own are checked where they are made.
fn is_open(kind: &str) -> bool {
    let open = [
        "str",
        "[u8",
        "HashInput",
        "Text<",
        "Timestamp",
        "IntoIterator<Item = &",
        "FnMut",
    ];
    let numbers = ["u8", "u16", "u32", "u64", "usize"];
    let inner = kind.trim_start_matches("Option<").trim_end_matches('>');
    numbers.contains(&inner) || open.iter().any(|it| kind.contains(it))
}

fn rows() -> impl Iterator<Item = &'static Row> {
    let rows = client::ROWS.iter().chain(headers::ROWS);
    rows.chain(server::ROWS).chain(values::ROWS)
}

#[test]
fn every_open_argument_has_a_row() {
    let mut open = BTreeSet::new();
    for function in surface::functions() {
        for (name, kind) in &function.args {
            if is_open(kind) {
                open.insert(format!("{}({name})", function.path));
            }
        }
    }
    assert!(open.len() > 80, "{}", open.len());
    let listed: BTreeSet<_> = rows()
        .map(|(path, name, _)| format!("{path}({name})"))
        .collect();
    assert_eq!(listed.len(), rows().count(), "an argument twice");
    // Only with all features is all of the interface there to be listed.
    let is_there = |it: &&String| cfg!(feature = "precis") || !it.starts_with("precis::");
    let missing: Vec<_> = open.difference(&listed).filter(is_there).collect();
    let all = missing.is_empty() || cfg!(not(feature = "std"));
    assert!(all, "no row for {missing:#?}");
    let gone: Vec<_> = listed.difference(&open).collect();
    assert!(gone.is_empty(), "not in the source: {gone:#?}");
}

#[test]
fn no_argument_makes_it_panic() {
    let (texts, bytes) = (texts(), byte_strings());
    let mut failed = Vec::new();
    for (path, name, try_it) in rows() {
        let mut holds = |what: String, run: &dyn Fn()| {
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                failed.push(format!("{path}({name}) with {what}"));
            }
        };
        match try_it {
            Try::Text(run) => {
                for text in &texts {
                    holds(shown(text.as_bytes()), &|| run(text));
                }
            }
            Try::Bytes(run) => {
                for text in &bytes {
                    holds(shown(text), &|| run(text));
                }
            }
            Try::Number(run) => {
                for number in NUMBERS {
                    holds(number.to_string(), &|| run(number));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

fn shown(text: &[u8]) -> String {
    let start = &text[..text.len().min(40)];
    format!(
        "{:?} of {} bytes",
        start.escape_ascii().to_string(),
        text.len()
    )
}

/// Zero, one, and about every power that a narrower type ends at.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    63,
    64,
    65,
    u8::MAX as u64,
    u16::MAX as u64 - 1,
    u16::MAX as u64,
    u32::MAX as u64 - 1,
    u32::MAX as u64,
    u32::MAX as u64 + 1,
    (1 << 48) - 1,
    i64::MAX as u64,
    u64::MAX - 1,
    u64::MAX,
];

/// The number as the type of the argument, the greatest that there is if it does not fit.
fn fit<T: TryFrom<u64> + Bounded>(number: u64) -> T {
    T::try_from(number).unwrap_or(T::MAX)
}

trait Bounded {
    const MAX: Self;
}

impl Bounded for u8 {
    const MAX: Self = Self::MAX;
}

impl Bounded for u16 {
    const MAX: Self = Self::MAX;
}

impl Bounded for u32 {
    const MAX: Self = Self::MAX;
}

/// Every byte alone and between others, nothing, much, and what means something in a header.
fn byte_strings() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = texts().into_iter().map(String::into_bytes).collect();
    for byte in 0x80..=0xFF {
        all.extend([vec![byte], vec![b'a', byte, b'b']]);
    }
    all.push(vec![0xFF; 200_000]);
    all
}

fn texts() -> Vec<String> {
    let mut all = Vec::new();
    for byte in 0..=0xFF_u8 {
        let c = char::from(byte);
        all.extend([format!("{c}"), format!("a{c}b")]);
    }
    let special = [
        "",
        "\r\nSet-Cookie: a=b",
        "a\", realm=\"b",
        "\\\"",
        "realm=\"a\", nonce=\"b\"",
        "Basic YTpi",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256",
        "UTF-8''%00%0D%0A",
        "auth-int",
        "00000000",
        "ffffffff",
        "100000000",
        "-1",
        "https://user:password@example.com/",
        "//",
        "http://",
        "a:b:c",
        "\u{1F600}",
        "e\u{301}",
        "\u{FFFD}\u{202E}",
        "0000000000000000000000000000000000000000000000000000000000000000",
    ];
    all.extend(special.map(str::to_owned));
    for (text, times) in [
        ("a", 70_000),
        ("\"", 140_000),
        (",", 5000),
        ("a=b,", 5000),
        ("A b,", 300),
    ] {
        all.push(text.repeat(times));
    }
    all
}

/// A text is refused at its first control byte, if it has one. Some texts may hold no tab either.
fn checked<T>(text: impl AsRef<[u8]>, made: Result<T, InvalidText>) -> Option<T> {
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    let control = text.as_ref().iter().position(is_control);
    match made {
        Ok(made) => {
            assert_eq!(control, None, "a control byte was taken");
            Some(made)
        }
        Err(InvalidText::Control(at)) => {
            assert!(text.as_ref()[at].is_ascii_control());
            assert!(control.is_none_or(|first| at <= first));
            None
        }
        Err(_) => None,
    }
}

/// What is to be sent holds no control byte, and is one challenge or one credentials, unless it is
/// longer than a value may be.
fn is_one_value(value: &FieldValue) {
    let bytes = value.as_bytes();
    assert!(
        bytes
            .iter()
            .all(|byte| !byte.is_ascii_control() || *byte == b'\t')
    );
    let is_long = bytes.len() > countersign::MAX_VALUE_BYTES;
    let count = raw_challenges([bytes]).filter(Result::is_ok).count();
    match Authorization::parse(bytes) {
        Ok(_) => {}
        Err(error) if error.position().is_some() && !is_long => panic!("{error:?}"),
        Err(_) => assert!(is_long || count == 1, "{count} challenges"),
    }
}
