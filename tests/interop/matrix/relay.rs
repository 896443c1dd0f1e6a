//! Relays that hold an answer back until its nonce is old, or spoil the server's proof.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::process::PATIENCE;

/// How long an answer is held back: more than the nonces of the servers behind live.
pub(super) const DELAY: Duration = Duration::from_millis(2200);

/// Puts another proof into a response.
pub(super) fn spoil(response: &str) -> String {
    match response.split_once("rspauth=\"") {
        Some((before, after)) => {
            let end = after.find('"').unwrap_or(0);
            format!("{before}rspauth=\"{}{}", "0".repeat(end), &after[end..])
        }
        None => response.to_owned(),
    }
}

/// Passes one connection on to a server, and holds back the second answer. Who waits for each response
/// before the next request sends it in one piece. Returns the address to use instead.
pub(super) fn of_stream(server: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut server = TcpStream::connect(server).unwrap();
        let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Both);
        });
        let mut answers = 0;
        let mut buffer = [0; 0xffff];
        while let Ok(length @ 1..) = client.read(&mut buffer) {
            let message = String::from_utf8_lossy(&buffer[..length]).to_lowercase();
            if message.contains("\nauthorization:") {
                answers += 1;
                if answers == 2 {
                    thread::sleep(DELAY);
                }
            }
            if server.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = server.shutdown(std::net::Shutdown::Both);
    });
    address
}
