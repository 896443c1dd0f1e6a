//! Every peer with every case it can take part in, as one table.
//!
//! ```text
//! cargo test --test interop matrix -- --ignored --nocapture
//! ```
//!
//! prints it, and with `COUNTERSIGN_WRITE_MATRIX=1` writes it into the manual. With
//! `COUNTERSIGN_MATRIX_PEER=…` it tries only peers with that in their name. The packages of Node
//! are found by `NODE_PATH`. Plain `cargo test` runs the light peers that no other test has.

mod clients;
mod messages;
mod servers;

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use crate::process::{command, run};

/// Names the peers to try.
const ONLY: &str = "COUNTERSIGN_MATRIX_PEER";

/// What is tried with a peer.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Case {
    First,
    Ten,
    Stale,
    Wrong,
    Utf8,
    Quoted,
    Query,
    Post,
    Sha256,
    Sha512,
    AuthInt,
    NextNonce,
    Proof,
    Basic,
}

impl Case {
    const ALL: [Self; 14] = [
        Self::First,
        Self::Ten,
        Self::Stale,
        Self::Wrong,
        Self::Utf8,
        Self::Quoted,
        Self::Query,
        Self::Post,
        Self::Sha256,
        Self::Sha512,
        Self::AuthInt,
        Self::NextNonce,
        Self::Proof,
        Self::Basic,
    ];

    /// Its place in the table, and what it is.
    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::First => ("first", "a first request: challenge, answer, success"),
            Self::Ten => ("ten", "ten requests in one session: one challenge"),
            Self::Stale => ("stale", "a nonce that expires in the middle of a session"),
            Self::Wrong => ("wrong", "a wrong password: refused, and not tried again"),
            Self::Utf8 => ("UTF-8", "a user name and a password beyond ASCII"),
            Self::Quoted => ("quoted", "a realm with a quote and a backslash"),
            Self::Query => ("query", "a request-target with a query"),
            Self::Post => ("POST", "a request with a body"),
            Self::Sha256 => ("SHA-256", "Digest with SHA-256"),
            Self::Sha512 => ("SHA-512-256", "Digest with SHA-512-256"),
            Self::AuthInt => ("auth-int", "a response that covers the body"),
            Self::NextNonce => ("nextnonce", "the next nonce is sent ahead, and used"),
            Self::Proof => ("rspauth", "the server proves itself, and the client checks"),
            Self::Basic => ("Basic", "Basic, where both sides were told it may be"),
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Verdict {
    Ok,
    /// Refused, as it should be.
    Refused,
    /// Nothing that the other side could do better.
    Limit(String),
    /// What should not be.
    Failed(String),
}

impl Verdict {
    /// What is wrong is nobody's fault but the peer's, if that is known of it.
    fn or_limit(self, limit: Option<&str>) -> Self {
        match (self, limit) {
            (Self::Failed(how), Some(reason)) => {
                println!("{reason}: {how}");
                Self::Limit(reason.to_owned())
            }
            (verdict, _) => verdict,
        }
    }

    const fn cell(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Limit(_) => "limit",
            Self::Failed(_) => "**FAILED**",
        }
    }
}

/// A peer, and what came of each case.
struct Row {
    peer: String,
    /// `None` if it is not installed.
    version: Option<String>,
    verdicts: BTreeMap<Case, Verdict>,
}

impl Row {
    /// Tries all these cases; a panic is a failure of one.
    fn new(
        peer: &str,
        version: Option<String>,
        cases: &[Case],
        attempt: impl Fn(Case) -> Verdict,
    ) -> Self {
        let mut verdicts = BTreeMap::new();
        if version.is_some() && is_wanted(peer) {
            for &case in cases {
                let verdict = panic::catch_unwind(AssertUnwindSafe(|| attempt(case)));
                let verdict = verdict.unwrap_or_else(|_| Verdict::Failed("panicked".to_owned()));
                println!("{peer}: {case:?}: {verdict:?}");
                verdicts.insert(case, verdict);
            }
        }
        Self {
            peer: peer.to_owned(),
            version,
            verdicts,
        }
    }

    /// Panics if anything failed.
    #[track_caller]
    fn check(&self) {
        for (case, verdict) in &self.verdicts {
            let is_failed = matches!(verdict, Verdict::Failed(_));
            assert!(!is_failed, "{} {case:?} {verdict:?}", self.peer);
        }
    }
}

/// Whether a peer is asked for, where some are.
fn is_wanted(peer: &str) -> bool {
    std::env::var(ONLY).map_or(true, |wanted| peer.contains(&wanted))
}

/// Rows of one kind.
struct Table {
    title: &'static str,
    rows: Vec<Row>,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_tried = |case: &Case| self.rows.iter().any(|row| row.verdicts.contains_key(case));
        let cases: Vec<_> = Case::ALL.into_iter().filter(is_tried).collect();
        writeln!(f, "# {}\n", self.title)?;
        f.write_str("| peer | version |")?;
        for case in &cases {
            write!(f, " {} |", case.name().0)?;
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
                let cell = row.verdicts.get(case).map_or("", Verdict::cell);
                write!(f, " {cell} |")?;
            }
            f.write_char('\n')?;
        }
        f.write_char('\n')?;
        for row in &self.rows {
            // Cases with the same reason share a line.
            let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (case, verdict) in &row.verdicts {
                if let Verdict::Limit(reason) | Verdict::Failed(reason) = verdict {
                    reasons.entry(reason).or_default().push(case.name().0);
                }
            }
            for (reason, cases) in reasons {
                writeln!(f, "- {}, {}: {reason}", row.peer, cases.join(", "))?;
            }
        }
        Ok(())
    }
}

/// What a program says of its version: the first word with a digit and a dot, without what is
/// around the number. `None` if it cannot be run.
fn version(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = command("sh");
    // sh, so that a program that is not there is no panic.
    command
        .args(["-c", "exec \"$0\" \"$@\"", program])
        .args(arguments);
    let output = run(&mut command);
    // What a wrapper complains of comes second.
    let text = output.stdout + "\n" + &output.stderr;
    let is_version = |word: &&str| {
        let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits = number.find(|c: char| !c.is_ascii_digit());
        digits.is_some_and(|end| end > 0 && number[end..].starts_with('.'))
    };
    let missing = text.contains("not found") || text.contains("Cannot find module");
    let word = text
        .split_whitespace()
        .find(is_version)
        .filter(|_| !missing)?;
    let number = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = number.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    Some(number[..end.unwrap_or(number.len())].to_owned())
}

/// Peers of which no other test knows.
#[test]
fn light_peers_keep_to_the_matrix() {
    servers::light().iter().for_each(Row::check);
    messages::light().iter().for_each(Row::check);
}

/// A script of `tests/peers`.
fn script(name: &str) -> String {
    format!("{}/tests/peers/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
#[ignore = "takes minutes and many peers"]
fn the_whole_matrix() {
    let tables = [
        Table {
            title: "Servers, and our client",
            rows: servers::rows(),
        },
        Table {
            title: "Clients, and our server",
            rows: clients::rows(),
        },
        Table {
            title: "RTSP and SIP",
            rows: messages::rows(),
        },
    ];
    let mut text = String::from("# The cases\n\n| name | what it is |\n|---|---|\n");
    for case in Case::ALL {
        let (name, meaning) = case.name();
        writeln!(text, "| {name} | {meaning} |").unwrap();
    }
    for table in &tables {
        write!(text, "\n{table}").unwrap();
    }
    println!("\n{text}");
    let writes = std::env::var_os("COUNTERSIGN_WRITE_MATRIX").is_some_and(|value| value == "1");
    if writes && std::env::var_os(ONLY).is_none() {
        let path = "src/manual/interoperability.md";
        std::fs::write(format!("{}/{path}", env!("CARGO_MANIFEST_DIR")), text).unwrap();
    }
    for table in tables {
        table.rows.iter().for_each(Row::check);
    }
}
