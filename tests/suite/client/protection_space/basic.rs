//! The protection space of Basic: what lies below the directory that was asked for.

use super::{BASIC, check, check_asked, with_basic};

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
