//! The protection space of Basic: what lies below the directory that was asked for.

use countersign::client::{Account, Client, Endpoint, Policy};

use super::{BASIC, check, check_asked, with_basic};
use crate::support::client::{Dialog, PASSWORD, Said, USER, home};

/// RFC 7617, section 2.2.
#[test]
fn covers_the_directory_of_the_request() {
    for (asked, inside, outside) in [
        (
            "/a/b/c.html?d/e",
            "/a/b/c.html /a/b/ /a/b/x /a/b/x/y?z",
            "/a/b /a/ /a/bx /",
        ),
        ("/a/", "/a/x", "/a /b"),
        ("/a", "/ /b /a/b/c", "*"),
        ("/", "/ /a/b", ""),
        ("/a/b", "/%61/c", "/a/../b /a/%2e%2e/b /a%2fc"),
        ("*", "*", "/"),
        ("example.com:443", "example.com:443", "/"),
    ] {
        let dialog = with_basic(asked);
        for (targets, is_inside) in [(inside, true), (outside, false)] {
            for target in targets.split_whitespace() {
                check(&dialog, target, is_inside, asked);
                check_asked(&dialog, BASIC, target);
            }
        }
        // Another origin is not answered even if it asks.
        check(&dialog, "example.com:444", false, asked);
    }
}

#[test]
fn grows_with_each_challenged_directory() {
    let mut dialog = with_basic("/a/b");
    dialog.goes_on();
    assert_eq!(dialog.send("/c/d"), None);
    assert_eq!(dialog.challenged([BASIC]), Said::Retry);
    assert!(dialog.send("/c/d").is_some());
    for (target, inside) in [("/a/x", true), ("/c/x", true), ("/d", false)] {
        check(&dialog, target, inside, "/a/ and /c/");
    }
}

/// Who does not say which request was challenged says it with the next one.
#[test]
fn known_from_the_first_answer_on_without_a_target() {
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    assert_eq!(dialog.would_send_unasked("/"), None);
    assert!(dialog.send("/").is_some());
    assert!(dialog.would_send_unasked("/").is_some());
}

/// The password of a realm is none of the others' business, although the one before it was sent
/// everywhere.
#[test]
fn the_login_after_preemptive_credentials_keeps_to_the_directory() {
    let unasked = |endpoint: &Endpoint| {
        let endpoint = endpoint.clone();
        Dialog::of(move || {
            let client = Client::from_seed(endpoint.clone(), Policy::new(), [7; 32]);
            let account = Account::new(USER, PASSWORD).with_preemptive_basic();
            client.with_account(account).unwrap()
        })
    };
    let mut dialog = unasked(&home());
    assert!(dialog.send("/a/b").is_some());
    assert_eq!(dialog.challenged([BASIC]), Said::WrongCredentials);
    dialog.login_as(USER, "Asante sana").unwrap();
    for (target, inside) in [
        ("/a/b", true),
        ("/a/c/d", true),
        ("/b", false),
        ("/", false),
    ] {
        check(&dialog, target, inside, "/a/");
    }
    // A proxy has no other realms.
    let mut dialog = unasked(&Endpoint::proxy("https", "proxy", 3128));
    assert!(dialog.send("http://a/b").is_some());
    assert_eq!(dialog.challenged([BASIC]), Said::WrongCredentials);
    dialog.login_as(USER, "Asante sana").unwrap();
    check(&dialog, "http://c/", true, "a proxy");
}
