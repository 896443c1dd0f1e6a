//! A client, an honest server, and one that lies.

use countersign::client::{Account, Ask, Client, Error, Exchange, LoginError, Next, Policy};
use countersign::digest::{Algorithm, QopSet};
use countersign::server::Realm;
use countersign::{Channel, EntityBody, Target, challenges};

use super::events::{EXCHANGES, Event, REALM, Request};
use crate::support::client::{Said, Sends, ask_of, client_on};
use crate::support::pair::{PAGE, Pair, Reply, USERS};

/// The most that the honest server reads of a field, if it has a limit: most have this one.
pub(super) const SERVER_LIMIT: usize = 8192;

/// A client, its user, and the honest server.
pub(super) struct World {
    pub(super) client: Client,
    pub(super) user: (&'static str, &'static str),
    /// The login that was asked for last.
    pub(super) ask: Option<Ask>,
    /// The client holds the right password for the server's realm, if any.
    pub(super) is_right: bool,
    pub(super) lines: [Line; EXCHANGES],
    pub(super) pair: Pair,
    pub(super) last_nonce: String,
    /// It reads no field that is longer than [`SERVER_LIMIT`].
    pub(super) is_limited: bool,
}

/// One request of the user.
#[derive(Default)]
pub(super) struct Line {
    pub(super) exchange: Exchange,
    pub(super) request: Option<Request>,
    pub(super) waits: bool,
    /// A challenge has come since the last answer.
    pub(super) challenged: bool,
}

impl World {
    /// The server offers SHA-256, so no pin that anybody raises is above it. Over a cleartext
    /// channel somebody in the server's place can raise the pin above a server that offers less;
    /// see the documentation of `Strength`.
    pub(super) fn new(
        policy: Policy,
        channel: Channel,
        user: usize,
        qop: QopSet,
        bits: u8,
    ) -> Self {
        let mut realm = Realm::new(REALM)
            .expect("a realm")
            .with_algorithms(&[Algorithm::SHA_256])
            .with_qop(qop)
            .with_userhash(bits & 1 != 0)
            .with_one_time_nonces(bits & 4 != 0);
        if bits & 2 != 0 {
            realm = realm.with_domain("/in").expect("a domain");
        }
        Self {
            client: client_on(channel, policy),
            user: USERS[user],
            ask: None,
            is_right: true,
            lines: Default::default(),
            pair: Pair::with_capacity(realm, 4),
            last_nonce: "none yet".to_owned(),
            is_limited: bits & 8 != 0,
        }
    }

    /// Logs in to what was asked for last.
    pub(super) fn login(&mut self, right: bool) -> Result<(), LoginError> {
        let Some(ask) = &self.ask else { return Ok(()) };
        let (name, password) = self.user;
        let password = if right { password } else { "Hakuna matata" };
        self.client
            .login(ask, &Account::new(name, password).with_basic())?;
        if ask.realm() == REALM.as_bytes() {
            self.is_right = right;
        }
        Ok(())
    }

    /// What the honest server says.
    pub(super) fn serve(&mut self, target: &Target<'_>, value: Option<&[u8]>) -> Option<Reply> {
        if self.is_limited && value.is_some_and(|value| value.len() > SERVER_LIMIT) {
            // 400 or 431, without a challenge.
            return None;
        }
        let reply = self.pair.serve(target, value);
        if let Some(challenge) = reply.challenges.first() {
            let challenge = challenge.to_str().expect("text");
            let (_, rest) = challenge.split_once("nonce=\"").expect("a nonce");
            let (nonce, _) = rest.split_once('"').expect("its end");
            nonce.clone_into(&mut self.last_nonce);
        }
        Some(reply)
    }

    pub(super) fn happen(&mut self, event: Event) {
        match event {
            Event::Send(at, request) => self.send(at, request),
            Event::Challenged(at, values, right) if self.lines[at].waits => {
                let values: Vec<_> = values.iter().map(|v| v.bytes(&self.last_nonce)).collect();
                self.challenged(at, &values, right);
            }
            Event::Accepted(at, info) if self.lines[at].waits => {
                let info = info.map(|info| info.bytes(&self.last_nonce));
                self.accepted(at, info.as_ref());
            }
            Event::Honest(at, right) if self.lines[at].waits => {
                let line = &self.lines[at];
                let request = line.request.expect("one is under way");
                let value = line
                    .exchange
                    .answer()
                    .map(|answer| answer.as_bytes().to_vec());
                let reply = self.serve(&request.target(), value.as_deref());
                match reply {
                    None => self.accepted(at, None::<&Vec<u8>>),
                    Some(Reply {
                        reason: None, info, ..
                    }) => self.accepted(at, info.as_ref()),
                    Some(reply) => self.challenged(at, &reply.challenges, right),
                }
            }
            Event::Dropped(at) => self.lines[at] = Line::default(),
            Event::Login(right) => _ = self.login(right),
            Event::Logout => self.client.logout(),
            Event::Wait(secs) => self.pair.wait(secs),
            Event::Challenged(..) | Event::Accepted(..) | Event::Honest(..) => {}
        }
    }

    pub(super) fn send(&mut self, at: usize, request: Request) {
        let line = &mut self.lines[at];
        let request = *line.request.get_or_insert(request);
        let target = request.target();
        match self.client.authorize(&mut line.exchange, &target) {
            // A challenge counts until an answer is accepted.
            Ok(_) => {}
            Err(Error::BodyNeeded(_) | Error::TooLong) => {
                assert!(line.challenged, "an error that no challenge led to");
            }
            Err(other) => panic!("{other}"),
        }
        line.waits = true;
    }

    pub(super) fn challenged<V: AsRef<[u8]>>(&mut self, at: usize, values: &[V], right: bool) {
        let line = &mut self.lines[at];
        line.waits = false;
        let next = self
            .client
            .challenged(&mut line.exchange, challenges(values));
        self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
        match next {
            Next::Login(_) => {
                line.challenged = true;
                let _ = self.login(right);
            }
            Next::Retry => line.challenged = true,
            _ => *line = Line::default(),
        }
    }

    pub(super) fn accepted<V: AsRef<[u8]>>(&mut self, at: usize, info: Option<&V>) {
        let line = &mut self.lines[at];
        let _ = self.client.completed(
            &mut line.exchange,
            200,
            info.into_iter(),
            EntityBody::Bytes(PAGE),
        );
        *line = Line::default();
    }

    /// One request of the user, with the honest server alone. Two requests must do, once the
    /// password is right.
    pub(super) fn gets_in(&mut self, request: Request) {
        if !self.is_right {
            match self.drive(request, usize::MAX) {
                Ok(()) => return,
                // The user mistyped it before; now they know.
                Err(End::Refused(why)) => assert_eq!(why, Said::WrongCredentials),
                Err(End::Login(why)) => self.insist(why),
            }
            if let Err(why) = self.login(true) {
                self.insist(why);
            }
        }
        match self.drive(request, 2) {
            Ok(()) => {}
            // Someone in the server's place had refused the right password.
            Err(End::Login(why)) => {
                self.insist(why);
                assert_eq!(self.drive(request, 2), Ok(()));
            }
            Err(End::Refused(why)) => panic!("{why:?}"),
        }
    }

    /// The user is sure of the password.
    pub(super) fn insist(&mut self, why: LoginError) {
        assert_eq!(why, LoginError::AlreadyRefused);
        self.client.logout();
        self.ask = None;
        self.is_right = true;
    }

    pub(super) fn drive(&mut self, request: Request, requests: usize) -> Result<(), End> {
        let target = request.target();
        let mut exchange = Exchange::new();
        for _ in 0..requests {
            let answer = self.client.sends(&mut exchange, &target);
            let value = answer.map(|answer| answer.as_bytes().to_vec());
            let reply = self
                .serve(&target, value.as_deref())
                .expect("an answer that can be read");
            if reply.reason.is_none() {
                let body = EntityBody::Bytes(PAGE);
                let proof = self
                    .client
                    .completed(&mut exchange, 200, reply.info.iter(), body);
                assert!(proof.is_ok(), "{proof:?}");
                return Ok(());
            }
            let next = self
                .client
                .challenged(&mut exchange, challenges(&reply.challenges));
            self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
            match next {
                Next::Login(_) => self.login(true).map_err(End::Login)?,
                Next::Retry => {}
                _ => return Err(End::Refused(Said::from(&next))),
            }
        }
        panic!("{requests} requests did not do");
    }
}

/// Why a request was not granted.
#[derive(Debug, PartialEq)]
pub(super) enum End {
    Refused(Said),
    Login(LoginError),
}
