//! Real clients against `serve`.

use std::thread;

use super::version::version_by_script;
use super::{Case, Facts, Row, Verdict, login, relay, row_of_client, script, server_options};
use crate::process::{Output, run};
use crate::programs::{Line, Serve};
use crate::wire::{self, Canned};

/// What programs write behind `http://host`, in ASCII and without blanks.
const ODD: [&str; 8] = [
    "/a/b;c",
    "/a;b=c?x='1'",
    "//a/b",
    "/a/./b/../c",
    "/a%2fb/%c3%a9",
    "/a?y=%3b+%20&z=q,r",
    "/a/{id}?f[0]=a|b",
    "/a?",
];

pub(super) fn row(facts: Facts) -> Row {
    let client = facts.run().unwrap();
    row_of_client(facts, version_by_script(client), |case, options| {
        attempt(client, case, options)
    })
}

/// Tries a case, where `serve` is given these options before those of the case.
fn attempt(client: &str, case: Case, before: &[&str]) -> Verdict {
    let serve = Serve::start(&[before, server_options(case)].concat());
    let relay = relay(case, &serve);
    let address = relay
        .as_ref()
        .map_or(&serve.address, |relay| &relay.address);
    let paths: &[&str] = match case {
        "query" => &["/a?x=1&y=%20%2F"],
        "odd target" => &ODD,
        _ => &["/a"],
    };
    let urls = paths.iter().map(|path| format!("http://{address}{path}"));
    let urls: Vec<_> = urls.collect();
    let (user, password) = login(case);
    let scheme = if case == "Basic" { "basic" } else { "digest" };
    let (method, body) = match case {
        "POST" | "auth-int" | "either qop" => ("POST", "a=1&b=2"),
        _ => ("GET", ""),
    };
    let times = match case {
        "ten" => 10,
        "stale" | "nextnonce" => 3,
        _ => 1,
    };
    let mut client = script(client);
    client.args([scheme, &urls.join(" "), user, password, method, body]);
    let output = run(client.arg(times.to_string()));
    let mut log = serve.stop();
    // Not what a browser asks for by itself.
    log.retain(|line| line.target != "/favicon.ico");
    judge(case, times * urls.len(), &output, &log)
}

/// What stands between, if anything must.
fn relay(case: Case, serve: &Serve) -> Option<Canned> {
    if !["stale", "rspauth"].contains(&case) {
        return None;
    }
    let address = serve.address.clone();
    let mut answers = 0;
    Some(Canned::start(move |head| {
        answers += u32::from(wire::credentials(head).is_some());
        if case == "stale" && answers == 2 {
            thread::sleep(relay::DELAY);
        }
        let response = wire::forward(&address, head);
        match case {
            // A proof that is wrong, and nothing else.
            "rspauth" => relay::spoil(&response),
            _ => response,
        }
    }))
}

fn judge(case: Case, requests: usize, output: &Output, log: &[Line]) -> Verdict {
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
    let is_in = output.success && granted == requests;
    match case {
        "wrong" => match (granted, wrong) {
            (0, 1) => Verdict::Refused,
            (0, 2..=20) => limit(&format!("tries a wrong password {wrong} times")),
            _ => failed(),
        },
        // The response was made worthless on its way.
        "rspauth" => match (granted > 0, output.success) {
            (true, true) => limit("does not check"),
            (true, false) => Verdict::Ok,
            _ => failed(),
        },
        "odd target" if !is_in => {
            let others = log.iter().filter(|line| ![200, 401].contains(&line.status));
            let others: Vec<_> = others.map(|line| (&line.target, &line.outcome)).collect();
            Verdict::Failed(format!("{granted} granted, and {others:?} {says:?}"))
        }
        _ if !is_in => failed(),
        "ten" if refused == requests => limit("forgets the nonce with each request"),
        "stale" => ok(outcomes.contains(&"nonce-expired")),
        "nextnonce" if refused == requests => limit("does not use it"),
        "Basic" => ok(refused <= 1),
        // Some forget the nonce with each.
        "odd target" => ok(refused > 0 && log[0].target != log[log.len() - 1].target),
        _ => ok(refused == 1),
    }
}
