//! RTSP: a stream is set up and played with one login.
//!
//! ```text
//! rtsp-camera [EXAMPLES]
//! ```
//!
//! The camera is the example `rtsp_responder`, from the folder EXAMPLES. It has no stream to play,
//! so it answers the last two methods with 405, to those alone who may ask. At the end come cameras
//! that name another address, and that send responses of any length, at any pace.
mod camera;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use countersign::client::Account;
use loopback::{Error, Example};
use rtsp_types::headers::{ACCEPT, CONTENT_BASE, SESSION, TRANSPORT};
use rtsp_types::{Method, Url};

use camera::Camera;

fn account(password: &str) -> Account {
    Account::new("Mufasa", password).for_realm("camera")
}

/// The statuses of all responses that are not challenges.
fn play(camera: &mut Camera, stream: &Url) -> Result<Vec<u16>, Error> {
    let mut statuses = Vec::new();
    let options = camera.call(Method::Options, stream, &[])?;
    let describe = camera.call(Method::Describe, stream, &[(ACCEPT, "application/sdp")])?;
    // The URL of the track is relative to that of the stream, or absolute.
    let base = describe.header(&CONTENT_BASE).map(|base| base.as_str());
    let base = base.unwrap_or(stream.as_str()).trim_end_matches('/');
    let base = Url::parse(&format!("{base}/"))?;
    let mut lines = str::from_utf8(describe.body())?.lines();
    let control = lines.find_map(|line| line.strip_prefix("a=control:"));
    let track = base.join(control.ok_or("no track")?)?;
    let transport = [(TRANSPORT, "RTP/AVP/TCP;unicast;interleaved=0-1")];
    let setup = camera.call(Method::Setup, &track, &transport)?;
    let session = setup.header(&SESSION).ok_or("no session")?;
    let session = [(SESSION, session.as_str())];
    let play = camera.call(Method::Play, stream, &session)?;
    let teardown = camera.call(Method::Teardown, stream, &session)?;
    for response in [&options, &describe, &setup, &play, &teardown] {
        statuses.push(response.status().into());
    }
    Ok(statuses)
}

fn check(realm: &str, algorithm: &str, password: &str, expected: &str) -> Result<(), Error> {
    check_as(realm, algorithm, password, expected, false)
}

/// Also as clients made with live555, which compute all responses for the stream.
fn check_as(
    realm: &str,
    algorithm: &str,
    password: &str,
    expected: &str,
    is_live555: bool,
) -> Result<(), Error> {
    let user = "Mufasa:Circle of Life";
    let options = ["--user", user, "--realm", realm, "--algorithm", algorithm];
    let peer = Example::start("rtsp_responder", &options)?;
    // A request with this login on its line would get no credentials, and so no answer but 401.
    let stream = Url::parse(&format!("rtsp://a:b@{}/stream", peer.address))?;
    let mut camera = Camera::connect(&stream, account(password))?;
    if is_live555 {
        camera.covered = Some(Url::parse(&format!("rtsp://{}/stream/", peer.address))?);
    }
    let outcome = match play(&mut camera, &stream) {
        Ok(statuses) => format!("{statuses:?}"),
        Err(error) => error.to_string(),
    };
    let shown = format!("{outcome}, {} requests", camera.requests);
    println!("{realm}, {algorithm}, {password:?}: {shown}");
    match shown == expected {
        true => Ok(()),
        false => Err(format!("expected {expected}").into()),
    }
}

/// A camera that names itself by other addresses, such as those behind its NAT. All requests must
/// come on this connection, for the URLs that it names, and with an answer once it has asked.
fn elsewhere() -> Result<(), Error> {
    const ASKS: &str = "401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"camera\", \
        nonce=\"n\", qop=\"auth\", algorithm=SHA-256\r\nContent-Length: 0\r\n\r\n";
    const DESCRIBES: &str = "200 OK\r\nContent-Base: rtsp://192.0.2.1/stream/\r\n\
        Content-Type: application/sdp\r\nSession: 1\r\nContent-Length: 56\r\n\r\n\
        v=0\r\na=control:rtspu://192.0.2.1:8554/stream/trackID=1\r\n";
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept()?;
        let mut stream = BufReader::new(stream);
        let mut seen = Vec::new();
        let (mut head, mut line) = (String::new(), String::new());
        while stream.read_line(&mut line)? > 0 {
            if line != "\r\n" {
                head += &line;
                line.clear();
                continue;
            }
            let is_answered = head.contains("uthorization: ");
            let start = head.lines().next().unwrap_or_default();
            let cseq = head.lines().find(|line| line.starts_with("CSeq"));
            let status = if is_answered { DESCRIBES } else { ASKS };
            let (status, rest) = status.split_once("\r\n").unwrap_or_default();
            let cseq = cseq.unwrap_or_default();
            let response = format!("RTSP/1.0 {status}\r\n{cseq}\r\n{rest}");
            seen.push((start.to_owned(), is_answered));
            stream.get_mut().write_all(response.as_bytes())?;
            head.clear();
            line.clear();
        }
        std::io::Result::Ok(seen)
    });
    let stream = Url::parse(&format!("rtsp://{address}/stream"))?;
    let mut camera = Camera::connect(&stream, account("Circle of Life"))?;
    let statuses = play(&mut camera, &stream)?;
    drop(camera);
    let seen = server.join().map_err(|_| "the server failed")??;
    println!("another address: {statuses:?}, {seen:?}");
    let setup = "SETUP rtspu://192.0.2.1:8554/stream/trackID=1 RTSP/1.0";
    let is_expected = statuses == [200; 5]
        && seen.len() == 6
        && seen[1..].iter().all(|(_, is_answered)| *is_answered)
        && seen.iter().any(|(line, _)| line == setup);
    match is_expected {
        true => Ok(()),
        false => Err("expected answers for the addresses that it names".into()),
    }
}

/// A camera that would fill the memory: this begins its response, and the rest is without end.
fn endless(begin: &'static str, expected: &str) -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let stream = Url::parse(&format!("rtsp://{}/stream", listener.local_addr()?))?;
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        stream.read_exact(&mut [0; 10])?;
        stream.write_all(begin.as_bytes())?;
        // More than the buffers of a connection hold.
        let mut piece = 0;
        while piece < 1024 && stream.write_all(&[b'x'; 1 << 16]).is_ok() {
            piece += 1;
        }
        std::io::Result::Ok(piece)
    });
    let mut camera = Camera::connect(&stream, account("Circle of Life"))?;
    let outcome = camera.call(Method::Options, &stream, &[]);
    drop(camera);
    let outcome = outcome.map_or_else(|error| error.to_string(), |_| "a response".into());
    let pieces = server.join().map_err(|_| "the server failed")??;
    println!("{begin:?}: {outcome} after {} KiB", pieces * 64);
    match outcome == expected && pieces < 512 {
        true => Ok(()),
        false => Err(format!("expected {expected}").into()),
    }
}

/// A camera whose response comes in single bytes: each one in time, but not all of them.
fn dripping() -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let stream = Url::parse(&format!("rtsp://{}/stream", listener.local_addr()?))?;
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        stream.read_exact(&mut [0; 10])?;
        let mut written = 0;
        while written < 100 && stream.write_all(b"x").is_ok() {
            written += 1;
            thread::sleep(Duration::from_millis(100));
        }
        std::io::Result::Ok(written)
    });
    let mut camera = Camera::connect(&stream, account("Circle of Life"))?;
    let outcome = camera.call(Method::Options, &stream, &[]);
    drop(camera);
    let written = server.join().map_err(|_| "the server failed")??;
    println!("single bytes: {:?} after {written}", outcome.err());
    match written < 100 {
        true => Ok(()),
        false => Err("the client waited on".into()),
    }
}

fn main() -> Result<(), Error> {
    let played = "[200, 200, 200, 405, 405], 6 requests";
    check("camera", "MD5", "Circle of Life", played)?;
    check("camera", "SHA-256", "Circle of Life", played)?;
    check_as("camera", "MD5", "Circle of Life", played, true)?;
    let refused = "wrong user name or password, 2 requests";
    check("camera", "SHA-256", "Hakuna Matata", refused)?;
    let another = "no usable challenge: the account is for another realm, 1 requests";
    check("x", "SHA-256", "Circle of Life", another)?;
    elsewhere()?;
    endless("RTSP/1.0 200 OK\r\nX: ", "header section too long")?;
    let long = "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 1000000000\r\n\r\n";
    endless(long, "body too long")?;
    dripping()
}
