//! Challenges and credentials of other schemes: what is built is one of them, with these parts.

use countersign::{
    Authorization, Challenge, FieldValue, InvalidText, MAX_PARAMS, MAX_VALUE_BYTES, RawChallenge,
    challenges,
};

use crate::support::{naive, round_trip};

type Params<'a> = [(&'a str, &'a str)];

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
    match ["basic", "digest"].contains(&&*text.to_lowercase()) {
        true => Err(InvalidText::ImplementedScheme),
        false => Ok(()),
    }
}

/// What the first wrong part is refused for.
fn expected(name: &str, params: &Params<'_>) -> Result<(), InvalidText> {
    scheme(name)?;
    for (at, (name, value)) in params.iter().enumerate() {
        token(name)?;
        let mut before = params[..at].iter();
        if before.any(|(it, _)| it.eq_ignore_ascii_case(name)) {
            return Err(InvalidText::RepeatedName);
        }
        round_trip::text(value.as_bytes())?;
    }
    Ok(())
}

fn expected_token68(token68: &str) -> Result<(), InvalidText> {
    let is_start = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
    let padding = token68.trim_start_matches(is_start);
    let rest = match padding.len() == token68.len() {
        true => padding,
        false => padding.trim_start_matches('='),
    };
    match rest.is_empty() {
        _ if token68.is_empty() => Err(InvalidText::Length),
        true => Ok(()),
        false => Err(InvalidText::NotToken68(token68.len() - rest.len())),
    }
}

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

fn check(scheme: &str, params: &Params<'_>) {
    let value = FieldValue::with_params(scheme, params);
    let is_built = value.as_ref().map(drop);
    assert_eq!(is_built, expected(scheme, params).as_ref().map(drop));
    let Ok(value) = value else { return };
    let challenge = read(&value);
    assert_eq!(
        (challenge.scheme_name(), challenge.token68()),
        (scheme, None)
    );
    assert!(
        challenge
            .params()
            .all(|(_, value)| !value.is_unquoted_token())
    );
    let given = params
        .iter()
        .map(|(name, text)| ((*name).into(), (*text).into()));
    let body = naive::credentials(value.as_bytes()).map(|it| it.body);
    assert_eq!(body, Some(naive::Body::Params(given.collect())));
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
    let challenge = read(&value);
    assert_eq!(
        (challenge.scheme_name(), challenge.token68()),
        (name, Some(token68))
    );
    let body = naive::credentials(value.as_bytes()).map(|it| it.body);
    assert_eq!(body, Some(naive::Body::Token68(token68.into())));
}

#[test]
fn what_is_built_reads_back_as_one() {
    for c in '\0'..='\u{ff}' {
        for text in [
            format!("{c}"),
            format!("a{c}"),
            format!("{c}z"),
            format!("ab{c}z"),
        ] {
            let quoted = format!("{text}\"");
            check(&text, &[]);
            check(&text, &[("realm", "api")]);
            check("Bearer", &[(&text, "api")]);
            check("Bearer", &[("realm", &text)]);
            check("Bearer", &[("a", &quoted), ("b", &quoted)]);
            check_token68(&text, "YII=");
        }
    }
    let texts = [
        "\"",
        "x\", error=\"y",
        "x\\\", error=\"y\\",
        "\",Basic realm=\"z",
        "",
        "realm",
        "a=b",
        "a b=c",
        "a, B c=d",
        "a\r\nb: c",
        "Realm",
        "BASIC",
        "digest",
        "Basic2",
    ];
    for one in texts {
        check(one, &[]);
        check_token68(one, "YII=");
        for other in texts {
            check("Bearer", &[(one, other)]);
            check("Bearer", &[("realm", one), (other, "x"), ("c", one)]);
        }
    }
}

#[test]
fn a_token68_reads_back_as_one() {
    for c in '\0'..='\u{ff}' {
        check_token68("Negotiate", &format!("ab{c}z"));
    }
    let pieces = [
        "", "a", "=", "==", "YTpi", "-._~+/", "0", ",", " ", "\t", "\n", "\"", "é", "%",
    ];
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
    let too_long = FieldValue::with_token68("XY", &longest);
    assert_eq!(too_long, Err(InvalidText::Length));
    let refused = |scheme: &str, params: &Params<'_>| {
        let value = FieldValue::with_params(scheme, params);
        assert_eq!(value, Err(InvalidText::Length));
    };
    refused(&longest, &[("a", "")]);
    refused(&"a".repeat(MAX_VALUE_BYTES + 1), &[]);

    // Each quote is escaped, so it takes two bytes.
    let quotes = "\"".repeat((MAX_VALUE_BYTES - "X a=\"\"".len()) / 2);
    check("X", &[("a", &quotes)]);
    refused("X", &[("a", &(quotes + "\""))]);

    let names: Vec<_> = (0..=MAX_PARAMS).map(|number| number.to_string()).collect();
    let params: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
    let most = FieldValue::with_params("X", &params[..MAX_PARAMS]).unwrap();
    assert_eq!(read(&most).params().count(), MAX_PARAMS);
    refused("X", &params);
}

/// The examples of RFC 6750, sections 2.1 and 3, and of RFC 4559, section 5.
#[test]
fn examples() {
    let params = [("realm", "example"), ("error", "invalid_token")];
    let challenge = FieldValue::with_params("Bearer", &params).unwrap();
    assert_eq!(
        challenge,
        r#"Bearer realm="example", error="invalid_token""#
    );
    let credentials = FieldValue::with_token68("Bearer", "mF_9.B5f-4.1JqM").unwrap();
    assert_eq!(credentials, "Bearer mF_9.B5f-4.1JqM");
    assert_eq!(
        FieldValue::with_params("Negotiate", &[]).unwrap(),
        "Negotiate"
    );
}
