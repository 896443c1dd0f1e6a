//! Checks a server that is running, in whatever language.
//!
//! ```sh
//! cargo run --example check_server -- --user Mufasa:"Circle of Life" http://127.0.0.1:8080/private
//! ```
//!
//! Prints the report. The status is 0 if all scenarios passed, 1 if one failed, 3 if none failed and
//! one passed with a note, and 2 if it could not run, or not to its end.
//!
//! The server sees wrong passwords and malformed headers, and last PUT, PATCH and DELETE without
//! credentials. How many requests with wrong credentials there will be is said first: turn off what
//! locks an account. Where the server answers 429 with `Retry-After`, it waits.
//!
//! - `--dry-run` only says how many.
//! - `--without SCENARIO` leaves out a scenario; this option and the next two may stand several times.
//! - `--open METHOD-OR-PATH` names what needs no credentials by intention.
//! - `--path METHOD=PATH` has requests with this method sent there.
//! - `--insecure` believes each certificate.
//! - `--proxy URL` checks this proxy: `--user` is for it, and the last argument what it is asked for.
//! - `--nonce-lifetime SECONDS` also tests old nonces, and waits three times as long for them.
//! - `--timing` also tests whether unknown users are refused in another time than known ones.
//! - `--time-limit SECONDS` leaves out what has not begun by then.
//! - `--json FILE` and `--junit FILE` also write the report there.

#[path = "common/connection.rs"]
mod connection;
#[path = "common/output.rs"]
mod output;

use std::error::Error;
use std::process::ExitCode;

use countersign_testing::Clock;
use countersign_testing::countersign::{Challenger, Channel};
use countersign_testing::server::{Scenario, ServerCheck};
use http::{Request, Response, StatusCode, Uri};

use connection::Connection;
use output::{Files, NOT_RUN, finish};

const USAGE: &str = "arguments: --user NAME:PASSWORD [--dry-run] [--without SCENARIO] \
    [--open METHOD-OR-PATH] [--path METHOD=PATH] [--insecure] [--proxy URL] \
    [--nonce-lifetime SECONDS] [--timing] [--time-limit SECONDS] [--json FILE] [--junit FILE] URL";

/// What the command line says.
#[derive(Default)]
struct Options {
    user: String,
    url: Uri,
    proxy: Option<Uri>,
    without: Vec<Scenario>,
    open: Vec<String>,
    paths: Vec<(String, String)>,
    lifetime: Option<u64>,
    limit: Option<u64>,
    timing: bool,
    insecure: bool,
    dry_run: bool,
    files: Files,
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let (mut all, mut url) = (Self::default(), None);
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(USAGE);
            match &*argument {
                "--user" => all.user = value()?,
                "--proxy" => all.proxy = Some(value()?.parse()?),
                "--without" => {
                    let name = value()?;
                    let named = Scenario::ALL.iter().find(|it| it.to_string() == name);
                    all.without
                        .push(*named.ok_or_else(|| format!("no scenario is called {name}"))?);
                }
                "--open" => all.open.push(value()?),
                "--path" => {
                    let value = value()?;
                    let (method, path) = value.split_once('=').ok_or(USAGE)?;
                    all.paths.push((method.to_owned(), path.to_owned()));
                }
                "--nonce-lifetime" => all.lifetime = Some(value()?.parse()?),
                "--time-limit" => all.limit = Some(value()?.parse()?),
                "--timing" => all.timing = true,
                "--insecure" => all.insecure = true,
                "--dry-run" => all.dry_run = true,
                "--json" => all.files.json = Some(value()?),
                "--junit" => all.files.junit = Some(value()?),
                _ if argument.starts_with("--") => return Err(USAGE.into()),
                _ => url = Some(argument),
            }
        }
        all.url = url.ok_or(USAGE)?.parse()?;
        Ok(all)
    }

    fn check(&self) -> Result<ServerCheck, Box<dyn Error>> {
        let (user, password) = self.user.split_once(':').ok_or(USAGE)?;
        let path = self.url.path_and_query();
        let uri = match &self.proxy {
            Some(_) => self.url.to_string(),
            None => path.map_or_else(|| "/".to_owned(), ToString::to_string),
        };
        let server = self.proxy.as_ref().unwrap_or(&self.url);
        let channel = match server.scheme_str() {
            Some("https") => Channel::Encrypted,
            _ => Channel::Cleartext,
        };
        let challenger = match self.proxy {
            Some(_) => Challenger::Proxy,
            None => Challenger::Origin,
        };
        let open: Vec<_> = self.open.iter().map(|it| &**it).collect();
        let mut check = ServerCheck::new(user, password)
            .with_uri(&uri)
            .with_channel(channel)
            .with_challenger(challenger)
            .with_open(&open)
            .without(&self.without);
        for (method, path) in &self.paths {
            check = check.with_path(method, path);
        }
        let clock = Clock::real();
        if let Some(secs) = self.lifetime {
            check = check.with_clock(&clock, secs);
        }
        if let Some(secs) = self.limit {
            check = check.with_time_limit(&clock, secs);
        }
        Ok(match self.timing {
            true => check.with_timing(&clock),
            false => check,
        })
    }
}

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(NOT_RUN)
    })
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::read()?;
    let check = options.check()?;
    let connection = Connection::new(&options.url, options.proxy.as_ref(), !options.insecure)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut first = Request::new(Vec::new());
    *first.uri_mut() = match options.proxy {
        Some(_) => options.url.clone(),
        None => options
            .url
            .path_and_query()
            .ok_or(USAGE)?
            .as_str()
            .parse()?,
    };
    let first = runtime.block_on(connection.send(first))?;
    let count = check.wrong_credentials(&first);
    eprintln!("about {count} requests will have wrong credentials, many of them a wrong password");
    if options.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let report = check.run(|request| {
        runtime
            .block_on(connection.send(request))
            .unwrap_or_else(|error| {
                // As a gateway answers whose server does not.
                let mut response = Response::new(error.to_string().into_bytes());
                *response.status_mut() = StatusCode::BAD_GATEWAY;
                response
            })
    });
    finish(&report, &options.files)
}
