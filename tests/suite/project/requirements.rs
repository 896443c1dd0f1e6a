//! The page `manual::requirements` has a row for each statement of the RFCs, and the tests and
//! vectors that it names exist. That they hold the statement is for people to see.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::vectors::{id, load};

const PAGE: &str = include_str!("../../../src/manual/requirements.md");

/// The test programs, and the folders of their modules.
const PROGRAMS: [(&str, &str); 4] = [
    ("suite", "tests/suite"),
    ("measured", "tests/measured"),
    ("interop", "tests/interop"),
    ("lib", "src"),
];

#[test]
fn every_requirement_has_a_row_that_says_how_it_stands() {
    let known = Known::read();
    let faults = known.faults(PAGE);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What would be wrong with the page is found.
#[test]
fn faults_of_the_page_are_found() {
    let known = Known::read();
    let row = |id: &str| {
        let start = format!("| {id} | ");
        let mut lines = PAGE.lines();
        lines.find(|line| line.starts_with(&start)).expect("a row")
    };
    let status = |id: &str| row(id).rsplit_once(" | ").expect("cells").1;
    let (held, departed) = (row("H001"), row("D019"));
    for (spoilt, fault) in [
        (PAGE.replace(held, ""), "H001: no row"),
        (format!("{PAGE}{held}\n"), "H001: twice"),
        (PAGE.replace("| H001 |", "| H999 |"), "H999: unknown"),
        (
            PAGE.replace(held, &held.replace("9110, 11.1", "9110, 11.2")),
            "H001: section",
        ),
        (
            PAGE.replace(departed, &departed.replace("MUST", "MAY")),
            "D019: level",
        ),
        (PAGE.replace(status("H001"), " |"), "H001: no status"),
        (PAGE.replace(status("H001"), "tested |"), "H001: no status"),
        (
            PAGE.replace(status("H015"), "caller's duty: somewhere |"),
            "H015: no status",
        ),
        (
            PAGE.replace(status("D019"), "departed: [why](crate::server) |"),
            "D019: no status",
        ),
        (
            PAGE.replace("authorization_vectors` (row `scheme-dIgEsT", "x"),
            "H001: no test",
        ),
        (PAGE.replace("scheme-dIgEsT", "scheme-x"), "H001: no vector"),
        // A test of an inner module, without its name.
        (
            PAGE.replace("syntax::chars::tests::", "syntax::chars::"),
            "H044: no test",
        ),
        // A function that is no test.
        (
            PAGE.replace(
                "transitions::ready::accepted_checks_the_proof",
                "transitions::ready",
            ),
            "D069: no test",
        ),
    ] {
        assert_ne!(spoilt, PAGE, "{fault}");
        let faults = known.faults(&spoilt);
        assert!(
            faults.iter().any(|it| it.starts_with(fault)),
            "{fault}: {faults:#?}"
        );
    }
}

/// What the page is compared with.
struct Known {
    statements: BTreeMap<String, Value>,
    tests: BTreeSet<String>,
    vectors: BTreeSet<String>,
}

impl Known {
    fn read() -> Self {
        let list = load("requirements");
        let statements: BTreeMap<_, _> = list
            .iter()
            .map(|row| (id(row).to_owned(), row.clone()))
            .collect();
        assert_eq!((list.len(), statements.len()), (202, 202));
        let mut tests = BTreeSet::new();
        for (program, folder) in PROGRAMS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            find_tests(&folder, program, &mut tests);
            let first = format!("{program}::");
            assert!(tests.iter().any(|test| test.starts_with(&first)));
        }
        let vectors = [
            "authinfo",
            "authorization",
            "basic",
            "challenges",
            "digest",
            "flows",
        ];
        let vectors = vectors.into_iter().flat_map(load);
        Self {
            statements,
            tests,
            vectors: vectors.map(|row| id(&row).to_owned()).collect(),
        }
    }

    /// All that is wrong with a page.
    fn faults(&self, page: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for line in page.lines().filter(|line| line.starts_with("| ")) {
            let cells = line.trim_matches(['|', ' ']).split(" | ");
            let cells: Vec<_> = cells.map(str::trim).collect();
            let id = cells[0];
            if id == "id" {
                continue;
            }
            if !seen.insert(id.to_owned()) {
                faults.push(format!("{id}: twice"));
            }
            match (self.statements.get(id), &cells[..]) {
                (None, _) => faults.push(format!("{id}: unknown")),
                (Some(row), [_, section, level, statement, status]) => {
                    let text = |name: &str| row[name].as_str().expect("text");
                    if *section != format!("{}, {}", row["rfc"], text("section")) {
                        faults.push(format!("{id}: section {section}"));
                    }
                    if *level != text("level") {
                        faults.push(format!("{id}: level {level}"));
                    }
                    if statement.is_empty() {
                        faults.push(format!("{id}: no statement"));
                    }
                    let more = self.faults_of_status(status);
                    faults.extend(more.into_iter().map(|fault| format!("{id}: {fault}")));
                }
                (Some(_), _) => faults.push(format!("{id}: no status")),
            }
        }
        let missing = self.statements.keys().filter(|id| !seen.contains(*id));
        faults.extend(missing.map(|id| format!("{id}: no row")));
        faults
    }

    fn faults_of_status(&self, status: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let names_item = status.contains("](crate::");
        let is_status = match status.split_once(": ") {
            // Why, and in parentheses who needs it.
            Some(("departed", why)) => names_item && why.replace("](", "").contains(" ("),
            Some(("caller's duty", _)) => names_item,
            Some(("not applicable", why)) => !why.is_empty(),
            _ => status.strip_prefix('`').is_some_and(is_test_path),
        };
        if !is_status {
            faults.push(format!("no status: {status}"));
        }
        let mut code = status.split('`').skip(1).step_by(2);
        let no_test = code.find(|path| is_test_path(path) && !self.tests.contains(*path));
        faults.extend(no_test.map(|path| format!("no test {path}")));
        for rows in status.split("(row").skip(1) {
            let rows = rows.split(')').next().expect("a part");
            let mut rows = rows.split('`').skip(1).step_by(2);
            let no_vector = rows.find(|row| !self.vectors.contains(*row));
            faults.extend(no_vector.map(|row| format!("no vector {row}")));
        }
        faults
    }
}

fn is_test_path(text: &str) -> bool {
    let program = text.split("::").next();
    text.contains("::") && PROGRAMS.iter().any(|(name, _)| program == Some(name))
}

/// The paths of all tests in a folder of modules.
fn find_tests(folder: &Path, path: &str, tests: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let inner = format!("{path}::{name}");
        if file.is_dir() {
            find_tests(&file, &inner, tests);
        } else if file.extension().is_some_and(|it| it == "rs") {
            let module = match name {
                "mod" | "main" | "lib" => path,
                _ => &inner,
            };
            tests_of(&fs::read_to_string(&file).unwrap(), module, tests);
        }
    }
}

/// The tests of a file, as the formatter indents it.
fn tests_of(text: &str, path: &str, tests: &mut BTreeSet<String>) {
    // The inner modules that a line is in, with the lines that end them.
    let mut modules: Vec<(String, &str)> = Vec::new();
    let mut is_test = false;
    for line in text.lines() {
        let item = line.trim_start();
        let indent = &line[..line.len() - item.len()];
        if let Some(name) = item
            .strip_prefix("mod ")
            .and_then(|it| it.strip_suffix(" {"))
        {
            modules.push((format!("{indent}}}"), name));
        } else if modules.last().is_some_and(|(end, _)| line == end) {
            modules.pop();
        } else if item == "#[test]" {
            is_test = true;
        } else if let Some(rest) = item.strip_prefix("fn ") {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            if std::mem::take(&mut is_test) {
                let modules = modules.iter().map(|(_, module)| *module);
                let parts: Vec<_> = [path].into_iter().chain(modules).chain([name]).collect();
                tests.insert(parts.join("::"));
            }
        }
    }
}
