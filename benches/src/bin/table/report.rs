//! The results as Markdown that can also be read as it is.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use countersign_benches::measure::Operation;

use crate::cost::Cost;
use crate::replays::{Shared, Size};
use crate::rows::{Budget, Row};

/// The packages whose versions matter.
const PACKAGES: [&str; 11] = [
    "countersign",
    "base64",
    "hmac",
    "md-5",
    "sha2",
    "actix-web-httpauth",
    "broadcast-auth",
    "digest-access",
    "digest_auth",
    "headers",
    "http-auth",
];

/// A peer that takes less than this part of the floor's time has not read the input.
const READ_NOTHING: f64 = 0.5;

pub fn text(
    rows: &[Row<'_>],
    parts: &[(&str, Operation<'_>)],
    sizes: &[Size],
    shared: &[Shared],
    costs: &[Cost],
) -> String {
    [
        head(),
        operations(rows),
        beyond_floors(parts),
        peers(rows),
        replays(sizes),
        threads(shared),
        builds(costs),
    ]
    .join("\n")
}

fn head() -> String {
    format!(
        "# Results

Written by `cargo run --release --bin table` on {}, {}, {}, with {}.

Times are the smallest of many, in nanoseconds, taken in turns with what they are compared to.
A floor is the least work that could do the job: see `src/floor.rs`.
",
        output("date", &["-u", "+%F"]),
        machine(),
        output("rustc", &["--version"]),
        versions(),
    )
}

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_once(": "));
        value.map_or("unknown", |(_, value)| value).to_string()
    };
    let has = |flag: &str| {
        let flags = field("flags");
        let with = flags.split(' ').any(|other| other == flag);
        if with { "with" } else { "without" }
    };
    format!(
        "{} (family {}, model {}; {} SHA instructions)",
        field("model name"),
        field("cpu family"),
        field("model\t"),
        has("sha_ni"),
    )
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    text.unwrap_or_else(|_| format!("unknown {program}"))
}

/// The newest version of each package in the lock file.
fn versions() -> String {
    let lock = include_str!("../../../Cargo.lock");
    let version = |package: &str| {
        let entry = format!("name = \"{package}\"\nversion = \"");
        let found = lock.match_indices(&entry).last();
        let rest = found.map(|(at, entry)| &lock[at + entry.len()..]);
        rest.and_then(|rest| rest.split('"').next())
    };
    PACKAGES
        .iter()
        .map(|package| format!("{package} {}", version(package).unwrap_or("unknown")))
        .collect::<Vec<_>>()
        .join(", ")
}

fn operations(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "## Operations

Of 64 KiB of schemes or challenges only the first 256 are read.

| operation | ns | allocations | floor, ns | times the floor | budget | | best peer, ns | times ours |
|---|--:|--:|--:|--:|---|---|--:|--:|
",
    );
    for row in rows {
        let times = row.ours.nanoseconds() / row.floor.nanoseconds();
        let peer = best_peer(row);
        writeln!(
            text,
            "| {} | {} | {} | {} | {times:.2} | {} | {} | {} | {} |",
            row.name,
            nanoseconds(row.ours.nanoseconds()),
            row.ours.allocations(),
            nanoseconds(row.floor.nanoseconds()),
            row.budget.map_or(String::new(), budget),
            row.budget.map_or("", |budget| verdict(row, times, budget)),
            peer.map_or(String::new(), |(name, peer)| format!(
                "{} {}",
                name.split(' ').next().unwrap_or_default(),
                nanoseconds(peer.nanoseconds())
            )),
            peer.map_or(String::new(), |(_, peer)| format!(
                "{:.2}",
                peer.nanoseconds() / row.ours.nanoseconds()
            )),
        )
        .unwrap();
    }
    text
}

/// What ours do and the floors do not, in words; and what it is made of, in figures.
fn beyond_floors(parts: &[(&str, Operation<'_>)]) -> String {
    let mut text = String::from(
        "## What the floors leave out

The floor of reading notes where names and values are. It looks no name up, refuses no parameter
that is there twice, and gives no value a meaning.

- **A challenge as Digest** and **Authorization** are read once: names are looked up as they come,
  and algorithm, `qop`, count and response read at the end. A challenge that was read without its
  meaning can be given it later; that is a second reading.
- **Begin, verify, admit**: realm, request-target, algorithm and qop compared, the nonce decoded and
  its age found, the window of its counts, two secrets wiped.
- **An answer**: the request-target and the name checked, the space and the pin asked, the count
  found by its nonce, the value wiped when it is dropped.

A part hands out all that it has found, which is hundreds of bytes, so parts do not add up.

| part | ns |
|---|--:|
",
    );
    for (name, part) in parts {
        writeln!(text, "| {name} | {} |", nanoseconds(part.nanoseconds())).unwrap();
    }
    text
}

fn budget(budget: Budget) -> String {
    let allocations = match budget.allocations {
        Some(0) => ", 0 allocations".to_string(),
        Some(1) => ", 1 allocation".to_string(),
        Some(most) => format!(", {most} allocations"),
        None => String::new(),
    };
    format!("≤ {:.2}{allocations}", budget.times)
}

fn verdict(row: &Row<'_>, times: f64, budget: Budget) -> &'static str {
    let allocations = row.ours.allocations();
    let few = budget.allocations.is_none_or(|most| allocations <= most);
    if times <= budget.times && few {
        "kept"
    } else {
        "OVER"
    }
}

fn reads(row: &Row<'_>, peer: &Operation<'_>) -> bool {
    peer.nanoseconds() >= READ_NOTHING * row.floor.nanoseconds()
}

fn best_peer<'a, 'b>(row: &'a Row<'b>) -> Option<&'a (&'static str, Operation<'b>)> {
    row.peers
        .iter()
        .filter(|(_, peer)| reads(row, peer))
        .min_by(|(_, a), (_, b)| a.nanoseconds().total_cmp(&b.nanoseconds()))
}

fn peers(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "## Peers

| operation | peer | ns | allocations | times ours |
|---|---|--:|--:|--:|
",
    );
    for row in rows {
        for (name, peer) in &row.peers {
            let note = if reads(row, peer) {
                ""
            } else {
                " (gives up early)"
            };
            writeln!(
                text,
                "| {} | {name}{note} | {} | {} | {:.2} |",
                row.name,
                nanoseconds(peer.nanoseconds()),
                peer.allocations(),
                peer.nanoseconds() / row.ours.nanoseconds(),
            )
            .unwrap();
        }
    }
    text
}

fn replays(sizes: &[Size]) -> String {
    let mut text = String::from(
        "## The memory of counts

`admit` of `Nonces` alone, on requests verified before (the memory is filled by real ones). Nonces
come at random, so in large memories each is two misses of the caches; the two reads are just that,
in memory of the same size and layout. Budget: flat but for the misses.

| nonces | MB | two reads, ns | known nonce, next count, ns | new nonce, table full, ns | allocations |
|--:|--:|--:|--:|--:|--:|
",
    );
    for size in sizes {
        writeln!(
            text,
            "| {} | {:.2} | {} | {} | {} | {} |",
            size.nonces,
            size.megabytes,
            nanoseconds(size.reads),
            nanoseconds(size.known),
            nanoseconds(size.new),
            size.allocations,
        )
        .unwrap();
    }
    text
}

fn threads(shared: &[Shared]) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut text = format!(
        "## Threads

Begin, verify and admit by one `Authenticator` that threads share, on {cores} cores: millions of
requests in a second, all threads together. A small memory is one table with a lock, a large one
is sixteen.

| nonces | threads | millions a second | times one thread |
|--:|--:|--:|--:|
"
    );
    let mut alone = f64::NAN;
    for row in shared {
        if row.threads == 1 {
            alone = row.rate;
        }
        let times = row.rate / alone;
        writeln!(
            text,
            "| {} | {} | {:.2} | {times:.2} |",
            row.capacity, row.threads, row.rate
        )
        .unwrap();
    }
    text
}

fn nanoseconds(time: f64) -> String {
    if time < 1000.0 {
        format!("{time:.1}")
    } else {
        format!("{time:.0}")
    }
}

fn builds(costs: &[Cost]) -> String {
    let mut text = String::from(
        "## Building

Clean release builds of the programs in `cost/`, the fastest of a few, taken in turns; and their
size, stripped, over that of the one that does nothing.

| program | crates | build, s | KiB more than nothing |
|---|--:|--:|--:|
",
    );
    let nothing = costs.first().map_or(0, |cost| cost.bytes);
    for cost in costs {
        writeln!(
            text,
            "| {} | {} | {:.1} | {:.0} |",
            cost.what,
            cost.crates,
            cost.build.as_secs_f64(),
            cost.bytes.saturating_sub(nothing) as f64 / 1024.0,
        )
        .unwrap();
    }
    text
}
