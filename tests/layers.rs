//! Holds the modules to the order in which `src/lib.rs` lists them: each may import from those in
//! earlier groups, and from itself. That also rules out cycles.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn modules_import_only_from_the_groups_above_them() {
    let layers = layers();
    assert!(layers.len() > 15, "the groups of src/lib.rs were not found");
    let mut imports = 0;
    let mut wrong = Vec::new();
    for path in files(Path::new("src")) {
        let Some(here) = module_of(&path).filter(|here| layers.contains_key(here)) else {
            continue;
        };
        for there in imported(&fs::read_to_string(&path).unwrap()) {
            let Some(layer) = layers.get(&there) else {
                panic!("{} imports {there}, which is in no group", path.display());
            };
            imports += 1;
            if there != here && *layer >= layers[&here] {
                wrong.push(format!("{} imports {there}", path.display()));
            }
        }
    }
    assert!(imports > 100, "only {imports} imports were found");
    assert!(
        wrong.is_empty(),
        "against the order in src/lib.rs: {wrong:#?}"
    );
}

#[test]
fn one_file_names_the_hash_crates() {
    for path in files(Path::new("src")) {
        let code = code(&fs::read_to_string(&path).unwrap());
        let names = [
            "use md5", "use sha2", "use hmac", "sha2::", "hmac::", "md5::",
        ];
        let named = names.iter().any(|name| code.contains(name));
        assert_eq!(named, path.ends_with("src/hash.rs"), "{}", path.display());
    }
}

/// Module name to group number; a blank line in `src/lib.rs` starts a new group.
fn layers() -> BTreeMap<String, usize> {
    let lib = fs::read_to_string("src/lib.rs").unwrap();
    let mut layer = 0;
    let mut layers = BTreeMap::new();
    for line in lib.lines().skip_while(|line| *line != "// Leaves.") {
        let item = line.strip_prefix("pub ").unwrap_or(line);
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

fn module_of(path: &Path) -> Option<String> {
    let first = path.strip_prefix("src").unwrap().components().next()?;
    let name = first.as_os_str().to_str()?.trim_end_matches(".rs");
    (name != "lib").then(|| name.to_owned())
}

/// The first segment of every `crate::` path outside of comments and tests.
fn imported(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let code = code(text);
    let mut modules = Vec::new();
    for rest in code.split("crate::").skip(1) {
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

/// The lines that are no comments, up to the unit tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}
