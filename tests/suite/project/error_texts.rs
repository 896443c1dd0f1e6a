//! The texts of errors: they say what was found and what was wanted. Which setting changes that, and
//! at which price, stands in `docs/errors.md` alone: a reader in a hurry takes the first cure that is
//! named.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use countersign::client::{Error, GiveUp, LoginError, SkipReason};
use countersign::digest::Algorithm;
use countersign::server::Reason;

use super::sources::{code, files};

/// The sources whose `Display` users read, and one that each must have been found in.
const SOURCES: [(&str, &str); 3] = [
    ("src", "wrong user name or password"),
    ("stacks/countersign-tower/src", "without credentials"),
    // Of countersign-reqwest and countersign-blocking, too.
    (
        "stacks/countersign-tower/src/client",
        "expected a URL such as http://host:8080/path",
    ),
];

#[test]
fn no_text_of_an_error_names_a_setting() {
    for (folder, known) in SOURCES {
        let all = texts(Path::new(folder));
        assert!(all.contains(known), "{folder}: {all:#?}");
        let wrong: Vec<_> = all.iter().filter(|text| has_identifier(text)).collect();
        assert!(wrong.is_empty(), "{folder}: {wrong:#?}");
    }
}

#[test]
fn settings_are_recognised() {
    for text in [
        "no qop without Quirk::Rfc2069",
        "refused (see with_uri_check)",
        "MD5, which require_auth_int refuses",
        "ruled out by NoSessionAlgorithms",
        "use TLS, or Policy",
        "or call Realm's setter",
        "an Account for it",
    ] {
        assert!(has_identifier(text), "{text}");
    }
    for text in [
        "Basic or Digest, which the module `wire` writes",
        "no HA1 of the hash function, SHA-256 or ISO-8859-1",
        "user name in the URL",
        "parameter `{}` {}",
        "TLS",
    ] {
        assert!(!has_identifier(text), "{text}");
    }
}

#[test]
fn an_error_shows_what_it_holds() {
    let header = "x".parse::<Algorithm>().unwrap_err();
    assert_eq!(
        Reason::Header(header).to_string(),
        "parameter `algorithm` not supported"
    );
    let account = SkipReason::Account(LoginError::OtherRealm);
    let error = Error::from(GiveUp::NoUsableChallenge(
        [SkipReason::Header(header), account].into(),
    ));
    assert_eq!(
        error.to_string(),
        "no usable challenge: parameter `algorithm` not supported; the account is for another realm"
    );
}

/// Returns whether a text names a function, a type or a variant of the crate.
fn has_identifier(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    // What is put in, and a unit.
    let text: String = text
        .split('{')
        .map(|it| it.split('}').next_back().unwrap())
        .collect();
    let text = text.replace("KiB", "");
    let mut words = text.split(|c| !is_part(c));
    words.any(|word| {
        let word = word.trim_matches(':');
        let humps = word.chars().zip(word.chars().skip(1));
        let is_camel = humps.filter(|(a, b)| a.is_lowercase() && b.is_uppercase());
        let is_type = [
            "Policy", "Realm", "Account", "Quirk", "Endpoint", "Target", "Client",
        ];
        word.contains("::") || word.contains('_') || is_camel.count() > 0 || is_type.contains(&word)
    })
}

/// The string literals of each `impl Display`, and of the functions `as_str` of the core's errors.
fn texts(folder: &Path) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for path in files(folder) {
        let text = code(&fs::read_to_string(&path).unwrap());
        let is_core = path.ends_with("error.rs");
        let items = text.split("\n}\n").filter(|item| {
            let is_display = item.contains("Display for");
            is_display || is_core && item.contains("fn as_str(")
        });
        for item in items {
            let from = item
                .find("Display for")
                .or_else(|| item.find("fn as_str("))
                .unwrap();
            texts.extend(literals(&item[from..]));
        }
    }
    texts
}

/// The string literals of some code, joined where a line is continued.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code.chars();
    while let Some(c) = rest.next() {
        if c == '\'' {
            // A character such as '"', or a lifetime.
            let ahead = rest.as_str();
            if ahead.starts_with("\"'") {
                rest.nth(1);
            }
            continue;
        }
        if c != '"' {
            continue;
        }
        let mut literal = String::new();
        while let Some(c) = rest.next().filter(|c| *c != '"') {
            match c {
                '\\' => match rest.next() {
                    Some('\n') => rest = rest.as_str().trim_start().chars(),
                    Some(escaped) => literal.push(escaped),
                    None => {}
                },
                c => literal.push(c),
            }
        }
        found.push(literal);
    }
    found
}
