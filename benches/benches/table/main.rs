//! countersign against floors, goals and peers: `cargo bench`.
//!
//! Prints the tables and writes them to `RESULTS.md` beside the manifest of this package.

mod cost;
mod memory;
mod peers;
mod report;
mod threads;

use std::fs;

use countersign_benches::measure::Operation;
use countersign_benches::rows::{self, Row};

use crate::peers::Peers;

/// The file for the results.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/RESULTS.md");
/// The page about performance. Its tables end it, after `MARK`.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/review/performance.md");
const MARK: &str = "<!-- `cargo bench` writes what follows. -->";

/// Each row is measured `TIMES` times in each of `ROUNDS` rounds over all rows, so that no row has
/// all of its measurements in a minute in which the machine was slow.
const TIMES: u32 = 40;
const ROUNDS: u32 = 40;

fn main() {
    let with_peers = |name: String| (rows::make(&name), peers::of(&name));
    let mut rows: Vec<_> = rows::names().into_iter().map(with_peers).collect();
    for _ in 0..ROUNDS {
        for (row, peers) in &mut rows {
            measure(row, peers);
        }
    }
    let (sizes, threads) = (memory::all(), threads::all());
    let text = [
        report::head(),
        report::operations(&rows),
        report::peers(&rows),
        report::memory(&sizes),
        report::threads(&threads),
        report::builds(&cost::all()),
    ]
    .join("\n");
    print!("{text}");
    fs::write(FILE, text).unwrap();
    let page = fs::read_to_string(PAGE).unwrap();
    let (by_hand, _) = page.split_once(MARK).expect("the mark");
    let tables = report::page(&rows, &sizes, &threads);
    fs::write(PAGE, format!("{by_hand}{MARK}\n\n{tables}")).unwrap();
    eprintln!("written to {FILE} and {PAGE}");
}

fn measure(row: &mut Row, peers: &mut Peers) {
    for _ in 0..TIMES {
        row.ours.measure();
        row.floor.as_mut().map(Operation::measure);
        peers.iter_mut().for_each(|(_, peer)| peer.measure());
    }
}
