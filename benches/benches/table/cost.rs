//! What a dependency costs beyond time: a build, and bytes in the program.

use std::env::temp_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, id};
use std::time::{Duration, Instant};

/// The packages in `cost/`, and what each is for.
const PROGRAMS: [(&str, &str); 4] = [
    ("empty", "nothing"),
    ("functions", "a challenge chosen and answered, by functions"),
    (
        "countersign",
        "the same by a client, which keeps nonce, counts, space and pin",
    ),
    ("http-auth", "the same by http-auth"),
];

/// The number of clean builds of each package, which are made in turns.
const BUILDS: u32 = 3;

/// The cost of one program.
pub struct Cost {
    pub what: &'static str,
    /// The number of crates built for it, without itself.
    pub crates: usize,
    /// The fastest of a few clean release builds.
    pub build: Duration,
    /// The size of the stripped program, in bytes.
    pub bytes: u64,
}

pub fn all() -> Vec<Cost> {
    let mut costs: Vec<Cost> = PROGRAMS
        .iter()
        .map(|(name, what)| Cost {
            what,
            crates: crates(&package(name)),
            build: Duration::MAX,
            bytes: 0,
        })
        .collect();
    for _ in 0..BUILDS {
        for ((name, _), cost) in PROGRAMS.iter().zip(&mut costs) {
            let (build, bytes) = build(name);
            cost.build = cost.build.min(build);
            cost.bytes = bytes;
        }
    }
    costs
}

fn package(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("cost")
        .join(name)
}

fn crates(package: &Path) -> usize {
    let lock = fs::read_to_string(package.join("Cargo.lock")).unwrap();
    lock.matches("[[package]]").count() - 1
}

fn build(name: &str) -> (Duration, u64) {
    let target = temp_dir().join(format!("countersign-cost-{}-{name}", id()));
    let cargo = |command: &str| {
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(package(name))
            .env("CARGO_TARGET_DIR", &target)
            .args([command, "--locked"])
            .stderr(Stdio::null());
        cargo
    };
    // Downloads come before the measurement.
    assert!(cargo("fetch").status().unwrap().success(), "{name}");
    let start = Instant::now();
    let status = cargo("build").arg("--release").status().unwrap();
    let time = start.elapsed();
    assert!(status.success(), "{name}");
    let program = target.join("release").join(format!("cost-{name}"));
    let bytes = fs::metadata(program).unwrap().len();
    fs::remove_dir_all(target).unwrap();
    (time, bytes)
}
