//! curl against `serve`: what is not in the matrix.

use std::process::Command;

use crate::process::{Output, TempDir, command, is_installed, run};
use crate::programs::Serve;
use crate::wire;
use crate::{LOGIN, is_known};

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

fn ask_path(serve: &[&str], options: &[&str], path: &str) -> Option<(Output, Vec<String>)> {
    let mut curl = curl()?;
    let serve = Serve::start(serve);
    let output = run(curl.args(options).arg(serve.url(path)));
    Some((output, serve.outcomes()))
}

/// What the matrix does not try.
#[test]
fn logs_in_with_session_keys_and_without_qop() {
    for options in [
        &["--algorithm", "SHA-256-sess"],
        &["--algorithm", "MD5-sess"],
        &["--qop", "none"],
    ] {
        if options[0] == "--algorithm" && !is_known(options[1]) {
            continue;
        }
        let Some((output, log)) = ask_path(options, &["--digest", "-u", LOGIN], "/") else {
            return;
        };
        assert_eq!(output.stdout, "200\n", "{options:?}");
        assert_eq!(log, ["no-credentials", GRANTED], "{options:?}");
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
