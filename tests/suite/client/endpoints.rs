//! What an endpoint is made of, and which request-targets are its own.

use countersign::Channel;
use countersign::InvalidText::{NoDefaultPort, NoScheme, NotHost};
use countersign::client::{Endpoint, Policy};

use crate::support::client::{CHALLENGE, Dialog, Said, challenge, home};

#[test]
fn a_host_is_a_host_alone() {
    let wrong = r"h/ h/x h\x h?x h#x u@h h:80 h: ::1 [::1]:80 https://h //h";
    for host in ["", " ", "ex ample", "h\t", "h\n", "h\u{7f}"]
        .into_iter()
        .chain(wrong.split(' '))
    {
        for port in [None, Some(1)] {
            assert_eq!(
                Endpoint::origin("https", host, port),
                Err(NotHost),
                "{host:?}"
            );
        }
    }
    let right = "h example.com 192.0.2.1 [2001:db8::1] xn--bcher-kva.example a_b";
    for host in right.split(' ') {
        let endpoint = Endpoint::origin("https", host, None).unwrap();
        assert_eq!((endpoint.host(), endpoint.port()), (host, 443));
    }
    assert_eq!(Endpoint::origin("", "h", Some(1)), Err(NoScheme));
    assert_eq!(Endpoint::origin("coap", "h", None), Err(NoDefaultPort));
}

#[cfg(feature = "http")]
#[test]
fn the_endpoint_of_a_uri() {
    let of = |uri: &str| Endpoint::try_from(&uri.parse::<http::Uri>().unwrap());
    for (uri, same) in [
        ("http://h", "http://h:80"),
        ("https://H/x?y", "https://h:443"),
        ("https://[::1]:8443/", "https://[::1]:8443"),
        // One login for the pages and the sockets of an origin.
        ("ws://h/x", "http://h:80"),
        ("wss://h:1/x", "https://h:1"),
        ("rtsp://h/", "rtsp://h:554"),
    ] {
        assert_eq!(of(uri).unwrap().to_string(), same);
    }
    for (uri, error) in [
        ("/x", NotHost),
        ("*", NotHost),
        // The authority of a `CONNECT`, or a URL whose scheme was forgotten.
        ("h:80", NoScheme),
        ("localhost:3000", NoScheme),
        ("coap://h/", NoDefaultPort),
        (
            "http://user:password@h/",
            countersign::InvalidText::Userinfo,
        ),
        ("http://user@h/", countersign::InvalidText::Userinfo),
    ] {
        assert_eq!(of(uri), Err(error), "{uri}");
    }
}

/// RFC 9112, section 3.2.1: an origin gets the path alone, which is then what it compares. RTSP and
/// proxies get the whole URI.
#[test]
fn the_own_origin_in_a_target_is_no_path() {
    let asked = |endpoint: &Endpoint, target: &str| {
        let mut dialog = Dialog::at(endpoint, Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login();
        dialog.send(target).is_some()
    };
    let origin = |scheme| Endpoint::origin(scheme, "example.com", None).unwrap();
    for scheme in ["http", "https", "ws", "wss", "rtsp", "sip"] {
        let (endpoint, target) = (origin(scheme), format!("{scheme}://example.com/a"));
        let is_path = matches!(scheme, "rtsp" | "sip");
        assert_eq!(asked(&endpoint, &target), is_path, "{target}");
        assert!(asked(&endpoint.with_any_target(), &target));
        assert!(asked(&origin(scheme), "/a"));
    }
    // Behind NAT a camera names the address that it has itself, also in `domain`. A port of an RTSP
    // client lost SETUP by this.
    let camera = Endpoint::origin("rtsp", "203.0.113.7", None).unwrap();
    let setup = "rtsp://192.168.0.9/stream/track1";
    assert!(!asked(&camera, setup));
    let domain = challenge("n", r#", domain="rtsp://192.168.0.9/stream""#);
    let dialog = Dialog::logged_in_at(&camera.with_any_target(), Policy::new(), &domain);
    assert!(dialog.would_send_unasked(setup).is_some());

    assert!(asked(
        &Endpoint::proxy("http", "h", 1),
        "https://example.com/a"
    ));

    let mut dialog = Dialog::at(&home(), Policy::new());
    assert_eq!(dialog.send("https://example.com/a"), None);
    let said = dialog.challenged([CHALLENGE]);
    assert_eq!(said, Said::ForeignTarget);
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
