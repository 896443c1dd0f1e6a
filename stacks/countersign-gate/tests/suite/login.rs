//! `login`: what it forwards, to whom it answers, and what comes back.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::yield_now;

use tempfile::TempDir;

use crate::origin::Origin;
use crate::program::{PROGRAM, Program};

/// `local:Circle of Life`, by Basic.
const LOCAL: &str = "Authorization: Basic bG9jYWw6Q2lyY2xlIG9mIExpZmU=\r\n";

struct Stage {
    origin: Arc<Origin>,
    login: Program,
    dir: TempDir,
}

impl Stage {
    fn start(options: &str) -> Self {
        Self::with_login("Mufasa:Circle of Life\n", options)
    }

    fn with_login(login: &str, options: &str) -> Self {
        let (origin, dir) = (Origin::start(), tempfile::tempdir().unwrap());
        fs::write(dir.path().join("login"), login).unwrap();
        let hash = "$2y$05$PGUvu8TPHs1EpYNOeJVHdexDZjCATbao9XJkihVMbT60N/kbKfPva";
        fs::write(dir.path().join("local"), format!("local:{hash}\n")).unwrap();
        let to = format!("http://{}", origin.address);
        let command = format!(
            "exec {PROGRAM} login --to {to} --login login --local local --listen 127.0.0.1:0 {options}"
        );
        let login = Program::start(dir.path(), &command);
        Self { origin, login, dir }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.login.address).unwrap()
    }

    /// Sends bytes, in which `OWN` stands for the address, and returns what comes.
    fn send(&self, text: &str) -> String {
        let mut stream = self.connect();
        let text = text.replace("OWN", &self.login.address);
        stream.write_all(text.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// A request with the login of the program, and these fields.
    fn ask(&self, line: &str, fields: &str) -> String {
        self.send(&format!(
            "{line} HTTP/1.1\r\nHost: OWN\r\nConnection: close\r\n{LOCAL}{fields}\r\n"
        ))
    }
}

fn status(response: &str) -> u16 {
    response.get(9..12).unwrap_or_default().parse().unwrap_or(0)
}

#[test]
fn a_program_gets_what_the_login_opens() {
    let stage = Stage::start("");
    for _ in 0..3 {
        let response = stage.ask("GET /a?b=c", "X-Kept: 1\r\n");
        assert!(
            response.starts_with("HTTP/1.1 200") && response.ends_with("helloworld"),
            "{response}"
        );
    }
    let head = stage.origin.last();
    assert!(
        head.starts_with("GET /a?b=c HTTP/1.1\r\n") && head.contains("x-kept: 1"),
        "{head}"
    );
    assert!(
        head.contains(&format!("host: {}", stage.origin.address)),
        "{head}"
    );
    assert!(!head.contains("Basic"), "{head}");
    // One challenge for all three.
    assert_eq!(stage.origin.heads.lock().unwrap().len(), 4);
}

#[test]
fn nobody_else_gets_it() {
    let stage = Stage::start("");
    let without = stage.send("GET / HTTP/1.1\r\nHost: OWN\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&without), 401);
    assert!(
        without.contains("www-authenticate: Basic realm=\"countersign-gate login\""),
        "{without}"
    );
    // A page whose name was bound to this address has no login for it.
    let bound = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&stage.send(bound)), 401);
    let wrong = LOCAL.replace("bG9", "bG8");
    for fields in [
        &*wrong,
        "Authorization: Digest a\r\n",
        &format!("{LOCAL}{LOCAL}"),
    ] {
        let text = format!("GET / HTTP/1.1\r\nHost: OWN\r\nConnection: close\r\n{fields}\r\n");
        assert!([400, 401].contains(&status(&stage.send(&text))), "{fields}");
    }
    assert!(
        stage.origin.heads.lock().unwrap().is_empty(),
        "nothing was forwarded"
    );
}

#[test]
fn guesses_at_one_address_lock_out_nobody_at_another() {
    let stage = Stage::start("");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let guess = || {
        let own = &stage.login.address;
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
            socket
                .connect(own.parse().unwrap())
                .await
                .unwrap()
                .into_std()
        });
        let mut stream = stream.unwrap();
        stream.set_nonblocking(false).unwrap();
        let wrong = "Authorization: Basic bG9jYWw6eA==\r\n";
        let request = format!("GET / HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n{wrong}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        status(&response)
    };
    assert!((0..20).all(|_| guess() == 401));
    assert_eq!(guess(), 429);
    assert_eq!(status(&stage.ask("GET /", "")), 200);
}

#[test]
fn only_origin_form() {
    let stage = Stage::start("");
    for (request, expected) in [
        ("GET / HTTP/1.1\r\nHost: OWN", 200),
        ("GET / HTTP/1.0\r\nHost: OWN", 200),
        ("GET http://OWN/ HTTP/1.1\r\nHost: OWN", 400),
        ("GET http://evil.example/ HTTP/1.1\r\nHost: OWN", 400),
        ("GET http://a:b@OWN/ HTTP/1.1\r\nHost: OWN", 400),
        ("GET x HTTP/1.1\r\nHost: OWN", 400),
        ("OPTIONS * HTTP/1.1\r\nHost: OWN", 400),
        ("CONNECT OWN HTTP/1.1\r\nHost: OWN", 400),
        ("TRACE / HTTP/1.1\r\nHost: OWN", 405),
    ] {
        let response = stage.send(&format!("{request}\r\nConnection: close\r\n{LOCAL}\r\n"));
        assert_eq!(status(&response), expected, "{request}: {response}");
    }
}

#[test]
fn methods_and_paths_that_are_not_named_are_refused() {
    let stage = Stage::start("--methods GET,HEAD --paths /metrics,/api/");
    for (line, expected) in [
        ("GET /metrics?a", 200),
        ("HEAD /api/x", 200),
        ("POST /metrics", 405),
        ("GET /reboot", 403),
        ("GET /api/../reboot", 403),
        ("GET /api/%2e%2e/reboot", 403),
    ] {
        assert_eq!(status(&stage.ask(line, "")), expected, "{line}");
    }
    let without = stage.send("GET /reboot HTTP/1.1\r\nHost: OWN\r\nConnection: close\r\n\r\n");
    assert_eq!(
        status(&without),
        401,
        "which paths there are is told after the login"
    );
}

#[test]
fn what_is_for_one_hop_ends_here() {
    let stage = Stage::start("");
    let fields = "Connection: X-Secret\r\nX-Secret: 1\r\nTE: trailers\r\nUpgrade: websocket\r\n\
                  Proxy-Authorization: Basic x\r\nProxy-Connection: close\r\nKeep-Alive: 1\r\n";
    let response = stage.ask("GET /", fields).to_lowercase();
    assert_eq!(status(&response), 200);
    let head = stage.origin.last().to_lowercase();
    for name in [
        "x-secret",
        "te",
        "upgrade",
        "proxy-authorization",
        "proxy-connection",
        "keep-alive",
        "connection",
    ] {
        assert!(!head.contains(&format!("\r\n{name}:")), "{name}: {head}");
    }
    for name in [
        "x-hop",
        "keep-alive",
        "authentication-info",
        "www-authenticate",
    ] {
        assert!(
            !response.contains(&format!("\r\n{name}:")),
            "{name}: {response}"
        );
    }
    for name in ["x-end", "set-cookie"] {
        assert!(
            response.contains(&format!("\r\n{name}:")),
            "{name}: {response}"
        );
    }
}

#[test]
fn a_redirect_leads_through_the_proxy_and_is_not_followed() {
    let stage = Stage::start("");
    let moved = stage.ask("GET /moved", "");
    assert!(
        status(&moved) == 302 && moved.contains("location: /there\r\n"),
        "{moved}"
    );
    let away = stage.ask("GET /away", "");
    assert!(
        away.contains("location: http://evil.example/\r\n"),
        "{away}"
    );
    assert!(
        !stage
            .origin
            .heads
            .lock()
            .unwrap()
            .iter()
            .any(|it| it.contains("/there"))
    );
}

#[test]
fn a_wrong_password_is_502_and_in_the_log_once() {
    let stage = Stage::with_login("Mufasa:wrong", "");
    for _ in 0..30 {
        let response = stage.ask("GET /", "");
        assert_eq!(status(&response), 502, "{response}");
        assert!(
            !response.to_lowercase().contains("www-authenticate"),
            "{response}"
        );
        assert!(response.contains("refused the login"), "{response}");
    }
    assert!(
        stage.origin.guesses() < 8,
        "{} guesses",
        stage.origin.guesses()
    );
    let log = stage.login.log();
    assert_eq!(log.matches("refused the login").count(), 1, "{log}");
    assert!(!log.contains("wrong\"") && !log.contains("Mufasa"), "{log}");
}

#[test]
fn an_origin_that_is_away_is_502() {
    let stage = Stage::start("");
    drop(stage.dir);
    let command = format!(
        "COUNTERSIGN_LOGIN=a:b exec {PROGRAM} login --to http://127.0.0.1:1 --listen unix:login.sock"
    );
    let dir = tempfile::tempdir().unwrap();
    let _login = Program::start(dir.path(), &command);
    // A socket needs no login of the program, and takes any host.
    let mut stream = UnixStream::connect(dir.path().join("login.sock")).unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(
        status(&response) == 502 && response.contains("does not answer"),
        "{response}"
    );
}

#[test]
fn bodies_are_passed_on_while_they_come() {
    let stage = Stage::start("");
    let mut stream = stage.connect();
    let head = format!(
        "POST /up HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: chunked\r\n{LOCAL}Connection: close\r\n\r\n5\r\nfirst\r\n",
        stage.login.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    while stage
        .origin
        .bodies
        .lock()
        .unwrap()
        .first()
        .is_none_or(|body| body != b"first")
    {
        yield_now();
    }
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..20 {
        stream.write_all(b"100000\r\n").unwrap();
        stream.write_all(&chunk).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert_eq!(status(&response), 200, "{response}");
    assert_eq!(stage.origin.bodies.lock().unwrap()[0].len(), 5 + (20 << 20));
}

#[test]
fn a_short_body_is_sent_again_after_the_challenge() {
    let stage = Stage::start("");
    let response = stage.send(&format!(
        "POST /up HTTP/1.1\r\nHost: OWN\r\nConnection: close\r\n{LOCAL}Expect: 100-continue\r\nContent-Length: 4\r\n\r\nbody"
    ));
    assert!(response.contains("HTTP/1.1 200"), "{response}");
    assert_eq!(*stage.origin.bodies.lock().unwrap(), [b"body"]);
    let posts: Vec<_> = stage
        .origin
        .heads
        .lock()
        .unwrap()
        .iter()
        .map(|it| it[..4].to_owned())
        .collect();
    assert_eq!(posts, ["POST", "POST"]);
}

#[test]
fn responses_are_passed_on_while_they_come() {
    let stage = Stage::start("");
    let mut stream = stage.connect();
    let head = format!(
        "GET /slow HTTP/1.1\r\nHost: {}\r\n{LOCAL}\r\n",
        stage.login.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    let mut first = [0; 5];
    reader.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"hello");
    // The rest comes once the origin sees another request.
    stage.ask("GET /", "");
    reader.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"world");
}

#[test]
fn wrong_options_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("login"), "a:b\n").unwrap();
    fs::write(dir.path().join("none"), "no colon\n").unwrap();
    for (options, why) in [
        ("--to http://h --login login", "needs --local FILE"),
        ("--to https://h --login login", "https is not supported"),
        ("--to http://h/path --login login", "not http://HOST"),
        ("--to http://a:b@h --login login", "not http://HOST"),
        ("--to h --login login", "not http://HOST"),
        (
            "--to http://h --login missing --listen unix:s",
            "missing: No such file",
        ),
        (
            "--to http://h --login none --listen unix:s",
            "not name:password",
        ),
        (
            "--to http://h --listen unix:s",
            "neither --login nor COUNTERSIGN_LOGIN",
        ),
        ("--login login", "--to"),
    ] {
        let output = std::process::Command::new("timeout")
            .args(["5", PROGRAM, "login"])
            .args(options.split_whitespace())
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !matches!(output.status.code(), Some(0 | 124)),
            "{options}: {said}"
        );
        assert!(said.contains(why), "{options}: {said}");
    }
}
