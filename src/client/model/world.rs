//! A client, its user, and what was sent and received so far.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

use super::messages::{Info, Message, NONCES, REALMS};
use super::secrets::{self, Carried, Secret, USER, realm_of, right_ha1};
use super::setup::Setup;
use crate::client::ask::Ask;
use crate::client::client::Client;
use crate::client::exchange::{Exchange, MAX_CONTENDED};
use crate::client::login::LoginError;
use crate::client::next::{GiveUp, Next};
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::strength::Strength;
use crate::header::Authorization;
use crate::syntax::Scheme;
use crate::target::{EntityBody, Target};

/// What may happen next. The first number identifies the exchange.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The user asks for this path.
    Begin(usize, usize),
    /// The request is sent again, after `Retry` or a login.
    Retry(usize),
    /// The request is sent again, although nobody gave the login that was asked for.
    Careless(usize),
    /// The user types the right password, or a wrong one.
    Type(usize, bool),
    /// The request is not sent again, or its response never comes.
    Drop(usize),
    Message(usize, Message),
    Logout,
}

/// What the client said.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) enum Said {
    Nothing,
    /// The message changes nothing.
    Unchanged,
    Sent(Option<Carried>),
    Login(Result<(), LoginError>),
    Ask,
    Retry,
    GiveUp(&'static str),
    Completed(Result<ServerProof, ServerProofError>),
}

/// Where an exchange is.
#[derive(Clone)]
pub(super) enum Phase {
    Idle,
    /// A request was sent.
    Waits,
    /// The client said `Retry`, or the user logged in.
    Ready,
    /// The user is asked for a login.
    Asked(Ask),
    /// Refused: the user may log in for the next exchange, but not with this secret, unless it was
    /// accepted since.
    Refused(Ask, Option<Secret>),
}

#[derive(Clone)]
pub(super) struct Line {
    pub(super) exchange: Exchange,
    pub(super) phase: Phase,
    pub(super) path: usize,
    /// The requests that carried an answer.
    pub(super) answers: u8,
    /// The requests that carried none.
    pub(super) without: u8,
    /// The first request carried an answer, whose realm the client had to guess.
    pub(super) is_guess: bool,
    /// The refused answers after which the client said `Retry`.
    pub(super) forgiven: u8,
    pub(super) carried: Option<Carried>,
}

#[derive(Clone)]
pub(super) struct World {
    pub(super) setup: &'static Setup,
    pub(super) client: Client,
    pub(super) lines: Vec<Line>,
    /// The last count that was sent with each nonce.
    pub(super) counts: [u32; NONCES.len()],
    /// The strongest answer of each realm that was accepted with a valid proof.
    pub(super) proven: [Strength; REALMS.len()],
    /// In which realm Basic was asked for, for which path.
    pub(super) basic: [[bool; 2]; REALMS.len()],
    /// The preemptive credentials were refused, or Digest was asked for.
    pub(super) is_preemptive_over: bool,
}

pub(super) const IDLE: Line = Line {
    exchange: Exchange::new(),
    phase: Phase::Idle,
    path: 0,
    answers: 0,
    without: 0,
    is_guess: false,
    forgiven: 0,
    carried: None,
};

/// What is wrong.
pub(super) type Checked<T> = Result<T, String>;

pub(super) fn ensure(is_fine: bool, what: &str) -> Checked<()> {
    match is_fine {
        true => Ok(()),
        false => Err(what.to_string()),
    }
}

/// A request without a body.
pub(super) fn target(path: &str) -> Target<'_> {
    Target::new("GET", path).with_body(EntityBody::Bytes(b""))
}

impl World {
    pub(super) fn new(setup: &'static Setup) -> Self {
        Self {
            setup,
            client: setup.client(),
            lines: alloc::vec![IDLE; setup.exchanges],
            counts: [0; NONCES.len()],
            proven: [Strength::Nothing; REALMS.len()],
            basic: [[false; 2]; REALMS.len()],
            is_preemptive_over: !setup.is_preemptive,
        }
    }

    /// All that may happen now.
    pub(super) fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            match &line.phase {
                Phase::Idle => {
                    let paths = 0..self.setup.paths.len();
                    events.extend(paths.map(|path| Event::Begin(at, path)));
                }
                Phase::Ready => events.push(Event::Retry(at)),
                Phase::Asked(_) | Phase::Refused(..) => {
                    events.extend([true, false].map(|is_right| Event::Type(at, is_right)));
                    if self.setup.is_careless && matches!(line.phase, Phase::Asked(_)) {
                        events.push(Event::Careless(at));
                    }
                }
                Phase::Waits => {
                    let can_prove = line.can_be_proved();
                    let may_come = |message: &&Message| match message {
                        Message::Response(_, Info::Valid | Info::ValidAndNext) => can_prove,
                        Message::Response(_, Info::Wrong) => line.is_digest(),
                        _ => true,
                    };
                    let messages = self.setup.messages.iter().filter(may_come);
                    events.extend(messages.map(|message| Event::Message(at, *message)));
                }
            }
            if !matches!(line.phase, Phase::Idle) {
                events.push(Event::Drop(at));
            }
        }
        if self.setup.is_careless && self.client.spaces.iter().next().is_some() {
            events.push(Event::Logout);
        }
        events
    }

    /// Returns whether a secret was refused more often than the setup lets one be.
    pub(super) fn is_at_limit(&self) -> bool {
        let mut spaces = self.client.spaces.iter();
        spaces.any(|space| {
            let mut entries = space.refused.entries();
            entries.any(|entry| entry.times > self.setup.refusals)
        })
    }

    /// Lets something happen, and checks what the client does.
    pub(super) fn step(&mut self, event: Event) -> Checked<Said> {
        match event {
            Event::Begin(at, path) => {
                self.lines[at] = Line { path, ..IDLE };
                self.send(at)
            }
            Event::Retry(at) | Event::Careless(at) => self.send(at),
            Event::Drop(at) => {
                self.lines[at] = IDLE;
                Ok(Said::Nothing)
            }
            Event::Type(at, is_right) => self.log_in(at, is_right),
            Event::Message(at, Message::Challenge(values)) => self.challenged(at, values),
            Event::Message(at, Message::Response(status, info)) => self.completed(at, status, info),
            Event::Logout => {
                self.client.logout();
                Ok(Said::Nothing)
            }
        }
    }

    fn send(&mut self, at: usize) -> Checked<Said> {
        let (client, line) = (&mut self.client, &mut self.lines[at]);
        let target = target(self.setup.paths[line.path]);
        let answer = client.authorize(&mut line.exchange, &target);
        let answer = answer.map_err(|error| format!("authorize: {error}"))?;
        let answer = answer.map(|value| value.as_bytes().to_vec());
        let carried = match answer {
            Some(value) => Some(secrets::read(&value, &target)?),
            None => None,
        };
        line.phase = Phase::Waits;
        line.carried = carried;
        line.is_guess |= carried.is_some() && line.answers + line.without == 0;
        match carried {
            Some(_) => line.answers += 1,
            None => line.without += 1,
        }
        let may_guess = line.is_guess && self.setup.has_other_realm;
        let most = self.setup.policy.max_answers + u8::from(may_guess);
        let most = match self.setup.exchanges {
            1 => most,
            _ => most + MAX_CONTENDED,
        };
        ensure(line.answers <= most, "too many answers")?;
        ensure(line.without <= 9, "too many requests without an answer")?;
        let path = line.path;
        if let Some(carried) = &carried {
            self.check_sent(carried, path)?;
        }
        Ok(Said::Sent(carried.map(Carried::without_count)))
    }

    /// Checks where a secret goes, and that no count is sent twice.
    pub(super) fn check_sent(&mut self, carried: &Carried, path: usize) -> Checked<()> {
        let Some(digest) = &carried.digest else {
            let is_asked = match carried.secret {
                Secret::Typed { realm, .. } => self.basic[realm][path],
                Secret::Preemptive => !self.is_preemptive_over,
            };
            let policy = &self.setup.policy;
            ensure(
                policy.basic && !policy.requires_proof,
                "Basic against the policy",
            )?;
            return ensure(is_asked, "Basic where it was not asked for");
        };
        ensure(
            digest.strength >= self.proven[digest.realm],
            "weaker than proven",
        )?;
        let has_qop = digest.nc.is_some();
        ensure(
            has_qop || self.setup.policy.rfc2069,
            "RFC 2069 against the policy",
        )?;
        // An answer without a count (RFC 2069) uses one up, too.
        let last = &mut self.counts[digest.nonce];
        let nc = digest.nc.unwrap_or(*last + 1);
        ensure(nc > *last, "a count twice")?;
        ensure(nc == *last + 1, "a count left out")?;
        *last = nc;
        Ok(())
    }

    fn log_in(&mut self, at: usize, is_right: bool) -> Checked<Said> {
        let line = &mut self.lines[at];
        let (ask, refused) = match mem::replace(&mut line.phase, Phase::Idle) {
            Phase::Asked(ask) => (ask, None),
            Phase::Refused(ask, refused) => (ask, Some(refused)),
            _ => return Err("nobody asked".to_string()),
        };
        let (secret, login) = log_in(&mut self.client, &ask, is_right);
        match (refused, &login) {
            (Some(refused), Ok(())) => {
                ensure(refused != Some(secret), "a refused secret again at once")?;
            }
            (None, Ok(()) | Err(LoginError::Superseded)) => line.phase = Phase::Ready,
            (_, Err(LoginError::Superseded | LoginError::AlreadyRefused)) => {}
            (_, Err(other)) => return Err(format!("login: {other}")),
        }
        // The next exchange uses the login, or the user was told that it is no use.
        if matches!(line.phase, Phase::Idle) {
            *line = IDLE;
        }
        Ok(Said::Login(login))
    }

    fn challenged(&mut self, at: usize, values: &[&str]) -> Checked<Said> {
        let line = &mut self.lines[at];
        let next = self.client.challenged(&mut line.exchange, values);
        if matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_))) {
            return Ok(Said::GiveUp("no usable challenge"));
        }
        for (realm, name) in REALMS.iter().enumerate() {
            let value = format!("Basic realm=\"{name}\"");
            self.basic[realm][line.path] |= values.contains(&value.as_str());
        }
        self.is_preemptive_over |= values.iter().all(|value| value.starts_with("Digest"));
        let (mut client, mut exchange) = (self.client.clone(), line.exchange.clone());
        let target = target(self.setup.paths[line.path]);
        let answer = client.authorize(&mut exchange, &target);
        match next {
            Next::Done(_) => Err("done with a challenge".to_string()),
            Next::Retry => {
                ensure(matches!(answer, Ok(Some(_))), "a retry without an answer")?;
                line.forgiven += u8::from(line.carried.is_some());
                let is_alone = self.setup.exchanges == 1 && !self.setup.has_other_realm;
                ensure(line.forgiven <= 1 || !is_alone, "two refusals are forgiven")?;
                line.phase = Phase::Ready;
                Ok(Said::Retry)
            }
            Next::Login(ask) => {
                let scheme = match ask.scheme() {
                    Scheme::Basic => "Basic",
                    _ => "Digest",
                };
                let start = format!("{scheme} realm=\"{}\"", ask.realm_text());
                let is_offered = values.iter().any(|value| value.starts_with(&start));
                ensure(is_offered, "an ask that no challenge led to")?;
                ensure(self.client.wants(&ask), "an ask that is not wanted")?;
                ensure(matches!(answer, Ok(None)), "an answer before the login")?;
                line.phase = Phase::Asked(ask);
                Ok(Said::Ask)
            }
            Next::GiveUp(why) => {
                ensure(matches!(answer, Ok(None)), "an answer after giving up")?;
                let carried = mem::replace(line, IDLE).carried;
                Ok(Said::GiveUp(match why {
                    GiveUp::WrongCredentials(ask) => {
                        let carried = carried.ok_or("wrong credentials, and none were sent")?;
                        self.is_preemptive_over |= carried.secret == Secret::Preemptive;
                        line.phase = Phase::Refused(ask, Some(carried.secret));
                        "wrong credentials"
                    }
                    GiveUp::StaleAgain => "stale again",
                    GiveUp::TooManyAnswers => "too many answers",
                    _ => "never answered",
                }))
            }
        }
    }

    fn completed(&mut self, at: usize, status: u16, info: Info) -> Checked<Said> {
        let line = &mut self.lines[at];
        let field = line.info(info);
        let body = EntityBody::Bytes(b"");
        let result = self
            .client
            .completed(&mut line.exchange, status, &field, body);
        let requires_proof = self.setup.policy.requires_proof;
        if matches!(status, 100 | 407) {
            let is_fine = match requires_proof {
                true => result == Err(ServerProofError::Missing),
                false => result == Ok(ServerProof::Absent),
            };
            ensure(is_fine, "a response that is not the server's")?;
            return Ok(Said::Unchanged);
        }
        let is_valid = matches!(info, Info::Valid | Info::ValidAndNext);
        ensure(is_valid == (result == Ok(ServerProof::Valid)), "a proof")?;
        ensure(is_valid || !requires_proof || result.is_err(), "no proof")?;
        ensure(info != Info::Wrong || result.is_err(), "a wrong proof")?;
        // What nobody asked for, nobody may have looked at.
        let is_told = is_valid || !line.exchange.is_preemptive;
        let carried = mem::replace(line, IDLE).carried;
        let Some(carried) = carried.filter(|_| is_valid || (result.is_ok() && status == 200))
        else {
            return Ok(Said::Completed(result));
        };
        if let Some(digest) = carried.digest.filter(|_| is_valid) {
            let proven = &mut self.proven[digest.realm];
            *proven = digest.strength.max(*proven);
        }
        if !is_told {
            return Ok(Said::Completed(result));
        }
        let spaces = self.client.spaces.iter();
        let mut refused = spaces.flat_map(|space| space.refused.entries());
        let is_refused = refused.any(|entry| secrets::of_refused(entry) == Some(carried.secret));
        ensure(!is_refused, "an accepted secret stays refused")?;
        for line in &mut self.lines {
            if let Phase::Refused(_, refused) = &mut line.phase
                && *refused == Some(carried.secret)
            {
                *refused = None;
            }
        }
        Ok(Said::Completed(result))
    }
}

/// Gives the login that an ask asks for.
pub(super) fn log_in(
    client: &mut Client,
    ask: &Ask,
    is_right: bool,
) -> (Secret, Result<(), LoginError>) {
    let secret = Secret::Typed {
        realm: realm_of(ask.realm()).expect("a realm of the model"),
        is_basic: ask.scheme() == Scheme::Basic,
        is_right,
    };
    (secret, client.login(ask, USER, &secret.password()))
}

impl Line {
    fn is_digest(&self) -> bool {
        self.carried.is_some_and(|carried| carried.digest.is_some())
    }

    /// Returns whether an honest server could prove that it knows the secret.
    fn can_be_proved(&self) -> bool {
        self.carried.is_some_and(|carried| {
            let digest = carried.digest;
            digest.is_some_and(|digest| carried.secret.is_right_in(digest.realm))
        })
    }

    /// The value of `Authentication-Info`.
    fn info(&self, info: Info) -> Option<String> {
        let realm = self.carried.and_then(|carried| carried.digest);
        let realm = REALMS[realm.map_or(0, |digest| digest.realm)];
        let next = format!("nextnonce=\"{realm}3\"");
        match info {
            Info::Absent => None,
            Info::Unreadable => Some("rspauth=".to_string()),
            Info::Valid => Some(proof(&self.exchange)),
            Info::Wrong => Some(format!("rspauth=\"{}\"", "0".repeat(64))),
            Info::Next => Some(next),
            Info::ValidAndNext => Some(format!("{}, {next}", proof(&self.exchange))),
        }
    }
}

/// The proof of a server that knows the right secret.
pub(super) fn proof(exchange: &Exchange) -> String {
    let value = exchange.answer().expect("an answer");
    let Ok(Authorization::Digest(digest)) = Authorization::parse(value) else {
        panic!("not a Digest answer")
    };
    let realm = realm_of(&digest.realm.to_bytes()).expect("a realm of the model");
    let ha1 = right_ha1(realm, digest.algorithm().hash_function());
    let rspauth = digest.expected_rspauth(ha1, EntityBody::Bytes(b""));
    format!("rspauth=\"{}\"", rspauth.expect("a proof").as_str())
}
