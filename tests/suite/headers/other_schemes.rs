//! Challenges and credentials of other schemes: what is built is one of them, with these parts.

use countersign::{
    Authorization, Challenge, FieldValue, InvalidText, MAX_VALUE_BYTES, RawChallenge, challenges,
};

use crate::support::server::quoted;
use crate::support::{naive, round_trip};

type Params<'a> = [(&'a str, &'a str)];

/// The one challenge that `value` is, by our reader in both fields, and by the naive one.
fn read(value: &FieldValue) -> RawChallenge<'_> {
    let shown = value.as_bytes().escape_ascii();
    let all: Vec<_> = challenges([value]).collect();
    let [Ok(Challenge::Other(challenge))] = all[..] else {
        panic!("{shown}");
    };
    match Authorization::parse(value) {
        Ok(Authorization::Other(credentials)) => assert_eq!(credentials, challenge, "{shown}"),
        other => panic!("{shown}: {other:?}"),
    }
    // No line break, and no other control byte.
    round_trip::generic(challenge);
    assert_eq!(challenge.to_field_value(), *value);
    challenge
}

/// What can be built is what the naive parser reads as these parts, written by hand.
fn check_built(
    value: Result<FieldValue, InvalidText>,
    by_hand: &str,
    scheme: &str,
    body: naive::Body,
) {
    let is_refused = ["basic", "digest"].contains(&&*scheme.to_lowercase());
    let expected = naive::Challenge {
        scheme: scheme.into(),
        body,
    };
    let is_read = naive::credentials(by_hand.as_bytes()) == Some(expected);
    assert_eq!(
        value.is_ok(),
        is_read && !is_refused,
        "{by_hand:?}: {value:?}"
    );
    if let Ok(value) = value {
        read(&value);
        assert_eq!(value, by_hand);
    }
}

/// Names that are repeated are in the table of refusals.
fn check(scheme: &str, params: &Params<'_>) {
    let mut by_hand = scheme.to_owned();
    for (at, (name, text)) in params.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        by_hand += &format!("{comma} {name}={}", quoted(text));
    }
    let given = params
        .iter()
        .map(|(name, text)| ((*name).into(), (*text).into()));
    let body = naive::Body::Params(given.collect());
    check_built(
        FieldValue::with_params(scheme, params),
        &by_hand,
        scheme,
        body,
    );
}

fn check_token68(scheme: &str, token68: &str) {
    let value = FieldValue::with_token68(scheme, token68);
    let body = naive::Body::Token68(token68.into());
    check_built(value, &format!("{scheme} {token68}"), scheme, body);
}

#[test]
fn a_refusal_says_what_for() {
    use InvalidText::{Control, Empty, ImplementedScheme, NotToken, NotToken68, RepeatedName};
    for (scheme, params, error) in [
        ("a b", &[][..], NotToken(1)),
        ("", &[], Empty),
        ("bASIC", &[], ImplementedScheme),
        ("Digest", &[], ImplementedScheme),
        ("X", &[("a", ""), ("b=", "")], NotToken(1)),
        ("X", &[("", "")], Empty),
        ("X", &[("a", ""), ("b", ""), ("A", "")], RepeatedName),
        ("X", &[("a", "b\t\n")], Control(2)),
    ] {
        assert_eq!(FieldValue::with_params(scheme, params), Err(error));
    }
    for (scheme, token68, error) in [
        ("a b", "a", NotToken(1)),
        ("basic", "a", ImplementedScheme),
        ("X", "", Empty),
        ("X", "a==b", NotToken68(3)),
        ("X", "=", NotToken68(0)),
    ] {
        assert_eq!(FieldValue::with_token68(scheme, token68), Err(error));
    }
}

#[test]
fn what_is_built_reads_back_as_one() {
    let around = |c: char| {
        [
            format!("{c}"),
            format!("a{c}"),
            format!("{c}z"),
            format!("ab{c}z"),
        ]
    };
    let texts = "\" x\",\u{a0}error=\"y x\\\",error=\"y\\ \",Basic\u{a0}realm=\"z realm a=b a\r\nb:c BASIC digest Basic2";
    let texts = texts.split(' ').map(|text| text.replace('\u{a0}', " "));
    for text in ('\0'..='\u{ff}')
        .flat_map(around)
        .chain(texts)
        .chain([String::new()])
    {
        let quoted = format!("{text}\"");
        check(&text, &[]);
        check(&text, &[("realm", "api")]);
        check("Bearer", &[(&text, &text)]);
        check(
            "Bearer",
            &[("realm", &text), ("a", &quoted), ("b", &quoted)],
        );
        check_token68(&text, "YII=");
    }
}

#[test]
fn a_token68_reads_back_as_one() {
    for c in '\0'..='\u{ff}' {
        check_token68("Negotiate", &format!("ab{c}z"));
    }
    let pieces = ["", "a", "=", "==", "-._~+/", "0", ",", " ", "\t", "\"", "é"];
    for one in pieces {
        for two in pieces {
            for three in pieces {
                check_token68("Negotiate", &[one, two, three].concat());
            }
        }
    }
}

/// What is longer would not be read.
#[test]
fn the_limits_are_those_of_the_reader() {
    let longest = "a".repeat(MAX_VALUE_BYTES - "X ".len());
    check_token68("X", &longest);
    let too_long = Err(InvalidText::TooLong(MAX_VALUE_BYTES));
    assert_eq!(FieldValue::with_token68("XY", &longest), too_long);
    let refused = |scheme: &str, params: &Params<'_>| {
        let value = FieldValue::with_params(scheme, params);
        assert_eq!(value, too_long);
    };
    refused(&longest, &[("a", "")]);
    refused(&"a".repeat(MAX_VALUE_BYTES + 1), &[]);

    // Each quote is escaped, so it takes two bytes.
    let quotes = "\"".repeat((MAX_VALUE_BYTES - "X a=\"\"".len()) / 2);
    check("X", &[("a", &quotes)]);
    refused("X", &[("a", &(quotes + "\""))]);
}
