//! Protection spaces: where credentials are sent unasked, and where never.

mod support;

use std::hash::{BuildHasher, RandomState};

use countersign::client::{AuthCache, Client, Endpoint, Exchange, Policy, Readiness};
use countersign::{Challenger, Channel};
use support::client::{
    CHALLENGE, Dialog, HOME, Origin, Said, answers, ask_of, challenge, home, sent_unasked,
};

const BASIC: &str = r#"Basic realm="r""#;

/// A client of `origin` that has logged in to a challenge with this domain.
fn with_domain(origin: &Origin<'_>, domain: &str) -> Dialog {
    let mut dialog = Dialog::at(&origin.endpoint(), Policy::new());
    let value = challenge("n", &format!(r#", domain="{domain}""#));
    assert_eq!(dialog.challenged([&value]), Said::Login, "{domain}");
    dialog.login();
    dialog
}

/// A client that has answered a Basic challenge for a request to `asked`.
fn with_basic(asked: &str) -> Dialog {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    dialog.login();
    assert!(dialog.send(asked).is_some(), "{asked}");
    dialog
}

/// A URI that names no port means that of its scheme, which is easily left out by mistake.
#[test]
fn the_port_of_the_scheme() {
    for (scheme, port, is_encrypted) in [
        ("http", 80, false),
        ("HTTPS", 443, true),
        ("ws", 80, false),
        ("wss", 443, true),
        ("rtsp", 554, false),
        ("rtsps", 322, true),
        ("sip", 5060, false),
        ("sips", 5061, true),
    ] {
        let origin = Endpoint::origin(scheme, "example.com", None).unwrap();
        assert_eq!(origin.port(), port);
        let channel = match is_encrypted {
            true => Channel::Encrypted,
            false => Channel::Cleartext,
        };
        assert_eq!(origin.channel(), channel);
        assert_eq!(
            origin,
            Endpoint::origin(scheme, "example.com", Some(port)).unwrap()
        );
        let other = Endpoint::origin(scheme, "example.com", Some(8080)).unwrap();
        assert_eq!((other.port(), other.channel()), (8080, channel));
    }
    assert!(Endpoint::origin("coap", "example.com", None).is_err());
    // Of what is not known the worst is assumed, until somebody says better.
    let other = Endpoint::origin("coap", "example.com", Some(5684)).unwrap();
    assert_eq!(other.channel(), Channel::Cleartext);
    let encrypted = other.clone().with_channel(Channel::Encrypted);
    assert_eq!(encrypted.channel(), Channel::Encrypted);
    assert_ne!(encrypted, other);
}

/// A target on another origin got no password, rightly; but its path was taken for one of the
/// client's own origin, and the password was sent there unasked.
#[test]
fn origins_are_compared_as_a_keyring_keeps_them() {
    let hasher = RandomState::new();
    let home = home();
    let shouted = Origin {
        scheme: "HttpS",
        host: "EXAMPLE.com",
        ..HOME
    };
    let shouted = shouted.endpoint();
    assert_eq!(shouted, home);
    assert_eq!(hasher.hash_one(&shouted), hasher.hash_one(&home));
    let others = [
        Origin {
            scheme: "http",
            ..HOME
        },
        Origin {
            host: "example.co",
            ..HOME
        },
        Origin {
            scheme: "httpse",
            host: "xample.com",
            ..HOME
        },
        Origin { port: 80, ..HOME },
        Origin {
            challenger: Challenger::Proxy,
            ..HOME
        },
        // Letters beyond ASCII have no case in a host.
        Origin {
            host: "Ä.com",
            ..HOME
        },
        Origin {
            host: "ä.com",
            ..HOME
        },
    ];
    for (n, one) in others.iter().enumerate() {
        let one = &one.endpoint();
        assert_ne!(*one, home);
        assert_ne!(hasher.hash_one(one), hasher.hash_one(&home), "{one:?}");
        for other in &others[n + 1..] {
            let other = &other.endpoint();
            assert_ne!(one, other);
            assert_ne!(hasher.hash_one(one), hasher.hash_one(other));
        }
    }
}

#[test]
fn a_target_elsewhere_is_no_part_of_a_basic_space() {
    for known in [None, Some("/a/b")] {
        let mut dialog = match known {
            Some(asked) => with_basic(asked),
            None => Dialog::new(Policy::new()),
        };
        dialog.next_exchange();
        let _ = dialog.challenged([BASIC]);
        dialog.login();
        assert_eq!(dialog.send("https://example.org/secret/x"), None);
        check(&dialog, "/secret/y", false, "elsewhere");
        check(&dialog, "/a/c", known.is_some(), "at home");
        // The same path at home is another matter.
        assert!(dialog.send("/secret/x").is_some());
        check(&dialog, "/secret/y", true, "at home");
    }
}

/// What is covered is sent unasked, and nothing else; what is asked for is sent.
fn check(dialog: &Dialog, target: &str, inside: bool, shown: &str) {
    assert_eq!(dialog.client.covers(target), inside, "{shown}: {target}");
    let sent = dialog.would_send_unasked(target);
    assert_eq!(sent.is_some(), inside, "{shown}: {target}");
    let readiness = match inside {
        true => Readiness::Answer,
        false => Readiness::OutsideSpace,
    };
    assert_eq!(
        dialog.client.readiness(target),
        readiness,
        "{shown}: {target}"
    );
}

/// Where the client was asked it answers, in its space or not.
fn check_asked(dialog: &Dialog, challenge: &str, target: &str) {
    let mut dialog = dialog.clone();
    dialog.next_exchange();
    assert_eq!(dialog.challenged([challenge]), Said::Retry);
    assert!(dialog.send(target).is_some(), "{target}");
}

fn check_domain(domain: &str, targets: &[(&str, bool)]) {
    let dialog = with_domain(&HOME, domain);
    for &(target, inside) in targets {
        check(&dialog, target, inside, domain);
        check_asked(&dialog, CHALLENGE, target);
    }
}

mod domain {
    use super::*;

    #[test]
    fn none_is_the_whole_origin() {
        let dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        for target in ["/", "/a/b?c", "/../x", "*", "example.com:443"] {
            check(&dialog, target, true, "none");
        }
        // It names something else.
        check(&dialog, "sip:example.com", false, "none");
    }

    #[test]
    fn a_path_covers_what_is_below_it() {
        check_domain(
            "/a",
            &[
                ("/a", true),
                ("/a/", true),
                ("/a/b", true),
                ("/a/b/c?d=/e", true),
                ("/a?b", true),
                ("/", false),
                ("/b", false),
                ("/A", false),
                ("*", false),
                ("example.com:443", false),
            ],
        );
        check_domain(
            "/",
            &[("/", true), ("/a", true), ("/?x", true), ("*", false)],
        );
    }

    #[test]
    fn a_segment_is_not_cut() {
        check_domain("/a", &[("/ab", false), ("/a.", false), ("/a;b", false)]);
        check_domain("/a/", &[("/a/", true), ("/a/b", true), ("/a", false)]);
        check_domain("/a/b", &[("/a/b/c", true), ("/a/bc", false), ("/a", false)]);
    }

    #[test]
    fn several_are_separated_by_blanks() {
        check_domain(
            "/a   /b\t/c/",
            &[
                ("/a/x", true),
                ("/b/x", true),
                ("/c/x", true),
                ("/d", false),
                ("/a /b", false),
            ],
        );
    }

    #[test]
    fn an_absolute_uri_counts_if_it_is_of_the_origin() {
        for domain in [
            "https://example.com/a",
            "https://example.com:443/a",
            "HTTPS://Example.COM/a",
            "https://example.com:/a",
        ] {
            check_domain(domain, &[("/a/b", true), ("/b", false)]);
        }
        check_domain("https://example.com", &[("/", true), ("/a", true)]);
        for domain in [
            "https://example.org/a",
            "https://www.example.com/a",
            "https://example.com:8443/a",
            "http://example.com/a",
            "https://user@example.com/a",
            "https://example.com.evil.org/a",
            "https://example.com:99999/a",
        ] {
            check_domain(domain, &[("/a/b", false), ("/b", false), ("/", false)]);
            // It takes nothing from those that are.
            check_domain(&format!("{domain} /b"), &[("/a/b", false), ("/b", true)]);
        }
    }

    #[test]
    fn default_ports_and_ipv6() {
        for (scheme, host, port, domain, inside) in [
            ("http", "example.com", 80, "http://example.com/a", true),
            ("http", "example.com", 8080, "http://example.com/a", false),
            (
                "http",
                "example.com",
                8080,
                "http://example.com:8080/a",
                true,
            ),
            ("rtsp", "camera", 554, "rtsp://camera/a", true),
            ("rtsps", "camera", 322, "rtsps://camera/a", true),
            ("wss", "example.com", 443, "wss://example.com/a", true),
            ("ws", "example.com", 80, "ws://example.com/a", true),
            ("https", "[::1]", 443, "https://[::1]/a", true),
            ("https", "[::1]", 8443, "https://[::1]:8443/a", true),
            ("https", "[::1]", 443, "https://[::2]/a", false),
            // Without a default there is no port to compare.
            ("ftp", "example.com", 21, "ftp://example.com/a", false),
            ("ftp", "example.com", 21, "ftp://example.com:21/a", true),
        ] {
            let origin = Origin {
                scheme,
                host,
                port,
                ..HOME
            };
            let dialog = with_domain(&origin, domain);
            check(&dialog, "/a/b", inside, domain);
            check(&dialog, "/b", false, domain);
        }
    }

    #[test]
    fn percent_encoding_of_what_needs_none_does_not_matter() {
        check_domain(
            "/%61bc/~d",
            &[
                ("/abc/~d", true),
                ("/a%62c/%7Ed/e", true),
                ("/a%62c/%7ed/e", true),
                ("/abc", false),
            ],
        );
        // Of what needs it, it does: this is another segment.
        check_domain(
            "/a",
            &[("/a%2Fb", false), ("/a%3Fb", false), ("/a%", false)],
        );
        check_domain("/a%2fb", &[("/a%2Fb/c", true), ("/a/b", false)]);
    }

    #[test]
    fn a_path_with_dot_segments_ends_up_who_knows_where() {
        check_domain(
            "/a",
            &[
                ("/a/../b", false),
                ("/a/.", false),
                ("/a/./b", false),
                ("/a/..", false),
                ("/a/%2e%2e/b", false),
                ("/a/%2E./b", false),
                ("/../a/b", false),
                ("/a/...", true),
                ("/a/..b", true),
                ("/a/b?x=/../", true),
            ],
        );
    }

    /// Servers that decode twice, drop what they do not expect, or know other dots and slashes, end up
    /// outside.
    #[test]
    fn a_path_that_some_server_may_resolve_is_ambiguous() {
        for outside in [
            "/API/x",
            "/api/..",
            "/api/../x",
            "/api/%2e%2e/x",
            "/api/%252e%252e/x",
            "/api/%25252e%25252e/x",
            "/api/%25%32%65%25%32%65/x",
            "/api/..%00/x",
            "/api/..%20/x",
            "/api/..%2520/x",
            "/api/..%09/x",
            "/api/.%00./x",
            "/api/%c0%ae%c0%ae/x",
            "/api/%u002e%u002e/x",
            "/api/..\u{2215}x",
            "/api/\u{ff0e}\u{ff0e}/x",
            "/api/%ef%bc%8e%ef%bc%8e/x",
            "/api;/../x",
            "/api/x/..;/..;/secret",
            "/api/..#/x",
        ] {
            check_domain("/api", &[(outside, false)]);
        }
        check_domain(
            "/api",
            &[
                ("/api/100%25", true),
                ("/api/J%C3%A4s%C3%B8n", true),
                ("/api/%E6%97%A5%E6%9C%AC", true),
                ("/api/.hidden", true),
                ("/api/.../x", true),
                ("/api/....//x", true),
                ("/api//x", true),
                ("/api?/../x", true),
                ("/api/x;y=..", true),
                // Not UTF-8, so any server may see something else in it.
                ("/api/caf%E9", false),
            ],
        );
    }

    #[test]
    fn targets_in_absolute_form_are_of_an_origin() {
        for domain in ["/a", "/a https://example.org/"] {
            check_domain(
                domain,
                &[
                    ("https://example.com/a/b", true),
                    ("https://EXAMPLE.com:443/a", true),
                    ("https://example.com/b", false),
                ],
            );
            let dialog = with_domain(&HOME, domain);
            for elsewhere in [
                "http://example.com/a",
                "https://example.org/a",
                "https://example.com:444/a",
            ] {
                check(&dialog, elsewhere, false, domain);
                // Not even if asked.
                let mut dialog = dialog.clone();
                assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
                assert_eq!(dialog.send(elsewhere), None);
            }
        }
    }

    #[test]
    fn junk_counts_for_nothing() {
        for junk in [
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
        ] {
            check_domain(junk, &[("/", true), ("/a", true), ("*", true)]);
            check_domain(&format!("{junk} /in"), &[("/in/a", true), ("/out", false)]);
        }
    }

    /// What it may mean is unclear, so nothing is sent there unasked.
    #[test]
    fn a_uri_with_a_query_covers_nothing() {
        for domain in ["/a?b", "/a?", "https://example.com/a?b"] {
            check_domain(
                domain,
                &[
                    ("/a", false),
                    ("/a?b", false),
                    ("/a?b/c", false),
                    ("/a/c", false),
                ],
            );
            check_domain(
                &format!("{domain} /in"),
                &[("/a?b", false), ("/in?b", true)],
            );
        }
    }

    /// Each challenge that the credentials fit adds its own.
    #[test]
    fn a_space_grows_by_what_is_asked() {
        let mut dialog = with_domain(&HOME, "/a");
        dialog.send("/a");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        check(&dialog, "/b", false, "before");
        assert_eq!(dialog.send("/b"), None);
        let more = challenge("n2", r#", domain="/b /c""#);
        assert_eq!(dialog.challenged([&more]), Said::Retry);
        for (target, inside) in [("/a", true), ("/b", true), ("/c", true), ("/d", false)] {
            check(&dialog, target, inside, "after");
        }
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
        check(&dialog, "/d", true, "without a domain");
        // Not by one that they do not fit.
        let mut dialog = with_domain(&HOME, "/a");
        let other = more.replace("\"r\"", "\"s\"");
        assert_eq!(dialog.challenged([&other]), Said::Login);
        dialog.login();
        for (target, realm) in [("/a", "r"), ("/b", "s")] {
            let sent = dialog.would_send_unasked(target).unwrap();
            assert_eq!(sent.get("realm"), realm);
        }
    }

    /// The rest is answered when the server asks there.
    #[test]
    fn a_space_has_64_paths_at_most() {
        let paths = |from: u32| (from..from + 100).map(|n| format!("/{n}/"));
        let domain = |from| paths(from).collect::<Vec<_>>().join(" ");
        let mut dialog = with_domain(&HOME, &domain(0));
        let covered = |dialog: &Dialog| {
            let uris: Vec<_> = paths(0).chain(paths(100)).collect();
            let covered = uris.iter().filter(|uri| dialog.client.covers(*uri));
            covered.count()
        };
        assert_eq!(covered(&dialog), 64);
        check_asked(&dialog, CHALLENGE, "/99/");
        dialog.send("/0/");
        let more = challenge("n2", &format!(r#", stale=true, domain="{}""#, domain(100)));
        assert_eq!(dialog.challenged([&more]), Said::Retry);
        assert_eq!(covered(&dialog), 64);

        let mut dialog = with_basic("/0/");
        for uri in paths(0) {
            dialog.next_exchange();
            assert_eq!(dialog.challenged([BASIC]), Said::Retry);
            assert!(dialog.send(&uri).is_some());
        }
        assert_eq!(covered(&dialog), 64);
    }

    #[test]
    fn it_is_known_before_the_login() {
        let mut dialog = Dialog::new(Policy::new());
        assert!(!dialog.client.covers("/a"));
        let value = challenge("n", r#", domain="/a""#);
        assert_eq!(dialog.challenged([&value]), Said::Login);
        assert!(dialog.client.covers("/a/b"));
        assert!(!dialog.client.covers("/b"));
        assert_eq!(dialog.would_send_unasked("/a/b"), None);
    }
}

mod basic {
    use super::*;

    /// RFC 7617, section 2.2.
    #[test]
    fn it_covers_the_directory_that_was_asked_for() {
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
    fn it_grows_by_what_is_asked() {
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
    fn it_is_known_from_the_challenge_on() {
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
    fn it_is_known_from_the_first_answer_on_otherwise() {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged([BASIC]), Said::Login);
        dialog.login();
        assert!(!dialog.client.covers("/"));
        assert_eq!(dialog.would_send_unasked("/"), None);
        assert!(dialog.send("/").is_some());
        assert!(dialog.client.covers("/"));
    }
}

/// Several realms of one origin.
mod realms {
    use super::*;

    fn with_realms(domains: &[(&str, &str)]) -> Dialog {
        let mut dialog = Dialog::new(Policy::new());
        for (realm, domain) in domains {
            let value = challenge("n", &format!(r#", domain="{domain}""#));
            let value = value.replace("\"r\"", &format!("\"{realm}\""));
            dialog.next_exchange();
            assert_eq!(dialog.challenged([&value]), Said::Login);
            dialog.login();
        }
        dialog
    }

    #[test]
    fn the_most_specific_path_wins() {
        for order in support::client::orders(&[("all", "/"), ("a", "/a"), ("deep", "/a/b /c")]) {
            let dialog = with_realms(&order);
            for (uri, realm) in [
                ("/", "all"),
                ("/ab", "all"),
                ("/a", "a"),
                ("/a/c", "a"),
                ("/a/b", "deep"),
                ("/a/b/c?d", "deep"),
                ("/c/", "deep"),
            ] {
                let sent = dialog.would_send_unasked(uri).unwrap();
                assert_eq!(sent.get("realm"), realm, "{uri}");
            }
        }
    }

    #[test]
    fn of_equal_ones_the_one_used_last_wins() {
        let mut dialog = with_realms(&[("a", "/"), ("b", "/")]);
        assert_eq!(dialog.would_send_unasked("/").unwrap().get("realm"), "b");
        dialog.next_exchange();
        let value = challenge("n2", r#", domain="/""#).replace("\"r\"", "\"a\"");
        assert_eq!(dialog.challenged([&value]), Said::Retry);
        assert_eq!(dialog.would_send_unasked("/").unwrap().get("realm"), "a");
    }

    /// Nobody is logged in where the path is most specific: nothing is sent there in its place.
    #[test]
    fn a_space_that_nobody_is_logged_in_to_is_left_alone() {
        let mut dialog = with_realms(&[("all", "/")]);
        dialog.next_exchange();
        let value = challenge("n", r#", domain="/in""#);
        assert_eq!(dialog.challenged([&value]), Said::Login);
        assert_eq!(dialog.would_send_unasked("/in/a"), None);
        assert_eq!(dialog.client.readiness("/in/a"), Readiness::NotLoggedIn);
        assert!(dialog.would_send_unasked("/a").is_some());
    }
}

mod caches {
    use super::*;

    fn cache(capacity: usize) -> AuthCache {
        AuthCache::from_seed(capacity, Policy::new(), [7; 32])
    }

    fn at(host: &str) -> Endpoint {
        Origin { host, ..HOME }.endpoint()
    }

    /// The hosts it knows.
    fn known(cache: &AuthCache) -> Vec<&str> {
        cache
            .clients()
            .map(|client| client.endpoint().host())
            .collect()
    }

    #[test]
    fn each_endpoint_has_one_client() {
        let mut cache = cache(10);
        assert!(cache.is_empty());
        let proxy = Endpoint::proxy("https", "example.com", 443);
        let endpoints = [
            home(),
            at("example.org"),
            Origin { port: 8443, ..HOME }.endpoint(),
            Endpoint::origin("http", "example.com", Some(443)).unwrap(),
            proxy,
        ];
        for (n, endpoint) in endpoints.iter().enumerate() {
            assert!(cache.get_mut(endpoint).is_none());
            let client = cache.client(endpoint);
            assert_eq!(client.endpoint(), endpoint);
            assert_eq!(client.readiness("/"), Readiness::NotLoggedIn);
            let challenge = challenge("n", r#", charset=UTF-8"#);
            let next = client.challenged(&mut Exchange::new(), [&challenge]);
            client.login(ask_of(&next).unwrap(), "a", "b").unwrap();
            assert_eq!(cache.len(), n + 1);
            assert_eq!(cache.client(endpoint).readiness("/"), Readiness::Answer);
        }
        let shouted = Endpoint::origin("HTTPS", "EXAMPLE.COM", None).unwrap();
        assert!(cache.get_mut(&shouted).is_some());
        cache.forget(&shouted);
        assert!(cache.get_mut(&home()).is_none());
        assert_eq!(cache.len(), 4);
        cache.forget(&home());
        assert_eq!(cache.len(), 4);
        assert!(
            cache
                .clients()
                .all(|client| client.readiness("/") == Readiness::Answer)
        );
    }

    /// Cnonces come from a seed, and no two clients have the same.
    #[test]
    fn no_two_clients_have_one_seed() {
        let mut cache = cache(2);
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..20 {
            let client = cache.client(&at(&format!("h{n}")));
            answers(client, "/");
            for _ in 0..10 {
                let sent = sent_unasked(client, "/").unwrap();
                assert!(seen.insert(sent.get("cnonce").to_owned()));
            }
        }
    }

    #[test]
    fn a_client_that_is_put_in_is_found() {
        let mut cache = cache(2);
        let strength = countersign::client::Strength::DigestSha2;
        for _ in 0..2 {
            let policy = Policy::new().with_rfc2069();
            let client = Client::from_seed(home(), policy, [8; 32]).with_strength(strength);
            assert_eq!(cache.insert(client).strength(), strength);
            assert_eq!(cache.client(&home()).strength(), strength);
            assert_eq!(cache.len(), 1);
        }
    }

    #[test]
    fn the_one_unused_longest_is_forgotten_first() {
        let mut cache = cache(3);
        for host in ["a", "b", "c"] {
            cache.client(&at(host));
        }
        assert_eq!(known(&cache), ["a", "b", "c"]);
        // Both ways of asking are use.
        assert!(cache.get_mut(&at("a")).is_some());
        cache.client(&at("b"));
        cache.client(&at("d"));
        assert_eq!(known(&cache), ["a", "b", "d"]);
        // Not for one that is not there.
        assert!(cache.get_mut(&at("c")).is_none());
        cache.client(&at("e"));
        assert_eq!(known(&cache), ["b", "d", "e"]);
        // One that was forgotten on purpose leaves room.
        cache.forget(&at("d"));
        cache.client(&at("f"));
        assert_eq!(known(&cache), ["b", "e", "f"]);
    }

    #[test]
    fn it_never_grows_past_its_bound() {
        for capacity in [0, 1, 2, 100] {
            let mut cache = cache(capacity);
            for n in 0..300 {
                cache.client(&at(&format!("h{n}")));
                assert!(cache.len() <= capacity.max(1));
                // The last is never the one forgotten.
                assert!(cache.get_mut(&at(&format!("h{n}"))).is_some());
            }
        }
    }

    /// A redirect from place to place: what is sent at each stop.
    #[test]
    fn a_redirect_takes_nothing_along() {
        let mut cache = cache(10);
        let client = cache.client(&home());
        let value = challenge("n", r#", domain="/in https://example.org/in""#);
        let next = client.challenged(&mut Exchange::new(), [&value]);
        client.login(ask_of(&next).unwrap(), "a", "b").unwrap();

        for (endpoint, target, sent) in [
            (home(), "/in/a", true),
            (home(), "/out", false),
            (home(), "/in/../out", false),
            (home(), "https://example.com/in", true),
            (home(), "https://example.org/in", false),
            // Though the domain names it: it is another origin's to ask.
            (at("example.org"), "/in", false),
            (at("example.com.evil.org"), "/in", false),
            (Origin { port: 444, ..HOME }.endpoint(), "/in", false),
            (
                Endpoint::origin("http", "example.com", None).unwrap(),
                "/in",
                false,
            ),
            (home(), "/in", true),
        ] {
            let found = sent_unasked(cache.client(&endpoint), target).is_some();
            assert_eq!(found, sent, "{endpoint} {target}");
        }
    }
}
