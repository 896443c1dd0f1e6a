//! Which targets are of the origin of a client.

use countersign::Channel;
use countersign::client::{Endpoint, Policy};

use super::{BASIC, check, with_basic};
use crate::support::client::Dialog;

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
