//! RTSP and SIP, which have the same header fields.

use super::version::version_by_script;
use super::{Case, Facts, Row, Verdict, login, relay, row_of_client, script, server_options};
use crate::process::{command, run};
use crate::programs::{Line, Serve, program};

/// Some of the peers cannot have blanks in a password.
const USER: &str = "Simba";
const PASSWORD: &str = "Hakuna";

pub(super) fn row(facts: Facts) -> Row {
    let version = match facts.run() {
        Some(script) => version_by_script(script),
        None => Some(env!("CARGO_PKG_VERSION").to_owned()),
    };
    row_of_client(facts, version, |case, options| {
        attempt(facts, case, options)
    })
}

/// Tries a case, where the server is given these options before those of the case.
fn attempt(facts: Facts, case: Case, before: &[&str]) -> Verdict {
    // In the place of the user of the other tests.
    let known = format!("{USER}:{PASSWORD}");
    let mut options = [before, server_options(case), &["--user", &known]].concat();
    if case == "auth-int" {
        options.push("--no-rfc2069");
    }
    // A request of this method counts: the peers of RTSP set up each track.
    let (server, method) = match (facts.name().starts_with("SIP"), facts.run()) {
        (true, _) => ("sip_registrar", "REGISTER"),
        (false, Some(_)) => ("rtsp_responder", "SETUP"),
        (false, None) => ("rtsp_responder", "DESCRIBE"),
    };
    if server == "sip_registrar" {
        // The addresses are not named after their users.
        options.push("--any-address");
    }
    let server = Serve::start_program(server, &options);
    let (user, password) = match login(case) {
        (crate::USER, crate::PASSWORD) => (USER, PASSWORD),
        (crate::USER, wrong) => (USER, wrong),
        utf8 => utf8,
    };
    let address = match case {
        "stale" => relay::of_stream(&server.address),
        _ => server.address.clone(),
    };
    let count = if case == "ten" { "10" } else { "1" };
    let output = match facts.run() {
        Some(peer) => run(script(peer).args([&*address, user, password, count])),
        None => {
            let mut client = command(program("rtsp_client"));
            client.args(["--user", &format!("{user}:{password}"), "--repeat", count]);
            run(client.arg(format!("rtsp://{address}/stream?x=1")))
        }
    };
    let log = server.stop();
    let says = output.stderr.lines().last();
    match judge(case, &log, method) {
        Verdict::Failed(_) => Verdict::Failed(format!("{log:?} {says:?}")),
        verdict => verdict,
    }
}

fn judge(case: Case, log: &[Line], method: &str) -> Verdict {
    let count = |outcome: &str| log.iter().filter(|line| line.outcome == outcome).count();
    let granted = log.iter().filter(|line| line.is_granted()).count();
    let is_in = log
        .iter()
        .any(|line| line.is_granted() && line.method == method);
    let wrong = count("wrong-credentials");
    let is_ok = match case {
        "wrong" => match wrong {
            1 if !is_in => return Verdict::Refused,
            2.. if !is_in => {
                return Verdict::Limit(format!("tries a wrong password {wrong} times"));
            }
            _ => false,
        },
        "ten" => is_in && granted >= 10 && log.len() == granted + 1 + count("retransmission"),
        "stale" => is_in && count("nonce-expired") == 1,
        _ => is_in && wrong == 0,
    };
    match is_ok {
        true => Verdict::Ok,
        false => Verdict::Failed(String::new()),
    }
}
