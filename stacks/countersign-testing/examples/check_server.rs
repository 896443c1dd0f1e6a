//! Checks a server that is running, in whatever language.
//!
//! ```sh
//! cargo run --example check_server -- --user Mufasa:"Circle of Life" http://127.0.0.1:8080/private
//! ```
//!
//! Prints the report, and ends with status 1 if a scenario failed. The server sees wrong passwords
//! and malformed headers, so turn off what locks users out.
//!
//! - `--without SCENARIO` leaves out a scenario; it may stand several times.
//! - `--nonce-lifetime SECONDS` also tests old nonces, and waits three times as long for them.
//! - `--timing` also tests whether unknown users are refused in another time than known ones.

use std::error::Error;
use std::process::ExitCode;

use countersign_testing::Clock;
use countersign_testing::countersign::Channel;
use countersign_testing::server::{Scenario, ServerCheck};
use http::header::{CONTENT_LENGTH, HOST};
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

const USAGE: &str = "arguments: --user NAME:PASSWORD [--without SCENARIO] \
    [--nonce-lifetime SECONDS] [--timing] URL";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (mut user, mut url, mut lifetime, mut timing) = (None, None, None, false);
    let mut without = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--user" => user = arguments.next(),
            "--without" => {
                let name = arguments.next().ok_or(USAGE)?;
                let named = Scenario::ALL.iter().find(|it| it.to_string() == name);
                without.push(*named.ok_or_else(|| format!("no scenario is called {name}"))?);
            }
            "--nonce-lifetime" => lifetime = Some(arguments.next().ok_or(USAGE)?.parse()?),
            "--timing" => timing = true,
            _ => url = Some(argument),
        }
    }
    let (user, url) = (user.ok_or(USAGE)?, url.ok_or(USAGE)?);
    let (user, password) = user.split_once(':').ok_or(USAGE)?;
    let url: Uri = url.parse()?;
    let (Some("http"), Some(host)) = (url.scheme_str(), url.authority()) else {
        return Err("the URL must begin with http://".into());
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let path = url.path_and_query();
    let path = path.map_or_else(|| "/".to_owned(), ToString::to_string);
    let mut check = ServerCheck::new(user, password)
        .with_uri(&path)
        .with_channel(Channel::Cleartext)
        .without(&without);
    if let Some(secs) = lifetime {
        check = check.with_clock(&Clock::real(), secs);
    }
    if timing {
        check = check.with_timing(&Clock::real());
    }
    let report = check.run(|request| {
        runtime
            .block_on(send(host.as_str(), request))
            .unwrap_or_else(|error| {
                // As a gateway answers whose server does not.
                let mut response = Response::new(error.to_string().into_bytes());
                *response.status_mut() = StatusCode::BAD_GATEWAY;
                response
            })
    });
    println!("{report}");
    Ok(ExitCode::from(u8::from(!report.is_clean())))
}

/// Sends a request on a new connection.
async fn send(
    host: &str,
    mut request: Request<Vec<u8>>,
) -> Result<Response<Vec<u8>>, Box<dyn Error>> {
    let address = if host.contains(':') {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    let socket = TokioIo::new(TcpStream::connect(address).await?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(socket).await?;
    tokio::spawn(connection);
    let length = request.body().len();
    let needs_length = length > 0 || matches!(request.method().as_str(), "POST" | "PUT");
    let headers = request.headers_mut();
    headers.insert(HOST, HeaderValue::from_str(host)?);
    if needs_length {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    let request = request.map(|body| Full::new(Bytes::from(body)));
    let (head, body) = sender.send_request(request).await?.into_parts();
    Ok(Response::from_parts(
        head,
        body.collect().await?.to_bytes().to_vec(),
    ))
}
