//! The example programs, over sockets on loopback.

use std::process::Command;

use countersign::Channel;
use countersign::digest::QopSet;
use countersign::server::Realm;
use countersign_testing::Clock;

use crate::listener::listen;
use crate::own_server::Service;
use crate::toys::server::Server;
use crate::toys::{PASSWORD, USER};

/// Runs an example: whether it found nothing, and what it printed.
fn run(example: &str, arguments: &[&str]) -> (bool, String) {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.parent().and_then(|it| it.parent()).unwrap();
    let output = Command::new(folder.join("examples").join(example))
        .args(arguments)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{example}: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), printed + &errors)
}

#[test]
fn a_running_server_is_checked() {
    let realm = Realm::new("files").unwrap().with_qop(QopSet::BOTH);
    let service = Service::new(realm, Channel::Cleartext, &Clock::new());
    let address = listen(move |request| service.serve(&request)).unwrap();
    let user = format!("{USER}:{PASSWORD}");
    let url = format!("http://{address}/dir/index.html");
    let (clean, printed) = run("check_server", &["--user", &user, &url]);
    assert!(clean, "{printed}");
    assert!(printed.contains("passed   TamperedBody"), "{printed}");
}

#[test]
fn a_fault_of_a_running_server_is_found() {
    let server = Server::new("never expires", &Clock::real());
    let server = std::sync::Mutex::new(server);
    let address = listen(move |request| server.lock().unwrap().serve(&request)).unwrap();
    let url = format!("http://{address}/dir/index.html");
    let user = format!("{USER}:{PASSWORD}");
    // It waits until a nonce should have expired.
    let options = ["--user", &user, "--nonce-lifetime", "0", &url];
    let (clean, printed) = run("check_server", &options);
    assert!(
        !clean && printed.contains("FAILED   StaleNonce"),
        "{printed}"
    );
    let (clean, printed) = run(
        "check_server",
        &[&options[..], &["--without", "StaleNonce"]].concat(),
    );
    assert!(
        clean && printed.contains("skipped  StaleNonce: left out"),
        "{printed}"
    );
}

/// Of curl it is known, whatever its version, that it gets in, and believes any proof.
#[test]
fn a_program_is_checked() {
    let user = format!("{USER}:{PASSWORD}");
    if Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no curl");
    }
    let curl = ["curl", "-sL", "--digest", "-u", &user];
    let arguments = [&["--without", "OneField"], &curl[..]].concat();
    let (clean, printed) = run("check_client", &arguments);
    assert!(!clean, "{printed}");
    for line in [
        "passed   Login",
        "passed   Redirect",
        "passed   RedirectAway",
        "passed   StaleNonce",
        "skipped  OneField: left out",
        "FAILED   WrongProof",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}
