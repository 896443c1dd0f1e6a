//! A host on which somebody else has a folder.
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use reqwest::Url;

/// Starts a server that lets in whoever answers its challenge, except below `/~mallory/`: there
/// somebody else asks for the same login, and refuses every answer. Returns the URL of `/`.
pub fn start() -> std::io::Result<Url> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || respond(stream));
        }
    });
    Ok(url.parse().expect("it is a URL"))
}

fn respond(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while !request.ends_with(b"\r\n\r\n") {
        let length = stream.read(&mut piece)?;
        if length == 0 {
            return Ok(());
        }
        request.extend_from_slice(&piece[..length]);
    }
    let request = String::from_utf8_lossy(&request).to_lowercase();
    let is_mallory = request.starts_with("get /~mallory/");
    let nonce = if is_mallory { "m" } else { "n" };
    let head = match !is_mallory && request.contains("\r\nauthorization: digest ") {
        true => "200 OK".to_owned(),
        false => format!(
            "401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"files\", nonce=\"{nonce}\", \
             qop=\"auth\", algorithm=SHA-256"
        ),
    };
    let head = format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())
}
