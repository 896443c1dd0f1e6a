//! Every setting has its row or its sentence: a `Quirk` of either role in the table of that role in
//! `docs/odd-peers.md`, any other setting of `Policy` and `Realm` somewhere in the manual, and an option
//! of an example on its page, which is what `--help` prints.

use std::collections::BTreeSet;
use std::fs;

use super::errors::variants;

const ODD_PEERS: &str = include_str!("../../../docs/odd-peers.md");

/// The source of a role's settings, and the heading of their table.
const ROLES: [(&str, &str, usize); 2] = [
    ("src/client/policy.rs", "## Settings of a client", 9),
    ("src/server/realm.rs", "## Settings of a server", 4),
];

#[test]
fn every_quirk_is_in_the_table_of_its_role_and_no_other() {
    for (source, heading, least) in ROLES {
        let source = fs::read_to_string(source).unwrap();
        let (_, body) = source.split_once("pub enum Quirk {\n").unwrap();
        let quirks: BTreeSet<_> = variants(body.split("\n}").next().unwrap()).collect();
        assert!(quirks.len() >= least, "{quirks:?}");
        let (_, section) = ODD_PEERS.split_once(heading).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let rows = rows.flat_map(|row| row.split(" | ").next().unwrap().split('`').step_by(2));
        let rows: BTreeSet<_> = rows
            .filter(|name| name.starts_with(char::is_uppercase) && !name.contains("::"))
            .collect();
        assert_eq!(rows, quirks, "{heading}");
    }
}

#[test]
fn every_setting_is_in_the_manual() {
    let manual: String = fs::read_dir("docs")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for (source, ..) in ROLES {
        let source = fs::read_to_string(source).unwrap();
        let setters = source.lines().filter_map(|line| {
            let rest = line.strip_prefix("    pub ")?;
            let rest = rest
                .strip_prefix("const ")
                .unwrap_or(rest)
                .strip_prefix("fn ")?;
            let (name, rest) = rest.split_once('(')?;
            (rest.starts_with("self") || rest.starts_with("mut self")).then_some(name)
        });
        let setters: Vec<_> = setters
            .filter(|name| !name.starts_with("with_quirk"))
            .collect();
        assert!(setters.len() >= 8, "{setters:?}");
        let is_named = |name: &str| {
            let mut words = manual.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == name)
        };
        let missing: Vec<_> = setters.iter().filter(|name| !is_named(name)).collect();
        assert!(missing.is_empty(), "not in the manual: {missing:?}");
    }
}

#[test]
fn every_option_of_an_example_is_on_its_page_and_no_other() {
    for (name, least) in [("serve", 15), ("fetch", 14)] {
        let source = fs::read_to_string(format!("examples/{name}.rs")).unwrap();
        let read = source.split("Long(\"").skip(1);
        let read: BTreeSet<_> = read.map(|rest| rest.split('"').next().unwrap()).collect();
        let rows = source
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `--"));
        let rows: BTreeSet<_> = rows
            .map(|row| row.split(['`', ' ']).next().unwrap())
            .collect();
        assert_eq!(read, rows, "{name}");
        assert!(rows.len() > least, "{rows:?}");
    }
}
