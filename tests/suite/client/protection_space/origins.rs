//! Which targets are of the origin of a client.

use std::hash::{BuildHasher, RandomState};

use countersign::client::{Endpoint, Policy};
use countersign::{Challenger, Channel};

use super::{BASIC, check, with_basic};
use crate::support::client::{Dialog, HOME, Origin, home};

/// A URI that names no port means that of its scheme, which is easily left out by mistake.
#[test]
fn default_port_of_the_scheme() {
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
fn origins_compare_like_cache_keys() {
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
fn a_target_of_another_origin_is_in_no_basic_space() {
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

/// The text of an endpoint can be the key of a store.
#[test]
fn an_endpoint_is_written_with_all_that_tells_it_apart() {
    let origin = |scheme| Endpoint::origin(scheme, "Example.com", None).unwrap();
    let proxy = Endpoint::proxy("http", "proxy.example", 3128);
    for (endpoint, text) in [
        (origin("https"), "https://example.com:443"),
        (origin("http"), "http://example.com:80"),
        (
            origin("rtsp").with_any_target(),
            "rtsp://example.com:554 any-target",
        ),
        (proxy.clone(), "http://proxy.example:3128 proxy"),
        (
            proxy.with_channel(Channel::Encrypted),
            "http://proxy.example:3128 proxy encrypted",
        ),
        (
            origin("https").with_channel(Channel::Cleartext),
            "https://example.com:443 cleartext",
        ),
    ] {
        assert_eq!(endpoint.to_string(), text);
    }
}
