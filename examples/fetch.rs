//! An HTTP client that logs in, and optionally shows how.
//!
//! ```text
//! cargo run --example serve -- --user Mufasa:secret
//! cargo run --example fetch -- --user Mufasa:secret --trace http://127.0.0.1:PORT/
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--user NAME:PASSWORD` | user name and password; every realm of the URL's host gets them: a program for others would ask for the realm |
//! | `--method METHOD` | the method; by default `GET`, or `POST` with `--data` |
//! | `--data BODY` | the body of the request |
//! | `--repeat N` | sends the request N times on one connection |
//! | `--proxy HOST:PORT` | sends the request to this proxy, and logs in there |
//! | `--no-md5` | refuses the MD5 algorithms |
//! | `--no-basic` | refuses Basic |
//! | `--allow-cleartext-basic` | allows Basic, although eavesdroppers can read the password |
//! | `--legacy` | answers challenges without qop (RFC 2069) |
//! | `--auth-int` | answers only with `auth-int`, which covers the body |
//! | `--plain-usernames` | sends a name that is not ASCII as `username`, whatever the challenge says |
//! | `--extended-usernames` | sends it as `username*`, whatever the challenge says |
//! | `--ignore-server-proof` | accepts a wrong proof of the server |
//! | `--help` | prints this page |
//! | `--trace` | shows each request and response, and how answers are computed, on stderr |
//!
//! It prints a line for each request sent, then the body of the last response, and fails unless the
//! last status is 2xx. It supports `http:` only, because TLS would need another library. It follows
//! no redirects.
//!
//! `--trace` shows HA1, which must be kept as secret as the password.

#[path = "common/help.rs"]
mod help;
#[path = "common/requester.rs"]
mod requester;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use countersign::client::{Client, Endpoint, Exchange, Policy, Quirk, Strength};
use http::Uri;
use http::header::HOST;
use hyper::body::Bytes;
use lexopt::prelude::*;

use requester::{Connection, fetch, request};

struct Options {
    uri: Uri,
    login: Option<(String, String)>,
    method: Option<String>,
    body: Option<Bytes>,
    repeat: u32,
    proxy: Option<String>,
    policy: Policy,
    trace: fn(&str),
}

fn parse_options() -> Result<Options, Box<dyn Error>> {
    let mut uri = None;
    let mut login = None;
    let mut method = None;
    let mut body = None;
    let mut repeat = 1;
    let mut proxy = None;
    let mut policy = Policy::new();
    let mut trace: fn(&str) = |_| {};

    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("help") | Short('h') => {
                print!("{}", help::page(include_str!("fetch.rs")));
                std::process::exit(0);
            }
            Long("user") => {
                let user = parser.value()?.string()?;
                let (name, password) = user.split_once(':').ok_or("--user NAME:PASSWORD")?;
                login = Some((name.to_owned(), password.to_owned()));
            }
            Long("method") => method = Some(parser.value()?.string()?),
            Long("data") => body = Some(parser.value()?.string()?.into()),
            Long("repeat") => repeat = parser.value()?.parse()?,
            Long("proxy") => proxy = Some(parser.value()?.string()?),
            Long("no-md5") => policy = policy.require_strength(Strength::DigestSha2),
            Long("no-basic") => policy = policy.require_strength(Strength::DigestRfc2069),
            Long("allow-cleartext-basic") => policy = policy.with_cleartext_basic(),
            Long("legacy") => policy = policy.with_quirk(Quirk::Rfc2069),
            Long("auth-int") => policy = policy.require_auth_int(),
            Long("plain-usernames") => policy = policy.with_quirk(Quirk::PlainUsernames),
            Long("extended-usernames") => policy = policy.with_quirk(Quirk::ExtendedUsernames),
            Long("ignore-server-proof") => policy = policy.with_quirk(Quirk::IgnoreWrongProof),
            Long("trace") => trace = |text| eprint!("{text}"),
            Value(value) if uri.is_none() => {
                let url = value.parse().map_err(|_| "not a URL with http://")?;
                uri = Some(url);
            }
            _ => return Err(arg.unexpected().into()),
        }
    }
    Ok(Options {
        uri: uri.ok_or("which URL?")?,
        login,
        method,
        body,
        repeat,
        proxy,
        policy,
        trace,
    })
}

async fn run() -> Result<bool, Box<dyn Error>> {
    let options = parse_options()?;
    let uri = &options.uri;
    if uri.scheme_str() != Some("http") {
        return Err("not a URL with http://".into());
    }
    let endpoint = match &options.proxy {
        Some(proxy) => {
            let proxy: Uri = proxy.parse()?;
            let host = proxy.host().ok_or("a proxy needs a host")?;
            Endpoint::proxy("http", host, proxy.port_u16().unwrap_or(80))
        }
        None => {
            let host = uri.host().ok_or("a URL needs a host")?;
            Endpoint::origin("http", host, uri.port_u16())?
        }
    };
    let method = match (&options.method, &options.body) {
        (Some(method), _) => method,
        (None, Some(_)) => "POST",
        (None, None) => "GET",
    };
    let mut request = request(method, uri, &options.body.unwrap_or_default())?;
    let login = options.login.as_ref();
    let login = login.map(|(name, password)| (name.as_str(), password.as_str()));

    let address = format!("{}:{}", endpoint.host(), endpoint.port());
    let mut connection = Connection::new(address, options.trace);
    if options.proxy.is_some() {
        // A proxy needs the absolute form, of which userinfo is no part.
        let host = request.headers()[HOST].to_str()?;
        *request.uri_mut() = format!("http://{host}{}", request.uri()).parse()?;
    }
    let mut client = Client::new(endpoint, options.policy, &mut getrandom::SysRng)?;
    let mut is_success = false;
    for n in 1..=options.repeat {
        let mut exchange = Exchange::new();
        let fetched = fetch(&mut connection, &mut client, &mut exchange, login, &request).await?;

        let line = format!("{method} {}", request.uri());
        for status in &fetched.challenged {
            println!("{line} {}", status.as_u16());
        }
        let status = fetched.response.status();
        match fetched.result {
            Ok(proof) => println!("{line} {} server proof: {proof:?}", status.as_u16()),
            Err(why) => println!("{line} {} {why}", status.as_u16()),
        }
        is_success = status.is_success();
        if n == options.repeat || !is_success {
            std::io::stdout().write_all(fetched.response.body())?;
        }
        if !is_success {
            break;
        }
    }
    Ok(is_success)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fetch: {error}");
            ExitCode::FAILURE
        }
    }
}
