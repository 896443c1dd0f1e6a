//! Checks that every public type and function is used in a runnable example.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::sources::files;

/// Public names without an example, each with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("Sealed", "seals `HashInput` and cannot be named outside"),
    (
        "ServerProofError",
        "comes from `received`, passed on by `?`",
    ),
    (
        "UnknownStrength",
        "comes from `str::parse`, passed on by `?`",
    ),
];

#[test]
fn every_public_name_is_used_in_an_example() {
    let mut used: HashSet<String> = HashSet::new();
    let mut items = Vec::new();
    let readme = fs::read_to_string("README.md").unwrap();
    used.extend(words(&examples(&readme, "")));
    let manual = fs::read_to_string("src/manual.rs").unwrap();
    let pages = manual.split('"').filter(|it| it.ends_with(".md"));
    for page in pages {
        let text = fs::read_to_string(Path::new("src").join(page)).unwrap();
        used.extend(words(&examples(&text, "")));
    }
    for path in files(Path::new("src")) {
        let text = fs::read_to_string(&path).unwrap();
        used.extend(words(&examples(&text, "///")));
        used.extend(words(&examples(&text, "//!")));
        items.extend(public_names(&text).map(|name| (path.clone(), name)));
    }
    assert!(items.len() > 300, "only {} public names found", items.len());
    let is_exempt = |name: &str| EXEMPT.iter().any(|(exempt, _)| *exempt == name);
    let missing: Vec<String> = items
        .iter()
        .filter(|(_, name)| !used.contains(name) && !is_exempt(name))
        .map(|(path, name)| format!("{}: {name}", path.display()))
        .collect();
    assert!(missing.is_empty(), "without an example: {missing:#?}");
    for (name, _) in EXEMPT {
        let is_public = items.iter().any(|(_, item)| item == name);
        assert!(
            is_public && !used.contains(*name),
            "needs no exemption: {name}"
        );
    }
}

/// The names of the functions and types that are declared `pub`.
fn public_names(text: &str) -> impl Iterator<Item = String> {
    let declarations = text.lines().filter_map(|line| {
        let mut rest = line.trim_start().strip_prefix("pub ")?;
        for modifier in ["const ", "async "] {
            rest = rest.strip_prefix(modifier).unwrap_or(rest);
        }
        ["fn ", "struct ", "enum ", "trait "]
            .iter()
            .find_map(|kind| rest.strip_prefix(kind))
    });
    declarations.map(|rest| words(rest).next().unwrap())
}

/// The code that rustdoc compiles: the Rust blocks in the lines with this comment marker, without
/// the comments inside them.
fn examples(text: &str, marker: &str) -> String {
    let mut code = String::new();
    // The fence of the block that the line is in: whether it is Rust.
    let mut block = None;
    for line in text.lines() {
        let Some(line) = line.trim_start().strip_prefix(marker) else {
            continue;
        };
        let line = line.trim();
        match (line.strip_prefix("```"), block) {
            (Some(_), Some(_)) => block = None,
            (Some(info), None) => block = Some(is_compiled(info)),
            (None, Some(true)) if !line.starts_with("//") => {
                code.push_str(line);
                code.push('\n');
            }
            (None, _) => {}
        }
    }
    code
}

fn is_compiled(info: &str) -> bool {
    let rust = ["rust", "no_run", "should_panic", "compile_fail"];
    info.split(',')
        .all(|word| word.is_empty() || rust.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

#[test]
fn only_code_that_is_compiled_counts() {
    let text = "
        /// ```
        /// first(); // no comment
        /// // second();
        /// ```
        /// third();
        /// ```text
        /// fourth();
        /// ```
        pub const fn fifth() {}
        pub(crate) fn sixth() {}
    ";
    let used: Vec<String> = words(&examples(text, "///")).take(1).collect();
    assert_eq!(used, ["first"]);
    for word in ["second", "third", "fourth"] {
        assert!(!examples(text, "///").contains(word), "{word}");
    }
    assert_eq!(public_names(text).collect::<Vec<_>>(), ["fifth"]);
}
