//! Runs every target on every input that is kept, without libFuzzer.

use std::fs;
use std::path::Path;

type Target = (&'static str, fn(&[u8]));

/// The list of the targets, and a test for each.
macro_rules! targets {
    ($($target:ident)*) => {
        const TARGETS: &[Target] = &[$((stringify!($target), countersign_fuzz::$target)),*];

        $(#[test]
        fn $target() {
            replay_kept(stringify!($target), countersign_fuzz::$target);
        })*
    };
}

targets! { authentication_info authorization basic challenges http_auth_peer round_trip session }

/// The files of a directory, and there may be none.
fn inputs(kind: &str, target: &str) -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(kind)
        .join(target);
    let Ok(entries) = fs::read_dir(&directory) else {
        return Vec::new();
    };
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let data = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.display().to_string(), data)
    };
    entries.map(read).collect()
}

fn replay(run: fn(&[u8]), path: &str, data: &[u8]) {
    let outcome = std::panic::catch_unwind(|| run(data));
    assert!(outcome.is_ok(), "the input is {path}");
}

fn replay_kept(target: &str, run: fn(&[u8])) {
    let corpus = inputs("corpus", target);
    let regressions = inputs("regressions", target);
    println!(
        "{target}: {} inputs and {} regressions",
        corpus.len(),
        regressions.len()
    );
    assert!(!corpus.is_empty(), "nothing to start {target} from");
    for (path, data) in corpus.iter().chain(&regressions) {
        replay(run, path, data);
    }
}

/// An input made for one target is one for all of them.
#[test]
fn every_target_on_the_inputs_of_all() {
    for (target, _) in TARGETS {
        for (path, data) in inputs("corpus", target) {
            for (_, run) in TARGETS {
                replay(*run, &path, &data);
            }
        }
    }
}

#[test]
fn every_target_is_listed() {
    let manifest = include_str!("../Cargo.toml");
    let readme = include_str!("../README.md");
    for (target, _) in TARGETS {
        assert!(
            manifest.contains(&format!("name = \"{target}\"")),
            "{target}"
        );
        assert!(readme.contains(&format!("\n| `{target}` | ")), "{target}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}
