//! Challenges and credentials of other schemes: what is built is one of them, with these parts.

use countersign::{
    Authorization, Challenge, FieldValue, InvalidText, MAX_PARAMS, MAX_VALUE_BYTES, RawChallenge,
    challenges,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::effort::cases;
use crate::support::{generate, naive, round_trip};

type Params = [(String, String)];

fn build(scheme: &str, params: &Params) -> Result<FieldValue, InvalidText> {
    let params: Vec<_> = params.iter().map(|(a, b)| (&**a, &**b)).collect();
    FieldValue::with_params(scheme, &params)
}

fn is_tchar(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

/// What a token is refused for.
fn token(text: &str) -> Result<(), InvalidText> {
    match text.bytes().position(|byte| !is_tchar(&byte)) {
        Some(at) => Err(InvalidText::NotToken(at)),
        None if text.is_empty() => Err(InvalidText::Length),
        None => Ok(()),
    }
}

fn scheme(text: &str) -> Result<(), InvalidText> {
    token(text)?;
    let is_own = |own: &&&str| own.eq_ignore_ascii_case(text);
    match ["Basic", "Digest"].iter().find(is_own) {
        Some(_) => Err(InvalidText::ImplementedScheme),
        None => Ok(()),
    }
}

/// What the first wrong part is refused for.
fn expected(name: &str, params: &Params) -> Result<(), InvalidText> {
    scheme(name)?;
    for (at, (name, value)) in params.iter().enumerate() {
        token(name)?;
        let before = &params[..at];
        if before.iter().any(|(it, _)| it.eq_ignore_ascii_case(name)) {
            return Err(InvalidText::RepeatedName);
        }
        round_trip::text(value.as_bytes())?;
    }
    Ok(())
}

fn expected_token68(token68: &str) -> Result<(), InvalidText> {
    let is_start = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
    let padding = token68.trim_start_matches(is_start);
    if token68.is_empty() {
        return Err(InvalidText::Length);
    }
    let rest = match padding.len() == token68.len() {
        true => padding,
        false => padding.trim_start_matches('='),
    };
    match rest.is_empty() {
        true => Ok(()),
        false => Err(InvalidText::NotToken68(token68.len() - rest.len())),
    }
}

/// The one challenge that `value` is, by our reader in both fields, and by the naive one.
fn read(value: &FieldValue) -> (RawChallenge<'_>, naive::Body) {
    let shown = value.as_bytes().escape_ascii();
    let mut all = challenges([value]);
    let Some(Ok(Challenge::Other(challenge))) = all.next() else {
        panic!("{shown}");
    };
    assert!(all.next().is_none(), "{shown}");
    match Authorization::parse(value) {
        Ok(Authorization::Other(credentials)) => assert_eq!(credentials, challenge, "{shown}"),
        other => panic!("{shown}: {other:?}"),
    }
    let all = naive::challenges(value.as_bytes()).unwrap_or_else(|| panic!("{shown}"));
    let [one] = &all[..] else { panic!("{shown}") };
    assert_eq!(one.scheme, challenge.scheme_name().as_bytes(), "{shown}");
    // No line break, and no other control byte.
    round_trip::generic(challenge);
    assert_eq!(challenge.to_field_value(), *value);
    (challenge, one.body.clone())
}

fn check(scheme: &str, params: &Params) {
    let value = build(scheme, params);
    assert_eq!(
        value.as_ref().map(drop),
        expected(scheme, params).as_ref().map(drop)
    );
    let Ok(value) = value else { return };
    let (challenge, body) = read(&value);
    assert_eq!(challenge.scheme_name(), scheme);
    assert_eq!(challenge.token68(), None);
    for ((read, value), (name, text)) in challenge.params().zip(params) {
        assert_eq!((read, &*value.to_str().unwrap()), (&**name, &**text));
        assert!(!value.is_unquoted_token());
    }
    let given =
        |(name, text): &(String, String)| (name.clone().into_bytes(), text.clone().into_bytes());
    assert_eq!(
        body,
        naive::Body::Params(params.iter().map(given).collect())
    );
}

fn check_token68(name: &str, token68: &str) {
    let value = FieldValue::with_token68(name, token68);
    let expected = scheme(name).and_then(|()| expected_token68(token68));
    assert_eq!(
        value.as_ref().map(drop),
        expected.as_ref().map(drop),
        "{token68:?}"
    );
    let Ok(value) = value else { return };
    let (challenge, body) = read(&value);
    assert_eq!(
        (challenge.scheme_name(), challenge.token68()),
        (name, Some(token68))
    );
    assert_eq!(body, naive::Body::Token68(token68.into()));
}

/// A token, something like one, or anything.
fn name(tokens: &'static [&'static str]) -> impl Strategy<Value = String> + Clone {
    let more = ["", " ", "=", ",", "\"", "\r\n", "\0", "é", "a", "/", "\x7f"];
    prop_oneof![
        8 => select(tokens).prop_map(str::to_owned),
        1 => (select(tokens), select(more.to_vec())).prop_map(|(a, b)| format!("{a}{b}")),
        1 => generate::utf8(),
    ]
}

fn schemes() -> impl Strategy<Value = String> + Clone {
    name(&[
        "Bearer",
        "Negotiate",
        "bearer",
        "!x~",
        "Basic2",
        "digest",
        "BASIC",
        "realm",
    ])
}

fn params() -> impl Strategy<Value = Vec<(String, String)>> {
    let names = name(&[
        "realm", "error", "scope", "Realm", "$1", "Digest", "a", "nonce",
    ]);
    let text = prop_oneof![
        4 => generate::utf8(),
        1 => "[\0-\u{ff}]{0,6}",
    ];
    vec((names, text), 0..5)
}

fn token68() -> impl Strategy<Value = String> {
    let pieces = [
        "", "a", "=", "==", "YTpi", "-._~+/", "0", ",", " ", "\t", "\n", "\"", "é", "%",
    ];
    vec(select(pieces.to_vec()), 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn what_is_built_reads_back_as_one(scheme in schemes(), params in params()) {
        check(&scheme, &params);
    }

    #[test]
    fn a_token68_reads_back_as_one(scheme in schemes(), token68 in token68()) {
        check_token68(&scheme, &token68);
    }
}

#[test]
fn every_byte_in_every_part() {
    for c in '\0'..='\u{ff}' {
        for text in [
            format!("{c}"),
            format!("a{c}"),
            format!("{c}z"),
            format!("ab{c}z"),
        ] {
            check(&text, &[]);
            check(&text, &[("realm".to_owned(), "api".to_owned())]);
            check("Bearer", &[(text.clone(), "api".to_owned())]);
            check("Bearer", &[("realm".to_owned(), text.clone())]);
            let both = ["a", "b"].map(|name| (name.to_owned(), format!("{text}\"")));
            check("Bearer", &both);
            check_token68(&text, "YII=");
            check_token68("Negotiate", &text);
        }
    }
}

#[test]
fn nothing_can_be_injected() {
    for text in [
        "\"",
        "\\",
        "x\", error=\"y",
        "x\\\", error=\"y\\",
        "\",Basic realm=\"z",
        ", Basic realm=z",
        "a\r\nSet-Cookie: b",
        "a\nb",
        "a=b",
        "a b=c",
        "realm",
        "a,",
        " a",
        "",
    ] {
        check("Bearer", &[("realm".to_owned(), text.to_owned())]);
        check("Bearer", &[(text.to_owned(), "api".to_owned())]);
        check(text, &[]);
        check_token68("Bearer", text);
        check_token68(text, "YII=");
    }
}

/// What is longer would not be read.
#[test]
fn the_limits_are_those_of_the_reader() {
    let longest = "a".repeat(MAX_VALUE_BYTES - "X ".len());
    check_token68("X", &longest);
    let too_long = FieldValue::with_token68("XY", &longest);
    assert_eq!(too_long, Err(InvalidText::Length));
    let refused = |scheme: &str, params: &[(&str, &str)]| {
        assert_eq!(
            FieldValue::with_params(scheme, params),
            Err(InvalidText::Length)
        );
    };
    refused(&longest, &[("a", "")]);
    refused(&"a".repeat(MAX_VALUE_BYTES + 1), &[]);

    // Each quote is escaped, so it takes two bytes.
    let quotes = "\"".repeat((MAX_VALUE_BYTES - "X a=\"\"".len()) / 2);
    check("X", &[("a".to_owned(), quotes.clone())]);
    refused("X", &[("a", &(quotes + "\""))]);

    let names: Vec<_> = (0..=MAX_PARAMS).map(|number| number.to_string()).collect();
    let params: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
    let most = FieldValue::with_params("X", &params[..MAX_PARAMS]).unwrap();
    assert_eq!(read(&most).0.params().count(), MAX_PARAMS);
    refused("X", &params);
}

/// An empty one of either is refused, not written.
#[test]
fn names_are_not_empty() {
    for (scheme, name) in [("", "a"), ("A", "")] {
        let refused = FieldValue::with_params(scheme, &[(name, "b")]);
        assert_eq!(refused, Err(InvalidText::Length));
    }
}

/// The examples of RFC 6750, sections 2.1 and 3, and of RFC 4559, section 5.
#[test]
fn examples() -> Result<(), InvalidText> {
    let params = [
        ("realm", "example"),
        ("error", "invalid_token"),
        ("error_description", "The access token expired"),
    ];
    let challenge = FieldValue::with_params("Bearer", &params)?;
    let written = "Bearer realm=\"example\", error=\"invalid_token\", \
                   error_description=\"The access token expired\"";
    assert_eq!(challenge, written);
    let credentials = FieldValue::with_token68("Bearer", "mF_9.B5f-4.1JqM")?;
    assert_eq!(credentials, "Bearer mF_9.B5f-4.1JqM");
    assert_eq!(FieldValue::with_params("Negotiate", &[])?, "Negotiate");
    let token = FieldValue::with_token68("Negotiate", "oYGWMIGToAMKAQChCwYJKoZI")?;
    assert_eq!(token, "Negotiate oYGWMIGToAMKAQChCwYJKoZI");
    Ok(())
}
