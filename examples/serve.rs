//! An HTTP server that asks for credentials and logs each request.
//!
//! ```text
//! cargo run --example serve -- --user Mufasa:secret
//! curl --digest --user Mufasa:secret http://127.0.0.1:PORT/
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--listen ADDRESS` | where to listen; by default a free port of `127.0.0.1` |
//! | `--realm TEXT` | the realm; by default `example` |
//! | `--user NAME:PASSWORD` | a user; may be repeated |
//! | `--algorithm NAME,…` | the Digest algorithms, best first; none for Basic alone |
//! | `--qop auth\|auth-int\|auth,auth-int\|none` | what responses cover; `none` is RFC 2069 |
//! | `--basic` | offers Basic, too; needs the next option, because there is no TLS here |
//! | `--allow-cleartext-basic` | offers Basic although eavesdroppers can read the password |
//! | `--proxy` | challenges like a proxy, but answers every request itself |
//! | `--nonce-lifetime SECONDS` | how long a nonce is valid |
//! | `--nextnonce` | sends a new nonce with each response, and takes each for one request |
//! | `--uri-check exact\|normalized\|decoded\|shortened\|path` | how the `uri` must match the request-target; `decoded` is for cpp-httplib, `path` for clients that leave out the query |
//! | `--hash-like-cnonces` | accepts `-sess` cnonces that look like a hash, which Qt and others send |
//! | `--no-charset` | sends no `charset=UTF-8` |
//! | `--opaque TEXT` | sends this `opaque`, which axios-digest needs |
//! | `--latin1-names` | also accepts user names in ISO-8859-1 |
//! | `--uncounted-form` | also accepts the uncounted form of the response |
//! | `--help` | prints this page |
//!
//! It prints `listening on ADDRESS`, then one line per request: method, request-target, status, and
//! the user or the reason for the refusal. Bodies may have 1 MiB. Do not pass real passwords on a
//! command line: other users of the machine can see them.

#[path = "common/help.rs"]
mod help;
#[path = "common/service.rs"]
mod service;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use countersign::Channel;
use countersign::digest::{Algorithm, QopSet};
use countersign::server::{Authenticator, Quirk, Realm, UriCheck};
use lexopt::prelude::*;
use tokio::net::TcpListener;

use service::{Service, Users, serve};

struct Options {
    listen: String,
    service: Service,
}

fn parse_options() -> Result<Options, Box<dyn Error>> {
    let mut listen = "127.0.0.1:0".to_owned();
    let mut realm = Realm::new("example")?.with_userhash(true);
    let mut users: Vec<(String, String)> = Vec::new();
    let (mut basic, mut cleartext_basic, mut latin1) = (false, false, false);

    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => {
                print!("{}", help::page(include_str!("serve.rs")));
                std::process::exit(0);
            }
            Long("listen") => listen = parser.value()?.string()?,
            Long("realm") => realm = realm.with_name(&parser.value()?.string()?)?,
            Long("user") => {
                let user = parser.value()?.string()?;
                let (name, password) = user.split_once(':').ok_or("--user NAME:PASSWORD")?;
                users.push((name.to_owned(), password.to_owned()));
            }
            Long("algorithm") => {
                let algorithms = parser.value()?.parse_with(|list| {
                    list.split(',')
                        .filter(|name| !name.is_empty())
                        .map(str::parse)
                        .collect::<Result<Vec<Algorithm>, _>>()
                })?;
                realm = realm.with_algorithms(&algorithms);
            }
            Long("qop") => {
                realm = realm.with_qop(match parser.value()?.string()?.as_str() {
                    "auth" => QopSet::AUTH,
                    "auth-int" => QopSet::AUTH_INT,
                    "auth,auth-int" => QopSet::BOTH,
                    "none" => QopSet::NONE,
                    _ => return Err("--qop auth, auth-int, auth,auth-int or none".into()),
                });
            }
            Long("basic") => basic = true,
            Long("allow-cleartext-basic") => cleartext_basic = true,
            Long("proxy") => realm = realm.for_proxy(),
            Long("nonce-lifetime") => {
                realm = realm.with_nonce_lifetime(parser.value()?.parse()?);
            }
            Long("nextnonce") => realm = realm.with_one_time_nonces(true),
            Long("uri-check") => {
                realm = realm.with_uri_check(match parser.value()?.string()?.as_str() {
                    "exact" => UriCheck::Exact,
                    "normalized" => UriCheck::Normalized,
                    "decoded" => UriCheck::Decoded,
                    "shortened" => UriCheck::Shortened,
                    "unchecked-query" => UriCheck::UncheckedQuery,
                    _ => {
                        return Err(
                            "--uri-check exact, normalized, decoded, shortened or path".into()
                        );
                    }
                });
            }
            Long("hash-like-cnonces") => realm = realm.with_quirks(&[Quirk::HashLikeCnonces]),
            Long("no-charset") => realm = realm.with_charset(false),
            Long("opaque") => realm = realm.with_opaque(&parser.value()?.string()?)?,
            Long("latin1-names") => latin1 = true,
            Long("uncounted-form") => realm = realm.with_quirks(&[Quirk::UncountedForm]),
            _ => return Err(arg.unexpected().into()),
        }
    }

    let realm = match (basic, cleartext_basic) {
        (false, _) => realm,
        (true, false) => realm.with_basic(),
        (true, true) => realm.with_cleartext_basic(),
    };
    let users = users
        .iter()
        .map(|(name, password)| (name.as_str(), password.as_str()));
    let users = Users::new(realm.name(), users);
    let service = Service {
        auth: Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?,
        users: if latin1 { users.with_latin1() } else { users },
        channel: Channel::Cleartext,
    };
    Ok(Options { listen, service })
}

async fn run() -> Result<(), Box<dyn Error>> {
    let options = parse_options()?;
    let service = Arc::new(options.service);
    let listener = TcpListener::bind(options.listen).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Most likely too many connections are open. Wait until some have ended.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            serve(&service, stream, |head, status, outcome| {
                // hyper lets characters through that control a terminal or reverse the line.
                let uri = head
                    .uri
                    .to_string()
                    .replace(|c: char| !c.is_ascii(), "\u{fffd}");
                println!("{} {uri} {} {outcome}", head.method, status.as_u16());
            })
            .await;
        });
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("serve: {error}");
            ExitCode::FAILURE
        }
    }
}
