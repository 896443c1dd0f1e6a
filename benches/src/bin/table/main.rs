//! countersign against floors, budgets and peers: `cargo run --release --bin table`.
//!
//! Prints the tables and writes them to `RESULTS.md` beside the manifest of this package.

mod cost;
mod peers;
mod replays;
mod report;
mod rows;

use std::fs;

use countersign_benches::measure::{Operation, in_turns};

use crate::rows::Row;

/// Where the results go.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/RESULTS.md");

/// Each row is measured so often, and all rows so often over, so that no row has all of its
/// measurements in a minute in which the machine was slow.
const TIMES: u32 = 40;
const ROUNDS: u32 = 40;

fn main() {
    let mut rows = rows::all();
    let mut parts = rows::parts();
    for _ in 0..ROUNDS {
        for row in &mut rows {
            measure(row);
        }
        let parts = parts.iter_mut().map(|(_, part)| part);
        in_turns(&mut parts.collect::<Vec<_>>(), TIMES);
    }
    let text = report::text(
        &rows,
        &parts,
        &replays::sizes(),
        &replays::shared(),
        &cost::all(),
    );
    print!("{text}");
    fs::write(FILE, text).unwrap();
    eprintln!("written to {FILE}");
}

fn measure(row: &mut Row<'_>) {
    let peers = row.peers.iter_mut().map(|(_, peer)| peer);
    let ours: [&mut Operation<'_>; 2] = [&mut row.ours, &mut row.floor];
    in_turns(
        &mut ours.into_iter().chain(peers).collect::<Vec<_>>(),
        TIMES,
    );
}
