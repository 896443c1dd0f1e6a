//! The table at the top of the manual names files that exist.

use std::path::Path;

#[test]
fn every_file_that_the_index_names_exists() {
    let page = include_str!("../../../src/manual/mod.rs");
    let rows = page.lines().filter(|line| line.starts_with("//! |"));
    let cells = rows.filter_map(|row| row.trim_end_matches(['|', ' ']).rsplit('|').next());
    let files: Vec<_> = cells
        .flat_map(|cell| cell.split('`'))
        .filter(|name| name.ends_with(".rs"))
        .collect();
    assert!(files.len() > 15, "{files:?}");
    for file in files {
        assert!(Path::new("src").join(file).is_file(), "{file}");
    }
}
