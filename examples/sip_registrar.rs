//! A SIP registrar over UDP that authenticates its users.
//!
//! ```text
//! cargo run --example sip_registrar -- --user Mufasa:secret
//! sipsak -U -C sip:Mufasa@127.0.0.1:9 -s sip:Mufasa@127.0.0.1:PORT -u Mufasa -a secret
//! ```
//!
//! Options: `--listen ADDRESS`, `--realm TEXT`, `--user NAME:PASSWORD`, `--algorithm NAME,…`,
//! `--qop auth|auth-int`, `--nonce-lifetime SECONDS`, and `--any-address`, with which a user may
//! register the addresses of others, for tests. It prints `listening on ADDRESS`, then one
//! line per request. It stores no registrations: the example shows how the crate is used with a
//! protocol other than HTTP. It does not limit guesses: see `cookbook::sip` in the manual for what
//! that needs over UDP.

#[path = "common/messages.rs"]
mod messages;

use std::collections::VecDeque;
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use messages::{Gate, Message};

/// How long a request can be retransmitted: 64 times T1, which is half a second (RFC 3261, section
/// 17.2.2).
const LIFETIME: Duration = Duration::from_secs(32);

/// The longest request, in bytes. The response to a longer one might not fit in a datagram.
const LIMIT: usize = 8 << 10;

/// A request that is retransmitted over UDP gets the same response again, because it is no replay.
/// A retransmission comes from the same peer, and is the same text, which includes the branch.
struct Transaction {
    begun: Instant,
    peer: SocketAddr,
    request: String,
    status: u16,
    response: String,
}

/// The latest transactions, oldest first. Only requests with the right credentials get in, so that
/// nobody without an account can evict them. To any other the response can be made again.
struct Transactions(VecDeque<Transaction>);

impl Transactions {
    fn find(&mut self, peer: SocketAddr, request: &str) -> Option<&Transaction> {
        self.0.retain(|known| known.begun.elapsed() < LIFETIME);
        let mut known = self.0.iter();
        known.find(|known| known.peer == peer && known.request == request)
    }

    fn add(&mut self, transaction: Transaction) {
        if self.0.len() == 100 {
            self.0.pop_front();
        }
        self.0.push_back(transaction);
    }

    /// The response to a request, which may be one that had its response before.
    fn respond(
        &mut self,
        gate: &Gate,
        peer: SocketAddr,
        text: &str,
        request: &Message<'_>,
    ) -> String {
        if let Some(known) = self.find(peer, text) {
            let line = format!("{} {}", request.method, request.target);
            println!("{line} {} retransmission", known.status);
            return known.response.clone();
        }
        let (status, response) = respond(gate, request);
        if matches!(status, 200 | 403) {
            self.add(Transaction {
                begun: Instant::now(),
                peer,
                request: text.to_owned(),
                status,
                response: response.clone(),
            });
        }
        response
    }
}

/// The user in the address-of-record of a To field, such as `"Lion" <sip:Mufasa@example.org>`.
/// There is one domain, so the host is not compared. Escapes are not decoded: such a user gets a
/// 403.
fn user_of(to: &str) -> Option<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    // The display name may be a quoted string with any character in it.
    let bracket = to.find(|c| {
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        c == '<' && !is_quoted
    });
    let uri = match bracket {
        Some(at) => to[at + 1..].split_once('>')?.0,
        None => to.split(';').next()?,
    };
    let (scheme, rest) = uri.split_once(':')?;
    let (user, host) = rest.split_once('@')?;
    let is_sip = ["sip", "sips"]
        .iter()
        .any(|sip| scheme.eq_ignore_ascii_case(sip));
    (is_sip && !host.contains('@')).then_some(user)
}

/// Whether a user registers their own address and no other (RFC 3261, section 10.3).
fn is_own_address(request: &Message<'_>, name: &str) -> bool {
    let mut to = request.fields("to");
    let (first, more) = (to.next(), to.next());
    more.is_none() && first.and_then(user_of) == Some(name)
}

/// The request in a datagram, with its text, if it is one to respond to.
fn read(datagram: &[u8]) -> Option<(&str, Message<'_>)> {
    if datagram.len() > LIMIT {
        return None;
    }
    let text = std::str::from_utf8(datagram).ok()?;
    let is_sip = text.split("\r\n").next()?.ends_with(" SIP/2.0");
    let request = Message::parse(text).filter(|request| is_sip && is_answered(request))?;
    // An ACK takes no response, and neither it nor CANCEL a challenge (RFC 3261, section 22.1).
    // This server asks for credentials for REGISTER alone.
    (request.method != "ACK").then_some((text, request))
}

/// Whether a request has what its response must repeat (RFC 3261, section 8.1.1). One without is
/// dropped: its sender, which over UDP can be forged, would get even more bytes than it sent.
///
/// This limits reflection, but does not end it: a challenge is still about three times as long as
/// an ordinary request, and five to six times as long as the shortest that passes. RFC 3261 has no
/// remedy for that at this level. A server in public should limit how many unauthenticated requests
/// it responds to for each source, or use TCP.
fn is_answered(request: &Message<'_>) -> bool {
    let has = |name: &str, part: &str| {
        let mut values = request.fields(name);
        let first = values.next();
        // `part` is in lower case, as parameters are in practice.
        let is_complete = first.is_some_and(|value| !value.is_empty() && value.contains(part));
        // Only Via may be repeated. Of the others, each one more would make the response longer.
        is_complete && (name == "via" || values.next().is_none())
    };
    has("via", "branch=")
        && has("from", "tag=")
        && ["to", "call-id", "cseq"].iter().all(|name| has(name, ""))
}

/// The status of the response, and its text.
fn respond(gate: &Gate, request: &Message<'_>) -> (u16, String) {
    let (status, fields) = match request.method {
        "REGISTER" => gate.admit(request, |name| is_own_address(request, name)),
        _ => (405, vec!["Allow: REGISTER".to_owned()]),
    };
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        _ => "Method Not Allowed",
    };
    let mut response = format!("SIP/2.0 {status} {reason}\r\n");
    // Fields that a response copies from its request (RFC 3261, section 8.2.6.2).
    for name in ["via", "from", "to", "call-id", "cseq", "contact"] {
        for value in request.fields(name) {
            let is_granted = status == 200;
            match name {
                "to" if !value.contains(";tag=") => {
                    response.push_str(&format!("to: {value};tag=registrar\r\n"));
                }
                "contact" if !is_granted => {}
                "contact" => response.push_str(&format!("contact: {value};expires=60\r\n")),
                _ => response.push_str(&format!("{name}: {value}\r\n")),
            }
        }
    }
    for field in fields {
        response.push_str(&field);
        response.push_str("\r\n");
    }
    (status, response + "content-length: 0\r\n\r\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    // A datagram is a whole request, so there are no connections to limit.
    let (gate, listen, _) = Gate::from_args(false)?;
    let socket = UdpSocket::bind(listen)?;
    println!("listening on {}", socket.local_addr()?);
    let mut transactions = Transactions(VecDeque::new());
    // With room to see that a datagram is too long.
    let mut buffer = [0; LIMIT + 1];
    loop {
        // An error concerns one datagram, which anybody may have sent: it counts as lost.
        let Ok((length, peer)) = socket.recv_from(&mut buffer) else {
            continue;
        };
        if let Some((text, request)) = read(&buffer[..length]) {
            let response = transactions.respond(&gate, peer, text, &request);
            // The same goes for the response: the peer's port may be 0, for example.
            let _ = socket.send_to(response.as_bytes(), peer);
        }
    }
}
