//! A SIP registrar over UDP that authenticates its users.
//!
//! ```text
//! cargo run --example sip_registrar -- --user Mufasa:secret
//! sipsak -U -C sip:Mufasa@127.0.0.1:9 -s sip:Mufasa@127.0.0.1:PORT -u Mufasa -a secret
//! ```
//!
//! Options: `--listen ADDRESS`, `--realm TEXT`, `--user NAME:PASSWORD`, `--algorithm NAME,…`,
//! `--qop auth|auth-int|none`, `--nonce-lifetime SECONDS`, and for tests `--any-address`, with which a
//! user may register the addresses of others, and `--lookup-time MILLISECONDS`, which it takes to
//! look up a user. It prints `listening on ADDRESS`, then one
//! line per request. It stores no registrations: the example shows how the crate is used with a
//! protocol other than HTTP. It does not limit guesses: see `docs/sip.md` for what
//! that needs over UDP.

#[path = "common/messages.rs"]
mod messages;

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use messages::{Gate, Message};

/// How long a request can be retransmitted: 64 times T1, which is half a second (RFC 3261, section
/// 17.2.2).
const LIFETIME: Duration = Duration::from_secs(32);

/// The longest request, in bytes. The response to a longer one might not fit in a datagram.
const LIMIT: usize = 8 << 10;

/// How many granted requests are remembered: those of 32 seconds, at 833 a second, which is the
/// rate at which 50,000 users register once a minute. With fewer, a retransmission at the peak
/// would be refused as a replay.
const MAX_GRANTED: usize = 833 * 32;

/// How many requests are checked at once, each by a thread. Others are dropped, and sent again by
/// their clients.
const MAX_UNDER_WAY: usize = 100;

/// The sender and the text of a request. A retransmission has the same, which includes the branch.
type Key = Arc<(SocketAddr, String)>;

/// The status and the text of a response.
type Response = (u16, String);

/// The latest transactions. A retransmission over UDP is no replay: it gets the same response
/// again, or none while its request is being checked. Of the decided requests only those with the
/// right credentials stay, so that nobody without an account can evict them. To any other the
/// response can be made again.
#[derive(Default)]
struct Transactions {
    /// The response of each; `None` while it is under way.
    known: HashMap<Key, Option<Response>>,
    /// Those with a response, oldest first.
    granted: VecDeque<(Instant, Key)>,
}

/// What to do with a request.
enum Step {
    Check,
    Repeat(Response),
    Drop,
}

impl Transactions {
    fn begin(&mut self, key: &Key) -> Step {
        while let Some((since, _)) = self.granted.front()
            && since.elapsed() >= LIFETIME
        {
            self.evict();
        }
        match self.known.get(key) {
            Some(Some(response)) => Step::Repeat(response.clone()),
            Some(None) => Step::Drop,
            None if self.known.len() - self.granted.len() >= MAX_UNDER_WAY => Step::Drop,
            None => {
                self.known.insert(Arc::clone(key), None);
                Step::Check
            }
        }
    }

    /// Ends what `begin` began.
    fn end(&mut self, key: &Key, response: &Response) {
        if !matches!(response.0, 200 | 403) {
            self.known.remove(key);
            return;
        }
        if self.granted.len() >= MAX_GRANTED {
            self.evict();
        }
        self.known.insert(Arc::clone(key), Some(response.clone()));
        self.granted.push_back((Instant::now(), Arc::clone(key)));
    }

    fn evict(&mut self) {
        if let Some((_, oldest)) = self.granted.pop_front() {
            self.known.remove(&oldest);
        }
    }
}

/// What all threads share.
struct Registrar {
    gate: Gate,
    socket: UdpSocket,
    transactions: Mutex<Transactions>,
}

impl Registrar {
    fn transactions(&self) -> MutexGuard<'_, Transactions> {
        // No code that holds the lock panics.
        self.transactions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Responds to a datagram, now or from a thread of its own.
    fn receive(self: &Arc<Self>, datagram: &[u8], peer: SocketAddr) {
        let Some((text, request)) = read(datagram) else {
            return;
        };
        let key = Arc::new((peer, text.to_owned()));
        let step = self.transactions().begin(&key);
        match step {
            Step::Drop => {}
            Step::Repeat((status, response)) => {
                let line = format!("{} {}", request.method, request.target);
                println!("{line} {status} retransmission");
                self.send(&response, peer);
            }
            Step::Check => {
                let (shared, of_thread) = (Arc::clone(self), Arc::clone(&key));
                let thread = thread::Builder::new().spawn(move || shared.check(&of_thread));
                if thread.is_err() {
                    self.transactions().known.remove(&key);
                }
            }
        }
    }

    fn check(&self, key: &Key) {
        let (peer, text) = &**key;
        let Some((_, request)) = read(text.as_bytes()) else {
            return;
        };
        let response = respond(&self.gate, &request);
        self.transactions().end(key, &response);
        self.send(&response.1, *peer);
    }

    fn send(&self, response: &str, peer: SocketAddr) {
        // An error concerns one datagram, whose sender anybody may have chosen: the port may be 0,
        // for example.
        let _ = self.socket.send_to(response.as_bytes(), peer);
    }
}

/// What a request is routed by: scheme, user, host, and the parameters but for the transport. The
/// port and the transport have had their effect once the request is here.
fn route(uri: &str) -> Option<(String, Option<&str>, String, Vec<&str>)> {
    let (scheme, rest) = uri.split_once(':')?;
    let (user, rest) = match rest.split_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, rest),
    };
    let mut parts = rest.split(';');
    let address = parts.next()?;
    let host = match address.rsplit_once(':') {
        // Within the brackets of IPv6 the last part is no port.
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => address,
    };
    let is_transport = |it: &&str| it.to_ascii_lowercase().starts_with("transport=");
    let params = parts.filter(|it| !is_transport(it)).collect();
    let lower = str::to_ascii_lowercase;
    Some((lower(scheme), user, lower(host), params))
}

/// Whether the `uri` of credentials is good for a Request-URI: clients write the two differently.
fn agrees(uri: &str, request_uri: &str) -> bool {
    route(uri).is_some() && route(uri) == route(request_uri)
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
    let (gate, listen, _) = Gate::from_args(false, agrees)?;
    let socket = UdpSocket::bind(listen)?;
    println!("listening on {}", socket.local_addr()?);
    let registrar = Arc::new(Registrar {
        gate,
        socket,
        transactions: Mutex::default(),
    });
    // With room to see that a datagram is too long.
    let mut buffer = [0; LIMIT + 1];
    loop {
        // An error concerns one datagram, which anybody may have sent: it counts as lost.
        if let Ok((length, peer)) = registrar.socket.recv_from(&mut buffer) {
            registrar.receive(&buffer[..length], peer);
        }
    }
}
