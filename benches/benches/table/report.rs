//! The results as Markdown that can also be read as it is.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use countersign_benches::measure::Operation;
use countersign_benches::rows::Row;

use crate::cost::Cost;
use crate::memory::Size;
use crate::peers::Peers;
use crate::threads::Shared;

/// The packages whose versions matter.
const PACKAGES: [&str; 12] = [
    "countersign",
    "base64",
    "hmac",
    "lru",
    "md-5",
    "sha2",
    "actix-web-httpauth",
    "broadcast-auth",
    "digest-access",
    "digest_auth",
    "headers",
    "http-auth",
];

type Compared = (Row, Peers);

pub fn head() -> String {
    format!(
        "# Results

Written by `cargo bench` on {}, {}, {}, with {}.

Times are the smallest of many, in nanoseconds, taken in turns with what they are compared to. A row
is what a user does, from bytes to bytes: see `src/rows.rs`.
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
    let lock = include_str!("../../Cargo.lock");
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

/// The rows that the manual shows.
const MAIN: [&str; 10] = [
    "challenge of Digest, 186 B",
    "Authorization, 361 B",
    "client of the README, SHA-256",
    "client of the README, MD5",
    "first answer, SHA-256",
    "begin, verify, admit, SHA-256",
    "begin, verify, admit, MD5",
    "refusal with three challenges",
    "Basic, encode",
    "Basic, decode to the pair",
];

/// The tables of the manual.
pub fn page(rows: &[Compared], sizes: &[Size], shared: &[Shared]) -> String {
    let mut text = format!(
        "Written by `cargo bench` on {}: {}, {}.

| operation | ns | allocations | times its floor | fastest other crate |
|---|--:|--:|--:|---|
",
        output("date", &["-u", "+%F"]),
        machine(),
        output("rustc", &["--version"]),
    );
    for (row, peers) in rows.iter().filter(|(row, _)| MAIN.contains(&&*row.name)) {
        let ours = row.ours.nanoseconds();
        let floor = row.floor.as_ref().map(Operation::nanoseconds);
        writeln!(
            text,
            "| {} | {ours:.0} | {} | {} | {} |",
            row.name,
            row.ours.allocations(),
            floor.map_or(String::new(), |floor| format!("{:.2}", ours / floor)),
            fastest(row, peers).map_or(String::new(), |(name, peer)| {
                format!("{name}: {:.0} ns", peer.nanoseconds())
            }),
        )
        .unwrap();
    }
    text += "
| nonces in memory | bytes each | known nonce, ns | new nonce, memory full, ns |
|--:|--:|--:|--:|
";
    for size in sizes {
        let Size {
            nonces,
            bytes_each,
            known,
            new,
            ..
        } = size;
        writeln!(
            text,
            "| {nonces} | {bytes_each:.0} | {known:.0} | {new:.0} |"
        )
        .unwrap();
    }
    text += "
| capacity | threads | millions of requests a second |
|--:|--:|--:|
";
    for Shared {
        capacity,
        threads,
        rate,
    } in shared
    {
        writeln!(text, "| {capacity} | {threads} | {rate:.2} |").unwrap();
    }
    text
}

/// The fastest peer that reads the input.
fn fastest<'a>(row: &Row, peers: &'a Peers) -> Option<&'a (&'static str, Operation)> {
    let peers = peers.iter().filter(|(_, peer)| reads(row, peer));
    peers.min_by(|(_, a), (_, b)| a.nanoseconds().total_cmp(&b.nanoseconds()))
}

pub fn operations(rows: &[Compared]) -> String {
    let mut text = String::from(
        "## Operations

A floor is the least work that could do the job: see `src/floor.rs`. Under a first answer it is the
same by the plain functions; under 64 KiB one search of the machine for a byte that is not there.
Of 64 KiB of challenges we read the first 256 and give up.

| operation | ns | allocations | floor, ns | times the floor | best peer, ns | times as fast | goal | |
|---|--:|--:|--:|--:|--:|--:|---|---|
",
    );
    for (row, peers) in rows {
        let ours = row.ours.nanoseconds();
        let floor = row.floor.as_ref().map(Operation::nanoseconds);
        let peer = fastest(row, peers);
        let (goal, is_kept) = goal(row, peers);
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {goal} | {} |",
            row.name,
            nanoseconds(ours),
            row.ours.allocations(),
            floor.map_or(String::new(), nanoseconds),
            floor.map_or(String::new(), |floor| format!("{:.2}", ours / floor)),
            peer.map_or(String::new(), |(name, peer)| {
                format!("{name} {}", nanoseconds(peer.nanoseconds()))
            }),
            peer.map_or(String::new(), |(_, peer)| {
                format!("{:.2}", peer.nanoseconds() / ours)
            }),
            match (goal.is_empty(), is_kept) {
                (true, _) => "",
                (false, true) => "kept",
                (false, false) => "MISSED",
            },
        )
        .unwrap();
    }
    text
}

/// The goal in words, and whether it is kept.
fn goal(row: &Row, peers: &Peers) -> (String, bool) {
    let ours = row.ours.nanoseconds();
    let mut parts = Vec::new();
    let mut is_kept = true;
    let mut add = |text: String, kept: bool| {
        parts.push(text);
        is_kept &= kept;
    };
    if let (Some(times), Some(floor)) = (row.goal.times, &row.floor) {
        add(
            format!("≤ {times} × floor"),
            ours <= times * floor.nanoseconds(),
        );
    }
    if let Some((name, times)) = row.goal.peer {
        let peer = peers.iter().find(|(peer, _)| *peer == name);
        let is_faster = peer.is_some_and(|(_, peer)| peer.nanoseconds() >= times * ours);
        add(format!("≥ {times} × {name}"), is_faster);
    }
    if let Some(most) = row.goal.nanoseconds {
        add(format!("≤ {most} ns"), ours <= most);
    }
    if let Some(most) = row.goal.allocations {
        add(format!("≤ {most} alloc."), row.ours.allocations() <= most);
    }
    (parts.join(", "), is_kept)
}

/// Returns whether a peer counts as having read the input: not if it takes less than a third of our
/// time.
fn reads(row: &Row, peer: &Operation) -> bool {
    peer.nanoseconds() >= row.ours.nanoseconds() / 3.0
}

pub fn peers(rows: &[Compared]) -> String {
    let mut text = String::from(
        "## Peers

Each is used as its documentation shows. Those that a client is compared with draw their own
cnonces, as ours does, and hash the password each time, as ours does not.

| operation | peer | ns | allocations | times ours |
|---|---|--:|--:|--:|
",
    );
    for (row, peers) in rows {
        for (name, peer) in peers {
            writeln!(
                text,
                "| {} | {name}{} | {} | {} | {:.2} |",
                row.name,
                if reads(row, peer) {
                    ""
                } else {
                    " (gives up early)"
                },
                nanoseconds(peer.nanoseconds()),
                peer.allocations(),
                peer.nanoseconds() / row.ours.nanoseconds(),
            )
            .unwrap();
        }
    }
    text
}

pub fn memory(sizes: &[Size]) -> String {
    let mut text = String::from(
        "## The memory of counts

`admit` alone, on requests verified before. Nonces come at random, so in a large memory
each is two misses of the caches.

| nonces | bytes each | known nonce, ns | new nonce, memory full, ns | allocations |
|--:|--:|--:|--:|--:|
",
    );
    for size in sizes {
        writeln!(
            text,
            "| {} | {:.1} | {} | {} | {} |",
            size.nonces,
            size.bytes_each,
            nanoseconds(size.known),
            nanoseconds(size.new),
            size.allocations,
        )
        .unwrap();
    }
    text
}

pub fn threads(shared: &[Shared]) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut text = format!(
        "## Threads

The server of the README: one `Authenticator` that threads share, on {cores} cores. Millions of
requests in a second, all threads together; the goal is 1.8 times with two. A small memory is one table with a lock, a large one
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

pub fn builds(costs: &[Cost]) -> String {
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
