//! Real clients against `serve`.

mod node;
mod python;
mod tools;

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use super::{Case, Peer, Remedy, Row, Verdict, attempt_with, relay};
use crate::process::{Output, run};
use crate::programs::{Line, Serve};
use crate::wire::{self, Canned};
use crate::{PASSWORD, QUOTED_REALM, USER, UTF8_PASSWORD, UTF8_USER};

use node::{axios, digest_fetch, node_urllib};
use python::{aiohttp, httpx, pycurl, requests, urllib};
use tools::{chromium, curl, java, java25, wget};

/// What a client is to send.
struct Session<'a> {
    basic: bool,
    url: String,
    user: &'a str,
    password: &'a str,
    /// A GET without, a POST with one.
    body: &'a str,
    count: usize,
}

impl Session<'_> {
    const fn method(&self) -> &'static str {
        if self.body.is_empty() { "GET" } else { "POST" }
    }
}

/// What is known to go wrong, and why.
type Limit = fn(Case) -> Option<&'static str>;

/// A client: how it is called, and what it cannot do.
struct Client {
    version: Option<String>,
    /// A command that prints the status of each request, last of all on its line.
    command: Box<dyn Fn(&Session<'_>) -> Command>,
    limit: Limit,
    /// What `serve` must offer for its sake. The first request is tried without that, too.
    offer: Option<Remedy>,
    remedy: fn(Case) -> Option<Remedy>,
}

const OCTETS: Remedy = (
    "--latin1-names",
    "a server that looks up `User::Octets` as ISO-8859-1",
);
/// That for `LATIN1`.
const OF_LATIN1: fn(Case) -> Option<Remedy> = |case| (case == Case::Utf8).then_some(OCTETS);

/// That of curl and of what is built on it.
const EMPTY_BODY: &str = "takes the body for empty in auth-int";
const GIVES_UP: &str = "gives up at a first challenge with SHA-256";
const NO_SHA512: &str = "does not support SHA-512-256";
const NO_AUTH_INT: &str = "does not support auth-int";
const NO_QOP: &str = "answers auth-int in the form without qop";
const NO_STALE: &str = "does not try again when told stale";
const NO_ESCAPES: &str = "sends the realm back without escapes";
const LATIN1: &str = "sends the name in ISO-8859-1, and hashes it in UTF-8";
const ALWAYS_MD5: &str = "answers any algorithm with MD5";
const ENDS_REALM: &str = "ends the realm at an escaped quote";

pub(super) fn peers() -> Vec<Peer> {
    vec![
        Peer::light("curl", |name| curl().row(name)),
        Peer::light("wget", |name| wget().row(name)),
        Peer::light("requests", |name| requests(name).row(name)),
        Peer::heavy("niquests", |name| requests(name).row(name)),
        Peer::light("httpx", |name| httpx().row(name)),
        Peer::light("aiohttp", |name| aiohttp().row(name)),
        Peer::light("Python urllib", |name| urllib().row(name)),
        Peer::heavy("pycurl", |name| pycurl().row(name)),
        Peer::heavy("digest-fetch", |name| digest_fetch().row(name)),
        Peer::heavy("Node urllib", |name| node_urllib().row(name)),
        Peer::heavy("@mhoc/axios-digest-auth", |name| axios().row(name)),
        Peer::heavy("Java HttpURLConnection", |name| java().row(name)),
        Peer::heavy("Java HttpURLConnection, from 19", |name| java25().row(name)),
        Peer::heavy("Chromium", |name| chromium().row(name)),
    ]
}

impl Client {
    fn row(&self, name: &'static str) -> Row {
        Row::new(name, self.version.clone(), &Case::ALL, |case| {
            let (remedy, limit) = ((self.remedy)(case), (self.limit)(case));
            attempt_with(case, self.offer, remedy, limit, |options| {
                self.attempt(case, options)
            })
        })
    }

    /// Tries a case, where `serve` is given these options before those of the case.
    fn attempt(&self, case: Case, before: &[&str]) -> Verdict {
        let utf8 = format!("{UTF8_USER}:{UTF8_PASSWORD}");
        let options: &[&str] = match case {
            Case::Stale => &["--nonce-lifetime", "2"],
            Case::Utf8 => &["--user", &utf8],
            Case::Quoted => &["--realm", QUOTED_REALM],
            Case::Sha256 => &["--algorithm", "SHA-256"],
            Case::Sha512 => &["--algorithm", "SHA-512-256"],
            Case::AuthInt => &["--qop", "auth-int"],
            Case::NextNonce => &["--nextnonce"],
            Case::Basic => &["--basic", "--allow-cleartext-basic"],
            _ => &[],
        };
        let serve = Serve::start(&[before, options].concat());
        let relay = self.relay(case, &serve);
        let address = relay
            .as_ref()
            .map_or(&serve.address, |(relay, _)| &relay.address);
        let path = if case == Case::Query {
            "/a?x=1&y=%20%2F"
        } else {
            "/a"
        };
        let (user, password) = match case {
            Case::Utf8 => (UTF8_USER, UTF8_PASSWORD),
            Case::Wrong => (USER, "wrong"),
            _ => (USER, PASSWORD),
        };
        let session = Session {
            basic: case == Case::Basic,
            url: format!("http://{address}{path}"),
            user,
            password,
            body: match case {
                Case::Post | Case::AuthInt => "a=1&b=2",
                _ => "",
            },
            count: match case {
                Case::Ten => 10,
                Case::Stale | Case::NextNonce => 3,
                _ => 1,
            },
        };
        let output = run(&mut (self.command)(&session));
        let mut log = serve.stop();
        // Not what a browser asks for by itself.
        log.retain(|line| line.target.starts_with("/a"));
        let nonces = relay.map_or(0, |(_, nonces)| nonces.lock().unwrap().len());
        judge(case, &session, &output, &log, nonces)
    }

    /// What stands between, if anything must, and the nonces of the answers.
    fn relay(&self, case: Case, serve: &Serve) -> Option<(Canned, Arc<Mutex<Vec<String>>>)> {
        if ![Case::Stale, Case::NextNonce, Case::Proof].contains(&case) {
            return None;
        }
        let nonces = Arc::new(Mutex::new(Vec::<String>::new()));
        let seen = Arc::clone(&nonces);
        let address = serve.address.clone();
        let mut answers = 0;
        let relay = Canned::start(move |head| {
            let nonce = wire::credentials(head).and_then(|(_, value)| {
                let (_, rest) = value.split_once("nonce=\"")?;
                rest.split('"').next()
            });
            if let Some(nonce) = nonce {
                answers += 1;
                let mut seen = seen.lock().unwrap();
                if !seen.iter().any(|one| one == nonce) {
                    seen.push(nonce.to_owned());
                }
            }
            if case == Case::Stale && answers == 2 {
                thread::sleep(relay::DELAY);
            }
            let response = wire::forward(&address, head);
            match case {
                // A proof that is wrong, and nothing else.
                Case::Proof => relay::spoil(&response),
                _ => response,
            }
        });
        Some((relay, nonces))
    }
}

fn judge(
    case: Case,
    session: &Session<'_>,
    output: &Output,
    log: &[Line],
    nonces: usize,
) -> Verdict {
    let outcomes: Vec<_> = log.iter().map(|line| line.outcome.as_str()).collect();
    let says = output.stderr.lines().rfind(|line| !line.trim().is_empty());
    let failed = || Verdict::Failed(format!("{outcomes:?} {:?} {says:?}", output.stdout));
    let ok = |is_ok: bool| if is_ok { Verdict::Ok } else { failed() };
    let limit = |reason: &str| Verdict::Limit(reason.to_owned());
    let granted = log.iter().filter(|line| line.is_granted()).count();
    let refused = log.len() - granted;
    let wrong = outcomes
        .iter()
        .filter(|o| **o == "wrong-credentials")
        .count();
    let is_in = output.success && granted == session.count;
    match case {
        Case::Wrong => match (granted, wrong) {
            (0, 1) => Verdict::Refused,
            (0, 2..=20) => limit(&format!("tries a wrong password {wrong} times")),
            _ => failed(),
        },
        // The response was made worthless on its way.
        Case::Proof => match (granted > 0, output.success) {
            (true, true) => limit("does not check"),
            (true, false) => Verdict::Ok,
            _ => failed(),
        },
        _ if !is_in => failed(),
        Case::Ten if refused == session.count => limit("forgets the nonce with each request"),
        Case::Stale => ok(outcomes.contains(&"nonce-expired")),
        Case::NextNonce if nonces == 1 => limit("does not use it"),
        Case::NextNonce if refused == session.count => limit("forgets the nonce with each request"),
        Case::Basic => ok(refused <= 1),
        _ => ok(refused == 1),
    }
}
