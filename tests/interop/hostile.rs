//! `fetch` against servers that mean no good.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use crate::programs::fetch;
use crate::wire::{self, Canned, response};

/// A server whose challenge announces a body that does not come.
#[test]
fn a_challenge_that_stalls_is_answered() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let challenge = "Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, nonce=\"n\"";
        let head = format!(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: {challenge}\r\nContent-Length: 5\r\n\r\n"
        );
        let mut stalled = listener.accept().unwrap().0;
        wire::read_head(&mut stalled);
        stalled.write_all(head.as_bytes()).unwrap();
        let mut stream = listener.accept().unwrap().0;
        let request = wire::read_head(&mut stream);
        let response = response("200 OK", "x: y");
        stream.write_all(response.as_bytes()).unwrap();
        // Open until then.
        drop(stalled);
        request
    });
    let fetched = fetch(&[], &url);
    assert!(fetched.0.success, "{fetched:?}");
    assert_eq!(fetched.statuses(), [401, 200]);
    assert!(wire::credentials(&server.join().unwrap()).is_some());
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
