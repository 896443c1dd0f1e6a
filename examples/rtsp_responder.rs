//! An RTSP server that describes a stream to authenticated users.
//!
//! ```text
//! cargo run --example rtsp_responder -- --user Mufasa:secret
//! cargo run --example rtsp_client -- --user Mufasa:secret rtsp://127.0.0.1:PORT/stream
//! ffprobe -rtsp_transport tcp rtsp://Mufasa:secret@127.0.0.1:PORT/stream
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--listen ADDRESS` | where to listen; by default a free port of `127.0.0.1` |
//! | `--realm TEXT` | the realm; by default `example` |
//! | `--user NAME:PASSWORD` | a user; may be repeated |
//! | `--algorithm NAME,…` | the Digest algorithms, best first |
//! | `--qop auth\|auth-int\|none` | what responses cover; `none` is RFC 2069 |
//! | `--nonce-lifetime SECONDS` | how long a nonce is valid |
//! | `--no-rfc2069` | refuses clients that leave out the qop, such as GStreamer's `rtspsrc` |
//! | `--request-time SECONDS` | how long a client may take for each request, from the end of the one before; by default 30 |
//! | `--connections NUMBER` | how many connections are served at once; others wait; by default 100 |
//! | `--replayable-nonces` | spares those clients a refusal for each request; a captured request can then be replayed until its nonce expires |
//!
//! It prints `listening on ADDRESS`, then one line per request. There is no stream behind the
//! description, so nothing can be played. The example shows how the crate is used with a protocol
//! other than HTTP.

#[path = "common/messages.rs"]
mod messages;

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use messages::{Gate, Message};

/// The number of tracks: a client that sets them all up sends ten requests.
const TRACKS: u32 = 9;
/// The longest message, in bytes.
const LIMIT: u64 = 1 << 16;

/// A stream that must be read by a certain time. With a limit for each read, a client that sends
/// one byte now and then could keep its thread for ever.
struct Timed {
    stream: TcpStream,
    until: Instant,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

/// Reads a complete message; `None` at the end of the connection, or if it is malformed.
fn read(stream: &mut impl BufRead) -> Option<String> {
    let mut message = String::new();
    let mut head = stream.take(LIMIT);
    while !message.ends_with("\r\n\r\n") {
        if head.read_line(&mut message).ok()? == 0 {
            return None;
        }
    }
    let length = Message::parse(&message)?.fields("content-length").next();
    let length = length.map_or(Ok(0), str::parse).ok()?;
    if length > LIMIT {
        // Close, because the rest would be taken for the next message.
        return None;
    }
    stream.take(length).read_to_string(&mut message).ok()?;
    Some(message)
}

/// Whether a URL names this stream, or a track of it: clients made with live555 compute their
/// responses for the stream, whatever they request. All streams are the same here; a server with
/// several authorises and serves the stream that the credentials name.
fn is_of_stream(stream: &str, url: &str) -> bool {
    let stream = stream.strip_suffix('/').unwrap_or(stream);
    // More than a track's name, such as `..`, could name another stream.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"=-_".contains(&byte);
    match url.strip_prefix(stream) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('/')
            .is_some_and(|track| track.bytes().all(is_plain)),
        None => false,
    }
}

fn description() -> String {
    let tracks = (1..=TRACKS).map(|n| format!("m=audio 0 RTP/AVP 0\r\na=control:track{n}\r\n"));
    let tracks: String = tracks.collect();
    format!("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=Pride Rock\r\nt=0 0\r\n{tracks}")
}

fn respond(gate: &Gate, request: &Message<'_>) -> String {
    let (status, mut fields) = gate.admit(request, |_| true);
    let mut body = String::new();
    let line = match (status, request.method) {
        (200, "OPTIONS") => {
            fields.push("Public: OPTIONS, DESCRIBE, SETUP".to_owned());
            "200 OK"
        }
        (200, "DESCRIBE") => {
            fields.push("Content-Type: application/sdp".to_owned());
            body = description();
            "200 OK"
        }
        (200, "SETUP") => {
            let transports = request.fields("transport");
            fields.extend(transports.map(|transport| format!("Transport: {transport}")));
            fields.push("Session: 1".to_owned());
            "200 OK"
        }
        (200, _) => "405 Method Not Allowed",
        (401, _) => "401 Unauthorized",
        _ => "400 Bad Request",
    };
    let mut response = format!("RTSP/1.0 {line}\r\n");
    for sequence in request.fields("cseq") {
        response.push_str(&format!("CSeq: {sequence}\r\n"));
    }
    for field in fields {
        response.push_str(&field);
        response.push_str("\r\n");
    }
    response + &format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn serve(gate: &Gate, mut stream: TcpStream, time: Duration) -> Result<(), Box<dyn Error>> {
    // A client that reads nothing must not keep the thread either. This is a limit for each write.
    stream.set_write_timeout(Some(time))?;
    let mut reader = BufReader::new(Timed {
        stream: stream.try_clone()?,
        until: Instant::now(),
    });
    loop {
        reader.get_mut().until = Instant::now() + time;
        let Some(text) = read(&mut reader) else {
            return Ok(());
        };
        let request = Message::parse(&text).ok_or("no request")?;
        stream.write_all(respond(gate, &request).as_bytes())?;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Time for connections to end, where no more can be served.
    const PAUSE: Duration = Duration::from_millis(50);
    let (gate, listen, (request_time, connections)) = Gate::from_args(true, is_of_stream)?;
    let gate = Arc::new(gate);
    let listener = TcpListener::bind(listen)?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        // The thread of each connection has a clone.
        while Arc::strong_count(&gate) > connections {
            thread::sleep(PAUSE);
        }
        let shared = Arc::clone(&gate);
        // Either fails if too many connections or threads exist. Without a thread, the connection
        // is closed.
        let started = listener.accept().and_then(|(stream, _)| {
            thread::Builder::new().spawn(move || {
                // Errors of a connection do not stop the server.
                let _ = serve(&shared, stream, request_time);
            })
        });
        if started.is_err() {
            thread::sleep(PAUSE);
        }
    }
}
