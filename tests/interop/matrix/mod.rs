//! Every peer with every case it can take part in, as one table.
//!
//! ```text
//! COUNTERSIGN_MATRIX=all cargo test --test interop the_matrix
//! ```
//!
//! tries every peer there is, and prints the table. Without the variable, as in a plain `cargo
//! test`, it is the light peers: those that start at once and are easily had. With any other value
//! it is the peers with that in their name. `COUNTERSIGN_WRITE_MATRIX=1` writes the table into
//! `docs/review/interoperability.md`, if it is that of all peers. The packages of Node are found by `NODE_PATH`.

mod clients;
mod facts;
mod messages;
mod relay;
mod servers;
mod table;
mod version;

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use crate::process::{command, say};
use crate::{PASSWORD, QUOTED_REALM, USER, UTF8_LOGIN, UTF8_PASSWORD, UTF8_USER};
use facts::Facts;
use table::Table;

/// Names the peers to try.
const SELECTION: &str = "COUNTERSIGN_MATRIX";

/// Where the tables begin on the page.
const MARK: &str = "<!-- The test writes what follows. -->";

/// What is tried with a peer: a name among the cases of `peers.json`.
type Case = &'static str;

/// What our server is told for it.
fn server_options(case: Case) -> &'static [&'static str] {
    match case {
        "stale" => &["--nonce-lifetime", "2"],
        "UTF-8" => &["--user", UTF8_LOGIN],
        "quoted" => &["--realm", QUOTED_REALM],
        "SHA-256" => &["--algorithm", "SHA-256"],
        "SHA-512-256" => &["--algorithm", "SHA-512-256"],
        "auth-int" => &["--qop", "auth-int"],
        "either qop" => &["--qop", "auth,auth-int"],
        "nextnonce" => &["--nextnonce"],
        "Basic" => &["--basic", "--allow-cleartext-basic", "--algorithm="],
        _ => &[],
    }
}

/// Who logs in, with which password.
fn login(case: Case) -> (&'static str, &'static str) {
    match case {
        "UTF-8" => (UTF8_USER, UTF8_PASSWORD),
        "wrong" => (USER, "wrong"),
        _ => (USER, PASSWORD),
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
    /// The same, but an option of ours makes up for it.
    Served {
        limit: String,
        option: &'static str,
    },
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

    /// A limit that an option of ours makes up for: that it does is tried.
    fn or_with(self, remedy: Option<Remedy>, again: impl FnOnce(&str) -> Self) -> Self {
        match (self, remedy) {
            (Self::Limit(limit), Some((argument, option))) => match again(argument) {
                Self::Ok => Self::Served { limit, option },
                other => Self::Failed(format!("{option} does not serve it: {other:?}")),
            },
            (verdict, _) => verdict,
        }
    }
}

/// What makes up for a limit: an option of our program, and what it is in the library.
type Remedy = (&'static str, &'static str);

/// Tries a client: `attempt` is given options for our program, beside those of the case. What the
/// client needs offered is left out at the first request, to see that it does.
fn row_of_client(
    facts: Facts,
    version: Option<String>,
    attempt: impl Fn(Case, &[&str]) -> Verdict,
) -> Row {
    Row::new(facts, version, |case| {
        let (offer, remedy) = match case {
            "first" => (None, facts.offer()),
            _ => (facts.offer(), facts.remedy(case)),
        };
        let attempt = |remedy: Option<&str>| {
            let offer = offer.map(|(argument, _)| argument);
            let options: Vec<_> = offer.into_iter().chain(remedy).collect();
            attempt(case, &options)
        };
        let verdict = attempt(None).or_limit(facts.limit(case));
        verdict.or_with(remedy, |option| attempt(Some(option)))
    })
}

/// A peer, and what came of each case.
struct Row {
    peer: &'static str,
    /// `None` if it is not installed.
    version: Option<String>,
    verdicts: Vec<(Case, Verdict)>,
}

impl Row {
    /// Tries all its cases; a panic is a failure of one.
    fn new(facts: Facts, version: Option<String>, attempt: impl Fn(Case) -> Verdict) -> Self {
        let peer = facts.name();
        let mut verdicts = Vec::new();
        if version.is_none() {
            say(format_args!("skipped: {peer} is not installed"));
        } else {
            for case in facts.cases() {
                let verdict = panic::catch_unwind(AssertUnwindSafe(|| attempt(case)));
                let panicked = |_| Verdict::Failed("panicked".to_owned());
                let verdict = verdict.unwrap_or_else(panicked);
                println!("{peer}: {case}: {verdict:?}");
                verdicts.push((case, verdict));
            }
        }
        Self {
            peer,
            version,
            verdicts,
        }
    }

    fn verdict(&self, case: &str) -> Option<&Verdict> {
        let mut all = self.verdicts.iter();
        all.find_map(|(name, verdict)| (*name == case).then_some(verdict))
    }
}

/// Where the scripts are.
const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers");

/// A program there, with the arguments that the facts name.
fn script(run: &str) -> Command {
    let mut words = run.split(' ');
    let mut command = command(words.next().unwrap());
    command.current_dir(PEERS).args(words);
    command
}

/// How the peers of a kind are tried.
type Attempt = fn(Facts) -> Row;

/// Tries peers, some at once: most of the time is spent on waiting for nonces to grow old.
fn attempt(peers: &[(usize, Attempt, Facts)]) -> Vec<(usize, Row)> {
    const AT_ONCE: usize = 3;
    let waiting = Mutex::new(peers.iter().enumerate());
    let next = || waiting.lock().unwrap().next();
    let tried = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((place, (table, attempt, facts))) = next() {
                    let row = attempt(*facts);
                    tried.lock().unwrap().insert(place, (*table, row));
                }
            });
        }
    });
    tried.into_inner().unwrap().into_values().collect()
}

#[test]
fn the_matrix() {
    let selection = std::env::var(SELECTION).ok();
    let is_selected = |facts: Facts| match selection.as_deref() {
        None | Some("") => facts.is_light(),
        Some("all") => true,
        Some(part) => facts.name().contains(part),
    };
    let kinds = [
        ("servers", servers::row as Attempt),
        ("clients", clients::row),
        ("messages", messages::row),
    ];
    let mut selected = Vec::new();
    for (table, (kind, attempt)) in kinds.into_iter().enumerate() {
        let peers = Facts::of(kind).filter(|peer| is_selected(*peer));
        selected.extend(peers.map(|peer| (table, attempt, peer)));
    }
    assert!(!selected.is_empty(), "no peer is called that");

    let titles = [
        "Servers, and our client",
        "Clients, and our server",
        "RTSP and SIP",
    ];
    let mut tables = titles.map(Table::new);
    for (table, row) in attempt(&selected) {
        tables[table].rows.push(row);
    }
    let text = table::page(&tables);
    say(format_args!("\n{text}"));
    let is_on = std::env::var_os("COUNTERSIGN_WRITE_MATRIX").is_some_and(|value| value == "1");
    if is_on && selection.as_deref() == Some("all") {
        let page = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/docs/review/interoperability.md"
        );
        let written = std::fs::read_to_string(page).unwrap();
        let (by_hand, _) = written.split_once(MARK).expect("the mark");
        std::fs::write(page, format!("{by_hand}{MARK}\n\n{text}")).unwrap();
    }
    let failures: Vec<_> = tables.iter().flat_map(Table::failures).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}
