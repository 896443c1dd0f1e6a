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
mod messages;
mod pair;
mod relay;
mod servers;
mod table;
mod version;

use std::collections::{BTreeMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::thread;

use crate::process::say;
use table::Table;

/// Names the peers to try.
const SELECTION: &str = "COUNTERSIGN_MATRIX";

/// Where the tables begin on the page.
const MARK: &str = "<!-- The test writes what follows. -->";

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

/// Tries a case with a client: `attempt` is given options for our program, beside those of the
/// case. What the client needs offered is left out at the first request, to see that it does.
fn attempt_with(
    case: Case,
    offer: Option<Remedy>,
    remedy: Option<Remedy>,
    limit: Option<&str>,
    attempt: impl Fn(&[&str]) -> Verdict,
) -> Verdict {
    let (offer, remedy) = match case {
        Case::First => (None, offer),
        _ => (offer, remedy),
    };
    let offer = offer.map(|(argument, _)| argument);
    let attempt = |remedy: Option<&str>| {
        let options: Vec<_> = offer.into_iter().chain(remedy).collect();
        attempt(&options)
    };
    let verdict = attempt(None).or_limit(limit);
    verdict.or_with(remedy, |option| attempt(Some(option)))
}

/// What some clients need offered.
const MD5_FIRST: Remedy = (
    "--algorithm=MD5,SHA-256",
    "`Realm::with_algorithms` with MD5 first",
);

/// A peer, and how it is tried.
struct Peer {
    name: &'static str,
    /// Whether it starts at once, and is easily had.
    is_light: bool,
    /// Starts it and tries every case, under its name.
    attempt: fn(&'static str) -> Row,
}

impl Peer {
    const fn light(name: &'static str, attempt: fn(&'static str) -> Row) -> Self {
        Self {
            name,
            is_light: true,
            attempt,
        }
    }

    const fn heavy(name: &'static str, attempt: fn(&'static str) -> Row) -> Self {
        Self {
            name,
            is_light: false,
            attempt,
        }
    }

    fn is_selected(&self, selection: Option<&str>) -> bool {
        match selection {
            None | Some("") => self.is_light,
            Some("all") => true,
            Some(part) => self.name.contains(part),
        }
    }
}

/// A peer, and what came of each case.
struct Row {
    peer: &'static str,
    /// `None` if it is not installed.
    version: Option<String>,
    verdicts: BTreeMap<Case, Verdict>,
}

impl Row {
    /// Tries all these cases; a panic is a failure of one.
    fn new(
        peer: &'static str,
        version: Option<String>,
        cases: &[Case],
        attempt: impl Fn(Case) -> Verdict,
    ) -> Self {
        let mut verdicts = BTreeMap::new();
        match version {
            None => say(format_args!("skipped: {peer} is not installed")),
            Some(_) => {
                for &case in cases {
                    let verdict = panic::catch_unwind(AssertUnwindSafe(|| attempt(case)));
                    let panicked = |_| Verdict::Failed("panicked".to_owned());
                    let verdict = verdict.unwrap_or_else(panicked);
                    println!("{peer}: {case:?}: {verdict:?}");
                    verdicts.insert(case, verdict);
                }
            }
        }
        Self {
            peer,
            version,
            verdicts,
        }
    }
}

/// A script of `tests/peers`.
fn script(name: &str) -> String {
    format!("{}/tests/peers/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Tries peers, some at once: most of the time is spent on waiting for nonces to grow old.
fn attempt(peers: &[(usize, Peer)]) -> Vec<(usize, Row)> {
    const AT_ONCE: usize = 3;
    let waiting: Mutex<VecDeque<_>> = Mutex::new(peers.iter().collect());
    let work = || {
        let mut rows = Vec::new();
        loop {
            let Some((table, peer)) = waiting.lock().unwrap().pop_front() else {
                return rows;
            };
            rows.push((*table, (peer.attempt)(peer.name)));
        }
    };
    let mut rows: Vec<_> = thread::scope(|scope| {
        let workers = [(); AT_ONCE].map(|()| scope.spawn(work));
        workers
            .map(|worker| worker.join().unwrap())
            .into_iter()
            .flatten()
            .collect()
    });
    let place = |row: &Row| peers.iter().position(|(_, peer)| peer.name == row.peer);
    rows.sort_by_key(|(_, row)| place(row));
    rows
}

#[test]
fn the_matrix() {
    let selection = std::env::var(SELECTION).ok();
    let kinds = [
        ("Servers, and our client", servers::peers()),
        ("Clients, and our server", clients::peers()),
        ("RTSP and SIP", messages::peers()),
    ];
    let titles = kinds.each_ref().map(|(title, _)| *title);
    let peers = kinds.into_iter().enumerate();
    let peers = peers.flat_map(|(n, (_, peers))| peers.into_iter().map(move |peer| (n, peer)));
    let selected = peers.filter(|(_, peer)| peer.is_selected(selection.as_deref()));
    let selected: Vec<_> = selected.collect();
    assert!(!selected.is_empty(), "no peer is called that");

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
