//! The files are read by their names, and are countersign's own.

use std::path::Path;
use std::process::Command;

use countersign::digest::{Algorithm, Ha1};
use countersign::{Authorization, EntityBody, Target};
use countersign_testing::data;
use serde_json::Value;

fn text(file: &str) -> &'static str {
    let found = data::files().iter().find(|(name, _)| *name == file);
    found.unwrap().1
}

#[test]
fn every_file_has_rows() {
    for (name, text) in data::files()
        .iter()
        .filter(|file| file.0.ends_with(".json"))
    {
        let rows: Vec<Value> = serde_json::from_str(text).unwrap();
        assert!(rows.len() > 10, "{name}");
        assert!(rows.iter().all(Value::is_object), "{name}");
    }
}

/// What the README offers: a server's reader of credentials is tried on what real clients sent.
#[test]
fn right_answers_are_right() {
    let rows: Vec<Value> = serde_json::from_str(text("captures/real_pairs.json")).unwrap();
    let mut right = 0;
    for row in rows {
        let field = |name: &str| row[name].as_str().unwrap();
        // One character for each byte.
        let value: Vec<u8> = field("authorization").chars().map(|it| it as u8).collect();
        let Ok(Authorization::Digest(credentials)) = Authorization::parse(&value) else {
            continue;
        };
        let hash = credentials.algorithm().hash_function();
        let realm = credentials.realm.to_bytes();
        let ha1 = Ha1::new(hash, field("username"), &*realm, field("password"));
        let uri = field("request_line").split(' ').nth(1).unwrap();
        let target = Target::new(field("method"), uri)
            .with_body(EntityBody::Bytes(field("body").as_bytes()));
        let expected = credentials.expected_response(&ha1, &target);
        right += usize::from(expected == Some(credentials.response));
    }
    assert!(right > 50, "{right}");
}

/// Each line is a comment, or a word in quotes that some fuzzers would refuse otherwise.
#[test]
fn the_dictionary_has_its_format() {
    let dictionary = text("dict.txt");
    let words = dictionary.lines().filter(|line| !line.starts_with('#'));
    let quoted = |word: &str| word.len() > 2 && word.starts_with('"') && word.ends_with('"');
    assert!(words.clone().all(quoted) && words.count() > 50);
    let is_there = |it: &Algorithm| dictionary.contains(it.as_str());
    assert!(Algorithm::ALL.iter().all(is_there));
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
