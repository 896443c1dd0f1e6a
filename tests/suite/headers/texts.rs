//! Parameter values, however they are written: each is read, hashed and compared as what it stands
//! for.

use countersign::digest::{Ha1, HashFunction, Qop, QopSet, User, userhash};
use countersign::wire::{AuthenticationInfo, QopParams, ha2, response};
use countersign::{Authorization, Challenge, RawChallenge, Text, challenges, raw_challenges};

fn one(value: &str) -> RawChallenge<'_> {
    let mut all = raw_challenges([value]);
    all.next().expect("a challenge").expect("a right one")
}

#[test]
fn all_accessors_resolve_escapes_alike() {
    for (raw, value) in [
        ("", ""),
        ("plain", "plain"),
        (r"\a", "a"),
        (r"a\bc", "abc"),
        (r"\\", r"\"),
        (r#"\"\\\"x"#, r#""\"x"#),
        (r"\ä\\n", r"ä\n"),
    ] {
        let header = format!("X v=\"{raw}\"");
        let text = one(&header).param("v").unwrap();
        assert_eq!(text.raw(), raw.as_bytes());
        assert_eq!(&*text.to_bytes(), value.as_bytes(), "{raw}");
        assert_eq!(text.to_str().unwrap(), value, "{raw}");
        assert_eq!(text, value);
        assert_eq!(text, Text::new(value).unwrap());
        assert_eq!(Text::new(value).unwrap(), text);
    }
    let text = |raw: &'static str| one(raw).param("v").unwrap();
    assert_ne!(text(r#"X v="a\b""#), text("X v=a"));
    assert_ne!(text("X v=a"), text(r#"X v="a\b""#));
    assert_ne!(text(r#"X v="a\b""#), text("X v=abc"));
    assert_ne!(text("X v=A"), "a");
}

/// A header with an escaped parameter value, and that value.
const HEADER: &str = r#"X v="a \"b\"""#;
const VALUE: &str = r#"a "b""#;
const HASH: HashFunction = HashFunction::Sha256;

#[test]
fn a_text_is_hashed_without_its_escapes_and_raw_bytes_with_them() {
    let text = one(HEADER).param("v").unwrap();
    let raw = text.raw();
    assert_ne!(raw, VALUE.as_bytes());

    let ha1 = Ha1::new(HASH, VALUE, VALUE, VALUE);
    assert_eq!(Ha1::new(HASH, text, text, text), ha1);
    assert_ne!(Ha1::new(HASH, raw, VALUE, VALUE), ha1);
    assert_ne!(Ha1::new(HASH, VALUE, raw, VALUE), ha1);
    assert_ne!(Ha1::new(HASH, VALUE, VALUE, raw), ha1);

    let session = ha1.session_key(VALUE, VALUE);
    assert_eq!(ha1.session_key(text, text), session);
    assert_ne!(ha1.session_key(raw, VALUE), session);
    assert_ne!(ha1.session_key(VALUE, raw), session);

    let hashed = userhash(HASH, VALUE, VALUE);
    assert_eq!(userhash(HASH, text, text), hashed);
    assert_ne!(userhash(HASH, raw, VALUE), hashed);
    assert_ne!(userhash(HASH, VALUE, raw), hashed);

    let of_request = ha2(HASH, VALUE, VALUE, None);
    assert_eq!(ha2(HASH, text, text, None), of_request);
    assert_ne!(ha2(HASH, raw, VALUE, None), of_request);
    assert_ne!(ha2(HASH, VALUE, raw, None), of_request);

    let answer = response(&ha1, VALUE, None, &of_request);
    assert_eq!(response(&ha1, text, None, &of_request), answer);
    assert_ne!(response(&ha1, raw, None, &of_request), answer);
}

/// More escapes than the buffer of a hash has room for.
#[test]
fn a_long_text_with_escapes_is_hashed_in_full() {
    for length in [255, 256, 257, 1000] {
        let header = format!("X v=\"{}\"", r"\a".repeat(length));
        let text = one(&header).param("v").unwrap();
        let expected = Ha1::new(HASH, "u", "a".repeat(length), "p");
        assert_eq!(Ha1::new(HASH, "u", text, "p"), expected);
    }
}

#[test]
fn lists_of_qop_are_read_token_by_token() {
    for (list, set) in [
        ("auth", Some(QopSet::AUTH)),
        ("auth,auth-int", Some(QopSet::BOTH)),
        (" auth-int , auth ", Some(QopSet::BOTH)),
        ("crazy, AUTH", Some(QopSet::AUTH)),
        ("auth-int\t,,", Some(QopSet::AUTH_INT)),
        ("auth-integer, auth", Some(QopSet::AUTH)),
        (r"\auth ,crazy", Some(QopSet::AUTH)),
        ("", Some(QopSet::NONE)),
        (" ,\t,", Some(QopSet::NONE)),
        ("crazy", None),
        (", crazy", None),
        ("crazy, ", None),
        ("auth auth-int", None),
        ("authauth-int", None),
        ("auth-integer", None),
    ] {
        let value = format!("Digest realm=r, nonce=n, algorithm=SHA-256, qop=\"{list}\"");
        let read = challenges([&value]).next().expect("one");
        let read = read.ok().map(|read| match read {
            Challenge::Digest(digest) => digest.qop,
            other => panic!("{other:?}"),
        });
        assert_eq!(read, set, "{list}");
    }
}

/// The user of credentials with this `username*`.
fn user(value: &str) -> Option<String> {
    let hex = "0".repeat(64);
    let value = format!(
        "Digest username*={value}, realm=r, nonce=n, uri=/, algorithm=SHA-256, response={hex}"
    );
    let value = value.replace("uri=/", "uri=\"/\"");
    match Authorization::parse(&value) {
        Ok(Authorization::Digest(read)) => read.user().name().map(str::to_owned),
        _ => None,
    }
}

#[test]
fn extended_names_are_utf_8_of_any_language() {
    for (value, name) in [
        ("UTF-8''", ""),
        ("UTF-8''Mufasa", "Mufasa"),
        ("UTF-8''J%C3%A4s%c3%b8n%20Doe", "Jäsøn Doe"),
        ("UTF-8''100%25", "100%"),
        ("UTF-8''%F0%9F%98%80", "😀"),
        ("UTF-8''%F4%8F%BF%BF", "\u{10ffff}"),
        ("utf-8'en-GB'a%20b", "a b"),
    ] {
        assert_eq!(user(value).as_deref(), Some(name), "{value}");
    }
    for value in [
        "Mufasa",
        "\"UTF-8''Mufasa\"",
        "UTF-8'Mufasa",
        "''Mufasa",
        "ISO-8859-1''a",
        "UTF-8''a*",
        "UTF-8''%",
        "UTF-8''%6",
        "UTF-8''%6g",
        "UTF-8''%C3%28",
        "UTF-8''%C0%AF",
        "UTF-8''%C3",
        "UTF-8''%00",
        "UTF-8''%C2%85",
        "UTF-8''a'b",
        "UTF-8''%ED%A0%80",
    ] {
        assert_eq!(user(value), None, "{value}");
    }
    assert_eq!(User::from("Mufasa").name(), Some("Mufasa"));
}

#[test]
fn counts_have_at_most_eight_digits() {
    let count = |nc: &str| QopParams::new("auth", nc, "c").map(|it| it.nc()).ok();
    for (nc, expected) in [
        ("", None),
        ("0", Some(0)),
        ("aB", Some(0xab)),
        ("0123abcd", Some(0x0123_abcd)),
        ("FFFFFFFF", Some(u32::MAX)),
        ("000000001", None),
        ("1 ", None),
        ("0x1", None),
        ("+1", None),
    ] {
        assert_eq!(count(nc), expected, "{nc}");
    }
    // Written with eight.
    let mut info = AuthenticationInfo::default();
    (info.nc, info.qop) = (Some(0xab), Some(Qop::Auth));
    assert_eq!(info.to_field_value(), "qop=auth, nc=000000ab");
}

#[test]
fn a_proof_has_as_many_digits_as_a_hash() {
    for length in 0..70 {
        let value = format!("rspauth=\"{}\"", "a".repeat(length));
        let is_read = AuthenticationInfo::parse([&value]).is_ok();
        assert_eq!(is_read, [32, 64].contains(&length), "{value}");
    }
}
