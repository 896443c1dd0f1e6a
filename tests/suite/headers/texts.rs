//! Parameter values, however they are written: each is read, hashed and compared as what it stands
//! for.

use countersign::digest::{Ha1, HashFunction, Qop};
use countersign::wire::{AuthenticationInfo, QopParams};
use countersign::{Authorization, RawChallenge, raw_challenges};

fn one(value: &str) -> RawChallenge<'_> {
    let mut all = raw_challenges([value]);
    all.next().expect("a challenge").expect("a right one")
}

/// More escapes than the buffer of a hash has room for.
#[test]
fn a_long_text_with_escapes_is_hashed_in_full() {
    for length in [255, 256, 257, 1000] {
        let header = format!("X v=\"{}\"", r"\a".repeat(length));
        let text = one(&header).param("v").unwrap();
        let expected = Ha1::new(HashFunction::Sha256, "u", "a".repeat(length), "p");
        assert_eq!(Ha1::new(HashFunction::Sha256, "u", text, "p"), expected);
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

/// Two challenges of any scheme are equal if their schemes, parameters and order are, whatever the
/// spelling. Each group is one challenge.
#[test]
fn challenges_are_equal_if_schemes_and_contents_are() {
    const GROUPS: [&[&str]; 8] = [
        &["New", "nEW", "New "],
        &["New abc=", "new  abc="],
        &["Other abc="],
        &["New abd="],
        &["New a=b", "New A=\"b\"", "NEW , a = \"\\b\" ,"],
        &["New a=b, c=d", "New\ta=b,c=\"d\""],
        &["New c=d, a=b"],
        &["New a=c, c=d"],
    ];
    let groups = GROUPS.iter().enumerate();
    let all = groups.flat_map(|(group, values)| values.iter().map(move |value| (group, *value)));
    for (group, value) in all.clone() {
        for (other_group, other) in all.clone() {
            let is_same = one(value) == one(other);
            assert_eq!(is_same, group == other_group, "{value} and {other}");
        }
    }
}
