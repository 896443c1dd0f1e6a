//! Checks every row of a file of vectors and counts what came of it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{RefUnwindSafe, catch_unwind};

use serde_json::Value;

use super::vectors;

/// What the library made of a row. That it is none of these, `check` says by a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What the row says strictly: its only right outcome if the row is not ambiguous.
    Strict,
    /// Another outcome that an ambiguous row lists or tells of.
    Tolerant,
    /// None that the row lists, but one we mean to have: the test has it in a table.
    Leniency,
    /// The row needs MD5, and the library was built without.
    NeedsMd5,
}

/// Runs `check` on all rows of a file, of which there must be so many, and so many that are taken
/// tolerantly, and prints a line of numbers. `tables` are those that `check` looks into.
pub fn every_row(file: &str, counts: [usize; 2], tables: &[Table], check: fn(&Value) -> Outcome) {
    every_row_of(file, vectors::load(file), counts, tables, check);
}

/// The same for those that a role has in `flows`.
pub fn every_flow(role: &str, counts: [usize; 2], tables: &[Table], check: fn(&Value) -> Outcome) {
    let mut rows = vectors::load("flows");
    rows.retain(|row| row["role"] == role);
    every_row_of("flows", rows, counts, tables, check);
}

fn every_row_of(
    file: &str,
    rows: Vec<Value>,
    [number, tolerant]: [usize; 2],
    tables: &[Table],
    check: fn(&Value) -> Outcome,
) {
    assert_eq!(rows.len(), number, "rows of {file}.json");
    for (id, _) in tables.iter().copied().flatten() {
        assert!(rows.iter().any(|row| row["id"] == *id), "no row {id}");
    }
    let outcomes = each(file, &rows, |row| {
        let ambiguous = row["ambiguous"] == true;
        let outcome = check(row);
        assert!(ambiguous || outcome != Outcome::Tolerant, "not ambiguous");
        (ambiguous, outcome)
    });

    let words = count(outcomes.iter().map(|outcome| match outcome {
        (false, Outcome::Strict) => "exact",
        (true, Outcome::Strict) => "ambiguous and taken strictly",
        (_, Outcome::Tolerant) => "ambiguous and taken tolerantly",
        (_, Outcome::Leniency) => "accepted as listed",
        (_, Outcome::NeedsMd5) => "skipped for want of MD5",
    }));
    // Not by a macro, whose output the test runner keeps back from whoever runs all tests.
    let line = format!("{file}.json: {number} cases ({words}): all as they must be");
    let _ = writeln!(std::io::stdout(), "{line}");
    let how_many = |wanted| {
        outcomes
            .iter()
            .filter(|(_, outcome)| *outcome == wanted)
            .count()
    };
    if cfg!(feature = "md5") {
        assert_eq!(how_many(Outcome::NeedsMd5), 0);
        assert_eq!(how_many(Outcome::Tolerant), tolerant, "{line}");
    }
}

/// How often each of the words comes: `2 of these, 1 of those`.
pub fn count<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    let counts = counts.iter().map(|(word, count)| format!("{count} {word}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// What `check` gives for each of the rows. One that fails does not keep the others from being
/// run.
pub fn each<T>(file: &str, rows: &[Value], check: impl Fn(&Value) -> T + RefUnwindSafe) -> Vec<T> {
    let mut checked = Vec::new();
    let mut failed = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        match catch_unwind(|| check(row)) {
            Ok(value) => checked.push(value),
            Err(_) => {
                eprintln!("in row {index}, {}\n", row["id"]);
                failed.push(format!("{index}, {}", row["id"]));
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{file}.json: {} of {} cases are not as they must be: {failed:#?}",
        failed.len(),
        rows.len(),
    );
    checked
}

/// The ids of rows to be treated apart, each with the reason.
pub type Table = &'static [(&'static str, &'static str)];

/// Whether `table` has the row.
pub fn has(table: Table, row: &Value) -> bool {
    table.iter().any(|(id, _)| *id == vectors::id(row))
}
