//! The example programs, over sockets on loopback.

use std::fmt::Display;
use std::process::Command;
use std::sync::Arc;

use countersign::Channel;
use countersign::digest::QopSet;
use countersign::server::Realm;
use countersign_testing::{Clock, client, server};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::listener::{listen, listen_by};
use crate::own_server::Service;
use crate::toys::server::Server;
use crate::toys::{PASSWORD, USER};

/// Runs an example: its status, and what it printed.
fn run(example: &str, arguments: &[&str]) -> (i32, String) {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.parent().and_then(|it| it.parent()).unwrap();
    let output = Command::new(folder.join("examples").join(example))
        .args(arguments)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{example}: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), printed + &errors)
}

/// The options that leave out all other scenarios.
fn without_all_but(all: &[impl Display], few: &str) -> Vec<String> {
    let names = all.iter().map(ToString::to_string);
    let others = names.filter(|name| !few.split(' ').any(|it| it == name));
    others
        .flat_map(|name| ["--without".to_owned(), name])
        .collect()
}

/// These options before others.
fn with<'a>(options: &'a [String], others: &[&'a str]) -> Vec<&'a str> {
    let options = options.iter().map(|it| &**it);
    options.chain(others.iter().copied()).collect()
}

fn user() -> String {
    format!("{USER}:{PASSWORD}")
}

/// A server without faults, offering both qops.
fn service(realm: Realm, channel: Channel) -> Service {
    Service::new(realm.with_qop(QopSet::BOTH), channel, &Clock::new())
}

#[test]
fn a_running_server_is_checked() {
    let service = service(Realm::new("files").unwrap(), Channel::Cleartext);
    let address = listen(move |request| service.serve(&request)).unwrap();
    let url = format!("http://{address}/dir/index.html");
    let folder = std::env::temp_dir().join(format!("reports-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [json, junit] = ["json", "xml"].map(|it| folder.join(it).display().to_string());
    let (status, printed) = run(
        "check_server",
        &["--user", &user(), "--json", &json, "--junit", &junit, &url],
    );
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("passed   TamperedBody"), "{printed}");
    assert!(
        printed.contains("requests will have wrong credentials"),
        "{printed}"
    );
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let findings = json["findings"].as_array().unwrap();
    assert!(findings.len() > 30 && findings.iter().all(|it| it["verdict"] != "failed"));
    let junit = std::fs::read_to_string(junit).unwrap();
    let cases = junit.matches("<testcase name=").count();
    let timed = junit.matches("\" time=\"").count();
    assert!(
        cases == findings.len() && timed == cases && junit.contains("failures=\"0\""),
        "{junit}"
    );
    assert!(findings.iter().all(|it| it["seconds"].is_f64()));
    std::fs::remove_dir_all(folder).unwrap();
    // Only what would be sent.
    let (status, printed) = run("check_server", &["--user", &user(), "--dry-run", &url]);
    assert!(status == 0 && !printed.contains("passed"), "{printed}");
}

#[test]
fn each_result_has_a_status() {
    let server = Server::new("never expires", &Clock::real());
    let server = std::sync::Mutex::new(server);
    let address = listen(move |request| server.lock().unwrap().serve(&request)).unwrap();
    let url = format!("http://{address}/dir/index.html");
    let user = user();
    // It waits until a nonce should have expired.
    let few = without_all_but(server::Scenario::ALL, "Login StaleNonce");
    let options = with(&few, &["--user", &user, "--nonce-lifetime", "0", &url]);
    let (status, printed) = run("check_server", &options);
    assert!(printed.contains("FAILED   StaleNonce"), "{printed}");
    assert_eq!(status, 1, "{printed}");
    let without = ["--without", "StaleNonce"];
    let (status, printed) = run("check_server", &[&options[..], &without].concat());
    assert!(
        printed.contains("skipped  StaleNonce: left out"),
        "{printed}"
    );
    assert_eq!(status, 0, "{printed}");
    let limit = ["--time-limit", "0"];
    let (status, printed) = run("check_server", &[&options[..], &limit].concat());
    assert!(
        printed.contains("skipped  Login: the time is over"),
        "{printed}"
    );
    assert_eq!(status, 2, "{printed}");
    let (status, printed) = run("check_server", &["--user", &user, "http://127.0.0.1:1/"]);
    assert_eq!(status, 2, "{printed}");
    let (user, few) = (
        &user,
        without_all_but(server::Scenario::ALL, "CleartextBasic"),
    );
    let lax = service(
        Realm::new("files").unwrap().with_cleartext_basic(),
        Channel::Cleartext,
    );
    let address = listen(move |request| lax.serve(&request)).unwrap();
    let url = format!("http://{address}/");
    let (status, printed) = run("check_server", &with(&few, &["--user", user, &url]));
    assert!(printed.contains("noted    CleartextBasic"), "{printed}");
    assert_eq!(status, 3, "{printed}");
}

#[test]
fn a_running_proxy_is_checked() {
    let proxy = service(Realm::new("files").unwrap().for_proxy(), Channel::Cleartext);
    let address = listen(move |request| proxy.serve(&request)).unwrap();
    let proxy = format!("http://{address}");
    let arguments = [
        "--user",
        &user(),
        "--proxy",
        &proxy,
        "http://example.org/dir/",
    ];
    let (status, printed) = run("check_server", &arguments);
    assert!(printed.contains("passed   OtherUri"), "{printed}");
    assert_eq!(status, 0, "{printed}");
}

/// A server that signed its own certificate, which is believed only if that is asked for.
#[test]
fn a_server_with_tls_is_checked() {
    let service = service(Realm::new("files").unwrap(), Channel::Encrypted);
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    let tls = TlsAcceptor::from(Arc::new(config));
    let address = listen_by(Some(tls), move |request| service.serve(&request)).unwrap();
    let url = format!("https://{address}/dir/");
    let (status, printed) = run("check_server", &["--user", &user(), &url]);
    assert!(status == 2 && printed.contains("certificate"), "{printed}");
    let user = user();
    let few = without_all_but(
        server::Scenario::ALL,
        "Login SecondRequest OpenMethod Replay",
    );
    let options = ["--user", &user, "--insecure", &url];
    let (status, printed) = run("check_server", &with(&few, &options));
    assert!(printed.contains("passed   Replay"), "{printed}");
    assert_eq!(status, 0, "{printed}");
}

/// Of curl it is known, whatever its version, that it gets in, and believes any proof.
#[test]
fn a_program_is_checked() {
    let user = user();
    if Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no curl");
    }
    let curl = ["curl", "-sL", "--digest", "-u", &user];
    let without = ["--without", "OneField", "--without", "Malformed"];
    let arguments = [&without, &curl[..]].concat();
    let (status, printed) = run("check_client", &arguments);
    assert_eq!(status, 1, "{printed}");
    for line in [
        "passed   Login",
        "passed   Redirect",
        "passed   RedirectAway",
        "passed   StaleNonce",
        "passed   Uri",
        "skipped  OneField: left out",
        "skipped  Body: left out",
        "noted    WrongProof",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}

/// With the method and the body among its arguments, and several requests in one call.
#[test]
fn a_program_with_bodies_is_checked() {
    if Command::new("curl").arg("--version").output().is_err() {
        return println!("skipped: no curl");
    }
    let twice = r#"curl -s --digest -u "$0" -X "$1" --data-binary "@$2" "$3" -: \
        -s --digest -u "$0" -X "$1" --data-binary "@$2" "$3""#;
    let few = "Login SecondRequest OtherMethod Body BodyLength WrongProof Refusals";
    let few = without_all_but(client::Scenario::ALL, few);
    let user = user();
    let program = ["sh", "-c", twice, &user, "{method}", "{file}", "{url}"];
    let arguments = [&["--requests", "2"][..], &program].concat();
    let (status, printed) = run("check_client", &with(&few, &arguments));
    assert_eq!(status, 3, "{printed}");
    for line in ["passed   Login", "passed   Body\n", "noted    WrongProof"] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}
