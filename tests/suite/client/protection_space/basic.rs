//! The protection space of Basic: what lies below the directory that was asked for.

use countersign::client::Policy;

use super::{BASIC, check, check_asked, with_basic};
use crate::support::client::Dialog;

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

/// Who does not say which request was challenged says it with the next one.
#[test]
fn known_from_the_first_answer_on_without_a_target() {
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    assert_eq!(dialog.would_send_unasked("/"), None);
    assert!(dialog.send("/").is_some());
    assert!(dialog.would_send_unasked("/").is_some());
}
