//! A user agent, which answers the registrar and every proxy on the way to it.
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use countersign::client::{self, Client, Endpoint, Exchange, GiveUp, Next, Policy};
use countersign::rand_core::TryRng;
use countersign::{Challenge, Challenger, EntityBody, Target, challenges};
use loopback::Error;

use crate::message::Message;

/// How long a request waits for its final response.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most requests of one call: one without credentials, and two for each of three realms.
const MAX_REQUESTS: usize = 7;

/// A user, and the realms that the password is for.
pub struct Account {
    pub name: &'static str,
    /// Whose address is registered: normally that of the user.
    pub address: &'static str,
    pub password: &'static str,
    pub registrar: &'static str,
    pub proxies: &'static [&'static str],
}

pub struct Agent {
    socket: UdpSocket,
    account: Account,
    /// One for each realm of the account, because one request may carry credentials for several.
    /// Others get none: anyone who can send a response can invent realms.
    clients: Vec<(&'static str, Client)>,
    sequence: u32,
    /// The last request.
    sent: String,
    /// Fields that go along with each request.
    pub more: &'static str,
    /// What the request line has after the URI that the credentials cover.
    pub suffix: &'static str,
    /// How often each request is sent, as over a network that is slower than the timer of the
    /// client.
    pub copies: u32,
    /// The last final response.
    pub last: String,
    /// Of each final response: how many credentials its request had, and the status.
    pub seen: Vec<(u32, u16)>,
}

impl Agent {
    pub fn connect(peer: &str, policy: Policy, account: Account) -> Result<Self, Error> {
        let peer: SocketAddr = peer.parse()?;
        let socket = connected(peer)?;
        let (host, port) = (url_host(peer.ip()), peer.port());
        // The proxies have one address, and so has the registrar behind them.
        let proxy = Endpoint::proxy("sip", &host, port);
        let registrar = Endpoint::origin("sip", &host, Some(port))?;
        let proxies = account.proxies.iter().map(|realm| (*realm, &proxy));
        let realms = proxies.chain([(account.registrar, &registrar)]);
        let clients = realms.map(|(realm, party)| {
            let client = Client::new(party.clone(), policy, &mut getrandom::SysRng)?;
            let own = client::Account::new(account.name, account.password).for_realm(realm);
            Ok((realm, client.with_account(own)?))
        });
        Ok(Self {
            clients: clients.collect::<Result<_, Error>>()?,
            socket,
            account,
            sequence: 0,
            sent: String::new(),
            more: "",
            suffix: "",
            copies: 1,
            last: String::new(),
            seen: Vec::new(),
        })
    }

    /// The address that the registrar's endpoint has.
    pub fn host(&self) -> &str {
        let registrar = self.clients.last();
        registrar.map_or("", |(_, client)| client.endpoint().host())
    }

    /// Sends a request, again as often as the challenges call for it.
    pub fn call(&mut self, method: &str, uri: &str, body: &str) -> Result<(), Error> {
        let target = Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()));
        // The registrar answers no other method. Another request reaches whoever is called, who
        // must neither see nor ask for credentials in the registrar's realm.
        let takes_part = |client: &Client| {
            client.endpoint().challenger() == Challenger::Proxy || method == "REGISTER"
        };
        let clients = self.clients.iter();
        let mut exchanges: Vec<_> = clients
            .map(|(_, client)| takes_part(client).then(Exchange::new))
            .collect();
        for _ in 0..MAX_REQUESTS {
            let (mut fields, mut answers) = (String::new(), 0);
            for ((_, client), exchange) in self.clients.iter_mut().zip(&mut exchanges) {
                let Some(exchange) = exchange else { continue };
                let name = client.endpoint().challenger().credentials_field();
                let answer = client.authorize(exchange, &target)?;
                if let Some(answer) = answer.for_new_request() {
                    write!(fields, "{name}: {}\r\n", answer.to_str()?)?;
                    answers += 1;
                }
            }
            let text = self.send(method, uri, &fields, body)?;
            let response = Message::parse(&text).ok_or("not a response")?;
            let status = response.status().ok_or("not a response")?;
            self.seen.push((answers, status));
            self.last.clone_from(&text);
            if !self.received(&mut exchanges, status, &response)? {
                return match status {
                    401 | 407 => Err("no challenge of use".into()),
                    _ => Ok(()),
                };
            }
        }
        Err("too many challenges".into())
    }

    /// Tells each client what it is to know of a response, and says whether to send the request
    /// again.
    fn received(
        &mut self,
        exchanges: &mut [Option<Exchange>],
        status: u16,
        response: &Message<'_>,
    ) -> Result<bool, Error> {
        let body = EntityBody::Bytes(response.body.as_bytes());
        let mut again = false;
        let clients = self.clients.iter().map(|(_, client)| client.endpoint());
        let has_answer =
            |it: &Option<Exchange>| it.as_ref().is_some_and(|it| it.answer().is_some());
        let answered: Vec<_> = clients
            .zip(&*exchanges)
            .filter(|(_, exchange)| has_answer(exchange))
            .map(|(endpoint, _)| endpoint.challenger())
            .collect();
        for ((realm, client), exchange) in self.clients.iter_mut().zip(exchanges) {
            let Some(exchange) = exchange else { continue };
            let challenger = client.endpoint().challenger();
            // `Authentication-Info` names no realm, so it may be about another answer of this kind.
            let is_only = answered.iter().filter(|it| **it == challenger).count() == 1;
            let values = |name| response.fields(name).filter(|_| is_only);
            // Either status may have the challenges of both kinds: a proxy that forks a request
            // collects those of all branches.
            let next = if matches!(status, 401 | 407) {
                let fields = response.fields(challenger.challenge_field());
                let own = |it: &Result<_, _>| it.as_ref().is_ok_and(|it| is_of(it, realm));
                client.challenged(exchange, challenges(fields).filter(own))
            } else {
                client.received(exchange, status, values, body)?
            };
            match next {
                // It is another realm that asks. A 401 shows that the proxies passed the request
                // on.
                Next::GiveUp(GiveUp::NoUsableChallenge(skipped)) if skipped.is_empty() => {
                    if status == 401 && challenger == Challenger::Proxy {
                        let _ = client.received(exchange, status, values, body)?;
                    }
                }
                Next::GiveUp(why) => return Err(why.into()),
                Next::Done(_) => {}
                _ => again = true,
            }
        }
        Ok(again)
    }

    /// Sends a request, and returns the final response to it.
    fn send(&mut self, method: &str, uri: &str, fields: &str, body: &str) -> Result<String, Error> {
        self.sequence += 1;
        let (n, length) = (self.sequence, body.len());
        let Account { name, address, .. } = self.account;
        let more = self.more;
        let local = self.socket.local_addr()?;
        // Random, so that only who sees the request can answer it.
        let mut random = [0; 16];
        getrandom::SysRng.try_fill_bytes(&mut random)?;
        let branch = format!("z9hG4bK{:032x}", u128::from_ne_bytes(random));
        let suffix = self.suffix;
        self.sent = format!(
            "{method} {uri}{suffix} SIP/2.0\r\n\
             Via: SIP/2.0/UDP {local};branch={branch};rport\r\n\
             Max-Forwards: 70\r\n\
             From: <sip:{name}@example.org>;tag=1\r\n\
             To: <sip:{address}@example.org>\r\n\
             Call-ID: pride@{local}\r\n\
             CSeq: {n} {method}\r\n\
             Contact: <sip:{name}@{local}>\r\n\
             {more}{fields}Content-Length: {length}\r\n\r\n{body}"
        );
        for _ in 0..self.copies {
            self.socket.send(self.sent.as_bytes())?;
        }
        let end = Instant::now() + PATIENCE;
        let mut buffer = [0; 0xffff];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err("no final response".into());
            }
            self.socket.set_read_timeout(Some(left))?;
            let length = self.socket.recv(&mut buffer)?;
            // What comes late, or from somebody else, is no response to this request (RFC 3261,
            // section 17.1.3). One from 100 to 199 is not final.
            if let Ok(text) = str::from_utf8(&buffer[..length])
                && let Some(response) = Message::parse(text)
                && response.status().is_some_and(|status| status >= 200)
                && response.is_to(&branch, n, method)
            {
                return Ok(text.to_owned());
            }
        }
    }

    /// Sends the last request again, as it was: a retransmission, or, from another socket, a replay
    /// by somebody who captured it. Returns the status of the response.
    pub fn repeat(&self, is_captured: bool) -> Result<u16, Error> {
        let socket = match is_captured {
            true => connected(self.socket.peer_addr()?)?,
            false => self.socket.try_clone()?,
        };
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send(self.sent.as_bytes())?;
        let mut buffer = [0; 0xffff];
        let length = socket.recv(&mut buffer)?;
        let response = Message::parse(str::from_utf8(&buffer[..length])?);
        let status = response.and_then(|response| response.status());
        status.ok_or("not a response".into())
    }

    /// The statuses of responses that come after the one that was read.
    pub fn leftover(&self, time: Duration) -> Result<Vec<u16>, Error> {
        let mut statuses = Vec::new();
        let mut buffer = [0; 0xffff];
        self.socket.set_read_timeout(Some(time))?;
        while let Ok(length) = self.socket.recv(&mut buffer) {
            let response = Message::parse(str::from_utf8(&buffer[..length])?);
            statuses.extend(response.and_then(|response| response.status()));
        }
        Ok(statuses)
    }
}

/// A socket on the loopback interface, as its peer is.
fn connected(peer: SocketAddr) -> Result<UdpSocket, Error> {
    let socket = match peer {
        SocketAddr::V4(_) => UdpSocket::bind("127.0.0.1:0")?,
        SocketAddr::V6(_) => UdpSocket::bind("[::1]:0")?,
    };
    socket.connect(peer)?;
    Ok(socket)
}

/// The host as a URI has it, which is how an [`Endpoint`] takes it: IPv6 in brackets.
fn url_host(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// SIP has no Basic (RFC 3261, section 22).
fn is_of(challenge: &Challenge<'_>, realm: &str) -> bool {
    matches!(challenge, Challenge::Digest(digest) if digest.realm == realm)
}
