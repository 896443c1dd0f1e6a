//! An origin that asks for Digest, and keeps what it is sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use countersign::digest::{Ha1, HashFunction};
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Channel, EntityBody, Target};

pub struct Origin {
    pub address: String,
    auth: Authenticator,
    /// The heads of all requests, also of those that were refused.
    pub heads: Mutex<Vec<String>>,
    /// The bodies of those that were granted.
    pub bodies: Mutex<Vec<Vec<u8>>>,
}

impl Origin {
    pub fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = Arc::new(Self {
            address: listener.local_addr().unwrap().to_string(),
            auth: Authenticator::from_os_rng(Realm::new("camera").unwrap(), 1000).unwrap(),
            heads: Mutex::default(),
            bodies: Mutex::default(),
        });
        let accepting = Arc::clone(&origin);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let origin = Arc::clone(&accepting);
                std::thread::spawn(move || origin.serve(stream.unwrap()));
            }
        });
        origin
    }

    /// How many requests had a login, right or wrong.
    pub fn guesses(&self) -> usize {
        let heads = self.heads.lock().unwrap();
        heads
            .iter()
            .filter(|head| head.contains("authorization: Digest"))
            .count()
    }

    pub fn last(&self) -> String {
        self.heads.lock().unwrap().last().unwrap().clone()
    }

    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        loop {
            let head = read_to(&mut stream, b"\r\n\r\n")?;
            let head = String::from_utf8(head).unwrap().to_string();
            let (line, fields) = head.split_once("\r\n").unwrap();
            let mut line = line.split(' ');
            let (method, target) = (line.next().unwrap(), line.next().unwrap());
            self.heads.lock().unwrap().push(head.clone());
            let field = |name: &str| {
                let lines = fields
                    .split("\r\n")
                    .filter_map(|line| line.split_once(": "));
                lines
                    .into_iter()
                    .find(|(key, _)| key.eq_ignore_ascii_case(name))
                    .map(|(_, value)| value)
            };
            let checked = self.auth.check(
                field("authorization").into_iter(),
                &Target::new(method, target),
                Arrival::now(Channel::Cleartext),
                |user, hash| match (user.name(), hash) {
                    (Some("Mufasa"), HashFunction::Sha256) => {
                        Some(Ha1::new(hash, "Mufasa", "camera", "Circle of Life"))
                    }
                    _ => None,
                },
            );
            let mut body = Vec::new();
            if let Some(length) = field("content-length") {
                body.resize(length.parse().unwrap(), 0);
                stream.read_exact(&mut body).ok()?;
            } else if field("transfer-encoding").is_some() {
                loop {
                    let length = read_to(&mut stream, b"\r\n")?;
                    let length = std::str::from_utf8(&length).unwrap().trim();
                    let length = usize::from_str_radix(length, 16).unwrap();
                    let mut chunk = vec![0; length + 2];
                    stream.read_exact(&mut chunk).ok()?;
                    if length == 0 {
                        break;
                    }
                    body.extend_from_slice(&chunk[..length]);
                    // What has come so far can be seen before the rest comes.
                    *self.bodies.lock().unwrap() = vec![body.clone()];
                }
            }
            match checked {
                Err(refusal) => {
                    let challenge = refusal.challenges[0].to_str().unwrap();
                    let status = refusal.status;
                    let head = format!(
                        "HTTP/1.1 {status} No\r\nWWW-Authenticate: {challenge}\r\nContent-Length: 0\r\n\r\n"
                    );
                    stream.write_all(head.as_bytes()).ok()?;
                }
                Ok(grant) => {
                    let info = grant.authentication_info(EntityBody::Unknown).unwrap();
                    let info = info.to_str().unwrap();
                    if method != "HEAD" {
                        *self.bodies.lock().unwrap() = vec![body];
                    }
                    let at = &self.address;
                    let (status, more) = match target {
                        "/moved" => ("302 Found", format!("Location: http://{at}/there\r\n")),
                        "/away" => ("302 Found", "Location: http://evil.example/\r\n".into()),
                        _ => ("200 OK", String::new()),
                    };
                    let fields = format!(
                        "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\nX-End: 1\r\n\
                         Authentication-Info: {info}\r\nSet-Cookie: a=b\r\nContent-Length: 10"
                    );
                    let head = format!("HTTP/1.1 {status}\r\n{more}{fields}\r\n\r\n");
                    stream.write_all(head.as_bytes()).ok()?;
                    if method != "HEAD" {
                        stream.write_all(b"hello").ok()?;
                        if target == "/slow" {
                            // Goes on once something else is asked for.
                            let before = self.heads.lock().unwrap().len();
                            while self.heads.lock().unwrap().len() == before {
                                std::thread::yield_now();
                            }
                        }
                        stream.write_all(b"world").ok()?;
                    }
                }
            }
        }
    }
}

/// Reads byte by byte up to an end, which is not returned.
fn read_to(stream: &mut TcpStream, end: &[u8]) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    while !read.ends_with(end) {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        read.extend(byte);
    }
    read.truncate(read.len() - end.len());
    Some(read)
}
