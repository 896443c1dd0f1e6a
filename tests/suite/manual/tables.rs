//! Code in the tables of the manual: a path names an item that exists, and an expression stands in a
//! block of the same page, which is compiled.

use std::collections::BTreeSet;
use std::fs;

use crate::project::sources::files;

/// Code of other crates, in the columns of what a reader has today.
const OTHERS: [&str; 9] = [
    "PasswordClient::try_from",
    "AuthContext::new_with_method",
    "HttpMethod::from",
    "digest_auth::parse",
    "HttpServer::new",
    "reqwest::Client",
    "client.respond",
    "prompt.respond",
    "answer.to_header_string",
];

#[test]
fn every_path_in_a_table_exists() {
    let listing = include_str!("../../public-api.txt");
    let sources: String = [
        "src",
        "stacks/countersign-tower/src",
        "stacks/countersign-reqwest/src",
    ]
    .iter()
    .flat_map(|folder| files(folder.as_ref()))
    .map(|path| fs::read_to_string(path).unwrap())
    .collect();
    let defined: BTreeSet<&str> = words(&sources).collect();
    let mut count = 0;
    for (page, _, span) in spans() {
        let path = span.split('(').next().unwrap();
        if !path.contains("::") || OTHERS.contains(&path) || !words(path).all(is_name) {
            continue;
        }
        count += 1;
        let last_two: Vec<_> = path.rsplit("::").take(2).collect();
        let item = format!("::{}::{}", last_two[1], last_two[0]);
        let is_public = listing.lines().any(|line| {
            line.match_indices(&item).any(|(at, _)| {
                let rest = &line[at + item.len()..];
                !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        });
        // Beside the core, whose names are in no listing.
        let is_defined = words(path).all(|word| defined.contains(word))
            && sources.contains(&format!("fn {}", last_two[0]));
        assert!(is_public || is_defined, "{page}: `{span}`");
    }
    assert!(count > 50, "{count} paths were found");
}

#[test]
fn every_expression_in_a_table_is_compiled() {
    let mut count = 0;
    for (page, blocks, span) in spans() {
        let head = span.split('(').next().unwrap();
        let is_call = span.contains('(') && span.ends_with([')', '?']);
        let is_expression =
            is_call && (head.contains('.') || span.contains(").") || span.contains("?."));
        if !is_expression || OTHERS.contains(&head) {
            continue;
        }
        count += 1;
        assert!(blocks.contains(&span), "{page}: `{span}` is in no block");
    }
    assert!(count >= 7, "{count} expressions were found");
}

/// The page, its blocks of code, and each piece of code in its tables.
fn spans() -> Vec<(String, String, String)> {
    let mut pages = vec!["README.md".to_owned()];
    pages.extend(fs::read_dir("docs").unwrap().map(|entry| {
        let path = entry.unwrap().path();
        path.to_str().unwrap().to_owned()
    }));
    let mut spans = Vec::new();
    for page in pages.iter().filter(|page| page.ends_with(".md")) {
        let text = fs::read_to_string(page).unwrap();
        let blocks: String = text.split("```").skip(1).step_by(2).collect();
        for row in text.lines().filter(|line| line.starts_with("| ")) {
            let code = row.split('`').skip(1).step_by(2);
            spans.extend(code.map(|code| (page.clone(), blocks.clone(), code.to_owned())));
        }
    }
    spans
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic())
}
