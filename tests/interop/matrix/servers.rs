//! `fetch` against real servers.

use std::thread;
use std::time::Duration;

use super::{Case, Row, Verdict, version};
use crate::apache::Apache;
use crate::lighttpd::Lighttpd;
use crate::programs::{Fetched, fetch_as};
use crate::wire::{self, Canned};
use crate::{LOGIN, UTF8_PASSWORD, UTF8_USER};

/// Where a case is tried: a path, or why it is not.
type Place = Result<&'static str, &'static str>;

/// How a nonce expires in the middle of a session.
#[derive(Clone, Copy)]
enum Expiry {
    /// The second answer is held back for as long as nonces live.
    Wait(u64),
    /// The client was given a nonce that the server does not know, and calls stale.
    Forge,
    /// The server lets a nonce be used a few times only.
    Count,
}

/// A server that runs.
struct Server<'a> {
    address: &'a str,
    place: fn(Case) -> Place,
    expiry: Expiry,
    options: &'a [&'a str],
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = vec![apache(), lighttpd()];
    rows.extend(light());
    rows
}

/// Those that no other test has, and that take no time.
fn light() -> Vec<Row> {
    Vec::new()
}

const NO_AUTH_INT: Place = Err("offers no auth-int");
const MD5_ONLY: Place = Err("knows MD5 only");

fn apache() -> Row {
    let apache = Apache::start();
    let server = |apache: &Apache, case| {
        Server {
            address: &apache.address,
            place: |case| match case {
                Case::Stale | Case::NextNonce => Ok("/short/"),
                Case::Quoted => Ok("/quoted/"),
                Case::Sha256 | Case::Sha512 => MD5_ONLY,
                Case::AuthInt => NO_AUTH_INT,
                Case::Basic => Ok("/basic/"),
                _ => Ok("/digest/"),
            },
            expiry: Expiry::Wait(2500),
            options: &[],
        }
        .attempt(case)
    };
    Row::new(
        "Apache httpd",
        apache
            .as_ref()
            .and_then(|_| version("/usr/sbin/apache2", &["-v"])),
        &Case::ALL,
        |case| server(apache.as_ref().unwrap(), case),
    )
}

fn lighttpd() -> Row {
    let lighttpd = Lighttpd::start();
    let server = |lighttpd: &Lighttpd, case| {
        Server {
            address: &lighttpd.address,
            place: |case| match case {
                Case::Quoted => Ok("/quoted/"),
                Case::Sha256 => Ok("/sha-256/"),
                Case::Sha512 => Ok("/sha-512-256/"),
                Case::AuthInt => NO_AUTH_INT,
                Case::Basic => Ok("/basic/"),
                _ => Ok("/all/"),
            },
            expiry: Expiry::Forge,
            options: &[],
        }
        .attempt(case)
    };
    Row::new(
        "lighttpd",
        lighttpd
            .as_ref()
            .and_then(|_| version("/usr/sbin/lighttpd", &["-v"])),
        &Case::ALL,
        |case| server(lighttpd.as_ref().unwrap(), case),
    )
}

impl Server<'_> {
    fn attempt(&self, case: Case) -> Verdict {
        match (self.place)(case) {
            Ok(path) => self.attempt_at(case, path),
            Err(reason) => Verdict::Limit(reason.to_owned()),
        }
    }

    fn attempt_at(&self, case: Case, path: &str) -> Verdict {
        let utf8 = format!("{UTF8_USER}:{UTF8_PASSWORD}");
        let (login, path, options): (&str, String, &[&str]) = match case {
            Case::Ten => (LOGIN, path.to_owned(), &["--repeat", "10"]),
            Case::Wrong => ("Mufasa:wrong", path.to_owned(), &[]),
            Case::Utf8 => (&utf8, path.to_owned(), &[]),
            Case::Query => (LOGIN, format!("{path}?x=1&y=%20%2F"), &[]),
            Case::Post | Case::AuthInt => (LOGIN, path.to_owned(), &["--data", "a=1&b=2"]),
            Case::NextNonce | Case::Proof => (LOGIN, path.to_owned(), &["--repeat", "3"]),
            Case::Basic => (LOGIN, path.to_owned(), &["--allow-cleartext-basic"]),
            Case::Stale => return self.expire(path),
            _ => (LOGIN, path.to_owned(), &[]),
        };
        let options = [self.options, options, &["--trace"]].concat();
        let fetched = fetch_as(login, &options, &format!("http://{}{path}", self.address));
        judge(case, &fetched)
    }

    fn expire(&self, path: &str) -> Verdict {
        let address = self.address.to_owned();
        let expiry = self.expiry;
        let mut answers = 0;
        let relay = Canned::start(move |head| {
            let is_answer = wire::field(head, "authorization").is_some();
            answers += u32::from(is_answer);
            if let (Expiry::Wait(millis), 2) = (expiry, answers) {
                thread::sleep(Duration::from_millis(millis));
            }
            let response = wire::forward(&address, head);
            match (expiry, answers) {
                (Expiry::Forge, 0) => forge(&response),
                _ => response,
            }
        });
        let url = match expiry {
            Expiry::Count => format!("http://{}{path}", self.address),
            _ => format!("http://{}{path}", relay.address),
        };
        let options = [self.options, &["--repeat", "10", "--trace"]].concat();
        judge(Case::Stale, &fetch_as(LOGIN, &options, &url))
    }
}

/// Puts another nonce into a challenge.
fn forge(response: &str) -> String {
    let mut forged = String::new();
    let mut rest = response;
    while let Some(at) = rest.find("nonce=\"") {
        let (before, after) = rest.split_at(at + "nonce=\"".len());
        forged.push_str(before);
        let end = after.find('"').unwrap_or(0);
        forged.extend(after[..end].chars().rev());
        rest = &after[end..];
    }
    forged + rest
}

/// What `fetch` saw, with `--trace`.
fn judge(case: Case, fetched: &Fetched) -> Verdict {
    let statuses = fetched.statuses();
    let refused = |status: &&u16| [401, 407].contains(*status);
    let refusals = statuses.iter().filter(refused).count();
    let granted = statuses.len() - refusals;
    let failed = || {
        let last = fetched.0.stdout.lines().last().unwrap_or_default();
        let says = if fetched.0.success {
            last
        } else {
            &fetched.0.stderr
        };
        let says = says.lines().last().unwrap_or_default();
        Verdict::Failed(format!("{statuses:?} {last} {says}"))
    };
    let ok = |is_ok: bool| if is_ok { Verdict::Ok } else { failed() };
    let limit = |reason: &str| Verdict::Limit(reason.to_owned());
    // Some servers have no other answer to a POST than 405.
    let is_in = fetched.0.success || case == Case::Post && statuses.last() == Some(&405);
    match case {
        Case::Wrong if !fetched.0.success && (granted, refusals) == (0, 2) => Verdict::Refused,
        Case::Wrong => failed(),
        _ if !is_in => failed(),
        Case::Ten => ok((granted, refusals) == (10, 1)),
        Case::Stale => ok(granted == 10 && refusals > 1 && says_stale(&fetched.0.stderr)),
        Case::NextNonce => match fetched.0.stderr.contains("nextnonce=") {
            true => ok((granted, refusals) == (3, 1) && nonces(&fetched.0.stderr) > 1),
            false => limit("sends none"),
        },
        Case::Proof => match fetched.proofs() {
            0 if !fetched.0.stderr.contains("rspauth=") => limit("sends none"),
            proofs => ok(proofs == 3),
        },
        _ => ok((granted, refusals) == (1, 1)),
    }
}

fn says_stale(trace: &str) -> bool {
    let trace = trace.to_lowercase();
    trace.contains("stale=true") || trace.contains("stale=\"true\"")
}

/// How many nonces were used.
fn nonces(trace: &str) -> usize {
    let sent = trace.lines().filter_map(|line| {
        let (_, rest) = line
            .split_once("authorization: ")
            .filter(|_| line.starts_with('>'))?;
        rest.split_once(" nonce=\"")?.1.split('"').next()
    });
    sent.collect::<std::collections::BTreeSet<_>>().len()
}
