//! The results as Markdown that can also be read as it is.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use countersign_benches::measure::Operation;
use countersign_benches::rows::Row;

use crate::memory::Size;
use crate::peers::Peers;
use crate::threads::Shared;

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

/// The tables of the page.
pub fn tables(
    rows: &[(Row, Option<Operation>, Peers)],
    sizes: &[Size],
    client: u64,
    shared: &[Shared],
) -> String {
    let mut text = format!(
        "Written by `cargo bench` on {}: {}, {}.

| operation | ns | allocations | floor, ns | × floor | fastest other crate |
|---|--:|--:|--:|--:|---|
",
        output("date", &["-u", "+%F"]),
        machine(),
        output("rustc", &["--version"]),
    );
    for (row, floor, peers) in rows {
        let floor = floor.as_ref().map(Operation::nanoseconds);
        let ours = row.ours.nanoseconds();
        writeln!(
            text,
            "| {} | {ours:.0} | {} | {} | {} | {} |",
            row.name,
            row.ours.allocations(),
            floor.map_or(String::new(), |floor| format!("{floor:.0}")),
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
    writeln!(
        text,
        "\nA client that has answered three times: {client} bytes."
    )
    .unwrap();
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

/// The fastest peer that reads the input: one that takes less than a third of our time does not.
fn fastest<'a>(row: &Row, peers: &'a Peers) -> Option<&'a (&'static str, Operation)> {
    let reads = |peer: &Operation| peer.nanoseconds() >= row.ours.nanoseconds() / 3.0;
    let peers = peers.iter().filter(|(_, peer)| reads(peer));
    peers.min_by(|(_, a), (_, b)| a.nanoseconds().total_cmp(&b.nanoseconds()))
}
