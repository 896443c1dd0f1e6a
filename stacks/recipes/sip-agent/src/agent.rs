//! A user agent, which answers the registrar and every proxy on the way to it.
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt::Write;
use std::net::UdpSocket;
use std::time::Duration;

use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy};
use countersign::{Challenge, EntityBody, Target, challenges};
use loopback::Error;

use crate::message::Message;

/// One request may carry credentials for several realms, so each has a client of its own.
type Realm = (Endpoint, Vec<u8>);

/// Not more, because anyone who can send a response can invent realms.
const MAX_CLIENTS: usize = 8;

pub struct Agent {
    socket: UdpSocket,
    /// The proxies have one address, and so has the registrar behind them.
    parties: [Endpoint; 2],
    policy: Policy,
    clients: BTreeMap<Realm, Client>,
    password: String,
    sequence: u32,
    pub prompts: u32,
    /// Of each response: how many credentials its request had, and the status.
    pub seen: Vec<(u32, u16)>,
}

impl Agent {
    pub fn connect(peer: &str, policy: Policy, password: &str) -> Result<Self, Error> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.connect(peer)?;
        socket.set_read_timeout(Some(Duration::from_secs(5)))?;
        let peer = socket.peer_addr()?;
        let (host, port) = (peer.ip().to_string(), peer.port());
        let proxy = Endpoint::proxy("sip", &host, port);
        let registrar = Endpoint::origin("sip", &host, Some(port))?;
        Ok(Self {
            socket,
            parties: [proxy, registrar],
            policy,
            clients: BTreeMap::new(),
            password: password.into(),
            sequence: 0,
            prompts: 0,
            seen: Vec::new(),
        })
    }

    /// Sends a request, again as often as the challenges call for it.
    pub fn call(&mut self, method: &str, uri: &str, body: &str) -> Result<(), Error> {
        let target = Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()));
        let mut exchanges = BTreeMap::new();
        loop {
            let (mut fields, mut answers) = (String::new(), 0);
            for (realm, client) in &mut self.clients {
                let exchange = exchanges.entry(realm.clone()).or_default();
                if let Some(answer) = client.authorize(exchange, &target)? {
                    let name = realm.0.challenger().credentials_field();
                    write!(fields, "{name}: {}\r\n", answer.to_str()?)?;
                    answers += 1;
                }
            }
            let text = self.send(method, uri, &fields, body)?;
            let response = Message::parse(&text).ok_or("not a response")?;
            let status = response.start[1].parse()?;
            self.seen.push((answers, status));
            if !self.received(&mut exchanges, status, &response)? {
                return match status {
                    401 | 407 => Err("no challenge of use".into()),
                    _ => Ok(()),
                };
            }
        }
    }

    /// Tells each client what it is to know of a response, and says whether to send the request again.
    fn received(
        &mut self,
        exchanges: &mut BTreeMap<Realm, Exchange>,
        status: u16,
        response: &Message<'_>,
    ) -> Result<bool, Error> {
        let mut parties = self.parties.iter();
        let asking = parties.find(|party| party.challenger().status() == status);
        let values = asking.map(|party| response.fields(party.challenger().challenge_field()));
        let challenges: Vec<_> = challenges(values.into_iter().flatten()).flatten().collect();
        for (party, name) in challenges
            .iter()
            .filter_map(|one| asking.cloned().zip(realm(one)))
        {
            let key = (party.clone(), name);
            if self.clients.len() >= MAX_CLIENTS && !self.clients.contains_key(&key) {
                // So that invented realms cannot keep the real ones out.
                self.clients.clear();
            }
            if let Entry::Vacant(place) = self.clients.entry(key) {
                place.insert(Client::new(party, self.policy, &mut getrandom::SysRng)?);
            }
        }
        let body = EntityBody::Bytes(response.body.as_bytes());
        let mut again = false;
        for (key, client) in &mut self.clients {
            let exchange = exchanges.entry(key.clone()).or_default();
            let next = match Some(&key.0) == asking {
                true => {
                    let own = challenges.iter().copied();
                    let own = own.filter(|challenge| realm(challenge).as_ref() == Some(&key.1));
                    client.challenged_by(exchange, own)
                }
                false => client.received(exchange, status, |name| response.fields(name), body)?,
            };
            match next {
                Next::Retry => again = true,
                Next::Login(ask) => {
                    self.prompts += 1;
                    client.login(&ask, "Mufasa", &self.password)?;
                    again = true;
                }
                // It is another realm that asks.
                Next::GiveUp(GiveUp::NoUsableChallenge(skipped)) if skipped.is_empty() => {}
                Next::GiveUp(why) => return Err(why.into()),
                Next::Done(_) => {}
            }
        }
        Ok(again)
    }

    fn send(&mut self, method: &str, uri: &str, fields: &str, body: &str) -> Result<String, Error> {
        self.sequence += 1;
        let (n, length) = (self.sequence, body.len());
        let local = self.socket.local_addr()?;
        let message = format!(
            "{method} {uri} SIP/2.0\r\n\
             Via: SIP/2.0/UDP {local};branch=z9hG4bK{n};rport\r\n\
             Max-Forwards: 70\r\n\
             From: <sip:Mufasa@example.org>;tag=1\r\n\
             To: <sip:Mufasa@example.org>\r\n\
             Call-ID: pride@{local}\r\n\
             CSeq: {n} {method}\r\n\
             Contact: <sip:Mufasa@{local}>\r\n\
             {fields}Content-Length: {length}\r\n\r\n{body}"
        );
        self.socket.send(message.as_bytes())?;
        let mut buffer = [0; 0xffff];
        let length = self.socket.recv(&mut buffer)?;
        Ok(str::from_utf8(&buffer[..length])?.to_owned())
    }
}

fn realm(challenge: &Challenge<'_>) -> Option<Vec<u8>> {
    match challenge {
        Challenge::Digest(digest) => Some(digest.realm().to_bytes().into()),
        // SIP has no other scheme (RFC 3261, section 22.1).
        _ => None,
    }
}
