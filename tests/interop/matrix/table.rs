//! How the matrix is printed.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::facts::cases;
use super::{Case, Row, Verdict};

/// Rows of one kind.
pub(super) struct Table {
    title: &'static str,
    pub(super) rows: Vec<Row>,
}

/// What the cases are, and all tables that have rows.
pub(super) fn page(tables: &[Table]) -> String {
    let mut text = String::from("## The cases\n\n| name | what it is |\n|---|---|\n");
    for (name, meaning, _) in cases() {
        writeln!(text, "| {name} | {meaning} |").unwrap();
    }
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        write!(text, "\n{table}").unwrap();
    }
    text
}

impl Table {
    pub(super) const fn new(title: &'static str) -> Self {
        Self {
            title,
            rows: Vec::new(),
        }
    }

    /// A line for each reason: cases and peers that share one share the line.
    fn write_reasons(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In the order of the cases, by their places.
        let place = |case: Case| cases().position(|(name, ..)| name == case);
        let mut peers: BTreeMap<_, (Vec<Case>, Vec<&str>)> = BTreeMap::new();
        for row in &self.rows {
            let mut reasons: BTreeMap<String, Vec<Case>> = BTreeMap::new();
            for (case, verdict) in &row.verdicts {
                if let Some(reason) = verdict.reason() {
                    reasons.entry(reason).or_default().push(case);
                }
            }
            for (reason, cases) in reasons {
                let places: Vec<_> = cases.iter().map(|case| place(case)).collect();
                let entry = peers.entry((places, reason));
                entry.or_insert((cases, Vec::new())).1.push(row.peer);
            }
        }
        for ((_, reason), (cases, peers)) in peers {
            writeln!(f, "- {}: {reason} ({})", cases.join(", "), peers.join("; "))?;
        }
        Ok(())
    }

    /// What should not be.
    pub(super) fn failures(&self) -> impl Iterator<Item = String> {
        let all = self
            .rows
            .iter()
            .flat_map(|row| row.verdicts.iter().map(move |it| (row, it)));
        all.filter_map(|(row, (case, verdict))| match verdict {
            Verdict::Failed(how) => Some(format!("{}: {case}: {how}", row.peer)),
            _ => None,
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_tried = |case: &Case| self.rows.iter().any(|row| row.verdict(case).is_some());
        let cases: Vec<_> = cases().map(|(case, ..)| case).filter(is_tried).collect();
        writeln!(f, "## {}\n", self.title)?;
        f.write_str("| peer | version |")?;
        for case in &cases {
            write!(f, " {case} |")?;
        }
        writeln!(f, "\n|---|---|{}", "---|".repeat(cases.len()))?;
        for row in &self.rows {
            let Some(version) = &row.version else {
                let rest = " |".repeat(cases.len());
                writeln!(f, "| {} | skipped: not installed |{rest}", row.peer)?;
                continue;
            };
            write!(f, "| {} | {version} |", row.peer)?;
            for case in &cases {
                let cell = row.verdict(case).map_or("", Verdict::cell);
                write!(f, " {cell} |")?;
            }
            f.write_char('\n')?;
        }
        f.write_char('\n')?;
        self.write_reasons(f)
    }
}

impl Verdict {
    const fn cell(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Limit(_) => "limit",
            Self::Served { .. } => "option",
            Self::Failed(_) => "**FAILED**",
        }
    }

    fn reason(&self) -> Option<String> {
        match self {
            Self::Ok | Self::Refused => None,
            Self::Limit(reason) | Self::Failed(reason) => Some(reason.clone()),
            Self::Served { limit, option } => Some(format!("{limit}; use {option}")),
        }
    }
}
