//! curl against `serve`: what is not in the matrix.

use std::process::Command;

use crate::process::{TempDir, command, is_installed, run};
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

#[test]
fn logs_in_whatever_is_offered() {
    let login: &[&str] = &["--digest", "-u", LOGIN];
    let any = ["--anyauth", "-u", LOGIN];
    let proxy_basic = ["--proxy-basic", "--proxy-user", LOGIN];
    let basic: &[&str] = &["--basic", "--allow-cleartext-basic"];
    let proxy = ["--proxy", "--basic", "--allow-cleartext-basic"];
    let (once, twice) = (&[GRANTED][..], &["no-credentials", GRANTED][..]);
    for (serve, options, status, expected) in [
        (&["--algorithm", "SHA-256-sess"][..], login, "200\n", twice),
        (&["--algorithm", "MD5-sess"], login, "200\n", twice),
        (&["--qop", "none"], login, "200\n", twice),
        (basic, &any, "200\n", twice),
        (&proxy, &proxy_basic, "200\n", once),
    ] {
        if serve[0] == "--algorithm" && !is_known(serve[1]) {
            continue;
        }
        let Some(mut curl) = curl() else { return };
        let is_proxy = serve[0] == "--proxy";
        let serve = Serve::start(serve);
        let url = match is_proxy {
            true => "http://example.test/".to_owned(),
            false => serve.url("/"),
        };
        if is_proxy {
            curl.args(["-x", &serve.url("")]);
        }
        let output = run(curl.args(options).arg(url));
        assert_eq!(output.stdout, status, "{options:?} {}", output.stderr);
        assert_eq!(serve.outcomes(), expected, "{options:?}");
        if options == any {
            let sent = wire::field(&output.stderr, "authorization").unwrap();
            assert!(sent.starts_with("Digest "), "{sent}");
        }
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
fn a_proxy_asks_in_its_own_name() {
    let login = ["--proxy-digest", "--proxy-user", LOGIN];
    let url = "http://example.test/path?x=1";
    for (options, method, target, status) in [
        (&[] as &[&str], "GET", url, "200\n"),
        // The tunnel is asked for by its authority; serve has none to give.
        (&["-p"], "CONNECT", "example.test:80", "000\n"),
    ] {
        let Some(mut curl) = curl() else { return };
        let serve = Serve::start(&["--proxy"]);
        let proxy = serve.url("");
        let output = run(curl.args(login).args(options).args(["-x", &proxy, url]));
        assert_eq!(output.stdout, status, "{}", output.stderr);
        let log = serve.stop();
        assert_eq!((log.len(), log[0].status), (2, 407), "{log:?}");
        assert!(log[1].is_granted(), "{log:?}");
        assert_eq!((&*log[1].method, &*log[1].target), (method, target));
    }
}
