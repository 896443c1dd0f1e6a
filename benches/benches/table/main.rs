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
    let mut rows = rows::all();
    rows.retain(|row| {
        !row.name.starts_with(rows::HOSTILE) && !row.name.starts_with("new endpoint")
    });
    let mut rows: Vec<_> = rows.into_iter().map(Line::new).collect();
    for _ in 0..ROUNDS {
        rows.iter_mut().for_each(Line::measure);
    }
    let tables = [report::table(&rows), memory::table(), threads::table()].join("\n");
    print!("{tables}");
    let page = fs::read_to_string(PAGE).expect("the page");
    let (text, _) = page.split_once(MARK).expect("the mark");
    fs::write(PAGE, format!("{text}{MARK}{tables}")).expect("a file to write");
    eprintln!("written to {PAGE}");
}

/// A row with what it is compared with.
struct Line {
    name: String,
    ours: Operation,
    floor: Option<Operation>,
    peers: Peers,
}

impl Line {
    fn new(row: Row) -> Self {
        Self {
            ours: (row.make)(),
            floor: floors::of(&row.name),
            peers: peers::of(&row.name),
            name: row.name,
        }
    }

    fn measure(&mut self) {
        for _ in 0..TIMES {
            self.ours.measure();
            self.floor.iter_mut().for_each(Operation::measure);
            self.peers.iter_mut().for_each(|(_, peer)| peer.measure());
        }
    }
}
