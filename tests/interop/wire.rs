//! HTTP by hand.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::process::PATIENCE;

/// Sends a request with these fields and no others, and reads the response to the end.
#[cfg(feature = "md5")]
pub(crate) fn send(address: &str, request_line: &str, fields: &[&str]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
    let rest = "host: test\r\nconnection: close\r\n\r\n";
    write!(stream, "{request_line} HTTP/1.1\r\n{fields}{rest}").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

/// Sends a GET request again, with its credentials, to another address.
#[cfg(feature = "md5")]
pub(crate) fn forward(address: &str, head: &str) -> String {
    let credentials = credentials(head).map(|(name, value)| format!("{name}: {value}"));
    let fields: Vec<&str> = credentials.as_deref().into_iter().collect();
    send(address, &format!("GET {}", path(head)), &fields)
}

/// The credentials in the head of a request, for a server or for a proxy, with the field's name.
#[cfg(feature = "md5")]
pub(crate) fn credentials(head: &str) -> Option<(&'static str, &str)> {
    ["authorization", "proxy-authorization"]
        .into_iter()
        .find_map(|name| Some((name, field(head, name)?)))
}

/// The request-target of a head.
#[cfg(feature = "md5")]
pub(crate) fn path(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or_default()
}

/// The first field of this name in a head, as `curl -v` shows it or as it is on the wire.
pub(crate) fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.trim_start_matches(['>', '<', ' ']).split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// A server that gives what a closure answers to the head of a request. Each connection has but
/// one request. Its threads end with the test.
pub(crate) struct Canned {
    pub(crate) address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Canned {
    pub(crate) fn start(answer: impl FnMut(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        let answer = Arc::new(Mutex::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                // A browser opens connections that it may never use.
                thread::spawn(move || {
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                    let head = read_head(&mut stream);
                    if head.is_empty() {
                        return;
                    }
                    let mut answer = answer.lock().unwrap();
                    seen.lock().unwrap().push(head.clone());
                    let _ = stream.write_all(answer(&head).as_bytes());
                });
            }
        });
        Self { address, heads }
    }

    /// The heads of all requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// The head of a request.
pub(crate) fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// A response without a body, after which the connection ends.
pub(crate) fn response(status: &str, field: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{field}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}
