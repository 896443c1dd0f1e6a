//! Whether an operation executes more instructions than it did:
//! `cargo run --release --bin instructions`.
//!
//! Counts the main operations under callgrind and compares them with `instructions.txt` beside
//! the manifest of this package. Times differ from run to run and machine to machine, counts
//! hardly do, so a few per cent can be told apart. With `--write` it writes the file anew. Counts of
//! another compiler, or another kind of machine, are not compared.
//!
//! An operation is counted as what 2N of it take more than N, so that what comes before and after
//! does not count. An allocation more than its goal is a fault, too. Valgrind shows programs a processor without SHA instructions: SHA-256 counts
//! for what it takes in plain code.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, ExitCode};

use countersign_benches::rows::ROWS;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

/// N.
const TIMES: u32 = 200;
/// How many per cent more than the file says are too many.
const LIMIT: f64 = 5.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => check(),
        [write] if write == "--write" => {
            write_down();
            ExitCode::SUCCESS
        }
        [run, name, times] if run == "--run" => {
            let mut rows = ROWS.iter();
            let (name, make) = rows.find(|row| row.0 == name).unwrap();
            make(name).ours.run(times.parse().unwrap());
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: instructions [--write]");
            ExitCode::FAILURE
        }
    }
}

fn check() -> ExitCode {
    if !has_valgrind() {
        println!("skipped: no valgrind to count instructions with");
        return ExitCode::SUCCESS;
    }
    let file = fs::read_to_string(FILE).unwrap_or_default();
    if !file.contains(&environment()) {
        println!(
            "skipped: the counts were not written with {}",
            environment()
        );
        return ExitCode::SUCCESS;
    }
    let before = read(&file);
    println!(
        "{:<40} {:>10} {:>10} {:>8}",
        "operation", "before", "now", "change"
    );
    let mut faults = 0;
    for (name, _) in ROWS {
        let now = count(name);
        let Some(&before) = before.get(*name) else {
            println!("{name:<40} {:>10} {now:>10}  FAULT: not in the file", "");
            faults += 1;
            continue;
        };
        let change = (now as f64 / before as f64 - 1.0) * 100.0;
        let verdict = match change {
            _ if change > LIMIT => "  FAULT: more than allowed",
            _ if change < -LIMIT => "  better: write it down",
            _ => "",
        };
        faults += u32::from(change > LIMIT);
        println!("{name:<40} {before:>10} {now:>10} {change:>+7.1}%{verdict}");
    }
    for (name, make) in ROWS {
        let row = make(name);
        let (now, most) = (row.ours.allocations(), row.goal.allocations);
        if most.is_some_and(|most| now > most) {
            println!("{name:<40} FAULT: {now} allocations");
            faults += 1;
        }
    }
    println!("{} operations, {faults} at fault", ROWS.len());
    if faults == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn write_down() {
    let mut text = format!(
        "# Instructions of one operation, written by `instructions --write` with
# {}.
",
        environment()
    );
    for (name, _) in ROWS {
        let line = format!("{:>8} {name}", count(name));
        println!("{line}");
        writeln!(text, "{line}").unwrap();
    }
    fs::write(FILE, text).unwrap();
}

fn read(file: &str) -> BTreeMap<&str, u64> {
    file.lines()
        .filter_map(|line| line.trim().split_once(' '))
        .filter_map(|(count, name)| Some((name, count.parse().ok()?)))
        .collect()
}

/// Instructions of one operation.
fn count(name: &str) -> u64 {
    (instructions(name, 2 * TIMES) - instructions(name, TIMES)) / u64::from(TIMES)
}

/// Instructions of a whole run.
fn instructions(name: &str, times: u32) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().unwrap())
        .args(["--run", name, &times.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let collected = text.split("Collected : ").nth(1).unwrap();
    collected
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

fn has_valgrind() -> bool {
    Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// What the counts depend on: the compiler, and which routines the C library chooses.
fn environment() -> String {
    #[cfg(target_arch = "x86_64")]
    let machine = match std::arch::is_x86_feature_detected!("avx2") {
        true => "x86_64 with AVX2",
        false => "x86_64 without AVX2",
    };
    #[cfg(not(target_arch = "x86_64"))]
    let machine = env::consts::ARCH;
    format!("{}, {machine}", compiler())
}

fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).trim().to_string()
}
