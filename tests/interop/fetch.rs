//! `fetch` against `serve`, and through a proxy that means no good.

use crate::programs::{Serve, fetch};
use crate::wire::{Canned, response};

const GRANTED: &str = "granted Mufasa";

#[test]
fn without_a_count_a_nonce_is_good_for_one_use() {
    let serve = Serve::start(&["--qop", "none"]);
    // Each response brings the next nonce.
    let fetched = fetch(&["--legacy", "--repeat", "4"], &serve.url("/"));
    assert!(fetched.0.success, "{fetched:?}");
    assert_eq!(fetched.statuses(), [401, 200, 200, 200, 200]);
    let outcomes = ["no-credentials", GRANTED, GRANTED, GRANTED, GRANTED];
    assert_eq!(serve.outcomes(), outcomes);
}

#[test]
fn a_url_gives_the_request_target() {
    for (path, target) in [
        ("", "/"),
        ("?x=y", "/?x=y"),
        ("/a%2Fb//c/../%7e?#d", "/a%2Fb//c/../%7e?"),
    ] {
        let serve = Serve::start(&[]);
        let fetched = fetch(&[], &serve.url(path));
        assert!(fetched.0.success, "{fetched:?}");
        assert_eq!(serve.stop()[1].target, target);
    }
}

#[test]
fn a_response_without_a_body_has_a_proof_too() {
    for qop in ["auth", "auth-int"] {
        let serve = Serve::start(&["--qop", qop]);
        let fetched = fetch(&["--method", "HEAD"], &serve.url("/"));
        assert!(fetched.0.success, "{fetched:?}");
        assert_eq!(fetched.proofs(), 1);
    }
}

#[test]
fn a_proxy_is_logged_in_to() {
    let serve = Serve::start(&["--proxy"]);
    let fetched = fetch(
        &["--proxy", &serve.address, "--repeat", "2"],
        "http://h.example/a",
    );
    assert!(fetched.0.success, "{fetched:?}");
    assert_eq!(fetched.statuses(), [407, 200, 200]);
    assert_eq!(serve.outcomes(), ["no-credentials", GRANTED, GRANTED]);
}

#[test]
fn a_proxy_does_not_learn_the_password_in_a_url() {
    let proxy = Canned::start(|_| response("200 OK", "x: y"));
    let fetched = fetch(
        &["--proxy", &proxy.address],
        "http://Scar:secret@h.example/x?y",
    );
    assert!(fetched.0.success, "{fetched:?}");
    assert!(!fetched.0.stdout.contains("secret"), "{fetched:?}");
    let [head] = &proxy.heads()[..] else { panic!() };
    assert!(
        head.starts_with("GET http://h.example/x?y HTTP/1.1\r\n"),
        "{head}"
    );
}
