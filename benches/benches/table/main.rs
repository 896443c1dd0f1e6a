//! countersign against other crates: `cargo bench`. Writes the tables of the page about performance.

mod memory;
mod peers;
mod report;
mod threads;

use std::fs;

use countersign_benches::floors;
use countersign_benches::measure::Operation;
use countersign_benches::rows::{self, Row};

use crate::peers::Peers;

/// The page, and the line that its tables follow.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/review/performance.md");
const MARK: &str = "<!-- `cargo bench` writes what follows. -->\n\n";

/// Each row is measured `TIMES` times in each of `ROUNDS` rounds over all rows, so that no row has
/// all of its measurements in a minute in which the machine was slow.
const TIMES: u32 = 40;
const ROUNDS: u32 = 40;

fn main() {
    let mut names = rows::names();
    names.retain(|name| !name.starts_with(rows::HOSTILE) && !name.starts_with("new endpoint"));
    names.push(rows::NEW_CLIENT.to_string());
    let with_others = |name: &String| (rows::make(name), floors::of(name), peers::of(name));
    let mut rows: Vec<_> = names.iter().map(with_others).collect();
    for _ in 0..ROUNDS {
        for (row, floor, peers) in &mut rows {
            measure(row, floor, peers);
        }
    }
    let tables = report::tables(&rows, &memory::all(), memory::client(), &threads::all());
    print!("{tables}");
    let page = fs::read_to_string(PAGE).expect("the page");
    let (text, _) = page.split_once(MARK).expect("the mark");
    fs::write(PAGE, format!("{text}{MARK}{tables}")).expect("a file to write");
    eprintln!("written to {PAGE}");
}

fn measure(row: &mut Row, floor: &mut Option<Operation>, peers: &mut Peers) {
    for _ in 0..TIMES {
        row.ours.measure();
        floor.iter_mut().for_each(Operation::measure);
        peers
            .iter_mut()
            .for_each(|(_, peer): &mut (_, Operation)| peer.measure());
    }
}
