//! What the registrar must not do for anybody.
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use loopback::Error;

use crate::agent::Agent;

/// How long a response may take that must not come.
const SILENCE: Duration = Duration::from_millis(300);

/// How long a response may take that must come.
const PATIENCE: Duration = Duration::from_secs(5);

/// More requests than a registrar checks at once.
const FLOOD: u32 = 150;

/// The length of a datagram whose response, with a challenge, would not fit in a datagram.
const OVERSIZED: usize = 65_400;

/// `agent` has registered.
pub fn check(address: &str, agent: &Agent) -> Result<(), Error> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(address)?;
    let local = socket.local_addr()?;
    for n in 0..FLOOD {
        expect_challenge(&socket, &anonymous(local, n))?;
    }
    let again = agent.repeat(false)?;
    println!("retransmitted after {FLOOD} anonymous requests: {again}");
    assert_eq!(again, 200, "anybody evicts it");
    check_oversized(&socket)?;
    check_compact(&socket)?;
    check_reflection(&socket)?;
    check_methods(&socket)
}

/// A complete request without credentials.
fn anonymous(local: SocketAddr, n: u32) -> String {
    format!(
        "REGISTER sip:example.org SIP/2.0\r\n\
         Via: SIP/2.0/UDP {local};branch=z9hG4bK{n}\r\n\
         From: <sip:x@example.org>;tag=1\r\nTo: <sip:x@example.org>\r\n\
         Call-ID: {n}\r\nCSeq: 1 REGISTER\r\n\r\n"
    )
}

fn expect_challenge(socket: &UdpSocket, request: &str) -> Result<usize, Error> {
    let response = response(socket, request)?;
    assert!(response.starts_with("SIP/2.0 401 "));
    Ok(response.len())
}

fn response(socket: &UdpSocket, request: &str) -> Result<String, Error> {
    let mut buffer = [0; 0xffff];
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send(request.as_bytes())?;
    let length = socket.recv(&mut buffer)?;
    Ok(String::from_utf8(buffer[..length].to_vec())?)
}

fn expect_silence(socket: &UdpSocket, request: &str) -> Result<(), Error> {
    socket.set_read_timeout(Some(SILENCE))?;
    socket.send(request.as_bytes())?;
    let response = socket.recv(&mut [0; 0xffff]).ok();
    let start: String = request.chars().take(200).collect();
    println!("{start:?}: {response:?} bytes come back");
    assert_eq!(response, None, "{request:?} is answered");
    Ok(())
}

/// One datagram must not end the service for all others.
fn check_oversized(socket: &UdpSocket) -> Result<(), Error> {
    let request = anonymous(socket.local_addr()?, FLOOD);
    let padding = "x".repeat(OVERSIZED - request.len());
    expect_silence(
        socket,
        &request.replace("branch=", &format!("{padding}branch=")),
    )?;
    let length = expect_challenge(socket, &request)?;
    let sent = request.len();
    println!("after {OVERSIZED} bytes, a request of {sent}: a challenge, {length} bytes");
    Ok(())
}

/// Many old handsets send the short names of fields (RFC 3261, section 7.3.3).
fn check_compact(socket: &UdpSocket) -> Result<(), Error> {
    let long = anonymous(socket.local_addr()?, FLOOD + 3);
    let names = [("Via", "v"), ("From", "f"), ("To", "t"), ("Call-ID", "i")];
    let compact = names.iter().fold(long, |request, (long, short)| {
        request.replace(&format!("{long}: "), &format!("{short}: "))
    });
    assert!(!compact.contains("Via"));
    let response = response(socket, &compact)?;
    println!("compact forms: {:?}", response.lines().next());
    assert!(response.starts_with("SIP/2.0 401 ") && response.contains("via: "));
    Ok(())
}

/// The sender of these can be forged, and would get many times what was sent.
fn check_reflection(socket: &UdpSocket) -> Result<(), Error> {
    let complete = anonymous(socket.local_addr()?, FLOOD + 1);
    let with = |part: &str, other: &str| complete.replace(part, other);
    for request in [
        "A b SIP/2.0\r\nc:d\r\n\r\n",
        "REGISTER b SIP/2.0\r\nVia: c\r\n\r\n",
        "REGISTER b SIP/2.0\r\nvia:\r\nfrom:\r\nto:\r\ncall-id:\r\ncseq:\r\n\r\n",
        &with("branch", "other"),
        &with("tag", "other"),
        &with(" <sip:x@example.org>\r\nCall", "\r\nCall"),
        &with("Call-ID", "Other"),
        &with(" 1 REGISTER", ""),
        &with("SIP/2.0\r\n", "HTTP/1.1\r\n"),
        &with("CSeq", "To: y\r\nCSeq"),
    ] {
        assert_ne!(request, complete);
        expect_silence(socket, request)?;
    }
    expect_challenge(socket, &complete)?;
    Ok(())
}

/// Nobody can answer a challenge with these: they have no second try (RFC 3261, section 22.1).
fn check_methods(socket: &UdpSocket) -> Result<(), Error> {
    let register = anonymous(socket.local_addr()?, FLOOD + 2);
    expect_silence(socket, &register.replace("REGISTER", "ACK"))?;
    let cancel = response(socket, &register.replace("REGISTER", "CANCEL"))?;
    println!("CANCEL: {:?}", cancel.lines().next());
    assert!(cancel.starts_with("SIP/2.0 405 "));
    assert!(!cancel.to_ascii_lowercase().contains("www-authenticate"));
    Ok(())
}
