//! The page `docs/errors.md` has a row for every error: each variant of each error enum of the
//! source, and each error type; and none for what is not there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::project::sources::files;

const PAGE: &str = include_str!("../../../docs/errors.md");

/// Enums without `impl Error` that an error holds, or that stand beside one.
const PARTS: [&str; 2] = ["SkipReason", "ServerProof"];

#[test]
fn every_error_is_on_the_page_and_no_other() {
    let (errors, rows) = (errors(), rows(PAGE));
    let missing: Vec<_> = errors.difference(&rows).collect();
    assert!(missing.is_empty(), "not on the page: {missing:#?}");
    let unknown: Vec<_> = rows.difference(&errors).collect();
    assert!(unknown.is_empty(), "not in the source: {unknown:#?}");
    for known in [
        "Reason::Replayed",
        "GiveUp::ForeignTarget",
        "LoginError::Text",
        "InvalidText::NoDefaultPort",
        "InvalidText::Digits",
        "Refusal",
    ] {
        assert!(errors.contains(known), "{known}");
    }
    assert!(errors.len() > 60, "{} errors were found", errors.len());
}

/// The names in the first cells of the tables, each with the enum in the heading above it, if that
/// has one.
fn rows(page: &str) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    let mut prefix = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            prefix = match heading.split('`').nth(1) {
                Some(name) => format!("{name}::"),
                None => String::new(),
            };
        } else if let Some(row) = line.strip_prefix("| ") {
            let cell = row.split('|').next().unwrap();
            let names = cell.split('`').skip(1).step_by(2);
            rows.extend(names.map(|name| format!("{prefix}{name}")));
        }
    }
    rows
}

/// Paths such as `Reason::Replayed` for enums, and `UnknownPort` for structs.
fn errors() -> BTreeSet<String> {
    let source: String = files(Path::new("src"))
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .map(|text| text.split("mod tests {").next().unwrap().to_owned())
        .collect();
    let mut names: Vec<_> = PARTS.map(str::to_owned).into();
    for line in source.lines() {
        if let Some(rest) = line
            .strip_prefix("impl Error for ")
            .or_else(|| line.strip_prefix("impl error::Error for "))
        {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap();
            names.push(rest[..end].to_owned());
        }
    }
    let mut paths = BTreeSet::new();
    for name in names {
        let body = source.split_once(&format!("pub enum {name} {{\n"));
        match body {
            Some((_, body)) => {
                let body = body.split("\n}").next().unwrap();
                paths.extend(variants(body).map(|variant| format!("{name}::{variant}")));
            }
            None => {
                paths.insert(name);
            }
        }
    }
    paths
}

/// The names at the start of lines that are indented once.
pub(super) fn variants(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter_map(|line| {
        let line = line.strip_prefix("    ")?;
        let end = line.find(|c: char| !c.is_alphanumeric())?;
        line.starts_with(char::is_uppercase).then(|| &line[..end])
    })
}
