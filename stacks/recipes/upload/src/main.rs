//! A large body is sent once: the server refuses the first request before the body (`Expect:
//! 100-continue`), and later ones carry an answer from the start. Where the answer covers the body,
//! that is hashed first.
//!
//! ```text
//! upload [REALM URL [MIB [auth-int]]]
//! ```
//!
//! Without arguments it runs against servers of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be let in at the URL, in this realm.
mod source;
mod uploader;

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use countersign::client::{Account, Policy, ServerProof};
use countersign::digest::QopSet;
use countersign::server::Realm;
use loopback::{Area, Server, USER};
use ureq::http::Uri;

use uploader::Uploader;

fn account(realm: &str) -> Account {
    Account::new(USER.0, USER.1).for_realm(realm)
}

/// Uploads twice; returns what the server proved the second time.
fn upload(
    realm: &str,
    url: &str,
    size: u64,
    policy: Policy,
    hashed: u32,
) -> Result<ServerProof, Box<dyn Error>> {
    let mut proof = ServerProof::Absent;
    let uri: Uri = url.parse()?;
    let mut uploader = Uploader::new(&uri, policy, account(realm))?;
    for requests in [2, 1] {
        let upload = uploader.put(&uri, size)?;
        println!("{url}: {size} bytes, {upload:?}");
        // A server that takes no uploads says so, and need not read one to its end.
        assert_ne!(upload.status, 401);
        assert_eq!((upload.requests, upload.hashed), (requests, hashed));
        let is_whole = upload.bytes_sent == size;
        assert!(is_whole || upload.bytes_sent < size && upload.status >= 400);
        proof = upload.proof;
    }
    Ok(proof)
}

fn own_servers() -> Result<(), Box<dyn Error>> {
    const SIZE: u64 = 16 << 20;
    let policy = Policy::new();
    for (qop, hashed) in [(QopSet::AUTH, 0), (QopSet::AUTH_INT, 1)] {
        let realm = Realm::new("files")?.with_qop(qop);
        let server = Server::start(vec![Area::new("/", realm)], "");
        let proof = upload("files", &server.url("/x"), SIZE, policy, hashed)?;
        assert_eq!(proof, ServerProof::Valid);
        let read: Vec<u64> = server
            .take_log()
            .iter()
            .map(|entry| entry.body_bytes)
            .collect();
        println!("  body bytes read, by request: {read:?}");
        assert_eq!(read, [0, SIZE, SIZE]);
    }
    // Nobody else gets the credentials.
    let other = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
    let mut uploader = Uploader::new(&other.url("/x").parse()?, policy, account("files"))?;
    let stranger = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
    assert_eq!(uploader.put(&other.url("/x").parse()?, 1)?.status, 200);
    assert!(uploader.put(&stranger.url("/x").parse()?, 1).is_err());
    assert_eq!(stranger.take_log().len(), 0);
    // Not even another user of the same server, before or after a proof.
    let shared = Server::shared();
    let url = shared.url("/d/x").parse()?;
    for (is_cold, path, expected) in [
        (true, "/~mallory/x", "another realm"),
        (true, "/~mallory/same/x", "Basic over a cleartext channel"),
        (false, "/~mallory/x", "another realm"),
        (false, "/~mallory/same/x", "weaker than the realm accepted"),
    ] {
        let mut uploader = Uploader::new(&url, policy, account("files"))?;
        if !is_cold {
            assert_eq!(uploader.put(&url, 1)?.status, 200);
        }
        shared.take_log();
        let other = shared.url(path);
        let error = uploader.put(&other.parse()?, 1).unwrap_err().to_string();
        let log = shared.take_log();
        println!("{other}: {error}, {log:?}");
        assert!(error.contains(expected));
        assert!(log.len() == 1 && !log[0].has_credentials);
    }
    Ok(())
}

/// A refusal with a body without end is answered all the same. Takes a piece of the body, and the
/// pause after it.
fn endless(piece: &'static [u8], pause: Duration) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let uri: Uri = format!("http://{}/x", listener.local_addr()?).parse()?;
    let server = thread::spawn(move || {
        let mut stream = accept(&listener)?;
        let head = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 1000000000\r\n\
            WWW-Authenticate: Digest realm=\"files\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256";
        stream.write_all(format!("{head}\r\n\r\n").as_bytes())?;
        // More than the buffers of a connection hold, or longer than anybody waits.
        let mut written = 0;
        while written < 1000 && stream.write_all(piece).is_ok() {
            written += 1;
            thread::sleep(pause);
        }
        drop(stream);
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        accept(&listener)?.write_all(response)?;
        std::io::Result::Ok(written)
    });
    let upload = Uploader::new(&uri, Policy::new(), account("files"))?.put(&uri, 1)?;
    let written = server.join().map_err(|_| "the server failed")??;
    let (size, status) = (piece.len(), upload.status);
    println!("a refusal without end, {size} bytes at a time: {status} after {written} times");
    assert_eq!((status, upload.requests), (200, 2));
    assert!(written < 500, "the client read on");
    Ok(())
}

/// A connection, whose first request was read.
fn accept(listener: &TcpListener) -> std::io::Result<TcpStream> {
    let (mut stream, _) = listener.accept()?;
    stream.read(&mut [0; 4096]).map(|_| stream)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let Some(realm) = args.next() else {
        own_servers()?;
        endless(&[b'x'; 1 << 16], Duration::ZERO)?;
        return endless(b"x", Duration::from_millis(20));
    };
    let url = args.next().ok_or("which URL?")?;
    let mib = args.next().map_or(Ok(16), |mib| mib.parse::<u64>())?;
    let covers = args.next().is_some_and(|arg| arg == "auth-int");
    let policy = match covers {
        true => Policy::new().require_auth_int(),
        false => Policy::new(),
    };
    upload(&realm, &url, mib << 20, policy, covers.into())?;
    Ok(())
}
