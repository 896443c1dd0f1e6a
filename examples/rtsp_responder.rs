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
//! | `--qop auth\|auth-int` | what responses cover |
//! | `--nonce-lifetime SECONDS` | how long a nonce is valid |
//! | `--no-rfc2069` | refuses clients that leave out the qop, such as GStreamer's `rtspsrc` |
//! | `--reusable-nonces` | spares those clients a refusal for each request; a captured request can then be replayed until its nonce expires |
//!
//! It prints `listening on ADDRESS`, then one line per request. There is no stream behind the
//! description, so nothing can be played. The example shows how the crate is used with a protocol
//! other than HTTP.

#[path = "common/messages.rs"]
mod messages;

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use messages::{Gate, Message};

/// The number of tracks: a client that sets them all up sends ten requests.
const TRACKS: u32 = 9;
/// The longest message, in bytes.
const LIMIT: u64 = 1 << 16;

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

fn serve(gate: &Gate, mut stream: TcpStream) -> Result<(), Box<dyn Error>> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    // A client that reads nothing must not keep the thread either.
    stream.set_write_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(text) = read(&mut reader) {
        let request = Message::parse(&text).ok_or("no request")?;
        stream.write_all(respond(gate, &request).as_bytes())?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (gate, listen) = Gate::from_args(true)?;
    let gate = Arc::new(gate);
    let listener = TcpListener::bind(listen)?;
    println!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Most likely too many connections are open. Wait until some have ended.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let gate = Arc::clone(&gate);
        thread::spawn(move || {
            // Errors of a connection do not stop the server.
            let _ = serve(&gate, stream);
        });
    }
    Ok(())
}
