//! The protection space of Basic: what lies below the directory that was asked for.

use countersign::client::Policy;

use super::{BASIC, check, check_asked, with_basic};
use crate::support::client::{Dialog, Said};

/// RFC 7617, section 2.2.
#[test]
fn covers_the_directory_of_the_request() {
    for (asked, targets) in [
        (
            "/a/b/c.html?d/e",
            &[
                ("/a/b/c.html", true),
                ("/a/b/", true),
                ("/a/b/x", true),
                ("/a/b/x/y?z", true),
                ("/a/b", false),
                ("/a/", false),
                ("/a/bx", false),
                ("/", false),
            ][..],
        ),
        ("/a/", &[("/a/x", true), ("/a", false), ("/b", false)]),
        (
            "/a",
            &[("/", true), ("/b", true), ("/a/b/c", true), ("*", false)],
        ),
        ("/", &[("/", true), ("/a/b", true)]),
        (
            "https://example.com/a/b",
            &[
                ("/a/c", true),
                ("https://example.com/a/", true),
                ("/b", false),
            ],
        ),
        ("https://example.com", &[("/", true), ("/a", true)]),
        ("*", &[("*", true), ("/", false)]),
        (
            "example.com:443",
            &[
                ("example.com:443", true),
                ("example.com:444", false),
                ("/", false),
            ],
        ),
    ] {
        let dialog = with_basic(asked);
        for &(target, inside) in targets {
            check(&dialog, target, inside, asked);
            // Another origin is not answered even if it asks.
            if target != "example.com:444" {
                check_asked(&dialog, BASIC, target);
            }
        }
    }
}

#[test]
fn dot_segments_and_percent_encoding() {
    let dialog = with_basic("/a/b");
    for (target, inside) in [
        ("/a/../b", false),
        ("/a/%2e%2e/b", false),
        ("/%61/c", true),
        ("/a%2fc", false),
    ] {
        check(&dialog, target, inside, "/a/b");
    }
}

#[test]
fn grows_with_each_challenged_directory() {
    let mut dialog = with_basic("/a/b");
    dialog.accepted("").unwrap();
    dialog.next_exchange();
    assert_eq!(dialog.send("/c/d"), None);
    assert_eq!(dialog.challenged([BASIC]), Said::Retry);
    assert!(dialog.send("/c/d").is_some());
    for (target, inside) in [("/a/x", true), ("/c/x", true), ("/d", false)] {
        check(&dialog, target, inside, "/a/ and /c/");
    }
}

/// The path is that of the request that was challenged.
#[test]
fn known_from_the_challenge_on() {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.send("/a/b"), None);
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    dialog.login();
    for (target, inside) in [("/a/b", true), ("/a/c/d", true), ("/b", false)] {
        check(&dialog, target, inside, "/a/");
    }
}

/// Who does not say which request was challenged says it with the next one.
#[test]
fn known_from_the_first_answer_on_without_a_target() {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    dialog.login();
    assert!(!dialog.client.covers("/"));
    assert_eq!(dialog.would_send_unasked("/"), None);
    assert!(dialog.send("/").is_some());
    assert!(dialog.client.covers("/"));
}
