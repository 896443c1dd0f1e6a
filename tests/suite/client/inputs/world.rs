//! A client in each state, an honest server, and a peer that sends one forged message.

use std::collections::BTreeSet;

use countersign::client::{Ask, Client, Exchange, LoginError, Next, Policy};
use countersign::digest::{Algorithm, QopSet};
use countersign::server::Realm;
use countersign::{Authorization, EntityBody, FieldValue, Target};

use super::forged::Forged;
use crate::support::basic_header;
use crate::support::client::{Said, Sent, ask_of, client};
use crate::support::pair::{PAGE, Pair, USERS};

/// The realm of the honest server, and its user, whose name and password are not ASCII.
pub(super) const FILES: &str = "files";
pub(super) const USER: (&str, &str) = USERS[2];

/// Another realm of the same origin, and its user.
const OTHER: &str =
    r#"Digest realm="other", nonce="o1", qop="auth", algorithm=SHA-256, domain="/other""#;
const OTHER_USER: (&str, &str) = USERS[1];

/// What the honest server offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Offer {
    Auth,
    AuthInt,
    Basic,
}

/// When the forged message arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    /// While the user is asked for a login.
    Asked,
    /// After an accepted login, for a request outside the protection space, which has no answer.
    LoggedIn,
    /// For the first answer of a login.
    First,
    /// For an answer after the server has accepted one and, if it is Digest, proved itself.
    Later,
    /// At the first request.
    New,
}

pub(super) struct World {
    offer: Offer,
    pub(super) state: State,
    pub(super) client: Client,
    server: Pair,
    /// The first challenge of the honest server.
    pub(super) challenge: String,
    /// The same of a server that offers Digest.
    pub(super) digest: String,
    /// What the honest server sent with its last grant.
    pub(super) info: String,
    /// The ask that waits for the user, in [`State::Asked`].
    pub(super) ask: Option<Ask>,
    /// The realms that the user has logged in to, each with its scheme.
    logins: BTreeSet<(String, &'static str)>,
    /// The nonces and counts sent.
    counts: BTreeSet<(String, String)>,
    /// The request that the message is for.
    pub(super) request: Request,
    /// An answered request beside it, if the user is logged in, and the response of the honest
    /// server.
    beside: Option<(Request, String)>,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) exchange: Exchange,
    pub(super) uri: &'static str,
}

fn request(uri: &'static str) -> Request {
    let exchange = Exchange::new();
    Request { exchange, uri }
}

fn text(value: &FieldValue) -> String {
    value.to_str().expect("text").to_owned()
}

fn target(uri: &str) -> Target<'_> {
    Target::new("GET", uri).with_body(EntityBody::Bytes(b""))
}

impl World {
    pub(super) fn new(offer: Offer, policy: Policy, state: State) -> Self {
        let qop = match offer {
            Offer::AuthInt => QopSet::AUTH_INT,
            _ => QopSet::AUTH,
        };
        let realm = Realm::new(FILES)
            .and_then(|realm| realm.with_opaque("o"))
            .and_then(|realm| realm.with_domain("/files"))
            .expect("a realm")
            .with_algorithms(&[Algorithm::SHA_256])
            .with_qop(qop)
            .with_userhash(true);
        let mut world = Self {
            offer,
            state,
            client: client(policy),
            server: Pair::new(realm),
            challenge: String::new(),
            digest: String::new(),
            info: String::new(),
            ask: None,
            logins: BTreeSet::new(),
            counts: BTreeSet::new(),
            request: request("/files/a"),
            beside: None,
        };
        world.challenge = world.serve("/files/a", None).expect_err("no credentials");
        world.digest = match offer {
            Offer::Basic => text(&world.server.serve(&target("/files/a"), None).challenges[0]),
            _ => world.challenge.clone(),
        };
        world.log_in_to_other();
        world.reach();
        world
    }

    fn log_in_to_other(&mut self) {
        let mut other = request("/other/a");
        assert_eq!(self.send(&mut other), None);
        let next = self.client.challenged(&mut other.exchange, [OTHER]);
        let ask = ask_of(&next).expect("a login is asked for");
        self.log_in(ask).expect("the first login");
        assert!(self.send(&mut other).is_some());
        self.accept(&mut other, "");
    }

    /// Goes on to the state.
    fn reach(&mut self) {
        if self.state == State::New {
            assert_eq!(self.send_request(), None);
            return;
        }
        let mut first = request("/files/a");
        assert_eq!(self.send(&mut first), None);
        let next = self
            .client
            .challenged(&mut first.exchange, [&self.challenge]);
        self.ask = ask_of(&next).cloned();
        if self.state != State::Asked {
            let ask = self.ask.take().expect("a login is asked for");
            self.log_in(&ask).expect("the first login");
            let answer = self.send(&mut first).expect("an answer");
            let info = self.serve(first.uri, Some(&answer)).expect("a grant");
            match self.state {
                State::LoggedIn => self.accept(&mut first, ""),
                State::Later => self.accept(&mut first, &info),
                _ => {
                    self.info = info;
                    self.request = first;
                }
            }
        }
        if self.state == State::LoggedIn {
            self.request.uri = "/else/a";
        }
        if self.state != State::First {
            let answer = self.send_request();
            assert_eq!(answer.is_some(), self.state == State::Later);
            if let Some(answer) = answer {
                let uri = self.request.uri;
                self.info = self.serve(uri, Some(&answer)).expect("a grant");
            }
        }
        if self.state != State::Asked {
            let mut beside = request("/files/b");
            let answer = self.send(&mut beside).expect("an answer");
            let info = self.serve(beside.uri, Some(&answer)).expect("a grant");
            self.beside = Some((beside, info));
        }
    }

    /// Logs in to what is asked for, with the name and password that the user has there.
    pub(super) fn log_in(&mut self, ask: &Ask) -> Result<(), LoginError> {
        let realm = ask.realm_text().into_owned();
        let (name, password) = if realm == "other" { OTHER_USER } else { USER };
        self.client.login(ask, name, password)?;
        let scheme = ask.hash_function().map_or("Basic", |_| "Digest");
        self.logins.insert((realm, scheme));
        Ok(())
    }

    /// Sends a request. Whatever it carries is for a realm that the user has logged in to with this
    /// scheme, and has a count that was not sent before.
    pub(super) fn send(&mut self, request: &mut Request) -> Option<Sent> {
        let target = target(request.uri);
        let answer = self.client.authorize(&mut request.exchange, &target);
        let answer = answer.expect("a request that can be answered for")?;
        let sent = Sent::read(answer.as_bytes());
        let is_basic = matches!(Authorization::parse(answer), Ok(Authorization::Basic(_)));
        let mut logins = self.logins.iter();
        if is_basic {
            assert!(logins.any(|(_, scheme)| *scheme == "Basic"), "a password");
            return Some(sent);
        }
        let realm = sent.get("realm");
        let is_asked = logins.any(|(of, scheme)| of == realm && *scheme == "Digest");
        assert!(is_asked, "{}", sent.text());
        if realm == "other" {
            let (name, password) = OTHER_USER;
            assert!(sent.is_right(name, password, &target), "{}", sent.text());
        }
        if let Some(count) = sent.param("nc") {
            let used = (sent.get("nonce").to_owned(), count.to_owned());
            assert!(self.counts.insert(used), "again: {}", sent.text());
        }
        Some(sent)
    }

    fn send_request(&mut self) -> Option<Sent> {
        self.with_request(Self::send)
    }

    fn with_request<R>(&mut self, act: impl FnOnce(&mut Self, &mut Request) -> R) -> R {
        let mut taken = std::mem::replace(&mut self.request, request(""));
        let result = act(self, &mut taken);
        self.request = taken;
        result
    }

    /// What the next request of the user carries.
    pub(super) fn sends(&mut self, uri: &'static str) -> Option<Sent> {
        self.send(&mut request(uri))
    }

    /// The honest server: what it sends with a grant, or its challenge.
    fn serve(&mut self, uri: &str, answer: Option<&Sent>) -> Result<String, String> {
        let value = answer.map(|answer| answer.value.as_slice());
        if self.offer == Offer::Basic {
            let right = basic_header(USER.0, USER.1);
            return match value {
                Some(value) if value == right.as_bytes() => Ok(String::new()),
                _ => Err(format!(r#"Basic realm="{FILES}", charset="UTF-8""#)),
            };
        }
        let reply = self.server.serve(&target(uri), value);
        match reply.rejection {
            None => Ok(reply.info.as_ref().map(text).unwrap_or_default()),
            Some(_) => Err(text(&reply.challenges[0])),
        }
    }

    fn accept(&mut self, request: &mut Request, info: &str) {
        let info = Some(info).filter(|info| !info.is_empty());
        let (exchange, body) = (&mut request.exchange, EntityBody::Bytes(PAGE));
        let proof = self.client.completed(exchange, 200, info, body);
        proof.expect("no wrong proof");
    }

    /// Delivers the forged message, and sends the request again if the client asks for that. A user
    /// who follows it logs in to whatever it asks for.
    pub(super) fn deliver(&mut self, forged: &Forged, follows: bool) -> Option<Next> {
        for uri in &forged.uris {
            assert_eq!(self.sends(uri), None, "{uri}");
        }
        let mut first = None;
        for (number, values) in forged.challenges.iter().enumerate() {
            if number > 0 {
                self.request = request(self.request.uri);
                self.send_request();
            }
            let next = self.with_request(|world, request| {
                let (client, exchange) = (&mut world.client, &mut request.exchange);
                let fields = |field| match field {
                    "www-authenticate" => values.as_slice(),
                    "authentication-info" => forged.info.as_slice(),
                    other => panic!("{other}"),
                };
                let body = EntityBody::Bytes(&forged.body);
                let Ok(next) = client.received(exchange, forged.status, fields, body) else {
                    return None;
                };
                match &next {
                    Next::Login(ask) if follows => {
                        let _ = world.log_in(ask);
                        world.send(request);
                    }
                    Next::Login(_) => assert_eq!(world.send(request), None),
                    Next::Retry => _ = world.send(request),
                    _ => {}
                }
                Some(next)
            });
            first = first.or(next);
        }
        first
    }

    /// The response of the honest server to the other request arrives.
    pub(super) fn accept_beside(&mut self) {
        if let Some((mut request, info)) = self.beside.take() {
            self.accept(&mut request, &info);
        }
    }

    /// The honest server grants a request of the user that takes no more than two, or the user's
    /// login is refused for now.
    pub(super) fn gets_in(&mut self, uri: &'static str) -> Result<(), LoginError> {
        let mut request = request(uri);
        for _ in 0..2 {
            let answer = self.send(&mut request);
            let challenge = match self.serve(uri, answer.as_ref()) {
                Ok(info) => {
                    self.accept(&mut request, &info);
                    return Ok(());
                }
                Err(challenge) => challenge,
            };
            let next = self.client.challenged(&mut request.exchange, [&challenge]);
            match &next {
                Next::Login(ask) => self.log_in(ask)?,
                Next::Retry => {}
                _ => panic!("{:?}", Said::from(&next)),
            }
        }
        panic!("two requests did not do");
    }

    /// The honest server of the other realm lets the client in.
    pub(super) fn gets_in_elsewhere(&mut self) {
        let mut request = request("/other/g");
        self.send(&mut request);
        let challenge = OTHER.replace("o1", "o2");
        let stale = format!("{challenge}, stale=true");
        let next = self.client.challenged(&mut request.exchange, [&stale]);
        if let Some(ask) = ask_of(&next) {
            self.log_in(ask).expect("a secret that was not refused");
        }
        let answer = self.send(&mut request).expect("an answer");
        assert_eq!((answer.get("realm"), answer.get("nonce")), ("other", "o2"));
    }

    /// What a new request is told about this challenge.
    pub(super) fn challenged(&mut self, uri: &'static str, challenge: &str) -> Next {
        let mut request = request(uri);
        self.send(&mut request);
        self.client.challenged(&mut request.exchange, [challenge])
    }

    /// The server goes back to its first nonce: [`send`](Self::send) sees that no count is repeated.
    pub(super) fn goes_back(&mut self) {
        let mut request = request("/files/d");
        let next = self
            .client
            .challenged(&mut Exchange::new(), [&self.challenge]);
        if let Some(ask) = ask_of(&next) {
            self.log_in(ask).expect("a secret that may be used");
        }
        if self.send(&mut request).is_none() {
            let next = self
                .client
                .challenged(&mut request.exchange, [&self.challenge]);
            assert_eq!(next, Next::Retry);
            assert!(self.send(&mut request).is_some());
        }
    }
}
