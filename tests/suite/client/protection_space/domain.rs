//! The `domain` of a Digest challenge.

use countersign::client::{Endpoint, Policy};

use super::{BASIC, check, check_asked, check_domain, with_basic, with_domain};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge, home};

#[test]
fn without_domain_the_whole_origin_is_covered() {
    let dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    for target in ["/", "/a/b?c", "/../x", "*", "example.com:443"] {
        check(&dialog, target, true, "none");
    }
    // It names something else.
    check(&dialog, "sip:example.com", false, "none");
}

#[test]
fn a_path_covers_what_is_below_it() {
    let inside = "/a /a/ /a/b /a/b/c?d=/e /a?b";
    check_domain("/a", inside, "/ /b /A * example.com:443");
    check_domain("/", "/ /a /?x", "*");
    // Several are separated by blanks.
    check_domain("/a   /b\t/c/", "/a/x /b/x /c/x", "/d");
}

#[test]
fn prefixes_end_at_segment_boundaries() {
    check_domain("/a", "", "/ab /a. /a;b");
    check_domain("/a/", "/a/ /a/b", "/a");
    check_domain("/a/b", "/a/b/c", "/a/bc /a");
}

#[test]
fn an_absolute_uri_counts_if_it_is_of_the_origin() {
    for domain in [
        "https://example.com/a",
        "https://example.com:443/a",
        "HTTPS://Example.COM/a",
        "https://example.com:/a",
    ] {
        check_domain(domain, "/a/b", "/b");
    }
    check_domain("https://example.com", "/ /a", "");
    for domain in [
        "https://example.org/a",
        "https://www.example.com/a",
        "https://example.com:8443/a",
        "http://example.com/a",
        "https://user@example.com/a",
        "https://example.com.evil.org/a",
        "https://example.com:99999/a",
        "https://example.com:+443/a",
    ] {
        check_domain(domain, "", "/a/b /b /");
        // It takes nothing from those that are.
        check_domain(&format!("{domain} /b"), "/b", "/a/b");
    }
}

#[test]
fn default_ports_and_ipv6() {
    for (scheme, host, port, domain, inside) in [
        ("http", "example.com", 80, "http://example.com/a", true),
        ("http", "example.com", 8080, "http://example.com/a", false),
        ("http", "h", 8080, "http://h:8080/a", true),
        ("rtsp", "camera", 554, "rtsp://camera/a", true),
        ("rtsps", "camera", 322, "rtsps://camera/a", true),
        ("wss", "example.com", 443, "wss://example.com/a", true),
        ("ws", "example.com", 80, "http://example.com/a", true),
        ("http", "example.com", 80, "WS://example.com/a", true),
        ("http", "example.com", 80, "wss://example.com/a", false),
        ("https", "[::1]", 443, "https://[::1]/a", true),
        ("https", "[::1]", 8443, "https://[::1]:8443/a", true),
        ("https", "[::1]", 443, "https://[::2]/a", false),
        // Without a default there is no port to compare.
        ("ftp", "example.com", 21, "ftp://example.com/a", false),
        ("ftp", "example.com", 21, "ftp://example.com:21/a", true),
    ] {
        let origin = Endpoint::origin(scheme, host, Some(port)).unwrap();
        let dialog = with_domain(&origin, domain);
        check(&dialog, "/a/b", inside, domain);
        check(&dialog, "/b", false, domain);
    }
}

#[test]
fn unnecessary_percent_encoding_is_ignored() {
    let inside = "/abc/~d /a%62c/%7Ed/e /a%62c/%7ed/e";
    check_domain("/%61bc/~d", inside, "/abc");
    // Of what needs it, it does: this is another segment.
    check_domain("/a", "", "/a%2Fb /a%3Fb /a%");
    check_domain("/a%2fb", "/a%2Fb/c", "/a/b");
}

/// Servers that decode twice, drop what they do not expect, or know other dots and slashes, end up
/// outside.
#[test]
fn ambiguous_paths_are_not_covered() {
    let outside = r"/API/x /api/. /api/./x /api/.. /api/../x /../api/x /api/%2e%2e/x /api/%2E./x
        /api/%252e%252e/x /api/%25252e%25252e/x /api/%25%32%65%25%32%65/x /api/..%00/x /api/..%20/x
        /api/..%2520/x /api/..%09/x /api/.%00./x /api/%c0%ae%c0%ae/x /api/%u002e%u002e/x
        /api;/../x /api/x/..;/..;/secret /api/..#/x";
    let inside = "/api/J%C3%A4s%C3%B8n /api/%E6%97%A5%E6%9C%AC /api/.hidden /api/..b /api/.../x
        /api/....//x /api//x /api?/../x /api/x;y=..";
    check_domain("/api", inside, outside);
    // Whoever decodes twice may find anything, and in what is not UTF-8 any server.
    check_domain("/api", "", r"/api/100%25 /api/a\b /api/%ff /api/caf%E9");
}

#[test]
fn invalid_uris_cover_nothing() {
    let junk = [
        "",
        " ",
        "foo",
        "//",
        "//example.com/a",
        "a/b",
        "http:",
        "*",
        "?",
        "http://",
    ];
    for junk in junk {
        check_domain(junk, "/ /a *", "");
        check_domain(&format!("{junk} /in"), "/in/a", "/out");
    }
}

/// The rest is answered when the server asks there.
#[test]
fn a_space_has_64_paths_at_most() {
    let paths = |from: u32| (from..from + 100).map(|n| format!("/{n}/"));
    let domain = |from| paths(from).collect::<Vec<_>>().join(" ");
    let mut dialog = with_domain(&home(), &domain(0));
    let covered = |dialog: &Dialog| {
        let uris: Vec<_> = paths(0).chain(paths(100)).collect();
        let covered = uris
            .iter()
            .filter(|uri| dialog.would_send_unasked(uri).is_some());
        covered.count()
    };
    assert_eq!(covered(&dialog), 64);
    check_asked(&dialog, CHALLENGE, "/99/");
    dialog.send("/0/");
    let more = challenge("n2", &format!(r#", stale=true, domain="{}""#, domain(100)));
    assert_eq!(dialog.challenged([&more]), Said::Retry);
    assert_eq!(covered(&dialog), 64);
    assert!(
        dialog.would_send_unasked("/100/").is_some(),
        "the oldest are dropped"
    );

    // A path that is listed again and again is one.
    let mut dialog = with_domain(&home(), "/a /b");
    for n in 0..64 {
        dialog.send("/a");
        let again = challenge(&format!("m{n}"), ", stale=true, domain=\"/b\"");
        assert_eq!(dialog.challenged([&again]), Said::Retry);
        dialog.next_exchange();
    }
    assert!(dialog.would_send_unasked("/a").is_some());

    let mut dialog = with_basic("/0/");
    for uri in paths(0) {
        dialog.next_exchange();
        assert_eq!(dialog.challenged([BASIC]), Said::Retry);
        assert!(dialog.send(&uri).is_some());
    }
    assert_eq!(covered(&dialog), 64);
}

/// Their lengths together are limited, too: to 8 KiB.
#[test]
fn the_paths_of_a_space_have_a_length_together() {
    for (length, kept) in [(128, 64), (129, 63), (256, 32)] {
        let path = |n: u32| format!("/{n:0>width$}/", width = length - 2);
        let domain: Vec<_> = (0..64).map(path).collect();
        let dialog = with_domain(&home(), &domain.join(" "));
        let covered = domain
            .iter()
            .filter(|path| dialog.would_send_unasked(path).is_some());
        assert_eq!(covered.count(), kept, "{length}");
    }
}
