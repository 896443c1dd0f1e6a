//! Whether an operation executes more instructions than it did:
//! `cargo run --release --bin instructions`.
//!
//! Counts the main operations under callgrind and compares them with `instructions.txt` beside
//! the manifest of this package. Times differ from run to run and machine to machine, counts
//! hardly do, so a few per cent can be told apart. With `--write` it writes the file anew. Counts of
//! another compiler, or another kind of machine, are not compared.
//!
//! An operation is counted as what 2N of it take more than N, so that what comes before and after
//! does not count. Valgrind shows programs a processor without SHA instructions: SHA-256 counts
//! for what it takes in plain code.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::process::{Command, ExitCode};

use countersign::basic;
use countersign::challenges;
use countersign::digest::Algorithm;
use countersign_benches::hostile::Shape;
use countersign_benches::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, CHALLENGES,
    Service, arrival, cnonce, target,
};
use countersign_benches::operations;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");

/// N.
const TIMES: u32 = 200;
/// How many per cent more than the file says are too many.
const LIMIT: f64 = 5.0;

/// Does an operation so often.
type Run = fn(u32);

const OPERATIONS: &[(&str, Run)] = &[
    ("challenge, grammar", |times| {
        for _ in 0..times {
            black_box(&operations::read_challenges(black_box(CHALLENGE)));
        }
    }),
    ("challenge, as Digest", |times| {
        for _ in 0..times {
            black_box(&operations::read_typed_challenge(black_box(CHALLENGE)));
        }
    }),
    ("three challenges, grammar", |times| {
        for _ in 0..times {
            black_box(&operations::read_challenges(black_box(CHALLENGES)));
        }
    }),
    ("three challenges, as Digest and Basic", |times| {
        for _ in 0..times {
            black_box(&operations::read_all_challenges(black_box(CHALLENGES)));
        }
    }),
    ("Authorization", |times| {
        for _ in 0..times {
            black_box(&operations::read_authorization(black_box(AUTHORIZATION)));
        }
    }),
    ("answer, SHA-256", |times| answer(CHALLENGE, times)),
    ("answer, MD5", |times| answer(CHALLENGE_MD5, times)),
    ("begin, verify, admit, SHA-256", |times| {
        admit(Algorithm::SHA_256, times);
    }),
    ("begin, verify, admit, MD5", |times| {
        admit(Algorithm::MD5, times);
    }),
    ("begin, verify, admit, shared, SHA-256", |times| {
        admit_shared(Algorithm::SHA_256, times);
    }),
    ("begin, verify, admit, shared, MD5", |times| {
        admit_shared(Algorithm::MD5, times);
    }),
    ("begin, refuse, two challenges", |times| {
        let service = Service::new(Algorithm::SHA_256);
        let mut nonces = service.nonces(16);
        let (target, arrival) = (target(), arrival());
        for _ in 0..times {
            let service = black_box(&service);
            black_box(operations::refuse(&mut nonces, service, &target, &arrival));
        }
    }),
    ("Basic, encode", |times| {
        for _ in 0..times {
            let username = black_box(BASIC_USERNAME);
            black_box(&basic::credentials(username, black_box(BASIC_PASSWORD)).unwrap());
        }
    }),
    ("Basic, decode", |times| {
        for _ in 0..times {
            black_box(&operations::read_authorization(black_box(BASIC)));
        }
    }),
    ("64 KiB of parameters", |times| hostile("parameters", times)),
    ("64 KiB of escapes", |times| hostile("escapes", times)),
    ("64 KiB of commas in a challenge", |times| {
        hostile("commas in a challenge", times);
    }),
];

fn answer(challenge: &'static str, times: u32) {
    let (mut client, mut exchange) = operations::logged_in(challenge);
    let (target, cnonce) = (target(), cnonce());
    for _ in 0..times {
        let target = black_box(&target);
        black_box(&operations::authorize(
            &mut client,
            &mut exchange,
            target,
            &cnonce,
        ));
    }
}

fn admit(algorithm: Algorithm, times: u32) {
    let service = Service::new(algorithm);
    let mut nonces = service.nonces(16);
    let (target, arrival) = (target(), arrival());
    each_request(&service, times, |service, request| {
        operations::admit(&mut nonces, service, request, &target, &arrival)
    });
}

fn admit_shared(algorithm: Algorithm, times: u32) {
    let service = Service::new(algorithm);
    let auth = service.authenticator(16);
    let (target, arrival) = (target(), arrival());
    each_request(&service, times, |service, request| {
        operations::admit_shared(&auth, service, request, &target, &arrival)
    });
}

fn each_request(service: &Service, times: u32, mut admit: impl FnMut(&Service, &[u8]) -> bool) {
    // As many however many are used, so that making them does not count.
    let requests = service.requests(2 * TIMES);
    for request in requests.iter().take(times.try_into().unwrap()) {
        assert!(admit(black_box(service), black_box(request)));
    }
}

fn hostile(shape: &str, times: u32) {
    let value = Shape::named(shape).fill(64 * 1024);
    // Each is a hundred thousand instructions.
    for _ in 0..times / 10 {
        black_box(&challenges([black_box(&value)]).raw().count());
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => check(),
        [write] if write == "--write" => {
            write_down();
            ExitCode::SUCCESS
        }
        [run, name, times] if run == "--run" => {
            let mut operations = OPERATIONS.iter();
            let (_, run) = operations.find(|(other, _)| other == name).unwrap();
            run(times.parse().unwrap());
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
    for (name, _) in OPERATIONS {
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
    println!("{} operations, {faults} at fault", OPERATIONS.len());
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
    for (name, _) in OPERATIONS {
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
    let times = if name.starts_with("64 KiB") {
        TIMES / 10
    } else {
        TIMES
    };
    (instructions(name, 2 * TIMES) - instructions(name, TIMES)) / u64::from(times)
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
