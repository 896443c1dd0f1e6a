//! An HTTP server that asks for credentials and says who came.
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
//! | `--user NAME:PASSWORD` | someone to let in; may be repeated |
//! | `--algorithm NAME,…` | the Digest algorithms, best first |
//! | `--qop auth\|auth-int\|auth,auth-int\|none` | what responses cover; `none` is RFC 2069 |
//! | `--basic` | offers Basic, too; in vain without the next, since there is no TLS here |
//! | `--allow-cleartext-basic` | offers Basic although all can read the password |
//! | `--proxy` | asks as a proxy does, but answers everything itself |
//! | `--nonce-lifetime SECONDS` | how long a nonce is good for |
//! | `--nextnonce` | sends a new nonce with each response |
//! | `--uri-check exact\|normalized\|decoded\|path` | how the `uri` must match the request-target; `decoded` is for cpp-httplib, `path` for clients that leave out the query |
//! | `--hash-like-cnonces` | takes `-sess` cnonces in the form of a hash, as Qt and others send them |
//! | `--latin1-names` | takes user names in ISO-8859-1, too |
//! | `--overview-form` | takes the overview form of the response, too |
//!
//! It prints `listening on ADDRESS`, then a line a request: method, request-target, status, and
//! who was let in or why not. Passwords on a command line are for examples: others can see them.

#[path = "common/service.rs"]
mod service;

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use countersign::digest::{Algorithm, QopSet};
use countersign::rand_core::UnwrapErr;
use countersign::server::{NextNonce, NonceKey, ReplayTable, Server, UriCheck};
use countersign::{Channel, Issuer};
use lexopt::prelude::*;
use tokio::net::TcpListener;

use service::{Service, Users, serve};

struct Options {
    listen: String,
    service: Service,
}

fn parse_options() -> Result<Options, Box<dyn Error>> {
    let mut listen = "127.0.0.1:0".to_owned();
    let mut realm = "example".to_owned();
    let mut users: Vec<(String, String)> = Vec::new();
    let mut issuer = Issuer::Origin;
    let (mut basic, mut cleartext_basic, mut latin1) = (false, false, false);
    // What the options ask of the server, which cannot be made before the realm is known.
    let mut settings: Vec<Box<dyn Fn(Server) -> Server>> = Vec::new();

    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("listen") => listen = parser.value()?.string()?,
            Long("realm") => realm = parser.value()?.string()?,
            Long("user") => {
                let user = parser.value()?.string()?;
                let (name, password) = user.split_once(':').ok_or("--user NAME:PASSWORD")?;
                users.push((name.to_owned(), password.to_owned()));
            }
            Long("algorithm") => {
                let algorithms = parser.value()?.parse_with(|list| {
                    list.split(',')
                        .map(str::parse)
                        .collect::<Result<Vec<Algorithm>, _>>()
                })?;
                settings.push(Box::new(move |server| server.with_algorithms(&algorithms)));
            }
            Long("qop") => {
                let qop = match parser.value()?.string()?.as_str() {
                    "auth" => QopSet::AUTH,
                    "auth-int" => QopSet::AUTH_INT,
                    "auth,auth-int" => QopSet::BOTH,
                    "none" => QopSet::LEGACY,
                    _ => return Err("--qop auth, auth-int, auth,auth-int or none".into()),
                };
                settings.push(Box::new(move |server| server.with_qop(qop)));
            }
            Long("basic") => basic = true,
            Long("allow-cleartext-basic") => cleartext_basic = true,
            Long("proxy") => {
                issuer = Issuer::Proxy;
                // Some clients give a proxy the absolute URI, others its path.
                settings.push(Box::new(|server| {
                    server.with_uri_check(UriCheck::PathAndQuery)
                }));
            }
            Long("nonce-lifetime") => {
                let seconds = parser.value()?.parse()?;
                settings.push(Box::new(move |server| server.with_nonce_lifetime(seconds)));
            }
            Long("nextnonce") => {
                settings.push(Box::new(|server| server.with_next_nonce(NextNonce::Always)))
            }
            Long("uri-check") => {
                let check = match parser.value()?.string()?.as_str() {
                    "exact" => UriCheck::Exact,
                    "normalized" => UriCheck::Normalized,
                    "decoded" => UriCheck::Decoded,
                    "path" => UriCheck::Path,
                    _ => return Err("--uri-check exact, normalized, decoded or path".into()),
                };
                settings.push(Box::new(move |server| server.with_uri_check(check)));
            }
            Long("hash-like-cnonces") => settings.push(Box::new(Server::with_hash_like_cnonces)),
            Long("latin1-names") => latin1 = true,
            Long("overview-form") => settings.push(Box::new(Server::with_overview_form)),
            _ => return Err(arg.unexpected().into()),
        }
    }

    let key = NonceKey::generate(&mut UnwrapErr(getrandom::SysRng));
    let mut server = Server::new(&realm, key)?.with_userhash();
    if basic {
        server = match cleartext_basic {
            true => server.with_cleartext_basic(),
            false => server.with_basic(),
        };
    }
    let users = users
        .iter()
        .map(|(name, password)| (name.as_str(), password.as_str()));
    let users = Users::new(&realm, users);
    let service = Service {
        server: settings.iter().fold(server, |server, set| set(server)),
        users: if latin1 { users.with_latin1() } else { users },
        replays: Mutex::new(ReplayTable::with_capacity(10_000)),
        issuer,
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
        let (stream, _) = listener.accept().await?;
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            serve(&service, stream, |head, status, outcome| {
                println!("{} {} {} {outcome}", head.method, head.uri, status.as_u16());
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
