//! The program as it is started: its options, what it listens on, and how it ends.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::program::{PROGRAM, Program};

const LINE: &str = "a:files:0123456789abcdef0123456789abcdef\n";

fn start(dir: &Path, listen: &str, options: &[&str]) -> Program {
    let command = format!(
        "exec {PROGRAM} check --for nginx --digest htdigest --listen {listen} {}",
        options.join(" ")
    );
    Program::start(dir, &command)
}

fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("htdigest"), LINE).unwrap();
    dir
}

/// Runs the program to its end, and returns what it says.
fn fails(dir: &Path, options: &str) -> String {
    let output = Command::new("timeout")
        .args(["5", PROGRAM])
        .args(options.split_whitespace())
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(
        !matches!(output.status.code(), Some(0 | 124)),
        "{options}: {output:?}"
    );
    String::from_utf8(output.stderr).unwrap()
}

fn get(address: &str, path: &str, fields: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{fields}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn wrong_options_are_explained() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("empty"), "").unwrap();
    let gate = start(dir, "127.0.0.1:0", &[]);
    let check = "check --for nginx --listen 127.0.0.1:0";
    for (options, why) in [
        (format!("{check} --digest none"), "none: No such file"),
        (format!("{check} --digest empty"), "empty: no user"),
        (
            format!("{check} --digest htdigest --realm other"),
            "no user of the realm \"other\", only of \"files\"",
        ),
        (check.into(), "<--digest <DIGEST>|--basic <BASIC>>"),
        (
            format!("{check} --digest a --digest b"),
            "cannot be used multiple times",
        ),
        ("check --digest htdigest".into(), "--for"),
        (
            "check --for apache --digest htdigest".into(),
            "nginx, forwarded, envoy",
        ),
        (
            format!("{check} --digest htdigest --guesses 0"),
            "--guesses",
        ),
        (
            format!(
                "check --for nginx --digest htdigest --listen {}",
                gate.address
            ),
            "Address already in use",
        ),
        (
            "check --for nginx --digest htdigest --listen 0.0.0.0:0".into(),
            "0.0.0.0:0 is not a loopback address: whoever can reach it can guess passwords; use \
             127.0.0.1, [::1] or unix:PATH",
        ),
        (
            "check --for nginx --digest htdigest --listen here".into(),
            "unix:PATH",
        ),
        (
            format!("{check} --digest htdigest --status 0.0.0.0:0"),
            "0.0.0.0:0 is not a loopback address",
        ),
        (String::new(), "Usage"),
    ] {
        let said = fails(dir, &options);
        assert!(said.contains(why), "{options}: {said}");
    }
}

#[test]
fn an_address_of_the_network_by_its_option_alone() {
    let dir = folder();
    let gate = start(dir.path(), "0.0.0.0:0", &["--trust-network"]);
    assert!(gate.address.starts_with("0.0.0.0:"));
}

#[test]
fn a_socket_is_for_owner_and_group_and_replaces_a_dead_one_only() {
    let dir = folder();
    let dir = dir.path();
    let path = dir.join("gate.sock");
    let options = "check --for nginx --digest htdigest --listen unix:gate.sock";
    // A plain file stays.
    fs::write(&path, "precious").unwrap();
    assert!(fails(dir, options).contains("not a socket"));
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    fs::remove_file(&path).unwrap();
    // And so does the socket of a program that runs.
    let other = UnixListener::bind(&path).unwrap();
    assert!(fails(dir, options).contains("a program listens there"));
    drop(other);
    let mut gate = start(dir, "unix:gate.sock", &[]);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    assert!(UnixStream::connect(&path).is_ok());
    assert_eq!(gate.end(Signal::TERM), Some(0));
    start(dir, "unix:gate.sock", &[]);
}

#[test]
fn a_signal_ends_it_also_with_idle_connections() {
    let dir = folder();
    let mut gate = start(dir.path(), "127.0.0.1:0", &[]);
    let mut idle = TcpStream::connect(&gate.address).unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        .unwrap();
    idle.read_exact(&mut [0; 12]).unwrap();
    assert_eq!(gate.end(Signal::TERM), Some(0));
}

#[test]
fn connections_that_say_nothing_do_not_stop_the_status() {
    let dir = folder();
    let gate = start(dir.path(), "127.0.0.1:0", &["--status", "127.0.0.1:0"]);
    let status = gate.status.as_deref().unwrap();
    let _silent: Vec<_> = (0..50)
        .map(|_| TcpStream::connect(status).unwrap())
        .collect();
    let health = get(status, "/health", "");
    assert!(
        health.starts_with("HTTP/1.1 200") && health.ends_with("ok\n"),
        "{health}"
    );
    let metrics = get(status, "/metrics", "");
    for line in [
        "countersign_gate_answers_total{outcome=\"wrong-credentials\"} 0\n",
        "countersign_gate_users 1\n",
        "countersign_gate_files_in_force 1\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    assert!(get(status, "/", "").starts_with("HTTP/1.1 404"));
    // And the gate tells neither.
    assert!(!get(&gate.address, "/metrics", "").contains("countersign_gate"));
}

#[test]
fn the_log_tells_who_was_refused() {
    let dir = folder();
    let hash = "a:$apr1$abcdefgh$nJrtNnpaiqD4QakhsmtlN0\n";
    fs::write(dir.path().join("htpasswd"), hash).unwrap();
    let gate = start(dir.path(), "127.0.0.1:0", &["--basic", "htpasswd"]);
    let asked = "X-Original-Method: GET\r\nX-Original-URI: /\r\nX-Forwarded-Proto: https\r\n\
                 X-Gate-Request: a.1.2.3\r\n";
    for (fields, line) in [
        (
            "X-Forwarded-For: 192.0.2.1\r\nX-Remote-User: root\r\n",
            "refused: the client sent the field x-remote-user, from 192.0.2.1\n",
        ),
        (
            "X-Forwarded-For: 192.0.2.2 from 192.0.2.3\r\nX_Remote_User: root\r\n",
            "refused: the client sent the field x_remote_user\n",
        ),
        (
            "X-Forwarded-For: 192.0.2.4\r\nAuthorization: Basic eDp5\r\n",
            "refused: wrong user name or password: \"x\" from 192.0.2.4\n",
        ),
    ] {
        get(&gate.address, "/", &format!("{asked}{fields}"));
        // The line is written before the response, and read by another thread.
        let found = (0..100).any(|_| {
            sleep(Duration::from_millis(20));
            gate.log().contains(line)
        });
        assert!(found, "{line:?} is not in {:?}", gate.log());
    }
}

#[test]
fn without_file_descriptors_it_rests() {
    let dir = folder();
    let command = format!(
        "ulimit -n 24; exec {PROGRAM} check --for nginx --digest htdigest --listen 127.0.0.1:0"
    );
    let gate = Program::start(dir.path(), &command);
    let many: Vec<_> = (0..60)
        .map(|_| TcpStream::connect(&gate.address).unwrap())
        .collect();
    sleep(Duration::from_millis(300));
    let before = gate.ticks();
    sleep(Duration::from_secs(1));
    // Of 100 ticks a second. A loop without a rest takes most of them.
    assert!(gate.ticks() - before < 20);
    drop(many);
    assert!(get(&gate.address, "/", "").starts_with("HTTP/1.1 403"));
}

#[test]
fn a_question_with_a_body_ends_the_connection() {
    let dir = folder();
    let gate = start(dir.path(), "127.0.0.1:0", &[]);
    for body in ["Content-Length: 30\r\n", "Transfer-Encoding: chunked\r\n"] {
        let mut stream = TcpStream::connect(&gate.address).unwrap();
        let head = format!("GET / HTTP/1.1\r\nHost: h\r\n{body}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        // Ends, although the connection is kept by default.
        stream.read_to_string(&mut text).unwrap();
        assert!(text.contains("x-status: 500\r\n"), "{text}");
    }
}

#[test]
fn a_head_is_about_64_kib_at_most() {
    let dir = folder();
    let gate = start(dir.path(), "127.0.0.1:0", &[]);
    for (length, status) in [(60_000, "403"), (200_000, "431")] {
        let field = format!("Cookie: {}\r\n", "c".repeat(length));
        let got = get(&gate.address, "/", &field);
        assert!(
            got.starts_with(&format!("HTTP/1.1 {status}")),
            "{length}: {got}"
        );
    }
}

fn add(dir: &Path, options: &str, password: &str) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(["user", "add"])
        .args(options.split_whitespace())
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have ended before it reads.
    let _ = child.stdin.take().unwrap().write_all(password.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn user_add_makes_a_file_and_changes_lines() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = dir.join("users");
    // `printf %s "Mufasa:files:Circle of Life" | sha256sum`
    let line = "Mufasa:files:fc8b2da7371f139a97679f16b5d65b193979ca693792108ecf9da9d2211be765\n";
    let added = add(dir, "users Mufasa", "Circle of Life\n");
    assert!(added.status.success());
    assert_eq!(added.stdout, b"added \"Mufasa\"\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), line);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    // Other lines, also those of other realms, comments, the mode and the link stay.
    let before = format!(
        "# c\nMufasa:files:{0}\nMufasa:other:{0}\nNala:files:{0}",
        "0f".repeat(16)
    );
    fs::write(&file, before).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    symlink("users", dir.join("link")).unwrap();
    let changed = add(dir, "link Mufasa", "Circle of Life\n");
    assert!(changed.status.success());
    assert_eq!(changed.stdout, b"changed the password of \"Mufasa\"\n");
    let after = format!(
        "# c\nMufasa:other:{0}\nNala:files:{0}\n{line}",
        "0f".repeat(16)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert!(fs::symlink_metadata(dir.join("link")).unwrap().is_symlink());
    let left: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert_eq!(left.len(), 2, "no other file is left: {left:?}");
    for (options, password, why) in [
        ("users a:b", "x\n", "a colon in the name"),
        ("users #a", "x\n", "is a comment"),
        ("users --realm= Nala", "x\n", "the realm is empty"),
        (
            "users --realm=a:b Nala",
            "x\n",
            "a colon or a control character in the realm",
        ),
        ("users Nala", "\n", "no password"),
        ("none/users Nala", "x\n", "none/users: "),
    ] {
        let output = add(dir, options, password);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(why), "{said}");
    }
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        after,
        "nothing was written"
    );
}

#[test]
fn users_who_are_added_at_once_are_all_there() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::thread::scope(|scope| {
        for number in 0..16 {
            scope.spawn(move || {
                let added = add(dir, &format!("users user-{number}"), "x\n");
                assert!(added.status.success());
            });
        }
    });
    let text = fs::read_to_string(dir.join("users")).unwrap();
    assert_eq!(text.lines().count(), 16, "{text}");
}

#[test]
fn user_add_does_not_give_away_what_another_owner_has() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = dir.join("users");
    // Its writer waits for a reader, so that it is exchanged after it is opened. An owner would need
    // root, so the mode stands for both.
    let mut mkfifo = Command::new("mkfifo");
    assert!(
        mkfifo
            .args(["-m", "600"])
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    fs::write(dir.join("other"), LINE).unwrap();
    fs::set_permissions(dir.join("other"), Permissions::from_mode(0o644)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut secret = fs::OpenOptions::new().write(true).open(&file).unwrap();
            fs::rename(dir.join("other"), &file).unwrap();
            secret.write_all(LINE.as_bytes()).unwrap();
        });
        assert!(add(dir, "users Mufasa", "x\n").status.success());
    });
    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}
