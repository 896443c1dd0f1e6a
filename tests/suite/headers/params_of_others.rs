//! The parameters of each header are found in any case and refused if they are repeated. Those that
//! another header defines mean nothing: they are ignored as unknown ones are, repeated or not.

use super::{Rewrite, challenge, credentials, info};

const ALL: &str = "algorithm charset cnonce domain nc nextnonce nonce opaque qop realm response \
    rspauth stale uri userhash username username*";
/// One of each length, and some that begin as known ones do.
const UNKNOWN: &str = "x xx xxx xxxx xxxxx xxxxxx xxxxxxx xxxxxxxx xxxxxxxxx xxxxxxxxxx unknown* \
    realmx noncex";

const BASIC: (&str, &str) = ("Basic ", r#"realm="r", charset="UTF-8""#);
const CHALLENGE: (&str, &str) = (
    "Digest ",
    r#"realm="r", nonce="n", opaque="o", domain="/", algorithm=SHA-256, qop="auth", stale=true, userhash=true, charset=UTF-8"#,
);
const CREDENTIALS: (&str, &str) = (
    "Digest ",
    r#"username="u", realm="r", nonce="n", uri="/", qop=auth, cnonce="c", nc=00000001, opaque="o", userhash=false, algorithm=SHA-256, response="0000000000000000000000000000000000000000000000000000000000000000""#,
);
const INFO: (&str, &str) = (
    "",
    r#"nextnonce="n", qop=auth, rspauth="00000000000000000000000000000000", cnonce="c", nc=00000001"#,
);

const HEADERS: [((&str, &str), Rewrite); 4] = [
    (BASIC, challenge),
    (CHALLENGE, challenge),
    (CREDENTIALS, credentials),
    (INFO, info),
];

fn names(params: &str) -> Vec<&str> {
    let all = params
        .split(", ")
        .map(|param| param.split('=').next().unwrap());
    all.collect()
}

#[test]
fn every_name_is_found_in_any_case() {
    for ((scheme, params), read) in HEADERS {
        let own = names(params);
        // Not beside a `username`.
        let extended = own.contains(&"username").then_some("username*");
        for name in own.into_iter().chain(extended) {
            let twice = format!("{scheme}{name}=a, {}=a", name.to_uppercase());
            let error = read(&twice).unwrap_err();
            assert_eq!(error.name(), Some(name), "{twice}");
            assert!(
                error.to_string().ends_with("given more than once"),
                "{error}"
            );
        }
    }
}

#[test]
fn those_of_other_headers_are_ignored() {
    for ((scheme, params), read) in HEADERS {
        let own = names(params);
        let is_own = |name: &str| own.contains(&name.trim_end_matches('*'));
        let others = ALL
            .split(' ')
            .chain(UNKNOWN.split(' '))
            .filter(|name| !is_own(name));
        let alone = format!("{scheme}{params}");
        let with = others.fold(alone.clone(), |value, name| {
            format!("{value}, {name}=\"1\", {}=2", name.to_uppercase())
        });
        assert_eq!(read(&with).expect(&with), read(&alone).expect(&alone));
    }
}
