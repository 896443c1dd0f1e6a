//! Small servers and clients, each with one fault or none.

use std::fmt::Display;

use countersign_testing::{Report, Verdict};

mod answer;
mod basic;
// What the crate itself answers with.
#[allow(dead_code)]
#[path = "../../../src/answer.rs"]
mod by_hand;
pub(crate) mod client;
mod doors;
#[allow(dead_code)]
#[path = "../../../src/params.rs"]
mod params;
mod reading;
pub(crate) mod server;

pub(crate) const USER: &str = "Mufasa";
pub(crate) const PASSWORD: &str = "Circle of Life";

/// The password of the user of a server with this fault.
pub(crate) fn password(fault: &str) -> &'static str {
    match fault.contains("UTF-8") {
        true => "Krümel & Käse",
        false => PASSWORD,
    }
}

/// Plants each fault of a table. The scenarios that it names must find the fault, and no others, so
/// that a scenario tells what is wrong. Those in parentheses must have a note.
pub(crate) fn each_is_found<S: Copy + Display>(
    table: &'static str,
    run: impl Fn(&'static str, &str) -> Report<S>,
) {
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (fault, expected) = line.split_once(" -> ").unwrap();
        let fault = match fault.strip_prefix("(md5) ") {
            Some(_) if cfg!(not(feature = "md5")) => continue,
            Some(fault) => fault,
            None => fault,
        };
        let report = run(fault, expected);
        let found = report.findings().iter().filter_map(|it| match it.verdict {
            Verdict::Failed => Some(it.scenario.to_string()),
            Verdict::Noted => Some(format!("({})", it.scenario)),
            _ => None,
        });
        let found = found.collect::<Vec<_>>().join(", ");
        if found != expected {
            let shown = if found.is_empty() {
                String::new()
            } else {
                report.to_string()
            };
            wrong.push(format!("{fault} -> {found}\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
