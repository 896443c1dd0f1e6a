//! The RTSP examples with peers that speak RFC 2069, as RTSP does (RFC 2326, section 1.4).

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use countersign::digest::{Algorithm, Ha1};
use countersign::wire::{ha2, response};

use crate::process::{PATIENCE, command, run};
use crate::programs::{Serve, program};
use crate::{LOGIN, PASSWORD, REALM, USER};

const URI: &str = "rtsp://127.0.0.1/stream";

/// The Digest response without `qop`, `nc` and `cnonce`.
fn rfc2069(algorithm: Algorithm, method: &str, uri: &str, nonce: &str) -> String {
    let hash = algorithm.hash_function();
    let ha1 = Ha1::new(hash, USER, REALM, PASSWORD);
    let ha2 = ha2(hash, method, uri, None);
    let response = response(&ha1, nonce, None, &ha2);
    format!(
        "Digest username=\"{USER}\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"{uri}\", \
         algorithm={algorithm}, response=\"{}\"",
        response.as_str()
    )
}

/// The value of a quoted parameter.
fn parameter<'a>(header: &'a str, name: &str) -> &'a str {
    let (_, rest) = header.split_once(&format!("{name}=\"")).unwrap();
    rest.split('"').next().unwrap()
}

/// The lines of a head, without what ends them.
fn read_head(stream: &mut impl BufRead) -> Vec<String> {
    let lines = stream.lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).collect()
}

/// A client that answers the first challenge in the form of RFC 2069, as GStreamer's `rtspsrc`
/// does: it keeps the nonce until the server gives it another.
fn requests(serve: &Serve, count: u32) {
    let stream = TcpStream::connect(&serve.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(&stream);
    let mut nonce: Option<String> = None;
    let algorithm = Algorithm::SHA_256;
    for _ in 0..count {
        for _ in 0..2 {
            let mut request = format!("SETUP {URI} RTSP/1.0\r\nCSeq: 1\r\n");
            if let Some(nonce) = &nonce {
                let credentials = rfc2069(algorithm, "SETUP", URI, nonce);
                request.push_str(&format!("Authorization: {credentials}\r\n"));
            }
            (&stream).write_all((request + "\r\n").as_bytes()).unwrap();
            let head = read_head(&mut reader);
            if !head[0].contains("401") {
                break;
            }
            let challenge = head.iter().find(|line| line.contains("Digest")).unwrap();
            nonce = Some(parameter(challenge, "nonce").to_owned());
        }
    }
}

#[test]
fn the_responder_counts_no_uses_without_a_qop() {
    let refused = [
        vec!["no-credentials", "granted Mufasa"],
        ["replayed", "granted Mufasa"].repeat(11),
    ];
    let reused = [vec!["no-credentials"], vec!["granted Mufasa"; 12]];
    for (options, count, expected) in [
        (&[][..], 12, refused.concat()),
        (
            &["--replayable-nonces", "--nonce-lifetime", "30"],
            12,
            reused.concat(),
        ),
        (
            &["--no-rfc2069"],
            1,
            vec!["no-credentials", "qop-not-offered"],
        ),
    ] {
        let options = [&["--realm", REALM, "--algorithm", "SHA-256"], options].concat();
        let responder = Serve::start_program("rtsp_responder", &options);
        requests(&responder, count);
        assert_eq!(responder.outcomes(), expected, "{options:?}");
    }
}

/// A server that challenges as gst-rtsp-server does, and lets in whoever answers. Returns its
/// address.
fn challenger(algorithm: Algorithm) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = BufReader::new(&stream);
        loop {
            let head = read_head(&mut reader);
            let Some(line) = head.first() else { return };
            let mut words = line.split(' ');
            let (method, uri) = (words.next().unwrap(), words.next().unwrap());
            let expected = rfc2069(algorithm, method, uri, "n");
            let expected = parameter(&expected, "response");
            let is_in = head.iter().any(|line| line.contains(expected));
            let answer = if is_in || method == "OPTIONS" {
                "RTSP/1.0 200 OK\r\n\r\n".to_owned()
            } else {
                format!(
                    "RTSP/1.0 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"{REALM}\", \
                     algorithm={algorithm}, nonce=\"n\"\r\n\r\n"
                )
            };
            (&stream).write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn the_client_answers_rfc_2069() {
    for (options, is_in) in [(&[] as &[&str], true), (&["--no-rfc2069"], false)] {
        let address = challenger(Algorithm::SHA_256);
        let mut client = command(program("rtsp_client"));
        client.args(["--user", LOGIN]).args(options);
        let output = run(client.arg(format!("rtsp://{address}/stream")));
        assert_eq!(output.success, is_in, "{output:?}");
        assert_eq!(output.stderr.contains("RFC 2069"), !is_in, "{output:?}");
    }
}

/// A server that would fill the client's memory.
#[test]
fn the_client_reads_no_response_without_end() {
    for (begin, why) in [
        ("RTSP/1.0 200 OK\r\nX: ", "header section too long"),
        (
            "RTSP/1.0 200 OK\r\nContent-Length: 1000000000\r\n\r\n",
            "body too long",
        ),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            read_head(&mut BufReader::new(&stream));
            stream.write_all(begin.as_bytes()).unwrap();
            // More than the buffers of a connection hold.
            for _ in 0..1024 {
                if stream.write_all(&[b'x'; 1 << 16]).is_err() {
                    return;
                }
            }
        });
        let mut client = command(program("rtsp_client"));
        let output = run(client.arg(format!("rtsp://{address}/stream")));
        assert!(!output.success, "{output:?}");
        assert!(output.stderr.contains(why), "{output:?}");
    }
}
