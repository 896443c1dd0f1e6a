//! Real clients against `serve`.

mod commands;

use std::sync::{Arc, Mutex};
use std::thread;

use super::{Case, Facts, Row, Verdict, relay, row_of_client};
use crate::process::{Output, run};
use crate::programs::{Line, Serve};
use crate::wire::{self, Canned};

use commands::Client;

/// What a client is to send.
struct Session<'a> {
    basic: bool,
    url: String,
    user: &'a str,
    password: &'a str,
    /// None with a GET.
    body: &'a str,
    count: usize,
}

pub(super) fn row(facts: Facts) -> Row {
    let client = Client::named(facts.name());
    let version = client.version.clone();
    row_of_client(facts, version, |case, options| {
        client.attempt(case, options)
    })
}

impl Client {
    /// Tries a case, where `serve` is given these options before those of the case.
    fn attempt(&self, case: Case, before: &[&str]) -> Verdict {
        let serve = Serve::start(&[before, case.server_options()].concat());
        let relay = relay(case, &serve);
        let address = relay
            .as_ref()
            .map_or(&serve.address, |(relay, _)| &relay.address);
        let path = if case == Case::Query {
            "/a?x=1&y=%20%2F"
        } else {
            "/a"
        };
        let (user, password) = case.login();
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
}

/// What stands between, if anything must, and the nonces of the answers.
fn relay(case: Case, serve: &Serve) -> Option<(Canned, Arc<Mutex<Vec<String>>>)> {
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
