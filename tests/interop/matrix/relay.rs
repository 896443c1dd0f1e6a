//! Relays that hold an answer back until its nonce is old, or spoil the server's proof.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use crate::process::PATIENCE;

/// How long an answer is held back: more than the nonces of the servers behind live.
pub(super) const DELAY: Duration = Duration::from_millis(2200);

/// What a relay does with the messages that it passes on.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// Holds back the answer of this number, from 1.
    Delay(u32),
    Spoil,
}

impl Task {
    /// Takes a request, after so many answers; returns how many it is now.
    fn pass_request(self, message: &[u8], answers: u32) -> u32 {
        let message = String::from_utf8_lossy(message).to_lowercase();
        let has_answer = message.contains("\nauthorization:");
        let answers = answers + u32::from(has_answer);
        if matches!(self, Self::Delay(which) if has_answer && which == answers) {
            thread::sleep(DELAY);
        }
        answers
    }

    fn pass_response(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Delay(_) => message.to_vec(),
            Self::Spoil => spoil(&String::from_utf8_lossy(message)).into_bytes(),
        }
    }
}

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

/// Passes one connection on to a server. Who waits for each response before the next request sends
/// it in one piece, and so does the server. Returns the address to use instead.
pub(super) fn of_stream(server: &str, task: Task) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let server = TcpStream::connect(server).unwrap();
        let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        thread::spawn(move || copy(from, to, |message| task.pass_response(message)));
        let mut answers = 0;
        copy(client, server, |message| {
            answers = task.pass_request(message, answers);
            message.to_vec()
        });
    });
    address
}

/// Copies what comes, piece by piece, and ends the other side when it ends.
fn copy(mut from: TcpStream, mut to: TcpStream, mut pass: impl FnMut(&[u8]) -> Vec<u8>) {
    let mut buffer = [0; 0xffff];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&pass(&buffer[..length])).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// The same for the datagrams of one client.
pub(super) fn of_datagrams(server: &str, task: Task) -> String {
    let outside = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = outside.local_addr().unwrap().to_string();
    let inside = UdpSocket::bind("127.0.0.1:0").unwrap();
    inside.connect(server).unwrap();
    for socket in [&inside, &outside] {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
    }
    thread::spawn(move || {
        let mut answers = 0;
        let mut buffer = [0; 0xffff];
        while let Ok((length, client)) = outside.recv_from(&mut buffer) {
            answers = task.pass_request(&buffer[..length], answers);
            let _ = inside.send(&buffer[..length]);
            if let Ok(length) = inside.recv(&mut buffer) {
                let _ = outside.send_to(&task.pass_response(&buffer[..length]), client);
            }
        }
    });
    address
}
