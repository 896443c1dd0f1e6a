//! Checks that no operation takes more than was recorded: `cargo run --release --bin instructions`.
//!
//! Counts the instructions of each row of the table, but for the peers, under callgrind and
//! compares them with `instructions.txt` beside the manifest of this package. Times differ from run
//! to run and machine to machine, counts hardly do, so a few per cent can be told apart. With
//! `--write` it writes the file anew. Counts of another compiler, or another kind of machine, are
//! not compared.
//!
//! An operation counts as the difference between 2N runs and N runs, divided by N, so that the work
//! before and after does not count. More allocations than its goal are a fault, too, and so is any
//! system call: no request draws random numbers, reads a file or asks for memory that is not
//! reused.
//!
//! Valgrind emulates a processor without SHA instructions, so SHA-256 counts as in plain code.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, ExitCode};

use countersign_benches::output_of;
use countersign_benches::rows::{self, Row};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

/// How often an operation is repeated: first the number for rows of one request, then for rows of
/// 64 KiB.
const TIMES: [u32; 2] = [200, 4];
/// The growth over the recorded count, in per cent, beyond which an operation fails.
const LIMIT: f64 = 3.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => check(),
        [write] if write == "--write" => {
            write_down();
            ExitCode::SUCCESS
        }
        [run, name, times] if run == "--run" => {
            let row = rows().find(|row| row.name == *name).unwrap();
            (row.make)().run(times.parse().unwrap());
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: instructions [--write]");
            ExitCode::FAILURE
        }
    }
}

/// The rows that are counted. A new client draws a seed, which is a system call.
fn rows() -> impl Iterator<Item = Row> {
    let rows = rows::all().into_iter();
    rows.filter(|row| row.name != rows::NEW_CLIENT)
}

fn check() -> ExitCode {
    if output_of("valgrind", &["--version"]).is_none() {
        println!("skipped: no valgrind to count instructions with");
        return ExitCode::SUCCESS;
    }
    let file = fs::read_to_string(FILE).unwrap_or_default();
    let environment = environment();
    if !file.contains(&environment) {
        println!("skipped: the counts were not written with {environment}");
        return ExitCode::SUCCESS;
    }
    println!("operation {:>41} {:>10} {:>8}", "now", "before", "change");
    let (mut operations, mut faults) = (0, 0);
    for row in rows() {
        let name = &row.name;
        let now = count(name);
        let mut problems = Vec::new();
        let mut change = String::new();
        match recorded(&file, name) {
            None => problems.push("not in the file".to_string()),
            Some(before) => {
                let per_cent = (now.instructions as f64 / before as f64 - 1.0) * 100.0;
                change = format!("{before:>10} {per_cent:>+7.1}%");
                if per_cent > LIMIT {
                    problems.push("more instructions than allowed".to_string());
                } else if per_cent < -LIMIT {
                    change += "  better: write it down";
                }
            }
        }
        let allocations = (row.make)().allocations;
        if allocations > row.most_allocations {
            problems.push(format!("{allocations} allocations"));
        }
        if now.calls > 0 {
            problems.push("system calls".to_string());
        }
        println!("{name:<40} {:>10} {change}", now.instructions);
        for problem in &problems {
            println!("{name:<40} FAULT: {problem}");
        }
        operations += 1;
        faults += problems.len();
    }
    println!("{operations} operations, {faults} faults");
    match faults {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn write_down() {
    let head = "# Instructions of one operation, written by `instructions --write` with";
    let mut text = format!("{head}\n# {}.\n", environment());
    for row in rows() {
        let line = format!("{:>8} {}", count(&row.name).instructions, row.name);
        println!("{line}");
        writeln!(text, "{line}").unwrap();
    }
    fs::write(FILE, text).unwrap();
}

fn recorded(file: &str, name: &str) -> Option<u64> {
    let mut lines = file.lines();
    lines.find_map(|line| line.strip_suffix(name)?.trim().parse().ok())
}

/// The cost of one operation.
struct Count {
    instructions: u64,
    /// System calls, if each operation makes one or more.
    calls: u64,
}

/// Counts one operation.
fn count(name: &str) -> Count {
    let times = TIMES[usize::from(name.starts_with(rows::HOSTILE))];
    let (twice, once) = (run(name, 2 * times), run(name, times));
    let each = |twice: u64, once: u64| twice.saturating_sub(once) / u64::from(times);
    Count {
        instructions: each(twice.instructions, once.instructions),
        calls: each(twice.calls, once.calls),
    }
}

/// Counts a whole run.
fn run(name: &str, times: u32) -> Count {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--trace-syscalls=yes")
        .arg(env::current_exe().unwrap())
        .args(["--run", name, &times.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let collected = text.split("Collected : ").nth(1).unwrap();
    let collected = collected.split_whitespace().next().unwrap();
    Count {
        instructions: collected.parse().unwrap(),
        calls: text.matches("SYSCALL[").count() as u64,
    }
}

/// The conditions for the counts: the compiler, and the routines that the C library chooses.
fn environment() -> String {
    #[cfg(target_arch = "x86_64")]
    let machine = match std::arch::is_x86_feature_detected!("avx2") {
        true => "x86_64 with AVX2",
        false => "x86_64 without AVX2",
    };
    #[cfg(not(target_arch = "x86_64"))]
    let machine = env::consts::ARCH;
    let compiler = output_of("rustc", &["--version"]);
    format!("{}, {machine}", compiler.unwrap_or_default())
}
