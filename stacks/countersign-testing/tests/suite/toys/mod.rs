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
/// that a scenario tells what is wrong. Those in parentheses must have a note. Noise costs more than
/// all the rest, so it is left out unless it finds the fault.
pub(crate) fn each_is_found<S: Copy + Display>(
    table: &'static str,
    noise: S,
    run: impl Fn(&'static str, &[S]) -> Report<S>,
) {
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (fault, expected) = line.split_once(" -> ").unwrap();
        let fault = match fault.strip_prefix("(md5) ") {
            Some(_) if cfg!(not(feature = "md5")) => continue,
            Some(fault) => fault,
            None => fault,
        };
        let is_by_noise = expected.contains(&noise.to_string());
        let without = if is_by_noise { &[][..] } else { &[noise] };
        let report = run(fault, without);
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

/// What `FAULTS.md` says is planted.
#[test]
fn faults_written_beforehand_are_planted() {
    let (servers, clients) = include_str!("FAULTS.md")
        .split_once("| a client |")
        .unwrap();
    let in_servers = [include_str!("servers.txt"), include_str!("../servers.rs")];
    let in_clients = [include_str!("clients.txt"), include_str!("../clients.rs")];
    for (page, [table, gross], most) in [(servers, in_servers, 60), (clients, in_clients, 40)] {
        let rows = page.lines().filter_map(|line| line.strip_suffix(" |"));
        let cells = rows.filter_map(|row| row.rsplit(" | ").next());
        let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        let names: Vec<_> = names.collect();
        let planted = table.lines().filter_map(|line| line.split_once(" -> "));
        let planted: Vec<_> = planted
            .map(|(name, _)| name.trim_start_matches("(md5) "))
            .collect();
        for name in &names {
            let is_planted = planted.contains(name) || gross.contains(&format!("\"{name}\""));
            assert!(is_planted, "{name}");
        }
        assert!(names.len() >= most / 2 && planted.len() > most, "{names:?}");
    }
}
