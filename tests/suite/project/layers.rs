//! Holds the modules to the order in which `src/lib.rs`, and the `mod.rs` of a folder, lists them:
//! each may import from those in earlier groups, and from itself. That also rules out cycles.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::sources::{code, files};

#[test]
fn modules_import_only_from_the_groups_above_them() {
    let layers = layers(Path::new("src/lib.rs"));
    assert!(layers.len() > 12, "the groups of src/lib.rs were not found");
    check(Path::new("src"), &layers, "crate::");
}

/// The folders whose `mod.rs` has the line that says so.
#[test]
fn modules_in_folders_import_only_from_the_groups_above_them() {
    let mut folders = Vec::new();
    for path in files(Path::new("src")) {
        let is_ordered = fs::read_to_string(&path).unwrap().contains(ORDERED);
        if path.ends_with("mod.rs") && is_ordered {
            let folder = path.parent().unwrap();
            let name = folder.file_name().unwrap().to_str().unwrap();
            let layers = layers(&path);
            assert!(
                layers.len() > 1,
                "the groups of {} were not found",
                path.display()
            );
            check(folder, &layers, &format!("crate::{name}::"));
            folders.push(name.to_owned());
        }
    }
    folders.sort();
    assert_eq!(
        folders,
        ["client", "digest", "hash", "header", "server", "syntax"]
    );
}

/// What a list that is an order begins with, in a folder.
const ORDERED: &str = "// A module imports from those above it on this page only";

/// Checks that what the modules of a folder import by this prefix comes from groups above them.
fn check(folder: &Path, layers: &BTreeMap<String, usize>, prefix: &str) {
    let mut imports = 0;
    let mut wrong = Vec::new();
    for path in files(folder) {
        let Some(here) = module_of(folder, &path).filter(|here| layers.contains_key(here)) else {
            continue;
        };
        for there in imported(&fs::read_to_string(&path).unwrap(), prefix) {
            // In a folder, what its `mod.rs` exports again is not a module.
            let Some(layer) = layers.get(&there) else {
                panic!("{} imports {there}, which is in no group", path.display());
            };
            imports += 1;
            if there != here && *layer >= layers[&here] {
                wrong.push(format!("{} imports {there}", path.display()));
            }
        }
    }
    println!("{}: {imports} imports", folder.display());
    assert!(wrong.is_empty(), "against the order: {wrong:#?}");
}

#[test]
fn only_one_file_uses_the_hash_crates() {
    for path in files(Path::new("src")) {
        let code = code(&fs::read_to_string(&path).unwrap());
        let names = [
            "use md5", "use sha2", "use hmac", "sha2::", "hmac::", "md5::",
        ];
        let named = names.iter().any(|name| code.contains(name));
        let may = path.ends_with("src/hash/hasher.rs");
        assert_eq!(named, may, "{}", path.display());
    }
}

/// Module name to group number; a blank line in the list starts a new group.
fn layers(list: &Path) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(list).unwrap();
    let is_start = |line: &&str| *line == "// Leaves." || line.starts_with(ORDERED);
    let mut layer = 0;
    let mut layers = BTreeMap::new();
    for line in text.lines().skip_while(|line| !is_start(line)) {
        let item = line.strip_prefix("pub(crate) ").unwrap_or(line);
        let item = item.strip_prefix("pub ").unwrap_or(item);
        if let Some(name) = item
            .strip_prefix("mod ")
            .and_then(|rest| rest.split(';').next())
        {
            layers.insert(name.to_owned(), layer);
        } else if line.is_empty() {
            layer += 1;
        }
    }
    layers
}

fn module_of(folder: &Path, path: &Path) -> Option<String> {
    let first = path.strip_prefix(folder).unwrap().components().next()?;
    let name = first.as_os_str().to_str()?.trim_end_matches(".rs");
    (name != "lib" && name != "mod").then(|| name.to_owned())
}

/// The first segment of every path that begins so, outside of comments and tests.
fn imported(text: &str, prefix: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let code = code(text);
    let mut modules = Vec::new();
    for rest in code.split(prefix).skip(1) {
        // `use crate::{basic, digest}` names several.
        let names = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap().split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let name = name.trim_start();
            let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
            modules.push(name[..end].to_owned());
        }
    }
    modules.retain(|name| !name.is_empty());
    modules
}
