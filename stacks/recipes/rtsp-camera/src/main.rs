//! RTSP: a stream is set up and played with one login.
//!
//! ```text
//! rtsp-camera [EXAMPLES]
//! ```
//!
//! The camera is the example `rtsp_responder`, from the folder EXAMPLES. It has no stream to play,
//! so it answers the last two methods with 405, to those alone who may ask. At the end comes a camera
//! that sends responses of any length, at any pace.
mod camera;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use loopback::{Error, Example};
use rtsp_types::headers::{ACCEPT, SESSION, TRANSPORT};
use rtsp_types::{Method, Url};

use camera::Camera;

/// The statuses of all responses that are not challenges.
fn play(camera: &mut Camera, stream: &Url) -> Result<Vec<u16>, Error> {
    let mut statuses = Vec::new();
    let options = camera.call(Method::Options, stream, &[])?;
    let describe = camera.call(Method::Describe, stream, &[(ACCEPT, "application/sdp")])?;
    // A request has the URL of its own request line: that of a track here.
    let track = Url::parse(&format!("{stream}/track1"))?;
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
    let user = "Mufasa:Circle of Life";
    let options = ["--user", user, "--realm", realm, "--algorithm", algorithm];
    let peer = Example::start("rtsp_responder", &options)?;
    // A request with this login on its line would get no credentials, and so no answer but 401.
    let stream = Url::parse(&format!("rtsp://a:b@{}/stream", peer.address))?;
    let mut camera = Camera::connect(&stream, b"camera", password)?;
    let outcome = match play(&mut camera, &stream) {
        Ok(statuses) => format!("{statuses:?}"),
        Err(error) => error.to_string(),
    };
    let Camera {
        requests, prompts, ..
    } = camera;
    let shown = format!("{outcome}, {requests} requests, prompts: {prompts}");
    println!("{realm}, {algorithm}, {password:?}: {shown}");
    match shown == expected {
        true => Ok(()),
        false => Err(format!("expected {expected}").into()),
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
    let mut camera = Camera::connect(&stream, b"camera", "Circle of Life")?;
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
    let mut camera = Camera::connect(&stream, b"camera", "Circle of Life")?;
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
    let played = "[200, 200, 200, 405, 405], 6 requests, prompts: 1";
    check("camera", "MD5", "Circle of Life", played)?;
    check("camera", "SHA-256", "Circle of Life", played)?;
    let refused = "wrong user name or password, 2 requests, prompts: 1";
    check("camera", "SHA-256", "Hakuna Matata", refused)?;
    let another = "another realm, 1 requests, prompts: 0";
    check("x", "SHA-256", "Circle of Life", another)?;
    endless("RTSP/1.0 200 OK\r\nX: ", "header section too long")?;
    let long = "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 1000000000\r\n\r\n";
    endless(long, "body too long")?;
    dripping()
}
