//! What real clients and servers sent, as recorded in `tests/captures/*.json`: it passes through a
//! server of ours, and the proofs of servers verify.
//!
//! A server knows only its own nonces, and whether a response is right is decided before that: so what
//! is right must be refused for its nonce alone. It counts as granted.

mod calculation;
mod site;

use countersign::Authorization;
use countersign::server::Reason;
use serde_json::Value;
use site::{SETTINGS, Setting, answered_realm};

use crate::support::captures::{Exchange, load};
use crate::support::digest::lacks_md5;
use crate::support::tally;

/// What is not granted by a server that offers what was offered in the recording. `refused` are right
/// answers. `nonconforming` are not right for their challenge; those which are granted all the same
/// are right for something else that a server may have offered. Each row has why, the refusal, the
/// setting by which it is granted, how often that is in all files of the test, and a field of the
/// recordings with its values there.
const LISTED: &str = include_str!("refused.json");

#[test]
fn right_answers_are_refused_for_their_nonce_alone() {
    let files = [
        ("clients", 706),
        ("proxy_clients", 26),
        ("rtsp_clients", 29),
        ("sip_clients", 14),
        ("real_pairs", 350),
        ("servers_probed", 629),
    ];
    drive(&files, 1584, "refused");
}

#[test]
fn wrong_answers_are_refused() {
    drive(&[("nonconforming", 235)], 19, "nonconforming");
}

/// Drives every request of these files, each of which has so many. `granted` of them must be granted
/// with the defaults; each of the others must be in the table.
fn drive(files: &[(&str, usize)], granted: usize, table: &str) {
    let listed: Value = serde_json::from_str(LISTED).unwrap();
    let table = listed[table].as_array().unwrap();
    let mut outcomes = Vec::new();
    for (file, count) in files {
        let rows = load(file);
        assert_eq!(rows.len(), *count, "exchanges in {file}.json");
        let of_file = tally::each(file, &rows, |row| {
            let outcome = outcome(row);
            let listed = match &outcome {
                Outcome::Refused(refusal, setting) => Some(entry(table, row, refusal, *setting)),
                _ => None,
            };
            (outcome, listed)
        });
        let words = of_file.iter().map(|(outcome, _)| match outcome {
            Outcome::NeedsMd5 => "skipped for want of MD5",
            Outcome::Granted => "granted but for its nonce",
            Outcome::Refused(_, Some(_)) => "refused, and granted by a setting, as listed",
            Outcome::Refused(_, None) => "refused as listed",
        });
        println!("{file}.json: {}", tally::count(words));
        outcomes.extend(of_file);
    }
    if !cfg!(feature = "md5") {
        return;
    }
    let is_granted = |(outcome, _): &&(Outcome, _)| *outcome == Outcome::Granted;
    let count = outcomes.iter().filter(is_granted).count();
    assert_eq!(count, granted, "granted with the defaults");
    for (number, listed) in table.iter().enumerate() {
        let of_entry = outcomes.iter().filter(|(_, entry)| *entry == Some(number));
        assert_eq!(listed["count"], of_entry.count(), "{listed}");
    }
}

/// The number of the entry for a row that was not granted with the defaults.
fn entry(table: &[Value], row: &Value, refusal: &str, setting: Option<Setting>) -> usize {
    let found = table.iter().position(|listed| {
        let value = &row[listed["of"].as_str().unwrap()];
        listed["refusal"] == refusal
            && listed["granted_by"].as_str() == setting
            && listed["is"].as_array().unwrap().contains(value)
    });
    found.unwrap_or_else(|| panic!("not listed: {refusal}, {setting:?}"))
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    NeedsMd5,
    Granted,
    /// Not with the defaults, and by which setting, if by any.
    Refused(String, Option<Setting>),
}

fn outcome(row: &Value) -> Outcome {
    let exchange = Exchange::of(row);
    let sent = Authorization::parse(&exchange.authorization);
    if let Err(error) = &sent
        && lacks_md5(error, &exchange.authorization)
    {
        return Outcome::NeedsMd5;
    }
    if let Ok(Authorization::Digest(sent)) = &sent
        && row["expected_valid"] == true
        && !exchange.info.is_empty()
    {
        let realm = answered_realm(&exchange, &exchange.challenges());
        calculation::check_info(row, &exchange, sent, &realm);
    }
    let mut first = None;
    for setting in SETTINGS {
        match (site::refusal(&exchange, setting), first) {
            (None, None) => return Outcome::Granted,
            (None, Some(refusal)) => return Outcome::Refused(refusal, Some(setting)),
            (Some(reason), refusal) => first = refusal.or_else(|| Some(words(reason))),
        }
    }
    Outcome::Refused(first.unwrap(), None)
}

/// Without the place of the fault, which differs from recording to recording.
fn words(reason: Reason) -> String {
    let text = reason.to_string();
    text.split(" at byte ").next().unwrap().to_owned()
}
