//! The public surface, read from the source: so a list of it in a test can not miss what is new.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::sources::{code, files};

/// A public function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// `digest::Challenge::new`: the public folder, the type and the name.
    pub(super) path: String,
    /// The names and types of its arguments, without `self`.
    pub(super) args: Vec<(String, String)>,
}

/// The public folders; everything else is exported at the root.
const FOLDERS: [&str; 4] = ["client", "digest", "precis", "server"];

/// The path that users write for an item of a file.
fn public_path(file: &Path, item: &str) -> String {
    let name = item.split("::").next().expect("a name");
    let wire = include_str!("../../../src/wire.rs");
    let mut exported = wire.lines().filter(|line| line.starts_with("pub use"));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if exported.any(|line| line.split(|c| !is_name(c)).any(|word| word == name)) {
        return format!("wire::{item}");
    }
    let path = file.strip_prefix("src").expect("a file of src");
    let first = path.iter().next().and_then(|it| it.to_str()).expect("text");
    match first.trim_end_matches(".rs") {
        folder if FOLDERS.contains(&folder) => format!("{folder}::{item}"),
        _ => item.to_owned(),
    }
}

/// All `pub fn`, which in this crate are those of the public interface: what is internal is
/// `pub(crate)` or `pub(super)`, which `unreachable_pub` sees to.
pub(super) fn functions() -> Vec<Function> {
    let mut functions = Vec::new();
    for file in files(Path::new("src")) {
        let code = code(&fs::read_to_string(&file).expect("a source file"));
        let mut owner = String::new();
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            if line == "}" {
                owner.clear();
            } else if let Some(rest) = line.strip_prefix("impl") {
                owner = type_name(rest);
            }
            let Some(start) = line.trim_start().strip_prefix("pub ") else {
                continue;
            };
            let start = start.strip_prefix("const ").unwrap_or(start);
            let Some(start) = start.strip_prefix("fn ") else {
                continue;
            };
            let mut signature = start.to_owned();
            while !signature.ends_with(['{', ';']) {
                signature.push(' ');
                signature.push_str(lines.next().expect("the body").trim());
            }
            functions.push(function(&file, &owner, &signature));
        }
    }
    functions
}

/// The name of the type of an `impl`, from what follows that word.
fn type_name(rest: &str) -> String {
    let rest = match rest.strip_prefix('<') {
        Some(generic) => &generic[closing(generic, '<', '>') + 1..],
        None => rest,
    };
    let rest = rest.split_once(" for ").map_or(rest, |(_, it)| it).trim();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    rest.chars().take_while(|&c| is_name(c)).collect()
}

fn function(file: &Path, owner: &str, signature: &str) -> Function {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let end = signature.find(|c| !is_name(c)).expect("the arguments");
    let (name, rest) = signature.split_at(end);
    let (generics, rest) = match rest.strip_prefix('<') {
        Some(rest) => rest.split_at(closing(rest, '<', '>')),
        None => ("", rest),
    };
    let open = rest.find('(').expect("the arguments") + 1;
    let list = &rest[open..open + closing(&rest[open..], '(', ')')];
    let bounds = rest.split_once(" where ").map_or("", |(_, bounds)| bounds);
    let args = split(list).into_iter().filter_map(|arg| {
        let (name, kind) = arg.split_once(": ")?;
        let name = name.trim_start_matches("mut ").to_owned();
        Some((name, bounded(kind, &format!("{generics}, {bounds}"))))
    });
    let item = match owner {
        "" => name.to_owned(),
        owner => format!("{owner}::{name}"),
    };
    Function {
        path: public_path(file, &item),
        args: args.collect(),
    }
}

/// A type, with the bound of the generic parameter that it is made of.
fn bounded(kind: &str, bounds: &str) -> String {
    let bare = kind.trim_start_matches('&').trim_start_matches("'a ");
    let bounds = split(bounds);
    let bound = bounds
        .iter()
        .find_map(|it| it.trim().strip_prefix(bare)?.strip_prefix(": "));
    match bound {
        Some(bound) => bound.trim_end_matches(['{', ',', ' ']).to_owned(),
        None => kind.to_owned(),
    }
}

/// Where the bracket closes that was opened before this.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut depth = 1;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        // Not the arrow of a closure's result.
        if c == open {
            depth += 1;
        } else if c == close && before != '-' {
            depth -= 1;
        }
        if depth == 0 {
            return at;
        }
        before = c;
    }
    panic!("{open} is not closed in {text}")
}

/// The elements of a list, at its commas that are in no brackets.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// All public structs and enums, as users write them.
pub(super) fn types() -> BTreeSet<String> {
    let mut types = BTreeSet::new();
    for file in files(Path::new("src")) {
        let code = code(&fs::read_to_string(&file).expect("a source file"));
        for line in code.lines() {
            let rest = line
                .strip_prefix("pub struct ")
                .or_else(|| line.strip_prefix("pub enum "));
            if let Some(rest) = rest {
                let is_name = |c: char| c.is_alphanumeric() || c == '_';
                let name: String = rest.chars().take_while(|&c| is_name(c)).collect();
                types.insert(public_path(&file, &name));
            }
        }
    }
    types
}

#[test]
fn the_surface_is_read() {
    let functions = functions();
    let args = |path: &str| -> Vec<String> {
        let mut found = functions.iter().filter(|it| it.path == path);
        let it = found
            .next()
            .unwrap_or_else(|| panic!("{path} was not found"));
        assert!(found.next().is_none(), "{path} twice");
        it.args
            .iter()
            .map(|(name, kind)| format!("{name}: {kind}"))
            .collect()
    };
    assert_eq!(args("Timestamp::plus_secs"), ["secs: u64"]);
    assert_eq!(
        args("wire::DigestChallenge::new"),
        [
            "realm: AsRef<[u8]> + ?Sized",
            "nonce: AsRef<[u8]> + ?Sized",
            "algorithm: Algorithm"
        ],
    );
    assert_eq!(
        args("digest::userhash"),
        [
            "hash: HashFunction",
            "username: HashInput",
            "realm: HashInput"
        ],
    );
    assert_eq!(
        args("client::Endpoint::proxy"),
        ["scheme: &str", "host: &str", "port: u16"]
    );
    assert!(functions.len() > 200);
    let types = types();
    for known in [
        "Text",
        "server::Grant",
        "client::Next",
        "digest::Ha1",
        "wire::BasicCredentials",
    ] {
        assert!(types.contains(known), "{known}");
    }
    assert!(types.len() > 50, "{}", types.len());
}
