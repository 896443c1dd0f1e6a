//! Checks that the crate is no heavier in other people's programs than was recorded:
//! `cargo run --release --bin weight`.
//!
//! Three figures stand for what a user notices, and are the same on a busy machine: the lines of
//! LLVM IR that the compiler hands to its back end, which most of the time to compile goes into; the
//! machine code (`.text`) of a program that is a client, and of a server, above a program that does
//! nothing; the packages that a `Cargo.lock` gains. With `--write` it writes `weight.txt` anew.

use std::env;
use std::fs;
use std::process::{Command, ExitCode};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/weight.txt");

/// The growth over the recorded figure, in per cent, beyond which the check fails.
const LIMIT: u64 = 3;

fn main() -> ExitCode {
    let compiler = output("rustc", &["-V"]);
    let compiler = compiler.trim();
    let recorded = fs::read_to_string(FILE).unwrap_or_default();
    let is_written = env::args().nth(1).as_deref() == Some("--write");
    if !is_written && !recorded.contains(compiler) {
        println!("skipped: the figures were not written with {compiler}");
        return ExitCode::SUCCESS;
    }
    let mut text = format!("# Written by `weight --write` with {compiler}.\n");
    let mut faults = 0;
    for (now, name) in figures() {
        let line = format!("{now:>8} {name}\n");
        print!("{line}");
        text += &line;
        let before = recorded.lines().find_map(|line| line.strip_suffix(name));
        let before = before.and_then(|number| number.trim().parse::<u64>().ok());
        let limit = if name.starts_with("packages") {
            0
        } else {
            LIMIT
        };
        if before.is_none_or(|before| now * 100 > before * (100 + limit)) {
            println!("{name}: FAULT: {before:?} before");
            faults += 1;
        }
    }
    if is_written {
        fs::write(FILE, text).unwrap();
    }
    ExitCode::from(u8::from(faults > 0 && !is_written))
}

fn figures() -> [(u64, &'static str); 4] {
    output(
        "cargo",
        &["build", "--quiet", "--locked", "--release", "--bins"],
    );
    let nothing = code_of("nothing");
    [
        (ir_lines(), "lines of LLVM IR of the crate"),
        (code_of("client") - nothing, "bytes of .text of a client"),
        (code_of("server") - nothing, "bytes of .text of a server"),
        (packages(), "packages, with the default features"),
    ]
}

/// The lines that the crate makes before they are optimised, in one unit, so that nothing is twice.
fn ir_lines() -> u64 {
    let file = env::temp_dir().join(format!("countersign-{}.ll", std::process::id()));
    let emit = format!("--emit=llvm-ir={}", file.display());
    let options = "cargo rustc --quiet --locked --release -p countersign --lib --";
    let mut options: Vec<_> = options.split(' ').skip(1).collect();
    let passes = ["-Cno-prepopulate-passes", "-Cpasses=name-anon-globals"];
    options.extend([&*emit, "-Ccodegen-units=1", "-Cdebuginfo=0"]);
    options.extend(passes);
    output("cargo", &options);
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    text.lines().filter(|line| line.starts_with("  ")).count() as u64
}

/// The size of the section `.text`.
fn code_of(program: &str) -> u64 {
    let path = env::current_exe().unwrap().with_file_name(program);
    let sections = output("size", &["-A", path.to_str().unwrap()]);
    let row = sections.lines().find(|line| line.starts_with(".text "));
    row.unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

fn packages() -> u64 {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let options = [
        "tree",
        "--locked",
        "-e",
        "normal",
        "--prefix",
        "none",
        "--manifest-path",
    ];
    let tree = output("cargo", &[&options[..], &[manifest]].concat());
    let mut names: Vec<_> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    names.sort_unstable();
    names.dedup();
    names.len() as u64
}

/// What a program writes.
fn output(program: &str, arguments: &[&str]) -> String {
    let run = Command::new(program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let output = run.unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}
