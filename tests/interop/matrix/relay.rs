//! Relays that hold an answer back until its nonce is old.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use crate::process::PATIENCE;

/// How long: more than the nonces of the servers behind live.
pub(super) const DELAY: Duration = Duration::from_millis(2200);

/// Counts messages with an answer.
struct Delay {
    answers: u32,
    /// The one to hold back, from 1.
    which: u32,
}

impl Delay {
    const fn of(which: u32) -> Self {
        Self { answers: 0, which }
    }

    fn pass(&mut self, message: &[u8]) {
        let message = String::from_utf8_lossy(message).to_lowercase();
        self.answers += u32::from(message.contains("\nauthorization:"));
        if message.contains("\nauthorization:") && self.answers == self.which {
            thread::sleep(DELAY);
        }
    }
}

/// Passes one connection on to a server, and the second answer late: a client that waits for each
/// response sends its requests in one piece. Returns the address to use instead.
pub(super) fn of_stream(server: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = server.to_owned();
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut server = TcpStream::connect(server).unwrap();
        let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut from, &mut to));
        let mut delay = Delay::of(2);
        let mut buffer = [0; 0xffff];
        while let Ok(length @ 1..) = client.read(&mut buffer) {
            delay.pass(&buffer[..length]);
            if server.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = server.shutdown(std::net::Shutdown::Both);
    });
    address
}

/// The same for datagrams of one client, of which it is the first answer that is late.
pub(super) fn of_datagrams(server: &str) -> String {
    let outside = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = outside.local_addr().unwrap().to_string();
    let inside = UdpSocket::bind("127.0.0.1:0").unwrap();
    inside.connect(server).unwrap();
    for socket in [&inside, &outside] {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
    }
    thread::spawn(move || {
        let mut delay = Delay::of(1);
        let mut buffer = [0; 0xffff];
        while let Ok((length, client)) = outside.recv_from(&mut buffer) {
            delay.pass(&buffer[..length]);
            let _ = inside.send(&buffer[..length]);
            if let Ok(length) = inside.recv(&mut buffer) {
                let _ = outside.send_to(&buffer[..length], client);
            }
        }
    });
    address
}
