//! The rows are typed in full, and are countersign's own.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use countersign::digest::{Algorithm, Ha1};
use countersign::{Authorization, EntityBody, Target};
use countersign_testing::data::{
    self, CaptureSet, CredentialsOrError, FlowStep, PeerKind, ResponseMatches, Role, captures,
};
use serde_json::Value;

/// The rows that a file has by itself.
fn rows(file: &str) -> Vec<Value> {
    let found = data::json().iter().find(|(name, _)| *name == file);
    serde_json::from_str(found.unwrap().1).unwrap()
}

#[test]
fn every_row_is_read() {
    let counts = [
        (data::challenges().len(), "challenges"),
        (data::credentials().len(), "authorization"),
        (data::infos().len(), "authinfo"),
        (data::basic().len(), "basic"),
        (data::digests().len(), "digest"),
        (data::flows().len(), "flows"),
        (data::peers().len(), "peers"),
        (data::requirements().len(), "requirements"),
    ];
    for (count, file) in counts {
        assert_eq!(count, rows(file).len());
        assert!(count > 30);
    }
    let all: usize = CaptureSet::ALL.iter().map(|&set| captures(set).len()).sum();
    assert!(all > 1900, "{all}");
}

/// The fields of rows that serde ignores if they are unknown, so that none is added without a type.
#[test]
fn no_field_is_left_out() {
    let keys = |file: &str| {
        let keys: BTreeSet<String> = rows(file)
            .iter()
            .flat_map(|row| row.as_object().unwrap().keys().cloned())
            .collect();
        keys.into_iter().collect::<Vec<_>>().join(" ")
    };
    let about = |more: &str| {
        let about = "ambiguous group id note observed published_in_rfc readings source";
        let keys: BTreeSet<&str> = about.split(' ').chain(more.split(' ')).collect();
        keys.into_iter().collect::<Vec<_>>().join(" ")
    };
    let without = |keys: String, gone: &str| keys.replace(gone, "");
    assert_eq!(
        keys("challenges"),
        about(
            "header_lines header_lines_hex strict expected lenient_expected empty_or_error \
             semantic semantic_of error"
        )
    );
    assert_eq!(
        keys("authorization"),
        about("header header_hex syntax credentials verdict lenient_verdict digest verify error")
    );
    assert_eq!(
        keys("authinfo"),
        without(
            about(
                "header_lines header_lines_hex syntax params verdict expected context \
                 expected_rspauth mutual_auth effect error"
            ),
            "observed "
        )
    );
    assert_eq!(
        keys("basic"),
        about(
            "direction user_bytes pass_bytes credentials credentials_hex expect lenient_expect \
             lenient_user_bytes lenient_pass_bytes"
        )
    );
    let digest = "kind form method uri uri_hex username username_hex realm password password_hex \
                  nonce nc cnonce qop algorithm userhash userhash_value opaque nonce_prime \
                  cnonce_prime body_hex response_body_hex ha1 ha1_base ha2 response rspauth \
                  rspauth_basis published alt pair verifier_should_accept";
    let digest = without(without(about(digest), "observed "), "readings ");
    assert_eq!(keys("digest"), digest);
    let flows = without(about("role title setup steps"), "observed ");
    assert_eq!(keys("flows"), flows);
    let peers = "agrees authorization challenge cnonces credentials digest expected \
                 expected_rspauth fact hashed header header_lines headers id kind login nc \
                 nextnonce password peer proves request response right source status strict \
                 syntax uses version";
    assert_eq!(keys("peers"), peers);
}

#[test]
fn bytes_are_read_in_each_way_of_writing() {
    let challenges = data::challenges();
    let odd = challenges
        .iter()
        .find(|row| !row.lines().concat().is_ascii());
    assert!(odd.is_some(), "by header_lines_hex");
    let credentials = data::credentials();
    let names = credentials.iter().filter_map(|row| row.verify.as_ref());
    let text = "Jäsøn Doe".as_bytes();
    assert!(
        names.clone().any(|known| *known.username == *text),
        "by an object with hex"
    );
    let lenient =
        |known: &data::Known| known.response_matches == Some(ResponseMatches::IfParsedLeniently);
    assert_eq!(names.filter(|known| lenient(known)).count(), 15);
    let clients = captures(CaptureSet::Clients);
    let not_utf8 = |it: &&data::Capture| std::str::from_utf8(&it.authorization).is_err();
    assert!(
        clients.iter().any(|it| not_utf8(&it)),
        "by one character a byte"
    );
}

/// What the README offers: a server's reader of credentials is tried on what real clients sent.
#[test]
fn right_answers_are_right() {
    let mut right = 0;
    for capture in captures(CaptureSet::RealPairs) {
        let Ok(Authorization::Digest(credentials)) = Authorization::parse(&capture.authorization)
        else {
            continue;
        };
        let hash = credentials.algorithm().hash_function();
        let realm = credentials.realm.to_bytes();
        let ha1 = Ha1::new(hash, &*capture.username, &*realm, &*capture.password);
        let target = Target::new(&capture.method, capture.request_target())
            .with_body(EntityBody::Bytes(capture.body.as_bytes()));
        let expected = credentials.expected_response(&ha1, &target);
        right += usize::from(expected == Some(credentials.response));
    }
    assert!(right > 50, "{right}");
}

#[test]
fn flows_and_peers_have_their_parts() {
    let flows = data::flows();
    let of = |role| flows.iter().filter(move |flow| flow.role == role);
    let (clients, servers) = (of(Role::Client).count(), of(Role::Server).count());
    assert!(clients > 40 && servers > 40, "{clients} {servers}");
    let mut credentials = 0;
    for flow in &flows {
        for step in &flow.steps {
            let is_client = matches!(step, FlowStep::Send { .. } | FlowStep::Receive { .. });
            assert_eq!(is_client, flow.role == Role::Client, "{}", flow.about.id);
            if let FlowStep::Send { expect, .. } = step
                && let Some(CredentialsOrError::Credentials(expected)) = &expect.authorization
            {
                credentials += 1;
                assert!(expected.token68.is_some() || !expected.params.is_empty());
            }
        }
    }
    assert!(credentials > 40, "{credentials}");
    let peers = data::peers();
    let answers = peers
        .iter()
        .filter(|row| matches!(row.kind, PeerKind::Answer { .. }));
    assert_eq!(answers.count(), 70);
}

/// Each line is a comment, or a word in quotes that some fuzzers would refuse otherwise.
#[test]
fn the_dictionary_has_its_format() {
    let words = data::dictionary()
        .lines()
        .filter(|line| !line.starts_with('#'));
    let quoted = |word: &str| word.len() > 2 && word.starts_with('"') && word.ends_with('"');
    assert!(words.clone().all(quoted) && words.count() > 50);
    assert!(
        Algorithm::ALL
            .iter()
            .all(|it| data::dictionary().contains(it.as_str()))
    );
}

/// The data is in the published package as countersign's tests have it.
#[test]
fn the_package_has_the_files_of_the_library() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = here.join("../..");
    if !library.join("tests/vectors").exists() {
        return println!("skipped: this is a published package");
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let options = [
        "--no-verify",
        "--allow-dirty",
        "--exclude-lockfile",
        "--offline",
        "--quiet",
    ];
    let mut cargo = Command::new(env!("CARGO"));
    run(cargo
        .arg("package")
        .args(options)
        .arg("--target-dir")
        .arg(&target)
        .current_dir(here));
    let package = format!("countersign-testing-{}", env!("CARGO_PKG_VERSION"));
    let folder = target.join("package");
    run(Command::new("tar")
        .arg("xzf")
        .arg(format!("{package}.crate"))
        .current_dir(&folder));
    let mut compared = 0;
    let data = folder.join(package).join("data");
    for (packaged, own) in [
        ("vectors", "tests/vectors"),
        ("captures", "tests/captures"),
        ("dict.txt", "fuzz/dict.txt"),
    ] {
        let own = library.join(own);
        let files = match own.is_dir() {
            true => own
                .read_dir()
                .unwrap()
                .map(|file| file.unwrap().path())
                .collect(),
            false => vec![own],
        };
        for file in files {
            let name = file.file_name().unwrap();
            let packaged = match packaged {
                "dict.txt" => data.join(packaged),
                folder => data.join(folder).join(name),
            };
            let same = std::fs::read(&file).unwrap() == std::fs::read(&packaged).unwrap();
            assert!(same, "{}", packaged.display());
            compared += 1;
        }
    }
    assert_eq!(compared, 9 + 8 + 1);
}
