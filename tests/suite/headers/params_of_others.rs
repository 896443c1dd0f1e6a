//! Parameters that another header defines mean nothing in this one: they are ignored as unknown
//! ones are, even if they are repeated.

use countersign::wire::AuthenticationInfo;
use countersign::{Authorization, challenges};

use super::CREDENTIALS_PARAMS;

const NAMES: [&str; 30] = [
    "algorithm",
    "charset",
    "cnonce",
    "domain",
    "nc",
    "nextnonce",
    "nonce",
    "opaque",
    "qop",
    "realm",
    "response",
    "rspauth",
    "stale",
    "uri",
    "userhash",
    "username",
    "username*",
    "Nc",
    // Unknown, of each length.
    "x",
    "xx",
    "xxx",
    "xxxx",
    "xxxxx",
    "xxxxxx",
    "xxxxxxx",
    "xxxxxxxx",
    "xxxxxxxxx",
    "xxxxxxxxxx",
    "unknown",
    "unknown*",
];

const CHALLENGE: &str = r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#;
const BASIC: &str = r#"Basic realm="r", charset="UTF-8""#;
const CREDENTIALS: &str = r#"Digest username="u", realm="r", nonce="n", uri="/", qop=auth, cnonce="c", nc=00000001, response="0000000000000000000000000000000000000000000000000000000000000000", algorithm=SHA-256"#;
const INFO: &str = r#"qop=auth, rspauth="0000000000000000000000000000000000000000000000000000000000000000", cnonce="c", nc=00000001"#;

/// `value` with two different values of each parameter that is not in `own`.
fn with_others(value: &str, own: &[&str]) -> String {
    let others = NAMES
        .iter()
        .filter(|name| !own.contains(&&*name.to_lowercase()));
    others.fold(value.to_owned(), |value, name| {
        format!("{value}, {name}=\"1\", {name}=2")
    })
}

#[test]
fn in_challenges() {
    let own = [
        "realm",
        "nonce",
        "opaque",
        "domain",
        "algorithm",
        "qop",
        "stale",
        "userhash",
        "charset",
    ];
    for (value, own) in [(CHALLENGE, &own[..]), (BASIC, &["realm", "charset"])] {
        let with = with_others(value, own);
        let read: Vec<_> = challenges([&with]).collect();
        assert_eq!(read.len(), 1, "{with}");
        let challenge = read[0].as_ref().expect(&with);
        let alone = challenges([value]).next().expect("one").expect(value);
        assert_eq!(challenge, &alone, "{with}");
    }
}

#[test]
fn in_credentials() {
    let with = with_others(CREDENTIALS, &CREDENTIALS_PARAMS);
    assert_eq!(
        Authorization::parse(&with).expect(&with).to_field_value(),
        Authorization::parse(CREDENTIALS)
            .expect(CREDENTIALS)
            .to_field_value(),
    );
}

#[test]
fn in_authentication_info() {
    let own = ["nextnonce", "rspauth", "qop", "cnonce", "nc"];
    let with = with_others(INFO, &own);
    assert_eq!(
        AuthenticationInfo::parse([&with]).expect(&with),
        AuthenticationInfo::parse([INFO]).expect(INFO),
    );
}
