//! `fetch` against real servers.

mod fetched;

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use super::version::{version, version_by_script};
use super::{Case, Facts, Row, Verdict, login, script, server_options};
use crate::process::{Running, TempDir, start_server};
use crate::programs::{Fetched, Serve, fetch_as};
use crate::wire::{self, Canned};
use crate::{LOGIN, apache, lighttpd};

use fetched::{challenges, judge};

/// A server that runs, if it is there.
struct Server {
    version: Option<String>,
    address: String,
    /// What must stay as long as it runs.
    _parts: (Option<Running>, TempDir),
}

pub(super) fn row(facts: Facts) -> Row {
    let server = match facts.name() {
        "Apache httpd" => Server::of(version("/usr/sbin/apache2", &["-v"]), apache::start()),
        "lighttpd" => Server::of(version("/usr/sbin/lighttpd", &["-v"]), lighttpd::start()),
        _ => match facts.run() {
            Some(run) => by_script(run),
            None => return row_of_serve(facts),
        },
    };
    Row::new(facts, server.version.clone(), |case| {
        let attempt = |options: &[&str]| server.attempt(facts, case, options);
        let verdict = attempt(&[]).or_limit(facts.limit(case));
        verdict.or_with(facts.remedy(case), |option| attempt(&[option]))
    })
}

/// The server of a library, run by a script of ours.
fn by_script(run: &str) -> Server {
    let version = version_by_script(run);
    let running = start_server(version.is_some(), |port| {
        let mut server = script(run);
        server.arg(port.to_string());
        server
    });
    Server::of(version, (running, TempDir::new()))
}

/// `fetch` against `serve`: the only peer of either that has all there is.
fn row_of_serve(facts: Facts) -> Row {
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    Row::new(facts, version, |case| {
        let serve = Serve::start(server_options(case));
        let mut server = Server::of(None, (None, TempDir::new()));
        server.address.clone_from(&serve.address);
        server.attempt(facts, case, &[])
    })
}

impl Server {
    fn of(
        version: Option<String>,
        (running, directory): (Option<(Running, SocketAddr)>, TempDir),
    ) -> Self {
        let (running, address) = running.unzip();
        Self {
            version,
            address: address.map_or_else(String::new, |address| address.to_string()),
            _parts: (running, directory),
        }
    }

    /// Tries a case, where `fetch` is given these options beside those of the case.
    fn attempt(&self, facts: Facts, case: Case, remedy: &[&str]) -> Verdict {
        let place = facts.place(case);
        match facts.lack(case) {
            Some(reason) => self.look_for(case, place, reason),
            None if case == "stale" => self.expire(place, facts.expiry()),
            None => self.attempt_at(case, place, remedy),
        }
    }

    /// A challenge that does not offer something. That a server sends no nonces ahead and no proof
    /// is seen in its answers.
    fn look_for(&self, case: Case, path: &str, reason: &str) -> Verdict {
        let fetched = self.fetch(LOGIN, path, &["--trace"]);
        let challenges: Vec<_> = challenges(&fetched.0.stderr).collect();
        let sought = match case {
            "SHA-256" => "sha-256",
            "SHA-512-256" => "sha-512-256",
            "auth-int" => "auth-int",
            _ => "digest ",
        };
        match challenges
            .iter()
            .any(|challenge| challenge.contains(sought))
        {
            false if !challenges.is_empty() => Verdict::Limit(reason.to_owned()),
            _ => Verdict::Failed(format!("{challenges:?}")),
        }
    }

    fn fetch(&self, login: &str, path: &str, options: &[&str]) -> Fetched {
        fetch_as(login, options, &format!("http://{}{path}", self.address))
    }

    fn attempt_at(&self, case: Case, path: &str, remedy: &[&str]) -> Verdict {
        let options: &[&str] = match case {
            "ten" | "nextnonce" | "rspauth" => &["--repeat", "10"],
            "POST" => &["--data", "a=1&b=2"],
            "auth-int" => &["--auth-int", "--data", "a=1&b=2"],
            "Basic" => &["--allow-cleartext-basic"],
            _ => &[],
        };
        let rest = match case {
            "query" => "?x=1&y=%20%2F",
            // Each server may call it whatever it likes, but a wrong answer.
            "odd target" => "/a;b=c//d/../%c3%a9%7e?q='y'&f[0]={z}|%3b&",
            _ => "",
        };
        let (user, password) = login(case);
        let options = [options, remedy, &["--trace"]].concat();
        let fetched = self.fetch(
            &format!("{user}:{password}"),
            &format!("{path}{rest}"),
            &options,
        );
        judge(case, &fetched)
    }

    fn expire(&self, path: &str, millis: Option<u64>) -> Verdict {
        let address = self.address.clone();
        let mut answers = 0;
        let relay = Canned::start(move |head| {
            answers += u32::from(wire::credentials(head).is_some());
            if let (Some(millis), 2) = (millis, answers) {
                thread::sleep(Duration::from_millis(millis));
            }
            let response = wire::forward(&address, head);
            match (millis, answers) {
                (None, 0) => forge(&response),
                _ => response,
            }
        });
        let url = format!("http://{}{path}", relay.address);
        judge(
            "stale",
            &fetch_as(LOGIN, &["--repeat", "10", "--trace"], &url),
        )
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
