//! The page `manual::errors` has every error: each variant of each error enum of the source, and
//! each error type, is linked there. That links lead somewhere is up to rustdoc.

use std::fs;
use std::path::Path;

use crate::project::sources::files;

const PAGE: &str = include_str!("../../../src/manual/errors.rs");

/// Enums without `impl Error` that an error holds, or that stand beside one.
const PARTS: [&str; 3] = ["SkipReason", "RejectionClass", "ServerProof"];

#[test]
fn every_error_is_on_the_page() {
    let errors = errors();
    let missing: Vec<_> = errors
        .iter()
        .filter(|path| !PAGE.contains(&format!("::{path})")))
        .collect();
    assert!(missing.is_empty(), "not on the page: {missing:#?}");
    for known in [
        "Rejection::Replayed",
        "GiveUp::StaleAgain",
        "LoginError::Text",
        "UnknownPort",
    ] {
        assert!(errors.iter().any(|path| path == known), "{known}");
    }
    assert!(errors.len() > 60, "{} errors were found", errors.len());
}

/// Paths such as `Rejection::Replayed` for enums, and `UnknownPort` for structs.
fn errors() -> Vec<String> {
    let source: String = files(Path::new("src"))
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .map(|text| text.split("mod tests {").next().unwrap().to_owned())
        .collect();
    let mut names: Vec<_> = PARTS.map(str::to_owned).into();
    for line in source.lines() {
        if let Some(rest) = line.strip_prefix("impl Error for ") {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap();
            // A `Rejected` is a `Rejection` with its request.
            if &rest[..end] != "Rejected" {
                names.push(rest[..end].to_owned());
            }
        }
    }
    let mut paths = Vec::new();
    for name in names {
        let body = source.split_once(&format!("pub enum {name} {{\n"));
        match body {
            Some((_, body)) => {
                let body = body.split("\n}").next().unwrap();
                paths.extend(variants(body).map(|variant| format!("{name}::{variant}")));
            }
            None => paths.push(name),
        }
    }
    paths
}

/// The names at the start of lines that are indented once.
fn variants(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter_map(|line| {
        let line = line.strip_prefix("    ")?;
        let end = line.find(|c: char| !c.is_alphanumeric())?;
        line.starts_with(char::is_uppercase).then(|| &line[..end])
    })
}
