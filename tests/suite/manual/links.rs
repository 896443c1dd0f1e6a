//! The links of the pages in `docs` and of the documents at the root lead somewhere, in the
//! repository as well as in the documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Pages for users, which `src/manual.rs` includes, and pages for reviewers.
fn pages() -> BTreeMap<PathBuf, String> {
    let mut pages = BTreeMap::new();
    for folder in ["docs", "docs/review"] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "md") {
                let text = fs::read_to_string(&path).unwrap();
                pages.insert(path, text);
            }
        }
    }
    assert!(pages.len() > 12, "{:?}", pages.keys());
    pages
}

/// The lines of a page that are not in a code block.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// What `[name]: target` defines.
fn definitions(text: &str) -> BTreeMap<&str, &str> {
    let lines = prose(text).filter_map(|line| line.strip_prefix('['));
    lines.filter_map(|line| line.split_once("]: ")).collect()
}

/// The targets of the links of a page, in either form.
fn targets(text: &str) -> BTreeSet<&str> {
    let mut targets: BTreeSet<_> = definitions(text).into_values().collect();
    for line in prose(text) {
        for rest in line.split("](").skip(1) {
            targets.extend(rest.split(')').next());
        }
    }
    targets
}

/// As GitHub and rustdoc make them of headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

fn faults(page: &Path, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for target in targets(text) {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = match file {
            "" => page.to_owned(),
            _ => page.parent().unwrap().join(file),
        };
        if !path.exists() {
            faults.push(format!("{}: no {target}", page.display()));
        } else if !anchor.is_empty() {
            let other = match file {
                "" => text.to_owned(),
                _ => fs::read_to_string(&path).unwrap(),
            };
            if !anchors(&other).contains(anchor) {
                faults.push(format!("{}: no heading {target}", page.display()));
            }
        }
    }
    faults
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut pages = pages();
    for path in ["README.md", "SECURITY.md", "CONTRIBUTING.md"] {
        pages.insert(path.into(), fs::read_to_string(path).unwrap());
    }
    let faults: Vec<_> = pages
        .iter()
        .flat_map(|(page, text)| faults(page, text))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// `[name]: crate::…` in `src/manual.rs` comes before the `[name]: file.md` of a page, so that the
/// link of that name works in the documentation. Whether it does is up to rustdoc.
#[test]
fn links_of_included_pages_are_links_of_the_documentation() {
    let manual = fs::read_to_string("src/manual.rs").unwrap();
    let attributes = manual.split("#[doc = \"[").skip(1);
    let pairs = attributes.map(|it| it.split('"').next().unwrap().split_once("]: ").unwrap());
    let shared: BTreeMap<_, _> = pairs.collect();
    let mut used = BTreeSet::new();
    for (page, text) in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let is_included = manual.contains(&format!("\"../docs/{name}\""));
        assert_eq!(
            is_included,
            page.parent() == Some(Path::new("docs")),
            "{name}"
        );
        if !is_included {
            continue;
        }
        for (link, target) in definitions(&text) {
            let item = shared
                .get(link)
                .unwrap_or_else(|| panic!("{name}: [{link}] is not shared"));
            // The same place in both.
            if let Some((file, anchor)) = target.split_once('#') {
                let file = if file.is_empty() { name } else { file };
                let module = file.trim_end_matches(".md").replace('-', "_");
                assert_eq!(
                    **item,
                    format!("crate::manual::{module}#{anchor}"),
                    "{name}"
                );
            }
            used.insert(link.to_owned());
        }
        for target in targets(&text) {
            let is_defined = definitions(&text).values().any(|it| *it == target);
            assert!(
                is_defined || target.starts_with('#'),
                "{name}: {target} has no name"
            );
        }
    }
    let unused: Vec<_> = shared
        .keys()
        .filter(|name| !used.contains(**name))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}
