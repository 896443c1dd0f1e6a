//! The parameters of each header are found in any case and refused if they are repeated. Those that
//! another header defines mean nothing once. Unknown ones are ignored, repeated or not.

use std::collections::BTreeSet;
use std::fs;

use super::{Rewrite, challenge, credentials, info};
use crate::support::errors::problem;

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

/// Each header with all its parameters, but for `username*`, which stands in place of `username`.
pub(super) const WITH_ALL: [(&str, &str); 4] = [BASIC, CHALLENGE, CREDENTIALS, INFO];

const HEADERS: [((&str, &str), Rewrite); 4] = [
    (BASIC, challenge),
    (CHALLENGE, challenge),
    (CREDENTIALS, credentials),
    (INFO, info),
];

/// The sources of what each of these headers is read for, in the same order.
const READERS: [&[&str]; 4] = [
    &["src/basic.rs"],
    &["src/digest/challenge.rs"],
    &["src/digest/credentials.rs", "src/digest/user.rs"],
    &["src/header/info.rs"],
];

/// Whoever adds a parameter is led here, and with it to the tests that use these headers.
#[test]
fn the_headers_have_every_parameter_that_is_read() {
    let source = fs::read_to_string("src/syntax/param_name.rs").unwrap();
    // `    9 b"nextnonce" NextNonce`
    let rows = source.lines().filter_map(|row| row.split_once(" b\""));
    let rows: Vec<_> = rows.filter_map(|(_, row)| row.split_once("\" ")).collect();
    let known: BTreeSet<_> = rows.iter().map(|(name, _)| *name).collect();
    assert_eq!(known, ALL.split_whitespace().collect());
    for (sources, (_, params)) in READERS.iter().zip(WITH_ALL) {
        let text: String = sources
            .iter()
            .map(|it| fs::read_to_string(it).unwrap())
            .collect();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != ':');
        let read: BTreeSet<_> = words
            .filter_map(|it| it.strip_prefix("ParamName::"))
            .collect();
        let read = rows.iter().filter(|(_, variant)| read.contains(variant));
        let mut read: BTreeSet<_> = read.map(|(name, _)| *name).collect();
        read.remove("username*");
        assert_eq!(read, names(params), "{sources:?}");
    }
}

/// Each parameter that is read is written again, except a default in credentials.
#[test]
fn every_parameter_survives() {
    for ((scheme, params), read) in HEADERS {
        let written = read(&format!("{scheme}{params}")).unwrap();
        let written = written.to_str().unwrap().strip_prefix(scheme).unwrap();
        let mut expected = names(params);
        if params.contains("userhash=false") {
            expected.remove("userhash");
        }
        assert_eq!(names(written), expected);
    }
}

fn names(params: &str) -> BTreeSet<&str> {
    let all = params.split(", ").map(|param| param.split('=').next());
    all.map(Option::unwrap).collect()
}

#[test]
fn every_name_is_found_in_any_case() {
    for ((scheme, params), read) in HEADERS {
        let own = names(params);
        // Not beside a `username`.
        let extended = own.contains("username").then_some("username*");
        for name in own.into_iter().chain(extended) {
            let twice = format!("{scheme}{name}=a, {}=a", name.to_uppercase());
            let error = read(&twice).unwrap_err();
            assert_eq!(error.name(), Some(name), "{twice}");
            assert_eq!(problem(&error), "given more than once");
        }
    }
}

#[test]
fn those_of_other_headers_are_ignored() {
    for ((scheme, params), read) in HEADERS {
        let own = names(params);
        let is_own = |name: &str| own.contains(name.trim_end_matches('*'));
        let others = ALL
            .split(' ')
            .chain(UNKNOWN.split(' '))
            .filter(|name| !is_own(name));
        let alone = format!("{scheme}{params}");
        let with = others.fold(alone.clone(), |value, name| {
            let again = format!(", {}=2", name.to_uppercase());
            let again = Some(again).filter(|_| UNKNOWN.split(' ').any(|it| it == name));
            format!("{value}, {name}=\"1\"{}", again.unwrap_or_default())
        });
        assert_eq!(read(&with).expect(&with), read(&alone).expect(&alone));
    }
}
