//! The rows as Markdown that can also be read as it is.

use std::fs;

use countersign_benches::measure::Operation;
use countersign_benches::output_of;

use crate::Line;

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_once(": "));
        value.map_or("unknown", |(_, value)| value).to_string()
    };
    let with_sha = field("flags").split(' ').any(|flag| flag == "sha_ni");
    format!(
        "{} (family {}, model {}; {} SHA instructions)",
        field("model name"),
        field("cpu family"),
        field("model\t"),
        if with_sha { "with" } else { "without" },
    )
}

/// The table of all rows, and where it was made.
pub fn table(rows: &[Line]) -> String {
    let date = output_of("date", &["-u", "+%F"]).unwrap_or_default();
    let compiler = output_of("rustc", &["--version"]).unwrap_or_default();
    let mut text = format!(
        "Written by `cargo bench` on {date}: {}, {compiler}.

| operation | ns | allocations | floor, ns | × floor | fastest other crate |
|---|--:|--:|--:|--:|---|
",
        machine(),
    );
    for line in rows {
        let ours = line.ours.nanoseconds;
        let floor = line.floor.as_ref().map(|floor| {
            let floor = floor.nanoseconds;
            format!("{floor:.0} | {:.2}", ours / floor)
        });
        let peer = fastest(line);
        let peer = peer.map(|(name, peer)| format!("{name}: {:.0} ns", peer.nanoseconds));
        text += &format!(
            "| {} | {ours:.0} | {} | {} | {} |\n",
            line.name,
            line.ours.allocations,
            floor.unwrap_or(" | ".to_string()),
            peer.unwrap_or_default(),
        );
    }
    text
}

/// The fastest peer that reads the input: one that takes less than a third of our time does not.
fn fastest(line: &Line) -> Option<&(&'static str, Operation)> {
    let least = line.ours.nanoseconds / 3.0;
    let peers = line.peers.iter();
    let peers = peers.filter(|(_, peer)| peer.nanoseconds >= least);
    peers.min_by(|(_, a), (_, b)| a.nanoseconds.total_cmp(&b.nanoseconds))
}
