//! One server that lets in whoever has the password, with habits that real servers have, and a
//! program that makes several requests at a time, whose responses come in any order.

use std::collections::BTreeMap;
use std::mem;

use countersign::client::{Account, Client, Endpoint, Exchange, GiveUp, Next};
use countersign::digest::{Ha1, HashFunction};
use countersign::rand_core::TryRng;
use countersign::wire::DigestCredentials;
use countersign::{Authorization, EntityBody, Target};

use crate::support::client::{PASSWORD, USER, challenge};
use crate::support::server::Seeded;

/// Which nonces a server takes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Nonces {
    /// The one of its last challenge.
    Newest,
    /// One that no request has used yet.
    Once,
    /// Any, if the count is higher than all before, as with Squid.
    Rising,
    /// All clients get one nonce, until this number of requests has used it.
    Common(u32),
}

#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) endpoint: Endpoint,
    /// `None` for Basic.
    pub(super) nonces: Option<Nonces>,
    pub(super) says_stale: bool,
    /// Looks at the nonce before the password, so that a wrong password may be told to be `stale`.
    pub(super) looks_at_nonce_first: bool,
    /// Refuses an answer by this status, and no challenge.
    pub(super) refuses_by: Option<u16>,
    /// It never asks: guests get in, too.
    pub(super) is_silent: bool,
    /// One in seven requests exceeds a limit, whatever its credentials are.
    pub(super) is_limited: bool,
    /// One in two requests is for a path that asks nobody for a password.
    pub(super) has_public: bool,
    pub(super) password: &'static str,
    /// The number of the last nonce.
    pub(super) newest: u32,
    /// The highest count that was used with each nonce.
    pub(super) used: BTreeMap<String, u32>,
    pub(super) uses: u32,
}

impl Server {
    pub(super) const fn new(endpoint: Endpoint, nonces: Option<Nonces>) -> Self {
        Self {
            endpoint,
            nonces,
            says_stale: false,
            looks_at_nonce_first: false,
            refuses_by: None,
            is_silent: false,
            is_limited: false,
            has_public: false,
            password: PASSWORD,
            newest: 0,
            used: BTreeMap::new(),
            uses: 0,
        }
    }

    fn target(&self) -> Target<'static> {
        let target = match self.endpoint.scheme() {
            "sip" => Target::new("REGISTER", "sip:sip.example"),
            _ => Target::new("GET", "/"),
        };
        target.with_body(EntityBody::Empty)
    }

    /// The status, a challenge, and whether the password was looked at and is wrong.
    fn serve(&mut self, answer: Option<&[u8]>) -> (u16, Option<String>, bool) {
        let answer = answer.map(|value| Authorization::parse(value).expect("an answer"));
        let is_right = answer.as_ref().is_some_and(|it| self.is_right(it));
        let is_bad_nonce = match &answer {
            Some(Authorization::Digest(digest)) if is_right || self.looks_at_nonce_first => {
                !self.takes_nonce(digest)
            }
            _ => false,
        };
        match (answer, self.refuses_by) {
            (Some(_), _) if is_right && !is_bad_nonce => (200, None, false),
            (None, _) if self.is_silent => (200, None, false),
            (Some(_), Some(status)) => (status, None, !is_right),
            (answer, _) => {
                let status = self.endpoint.challenger().status();
                let is_wrong = answer.is_some() && !is_bad_nonce;
                (status, Some(self.ask(is_bad_nonce)), is_wrong)
            }
        }
    }

    fn is_right(&self, answer: &Authorization<'_>) -> bool {
        match answer {
            Authorization::Digest(digest) => {
                let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", self.password);
                digest.expected_response(&ha1, &self.target()) == Some(digest.response)
            }
            Authorization::Basic(pair) => pair.matches(USER, self.password),
            other => panic!("{other:?}"),
        }
    }

    /// Whether this nonce is taken with this count, which is used then.
    fn takes_nonce(&mut self, digest: &DigestCredentials<'_>) -> bool {
        let count = digest.qop_params.expect("a qop").nc();
        let nonce = digest.nonce.to_str().expect("a nonce of ours").into_owned();
        let is_newest = nonce == self.newest.to_string();
        let highest = self.used.entry(nonce).or_default();
        let is_taken = match self.nonces.expect("Digest") {
            Nonces::Newest | Nonces::Common(_) => is_newest,
            Nonces::Once => *highest == 0,
            Nonces::Rising => count > *highest,
        };
        *highest = count.max(*highest);
        if let (Some(Nonces::Common(many)), true) = (self.nonces, is_taken) {
            self.uses += 1;
            self.newest += u32::from(self.uses.is_multiple_of(many));
        }
        is_taken
    }

    fn ask(&mut self, is_bad_nonce: bool) -> String {
        match self.nonces {
            None => return r#"Basic realm="r""#.to_owned(),
            Some(Nonces::Common(_)) => {}
            Some(_) => self.newest += 1,
        }
        let is_stale = is_bad_nonce && self.says_stale;
        let stale = if is_stale { ", stale=true" } else { "" };
        challenge(&self.newest.to_string(), stale)
    }
}

/// What came of some requests.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Came {
    pub(super) messages: u32,
    pub(super) answers: u32,
    /// With an answer.
    pub(super) let_in: u32,
    /// The program was told that the password is wrong.
    pub(super) told: u32,
    /// The other ends but 429.
    pub(super) failed: u32,
    /// The answers whose password the server found wrong.
    pub(super) wrong: u32,
    /// The most messages for one request.
    pub(super) most: u32,
}

#[derive(Default)]
enum Stage {
    #[default]
    Idle,
    Sent(Option<Vec<u8>>),
    Served(u16, Option<String>),
}

#[derive(Default)]
struct Task {
    exchange: Exchange,
    stage: Stage,
    messages: u32,
}

/// A program, and its server.
pub(super) struct World {
    pub(super) server: Server,
    client: Client,
    /// What the user types.
    pub(super) typed: &'static str,
    /// The program tells of refusals by 403.
    pub(super) reports: bool,
    /// The program can send a request again. If not, a request ends with its first refusal.
    repeats: bool,
    tasks: Vec<Task>,
    chance: Seeded,
}

impl World {
    pub(super) fn new(server: Server, client: Client, tasks: usize, repeats: bool) -> Self {
        Self {
            server,
            client,
            typed: PASSWORD,
            reports: false,
            repeats,
            tasks: (0..tasks).map(|_| Task::default()).collect(),
            chance: Seeded(tasks as u64),
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        let Ok(number) = self.chance.try_next_u64();
        number % bound
    }

    /// Runs until this number of requests has ended.
    pub(super) fn run(&mut self, requests: u32) -> Came {
        let (mut came, mut ended) = (Came::default(), 0);
        while ended < requests {
            let at = self.below(self.tasks.len() as u64) as usize;
            let mut task = mem::take(&mut self.tasks[at]);
            if self.step(&mut task, &mut came) {
                self.tasks[at] = task;
            } else {
                ended += 1;
            }
        }
        came
    }

    /// Does the next thing in a task. Returns whether its request goes on.
    fn step(&mut self, task: &mut Task, came: &mut Came) -> bool {
        match mem::take(&mut task.stage) {
            Stage::Idle => {
                let target = self.server.target();
                let field = self.client.authorize(&mut task.exchange, &target).unwrap();
                let answer = field.for_new_request().map(|it| it.as_bytes().to_vec());
                task.messages += 1;
                came.messages += 1;
                came.answers += u32::from(answer.is_some());
                came.most = came.most.max(task.messages);
                assert!(task.messages <= 32, "it does not end");
                task.stage = Stage::Sent(answer);
                true
            }
            Stage::Sent(answer) => {
                let is_public = task.messages == 1 && self.server.has_public && self.below(2) == 0;
                task.stage = if self.server.is_limited && self.below(7) == 0 {
                    Stage::Served(429, None)
                } else if is_public {
                    Stage::Served(200, None)
                } else {
                    let (status, challenge, is_wrong) = self.server.serve(answer.as_deref());
                    came.wrong += u32::from(is_wrong);
                    Stage::Served(status, challenge)
                };
                true
            }
            Stage::Served(status, challenge) => self.respond(task, status, challenge, came),
        }
    }

    fn respond(
        &mut self,
        task: &mut Task,
        status: u16,
        challenge: Option<String>,
        came: &mut Came,
    ) -> bool {
        let field = self.server.endpoint.challenger().challenge_field();
        let values = |name| challenge.as_ref().filter(|_| name == field).into_iter();
        let (exchange, body) = (&mut task.exchange, EntityBody::Unknown);
        let has_answer = exchange.answer().is_some();
        let next = match self.reports && status == 403 {
            true => self.client.refused(exchange),
            false => {
                let next = self.client.received(exchange, status, values, body);
                next.expect("no proof is no error")
            }
        };
        match next {
            Next::Retry if self.repeats || !has_answer => return true,
            Next::Login(ask) => {
                // Another task may have logged in since.
                let account = Account::new(USER, self.typed).with_basic();
                if !self.client.wants(&ask) || self.client.login(&ask, &account).is_ok() {
                    return true;
                }
                came.told += 1;
            }
            Next::Done(_) => came.let_in += u32::from(status == 200 && has_answer),
            Next::GiveUp(GiveUp::WrongCredentials(_)) => came.told += 1,
            _ => came.failed += 1,
        }
        false
    }
}
