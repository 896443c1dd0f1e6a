//! curl against `serve`.

use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::process::{Output, TempDir, command, is_installed, run};
use crate::programs::Serve;
use crate::wire::{self, Canned};
use crate::{LOGIN, known};

const GRANTED: &str = "granted Mufasa";

/// curl, without a configuration file; `None` if there is none.
fn curl() -> Option<Command> {
    is_installed("curl", "curl", &["--version"]).then(|| {
        let mut curl = command("curl");
        curl.args(["-q", "-sS", "-v", "-m", "10", "-w", "%{http_code}\n"]);
        curl.args(["-o", "/dev/null"]);
        curl
    })
}

/// Runs curl against a new server, and says which status it got and what became of its requests.
fn ask(serve: &[&str], curl_options: &[&str]) -> Option<(String, Vec<String>)> {
    ask_path(serve, curl_options, "/").map(|(output, log)| (output.stdout.trim().to_owned(), log))
}

fn ask_path(serve: &[&str], options: &[&str], path: &str) -> Option<(Output, Vec<String>)> {
    let mut curl = curl()?;
    let serve = Serve::start(serve);
    let output = run(curl.args(options).arg(serve.url(path)));
    Some((output, serve.outcomes()))
}

#[test]
fn logs_in_with_each_algorithm() {
    // SHA-512-256 is another hash in curl before 8.14.
    for algorithm in known(&["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"]) {
        let options = ["--digest", "-u", LOGIN];
        let Some((status, log)) = ask(&["--algorithm", algorithm], &options) else {
            return;
        };
        assert_eq!(status, "200", "{algorithm}");
        assert_eq!(log, ["no-credentials", GRANTED], "{algorithm}");
    }
}

#[test]
fn logs_in_with_a_legacy_challenge() {
    let Some((status, log)) = ask(&["--qop", "none"], &["--digest", "-u", LOGIN]) else {
        return;
    };
    assert_eq!(status, "200");
    assert_eq!(log, ["no-credentials", GRANTED]);
}

#[test]
fn basic_takes_permission() {
    let options = ["--basic", "-u", LOGIN];
    for (serve, expected) in [
        (&[] as &[&str], ("401", "scheme-not-offered")),
        (&["--basic"], ("401", "cleartext-basic")),
        (&["--basic", "--allow-cleartext-basic"], ("200", GRANTED)),
    ] {
        let Some((status, log)) = ask(serve, &options) else {
            return;
        };
        assert_eq!((status.as_str(), &*log.join(" ")), expected);
    }
}

#[test]
fn any_auth_is_digest() {
    let serve = ["--basic", "--allow-cleartext-basic"];
    let Some((output, log)) = ask_path(&serve, &["--anyauth", "-u", LOGIN], "/") else {
        return;
    };
    assert_eq!(output.stdout, "200\n");
    assert_eq!(log, ["no-credentials", GRANTED]);
    let sent = wire::field(&output.stderr, "authorization").unwrap();
    assert!(sent.starts_with("Digest "), "{sent}");
}

#[test]
fn a_wrong_password_is_refused_once() {
    let Some((status, log)) = ask(&[], &["--digest", "-u", "Mufasa:wrong"]) else {
        return;
    };
    assert_eq!(status, "401");
    assert_eq!(log, ["no-credentials", "wrong-credentials"]);
    let (status, log) = ask(&[], &["--digest", "-u", "Scar:Circle Of Life"]).unwrap();
    assert_eq!(status, "401");
    assert_eq!(log, ["no-credentials", "wrong-credentials"]);
}

#[test]
fn two_urls_share_a_connection() {
    let Some(mut curl) = curl() else { return };
    let serve = Serve::start(&[]);
    let (one, two) = (serve.url("/one"), serve.url("/two"));
    let output = run(curl.args(["--digest", "-u", LOGIN, &one, "-o", "/dev/null", &two]));
    assert_eq!(output.stdout, "200\n200\n");
    // A refusal ends no connection.
    let connects = output.stderr.matches("* Connected to ").count();
    assert_eq!(connects, 1, "{}", output.stderr);
    // curl learns nothing for the second URL from the first.
    let expected = ["no-credentials", GRANTED, "no-credentials", GRANTED];
    assert_eq!(serve.outcomes(), expected);
}

/// A relay that turns what was granted at `/first` into a redirect to `/second`, which is what
/// makes curl use a nonce twice; it holds the second request back for as long as it is told.
fn relay(serve: &Serve, delay: Duration) -> Canned {
    let address = serve.address.clone();
    Canned::start(move |head| {
        if head.contains("nc=00000002") {
            thread::sleep(delay);
        }
        let response = wire::forward(&address, head);
        match wire::path(head) == "/first" && response.starts_with("HTTP/1.1 200 ") {
            true => wire::response("302 Found", "location: /second"),
            false => response,
        }
    })
}

#[test]
fn the_second_request_on_a_nonce_counts_two() {
    let Some(mut curl) = curl() else { return };
    let serve = Serve::start(&[]);
    let relay = relay(&serve, Duration::ZERO);
    let url = format!("http://{}/first", relay.address);
    let output = run(curl.args(["-L", "--digest", "-u", LOGIN, &url]));
    assert_eq!(output.stdout, "200\n", "{}", output.stderr);
    assert_eq!(serve.outcomes(), ["no-credentials", GRANTED, GRANTED]);
    let heads = relay.heads();
    assert!(heads[1].contains("nc=00000001"), "{}", heads[1]);
    assert!(heads[2].contains("nc=00000002"), "{}", heads[2]);
}

#[test]
fn an_old_nonce_is_stale() {
    let Some(mut curl) = curl() else { return };
    let serve = Serve::start(&["--nonce-lifetime", "2"]);
    let relay = relay(&serve, Duration::from_millis(2200));
    let url = format!("http://{}/first", relay.address);
    let output = run(curl.args(["-L", "--digest", "-u", LOGIN, &url]));
    assert_eq!(output.stdout, "200\n", "{}", output.stderr);
    assert!(output.stderr.contains("stale=true"), "{}", output.stderr);
    let expected = ["no-credentials", GRANTED, "nonce-expired", GRANTED];
    assert_eq!(serve.outcomes(), expected);
}

#[test]
fn a_captured_header_is_worth_nothing() {
    let Some(mut curl) = curl() else { return };
    let serve = Serve::start(&["--nonce-lifetime", "60"]);
    let output = run(curl.args(["--digest", "-u", LOGIN, &serve.url("/vault")]));
    assert_eq!(output.stdout, "200\n");
    let captured = wire::field(&output.stderr, "authorization").unwrap();
    let field = format!("authorization: {captured}");
    let again = wire::send(&serve.address, "GET /vault", &[&field]);
    assert!(again.starts_with("HTTP/1.1 401 "), "{again}");
    let elsewhere = wire::send(&serve.address, "GET /other", &[&field]);
    assert!(elsewhere.starts_with("HTTP/1.1 400 "), "{elsewhere}");
    let twice = wire::send(&serve.address, "GET /vault", &[&field, &field]);
    assert!(twice.starts_with("HTTP/1.1 400 "), "{twice}");
    let log = serve.outcomes();
    let expected = ["no-credentials", GRANTED, "replayed", "uri-mismatch"];
    assert_eq!(log[..4], expected);
    assert_eq!(log[4], "multiple-credentials");
}

#[test]
fn bodies_and_queries_are_covered() {
    let data = ["--digest", "-u", LOGIN, "--data", "a=1&b=2"];
    let Some((output, log)) = ask_path(&[], &data, "/form?x=1&y=%20%2F") else {
        return;
    };
    assert_eq!(output.stdout, "200\n");
    assert_eq!(log, ["no-credentials", GRANTED]);
}

#[test]
fn auth_int_works_without_a_body() {
    // curl takes the body for empty, whatever it sends.
    for qop in ["auth-int", "auth,auth-int"] {
        let Some((status, log)) = ask(&["--qop", qop], &["--digest", "-u", LOGIN]) else {
            return;
        };
        assert_eq!(status, "200", "{qop}");
        assert_eq!(log, ["no-credentials", GRANTED], "{qop}");
    }
}

#[test]
fn a_body_may_be_too_large() {
    let Some(mut curl) = curl() else { return };
    let serve = Serve::start(&[]);
    let directory = TempDir::new();
    directory.write("body", &"x".repeat(3 << 20));
    let file = format!("@{}", directory.path().join("body").display());
    // Basic, so that curl sends the body with its first request.
    let options = ["--basic", "-u", LOGIN, "--data-binary", &file];
    let output = run(curl.args(options).arg(serve.url("/")));
    assert_eq!(output.stdout, "413\n", "{}", output.stderr);
    assert_eq!(serve.stop()[0].status, 413);
}

#[test]
fn names_and_realms_may_hold_anything() {
    let serve = ["--user", "Jäsøn Doe:pä:ss", "--realm", "a\"b\\c é"];
    for (login, granted) in [(LOGIN, GRANTED), ("Jäsøn Doe:pä:ss", "granted Jäsøn Doe")] {
        for algorithm in known(&["SHA-256", "MD5"]) {
            let serve = [&serve[..], &["--algorithm", algorithm]].concat();
            let Some((status, log)) = ask(&serve, &["--digest", "-u", login]) else {
                return;
            };
            assert_eq!(status, "200", "{login} {algorithm}");
            assert_eq!(log, ["no-credentials", granted], "{login} {algorithm}");
        }
        let basic = [&serve[..], &["--basic", "--allow-cleartext-basic"]].concat();
        let (status, log) = ask(&basic, &["--basic", "-u", login]).unwrap();
        assert_eq!((status.as_str(), &*log.join(" ")), ("200", granted));
    }
}

#[test]
fn a_proxy_asks_in_its_own_name() {
    let login = ["--proxy-digest", "--proxy-user", LOGIN];
    for (options, url, status) in [
        (&[] as &[&str], "http://example.test/path?x=1", "200\n"),
        // The tunnel is asked for by its authority; serve has none to give.
        (&["-p"], "http://example.test/path?x=1", "000\n"),
    ] {
        let Some(mut curl) = curl() else { return };
        let serve = Serve::start(&["--proxy"]);
        let proxy = serve.url("");
        let output = run(curl.args(login).args(options).args(["-x", &proxy, url]));
        assert_eq!(output.stdout, status, "{}", output.stderr);
        let log = serve.stop();
        assert_eq!((log.len(), log[0].status), (2, 407), "{log:?}");
        assert!(log[1].is_granted(), "{log:?}");
        let is_tunnel = options.contains(&"-p");
        let target = if is_tunnel { "example.test:80" } else { url };
        assert_eq!(log[1].target, target);
        assert_eq!(log[1].method == "CONNECT", is_tunnel);
    }
}

#[test]
fn a_proxy_may_speak_basic() {
    for (options, login, status, expected) in [
        (
            "--proxy-anyauth",
            "Mufasa:wrong",
            "407\n",
            "no-credentials wrong-credentials",
        ),
        ("--proxy-basic", LOGIN, "200\n", GRANTED),
    ] {
        let Some(mut curl) = curl() else { return };
        let serve = Serve::start(&["--proxy", "--basic", "--allow-cleartext-basic"]);
        let proxy = serve.url("");
        curl.args([options, "--proxy-user", login, "-x", &proxy]);
        let output = run(curl.arg("http://example.test/"));
        assert_eq!(output.stdout, status, "{}", output.stderr);
        assert_eq!(serve.outcomes().join(" "), expected);
    }
}
