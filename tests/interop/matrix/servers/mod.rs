//! `fetch` against real servers.

mod fetched;
mod libraries;
mod squid;
mod web;

use std::any::Any;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{Case, Peer, Remedy, Row, Verdict, pair};
use crate::LOGIN;
use crate::process::{Running, TempDir};
use crate::programs::{Fetched, fetch_as};
use crate::wire::{self, Canned};
use crate::{UTF8_PASSWORD, UTF8_USER};

use fetched::challenges;
pub(super) use fetched::judge;
use libraries::{cherrypy, http_auth, twisted, werkzeug};
use squid::squid;
use web::{apache, lighttpd, microhttpd, nginx};

/// Where a case is tried.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    At(&'static str),
    /// It is not offered, and the challenge at this place shows that.
    NotOffered(&'static str, &'static str),
    /// It does not come into question: the peer has no such thing, or another row has it.
    Nowhere,
}

use Place::{At, NotOffered, Nowhere};

/// How a nonce expires in the middle of a session.
#[derive(Clone, Copy)]
enum Expiry {
    /// The second answer is held back for as long as nonces live.
    Wait(u64),
    /// The client was given a nonce that the server does not know, and calls stale.
    Forge,
}

/// A server that runs.
struct Server {
    version: Option<String>,
    address: String,
    place: fn(Case) -> Place,
    expiry: Expiry,
    options: Vec<String>,
    limit: fn(Case) -> Option<&'static str>,
    remedy: fn(Case) -> Option<Remedy>,
    /// What must stay as long as it runs.
    _parts: Vec<Box<dyn Any>>,
}

const NO_AUTH_INT: &str = "offers no auth-int";
const MD5_ONLY: &str = "supports MD5 only";
const NO_DIGEST: &str = "does not support Digest";
const NO_SHA512: &str = "does not support SHA-512-256";
const NO_ESCAPES: &str = "writes the realm without escapes";
pub(super) fn peers() -> Vec<Peer> {
    vec![
        Peer::light("Apache httpd", |name| apache().row(name)),
        Peer::light("lighttpd", |name| lighttpd().row(name)),
        Peer::light("nginx", |name| nginx().row(name)),
        Peer::light("libmicrohttpd", |name| microhttpd().row(name)),
        Peer::heavy("Twisted", |name| twisted().row(name)),
        Peer::heavy("CherryPy", |name| cherrypy().row(name)),
        Peer::heavy("Werkzeug", |name| werkzeug().row(name)),
        Peer::heavy("http-auth", |name| http_auth().row(name)),
        Peer::heavy("Squid, Digest", |name| squid("digest").row(name)),
        Peer::heavy("Squid, Basic", |name| squid("basic").row(name)),
        Peer::light("this crate's `serve`", pair::row),
    ]
}

/// The same command, without what it says.
fn quiet(command: &mut Command) -> Command {
    let mut quiet = Command::new("");
    std::mem::swap(command, &mut quiet);
    quiet.stdout(Stdio::null()).stderr(Stdio::null());
    quiet
}

impl Server {
    /// One that was started elsewhere, or was not.
    fn of(part: impl Any) -> Self {
        Self {
            version: None,
            address: String::new(),
            place: |_| At("/"),
            expiry: Expiry::Forge,
            options: Vec::new(),
            limit: |_| None,
            remedy: |_| None,
            _parts: vec![Box::new(part)],
        }
    }

    /// One that was started with what is in a directory, or was not.
    fn running(running: Option<(Running, SocketAddr)>, directory: TempDir) -> Self {
        let address = running.as_ref().map(|(_, address)| address.to_string());
        Self {
            address: address.unwrap_or_default(),
            ..Self::of((running, directory))
        }
    }

    fn row(self, name: &'static str) -> Row {
        let is_tried = |case: &Case| (self.place)(*case) != Nowhere;
        let cases: Vec<_> = Case::ALL.into_iter().filter(is_tried).collect();
        Row::new(name, self.version.clone(), &cases, |case| {
            let verdict = self.attempt(case, &[]).or_limit((self.limit)(case));
            verdict.or_with((self.remedy)(case), |option| self.attempt(case, &[option]))
        })
    }

    /// Tries a case, where `fetch` is given these options beside those of the case.
    fn attempt(&self, case: Case, remedy: &[&str]) -> Verdict {
        match (self.place)(case) {
            At(path) => self.attempt_at(case, path, remedy),
            NotOffered(path, reason) => self.look_for(case, path, reason),
            Nowhere => Verdict::Failed("tried nowhere".to_owned()),
        }
    }

    /// A challenge that does not offer something. That a server sends no nonces ahead and no proof
    /// is seen in its answers.
    fn look_for(&self, case: Case, path: &str, reason: &str) -> Verdict {
        let fetched = self.fetch(LOGIN, path, &["--trace"]);
        let challenges: Vec<_> = challenges(&fetched.0.stderr).collect();
        let sought = match case {
            Case::Sha256 => "sha-256",
            Case::Sha512 => "sha-512-256",
            Case::AuthInt => "auth-int",
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
        let options = [&self.options(), options].concat();
        fetch_as(login, &options, &format!("http://{}{path}", self.address))
    }

    fn attempt_at(&self, case: Case, path: &str, remedy: &[&str]) -> Verdict {
        let utf8 = format!("{UTF8_USER}:{UTF8_PASSWORD}");
        let (login, path, options): (&str, String, &[&str]) = match case {
            Case::Ten => (LOGIN, path.to_owned(), &["--repeat", "10"]),
            Case::Wrong => ("Mufasa:wrong", path.to_owned(), &[]),
            Case::Utf8 => (&utf8, path.to_owned(), &[]),
            Case::Query => (LOGIN, format!("{path}?x=1&y=%20%2F"), &[]),
            Case::Post | Case::AuthInt => (LOGIN, path.to_owned(), &["--data", "a=1&b=2"]),
            Case::NextNonce | Case::Proof => (LOGIN, path.to_owned(), &["--repeat", "10"]),
            Case::Basic => (LOGIN, path.to_owned(), &["--allow-cleartext-basic"]),
            Case::Stale => return self.expire(path),
            _ => (LOGIN, path.to_owned(), &[]),
        };
        let options = [options, remedy, &["--trace"]].concat();
        judge(case, &self.fetch(login, &path, &options))
    }

    fn options(&self) -> Vec<&str> {
        self.options.iter().map(String::as_str).collect()
    }

    fn expire(&self, path: &str) -> Verdict {
        // The relay stands before what asks for credentials: the server, or the proxy.
        let proxy = self
            .options
            .iter()
            .skip_while(|option| *option != "--proxy")
            .nth(1);
        let address = proxy.unwrap_or(&self.address).clone();
        let expiry = self.expiry;
        let mut answers = 0;
        let relay = Canned::start(move |head| {
            answers += u32::from(wire::credentials(head).is_some());
            if let (Expiry::Wait(millis), 2) = (expiry, answers) {
                thread::sleep(Duration::from_millis(millis));
            }
            let response = wire::forward(&address, head);
            match (expiry, answers) {
                (Expiry::Forge, 0) => forge(&response),
                _ => response,
            }
        });
        let options = ["--repeat", "10", "--trace"];
        let fetched = match proxy {
            Some(_) => {
                let options = [&options[..], &["--proxy", &relay.address]].concat();
                fetch_as(LOGIN, &options, &format!("http://{}{path}", self.address))
            }
            None => {
                let options = [&self.options()[..], &options].concat();
                fetch_as(LOGIN, &options, &format!("http://{}{path}", relay.address))
            }
        };
        judge(Case::Stale, &fetched)
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
