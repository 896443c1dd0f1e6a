//! Composed and decomposed spellings of one name and one password.

use std::borrow::Cow;

use countersign::client::{LoginError, Policy, Quirk};
use countersign::precis;

use super::{FIRST, realm};
use crate::support::client::{Dialog, Said};
use crate::support::pair::{Browser, Pair};

/// As `Pair` stores it.
const COMPOSED: &str = "J\u{e4}s\u{f8}n Doe";
const DECOMPOSED: &str = "Ja\u{308}s\u{f8}n Doe";

/// RFC 8265, tables 2 and 4 among others: what was typed, the name, the password.
const MAPPED: [(&str, &str, &str); 16] = [
    ("", "", ""),
    ("Mufasa", "Mufasa", "Mufasa"),
    (
        "juliet@example.com",
        "juliet@example.com",
        "juliet@example.com",
    ),
    ("fu\u{df}ball", "fu\u{df}ball", "fu\u{df}ball"),
    (
        "\u{3a3}\u{3c3}\u{3c2}",
        "\u{3a3}\u{3c3}\u{3c2}",
        "\u{3a3}\u{3c3}\u{3c2}",
    ),
    ("ri\u{fb01}le", "ri\u{fb01}le", "ri\u{fb01}le"),
    (DECOMPOSED, COMPOSED, COMPOSED),
    ("caf\u{65}\u{301}", "caf\u{e9}", "caf\u{e9}"),
    // The two marks in the other order, a singleton, and an excluded composition.
    ("q\u{307}\u{323}", "q\u{323}\u{307}", "q\u{323}\u{307}"),
    ("\u{212b}", "\u{c5}", "\u{c5}"),
    ("\u{958}", "\u{915}\u{93c}", "\u{915}\u{93c}"),
    // Hangul as macOS decomposes it.
    ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}", "\u{d55c}"),
    // Width is mapped in names only, and spaces in passwords.
    ("Ｓｃａｒ", "Scar", "Ｓｃａｒ"),
    ("ｶﾞ", "ガ", "ｶﾞ"),
    ("\u{ffa1}", "\u{ffa1}", "\u{ffa1}"),
    ("a\u{a0}b\u{3000}c", "a\u{a0}b c", "a b c"),
];

#[test]
fn names_and_passwords_are_mapped_by_their_profiles() {
    for (typed, name, password) in MAPPED {
        assert_eq!(precis::username(typed), name, "{typed:?}");
        assert_eq!(precis::password(typed), password, "{typed:?}");
    }
    // What needs no change is not copied.
    for text in ["Circle of Life", COMPOSED] {
        assert!(matches!(precis::username(text), Cow::Borrowed(same) if same == text));
        assert!(matches!(precis::password(text), Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn a_client_that_maps_gets_in_with_either_spelling() {
    for typed in [COMPOSED, DECOMPOSED] {
        let mut browser = Browser::new(Policy::new().with_precis());
        browser.user = typed;
        browser.password = "Secret,\u{a0}or not?";
        let pair = Pair::new(realm());
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        assert_eq!(pair.get(&mut browser, "/"), []);
    }
}

/// Both spellings are one login, so a wrong password is not sent twice.
#[test]
fn the_other_spelling_of_a_refused_password_is_not_sent_again() {
    let challenge = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
    let mut dialog = Dialog::new(Policy::new().with_precis());
    assert_eq!(dialog.challenged([challenge]), Said::Login);
    dialog.login_as(COMPOSED, "caf\u{e9}").unwrap();
    dialog.send("/").unwrap();
    assert!(matches!(
        dialog.challenged([challenge]),
        Said::WrongCredentials
    ));
    assert_eq!(
        dialog.login_as(DECOMPOSED, "cafe\u{301}"),
        Err(LoginError::AlreadyRefused)
    );
}

/// ISO-8859-1 has the composed letters only.
#[test]
fn iso_8859_1_gets_the_composed_form() {
    let challenge = r#"Basic realm="files""#;
    let policy = Policy::new().with_quirk(Quirk::Latin1);
    for (policy, is_in) in [(policy, false), (policy.with_precis(), true)] {
        let mut dialog = Dialog::new(policy);
        assert_eq!(dialog.challenged([challenge]), Said::Login);
        assert_eq!(dialog.login_as(DECOMPOSED, "").is_ok(), is_in);
    }
}
