//! What the registrar must not do for anybody.
use std::net::UdpSocket;
use std::time::Duration;

use loopback::Error;

use crate::agent::Agent;

/// How long a response may take that must not come.
const SILENCE: Duration = Duration::from_millis(300);

/// More requests than a registrar remembers for retransmissions.
const FLOOD: u32 = 150;

/// `agent` has registered.
pub fn check(address: &str, agent: &Agent) -> Result<(), Error> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut buffer = [0; 0xffff];
    let local = socket.local_addr()?;
    for n in 0..FLOOD {
        let request = format!(
            "REGISTER sip:example.org SIP/2.0\r\n\
             Via: SIP/2.0/UDP {local};branch=z9hG4bK{n}\r\n\
             From: <sip:x@example.org>;tag=1\r\nTo: <sip:x@example.org>\r\n\
             Call-ID: {n}\r\nCSeq: 1 REGISTER\r\n\r\n"
        );
        socket.send(request.as_bytes())?;
        let length = socket.recv(&mut buffer)?;
        assert!(buffer[..length].starts_with(b"SIP/2.0 401 "));
    }
    let again = agent.repeat(false)?;
    println!("retransmitted after {FLOOD} anonymous requests: {again}");
    assert_eq!(again, 200, "anybody evicts it");

    // Its sender can be forged, and would get more than was sent.
    socket.set_read_timeout(Some(SILENCE))?;
    for request in [
        "A b SIP/2.0\r\nc:d\r\n\r\n",
        "REGISTER b SIP/2.0\r\nVia: c\r\n\r\n",
    ] {
        socket.send(request.as_bytes())?;
        let response = socket.recv(&mut buffer).ok();
        println!("{request:?}: {response:?} bytes come back");
        assert_eq!(response, None, "it is reflected");
    }
    Ok(())
}
