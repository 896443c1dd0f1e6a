//! `--help` of an example: the page at the top of its source.

/// The page, with its table of options as two columns.
pub(crate) fn page(source: &str) -> String {
    let mut page = String::new();
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(row) = line.strip_prefix("| `") {
            let row = row.trim_end_matches(" |").replace("\\|", "|");
            let (option, meaning) = row.split_once("` | ").unwrap_or((&row, ""));
            page += &format!("  {option}\n      {}\n", meaning.replace('`', ""));
        } else if !line.starts_with('|') && !line.starts_with("```") {
            page = page + &line.replace('`', "") + "\n";
        }
    }
    page
}
