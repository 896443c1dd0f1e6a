//! The rows against the source.

use std::collections::BTreeSet;
use std::fs;

use super::rows;
use super::rows::STATUSES;

fn read(file: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
    text.replace("\r\n", "\n")
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).expect("its end").0
}

/// The names of a list of parameters in the source.
fn params(file: &str) -> BTreeSet<String> {
    let text = read(file);
    let names = between(&text, "const PARAMS: Names = Names::of(&[", "]);").split("ParamName::");
    let name = |text: &str| {
        let name = text.split([',', ' ']).next().expect("a name");
        format!("`{}`", name.trim_end().to_lowercase())
    };
    names.skip(1).map(name).collect()
}

#[test]
fn every_input_has_a_row() {
    for (message, file, others) in [
        ("Digest challenge", "src/digest/challenge.rs", &[][..]),
        ("Basic challenge", "src/basic.rs", &[]),
        (
            "`Authentication-Info`",
            "src/header/info.rs",
            &["number of values", "malformed"],
        ),
    ] {
        let rows = rows().map(|(_, (of, input, ..))| (*of, *input));
        let rows = rows.filter(|(of, _)| *of == message);
        let rows: BTreeSet<_> = rows.map(|(_, input)| input.to_owned()).collect();
        let mut inputs = params(file);
        assert!(inputs.len() >= 2, "{file}");
        inputs.extend(others.iter().map(|&input| input.to_owned()));
        assert_eq!(rows, inputs, "{message}");
    }
    // What a response is passed to. Values, fields and challenges are rows of "any challenge".
    let text = read("src/client/response.rs");
    let mut arguments = BTreeSet::new();
    for function in text.split("\n    pub fn ").skip(1) {
        for line in between(function, "(", ") ->").split([',', '\n']) {
            if let Some((name, _)) = line.split_once(':') {
                arguments.insert(name.trim().trim_start_matches("mut "));
            }
        }
    }
    let known = [
        "body",
        "challenges",
        "exchange",
        "fields",
        "status",
        "values",
    ];
    assert_eq!(arguments, known.into());
}

#[test]
fn every_status_has_a_row() {
    let mut all: Vec<u16> = Vec::new();
    for (.., ranges) in STATUSES {
        all.extend(ranges.iter().cloned().flatten());
    }
    all.sort_unstable();
    assert!(all.into_iter().eq(0..=u16::MAX));
    // Those of the second row and the third are listed in the source, too.
    let text = read("src/client/meaning.rs");
    for (row, meaning) in [(1, "Doubtful"), (2, "Unread")] {
        let (.., ranges) = &STATUSES[row];
        let shown = ranges
            .iter()
            .map(|range| match (range.start(), range.end()) {
                (start, end) if start == end => start.to_string(),
                (start, end) if end - start == 1 => format!("{start} | {end}"),
                _ => format!("{range:?}"),
            });
        let shown = shown.collect::<Vec<_>>().join(" | ");
        let arm = format!("\n            {shown} => Self::{meaning},\n");
        assert!(text.contains(&arm), "{arm}");
    }
}
