//! The RTSP client with servers that speak RFC 2069, as RTSP does (RFC 2326, section 1.4), or have no
//! end.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use countersign::digest::{Ha1, HashFunction};
use countersign::wire::{ha2, response};

use crate::process::{PATIENCE, command, run};
use crate::programs::program;
use crate::{LOGIN, PASSWORD, REALM, USER};

/// The lines of a head, without what ends them.
fn read_head(stream: &mut impl BufRead) -> Vec<String> {
    let lines = stream.lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).collect()
}

/// A server that challenges as gst-rtsp-server does, and lets in whoever answers in the form of
/// RFC 2069. Returns its address.
fn challenger() -> String {
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
            let hash = HashFunction::Sha256;
            let ha1 = Ha1::new(hash, USER, REALM, PASSWORD);
            let expected = response(&ha1, "n", None, &ha2(hash, method, uri, None));
            let is_in = head.iter().any(|line| line.contains(expected.as_str()));
            let answer = match is_in || method == "OPTIONS" {
                true => "RTSP/1.0 200 OK\r\n\r\n".to_owned(),
                false => format!(
                    "RTSP/1.0 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"{REALM}\", \
                     algorithm=SHA-256, nonce=\"n\"\r\n\r\n"
                ),
            };
            (&stream).write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn the_client_answers_rfc_2069() {
    for (options, is_in) in [(&[] as &[&str], true), (&["--no-rfc2069"], false)] {
        let address = challenger();
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
