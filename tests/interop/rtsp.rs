//! The RTSP client with servers that speak RFC 2069, as RTSP does (RFC 2326, section 1.4), or have no
//! end.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use crate::process::{command, run};
use crate::programs::{Serve, program};
use crate::wire;
use crate::{LOGIN, REALM};

/// A responder that offers no qop, as gst-rtsp-server and most cameras do.
#[test]
fn the_client_answers_rfc_2069() {
    for (options, is_in) in [(&[] as &[&str], true), (&["--no-rfc2069"], false)] {
        let offer = ["--qop", "none", "--realm", REALM, "--algorithm", "SHA-256"];
        let responder = Serve::start_program("rtsp_responder", &offer);
        let mut client = command(program("rtsp_client"));
        client.args(["--user", LOGIN]).args(options);
        let output = run(client.arg(format!("rtsp://{}/stream", responder.address)));
        assert_eq!(output.success, is_in, "{output:?}");
        assert_eq!(output.stderr.contains("RFC 2069"), !is_in, "{output:?}");
        let last = responder.outcomes().pop();
        let expected = if is_in {
            "granted Mufasa"
        } else {
            "no-credentials"
        };
        assert_eq!(last.as_deref(), Some(expected));
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
            wire::read_head(&mut stream);
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
