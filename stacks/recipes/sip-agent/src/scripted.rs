//! A peer that says what a script tells it, such as an attacker would.
use std::net::UdpSocket;
use std::thread;

use loopback::Error;

use crate::message::Message;

/// Starts it, for as long as the program runs, and gives its address. The script takes the number
/// of the request, from 0, and the fields that a response to it copies. It returns status lines and
/// fields, one text for each response.
pub fn start(
    script: impl Fn(usize, &str) -> Vec<String> + Send + 'static,
) -> Result<String, Error> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let address = socket.local_addr()?;
    thread::spawn(move || -> Option<()> {
        let mut buffer = [0; 0xffff];
        for n in 0.. {
            let (length, peer) = socket.recv_from(&mut buffer).ok()?;
            let request = Message::parse(str::from_utf8(&buffer[..length]).ok()?)?;
            for head in script(n, &request.copied()) {
                let response = format!("SIP/2.0 {head}Content-Length: 0\r\n\r\n");
                socket.send_to(response.as_bytes(), peer).ok()?;
            }
        }
        None
    });
    Ok(address.to_string())
}
