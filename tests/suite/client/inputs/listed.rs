//! The rows against the source and the page `docs/review/assurance.md`.

use std::collections::BTreeSet;
use std::fs;

use super::rows::{RESPONSE, STATUSES};
use super::{Then, expected, rows};

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

/// The message, the input and what differs, in the order of the page.
fn listed() -> Vec<(&'static str, &'static str, [BTreeSet<Then>; 4])> {
    let rows = rows().map(|(_, (message, input, then, _))| (*message, *input, *then));
    let statuses = STATUSES
        .iter()
        .map(|(input, then, _)| (RESPONSE, *input, *then));
    let mut listed: Vec<(_, _, [BTreeSet<Then>; 4])> = Vec::new();
    for (message, input, then) in rows.chain(statuses) {
        let then = expected(then);
        match listed
            .iter_mut()
            .find(|row| (row.0, row.1) == (message, input))
        {
            Some((.., all)) => all
                .iter_mut()
                .zip(then)
                .for_each(|(all, then)| all.extend(then)),
            None => listed.push((message, input, then)),
        }
    }
    let messages: Vec<_> = listed.iter().map(|row| row.0).collect();
    listed.sort_by_key(|row| messages.iter().position(|message| *message == row.0));
    listed
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
        let rows = listed().into_iter().filter(|row| row.0 == message);
        let rows: BTreeSet<_> = rows.map(|row| row.1.to_owned()).collect();
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

#[test]
fn the_page_has_the_same_rows() {
    let text = read("docs/review/assurance.md");
    let section = between(&text, "\n## Inputs of the client\n", "\n[security]: ");
    let mut tables: Vec<Vec<&str>> = vec![Vec::new()];
    for line in section.lines() {
        match line.strip_prefix('|') {
            Some(row) => tables.last_mut().expect("one").push(row.trim()),
            None if tables.last().is_some_and(|table| !table.is_empty()) => tables.push(Vec::new()),
            None => {}
        }
    }
    tables.pop();
    let [effects, inputs] = tables.as_slice() else {
        panic!("not two tables: {tables:#?}");
    };

    let named = effects[2..].iter().map(|row| row.split(" |").next());
    let names = Then::ALL.iter().map(|(name, _)| Some(*name));
    assert!(named.clone().eq(names), "{:?}", named.collect::<Vec<_>>());

    let mut shown = Vec::new();
    let mut last = "";
    for (message, input, then) in listed() {
        let cell = |then: &BTreeSet<Then>| match then.is_empty() {
            true => "–".to_owned(),
            false => then.iter().map(Then::name).collect::<Vec<_>>().join(", "),
        };
        let message = if message == last { "" } else { message };
        last = if message.is_empty() { last } else { message };
        let cells = then.iter().map(cell).collect::<Vec<_>>().join(" | ");
        shown.push(format!("{message} | {input} | {cells} |").trim().to_owned());
    }
    assert_eq!(inputs[2..], shown, "{}", shown.join("\n| "));
}
