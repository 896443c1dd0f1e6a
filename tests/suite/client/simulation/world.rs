//! A program with several requests at a time, a server or a proxy and a server, and simulated time.

use std::collections::{BTreeMap, BTreeSet};

use countersign::client::{
    Account, Client, Endpoint, Exchange, Field, GiveUp, LoginError, Next, Policy,
};
use countersign::{EntityBody, Target};

use super::dice::Dice;
use super::habits::{Manners, Setting};
use super::server::{Served, Server};
use crate::support::client::{PASSWORD, USER};

/// The path that asks nobody for a password.
const PUBLIC: &str = "/public";

/// A server on the way, and the client for it.
struct Hop {
    client: Client,
    server: Server,
    /// What the user types when asked.
    typed: &'static str,
}

impl Hop {
    fn new(endpoint: Endpoint, server: Server, seed: u8) -> Self {
        Self {
            client: Client::from_seed(endpoint, Policy::new(), [seed; 32]),
            server,
            typed: PASSWORD,
        }
    }
}

/// What a program counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    pub(super) begun: u32,
    pub(super) let_in: u32,
    pub(super) limited: u32,
    pub(super) forbidden: u32,
    /// How often the user was asked.
    pub(super) asked: u32,
    /// The ends of the others.
    pub(super) failed: BTreeMap<String, u32>,
    /// The answers whose password a server found wrong.
    pub(super) wrong: u32,
    /// The most requests for one.
    pub(super) most_requests: u32,
}

impl Figures {
    pub(super) fn failures(&self) -> u32 {
        self.failed.values().sum()
    }
}

enum Stage {
    Idle,
    /// About to be made.
    Ready,
    /// On its way, with these answers.
    Sent(Vec<Option<Vec<u8>>>),
    /// The response of this hop is on its way.
    Served(usize, Served),
}

struct Task {
    stage: Stage,
    path: &'static str,
    exchanges: Vec<Exchange>,
    requests: u32,
}

pub(super) struct World {
    /// In the order in which a request meets them.
    hops: Vec<Hop>,
    tasks: Vec<Task>,
    /// The time in microseconds, and the task whose turn it is.
    queue: BTreeSet<(u64, usize)>,
    manners: Manners,
    dice: Dice,
    figures: Figures,
}

impl World {
    pub(super) fn new(setting: &Setting) -> Self {
        let mut dice = Dice::new(setting.seed);
        let Manners { tasks, pause, .. } = setting.manners;
        let proxy = setting.proxy.map(|habits| {
            let endpoint = Endpoint::proxy("https", "proxy", 3128);
            Hop::new(endpoint, Server::new(habits, "proxy", PASSWORD), 1)
        });
        let endpoint = Endpoint::origin("https", "example.com", None).expect("a known port");
        let origin = Hop::new(endpoint, Server::new(setting.origin, "origin", PASSWORD), 2);
        Self {
            hops: proxy.into_iter().chain([origin]).collect(),
            queue: (0..tasks.into())
                .map(|at| (dice.below(pause), at))
                .collect(),
            tasks: (0..tasks).map(|_| Task::new()).collect(),
            manners: setting.manners,
            dice,
            figures: Figures::default(),
        }
    }

    /// What the user types at the server from now on.
    pub(super) fn type_in(&mut self, password: &'static str) {
        let origin = self.hops.last_mut().expect("a server");
        origin.typed = password;
    }

    /// The password at the server from now on.
    pub(super) fn change(&mut self, password: &'static str) {
        let origin = self.hops.last_mut().expect("a server");
        origin.server.password = password;
    }

    /// Runs until this many more requests have begun. Some are under way before and after.
    pub(super) fn run(&mut self, requests: u32) -> Figures {
        self.figures = Figures::default();
        for hop in &mut self.hops {
            hop.server.wrong = 0;
        }
        while self.figures.begun < requests {
            let (now, at) = self.queue.pop_first().expect("a task");
            let later = self.step(at);
            self.queue.insert((now + later, at));
        }
        self.figures.wrong = self.hops.iter().map(|hop| hop.server.wrong).sum();
        self.figures.clone()
    }

    /// Does the next thing in a task. Returns how long the one after that takes.
    fn step(&mut self, at: usize) -> u64 {
        let latency = 10_000 + self.dice.below(20_000);
        let task = &mut self.tasks[at];
        match std::mem::replace(&mut task.stage, Stage::Ready) {
            Stage::Idle => {
                self.figures.begun += 1;
                let is_public = self.dice.of_thousand(self.manners.public);
                task.path = if is_public { PUBLIC } else { "/private" };
                task.requests = 0;
                task.exchanges = self.hops.iter().map(|_| Exchange::new()).collect();
                1
            }
            Stage::Ready => {
                task.requests += 1;
                self.figures.most_requests = self.figures.most_requests.max(task.requests);
                let target = Target::new("GET", task.path);
                let pairs = self.hops.iter_mut().zip(&mut task.exchanges);
                let answers = pairs.map(|(hop, exchange)| {
                    let answer = hop
                        .client
                        .authorize(exchange, &target)
                        .map(Field::for_new_request);
                    answer
                        .expect("a counted nonce")
                        .map(|it| it.as_bytes().to_vec())
                });
                task.stage = Stage::Sent(answers.collect());
                latency
            }
            Stage::Sent(answers) => {
                let (mut last, mut served) = (0, Served::LetIn);
                for (at, (hop, answer)) in self.hops.iter_mut().zip(&answers).enumerate() {
                    // A proxy asks for all paths.
                    let is_open = at + 1 == answers.len() && task.path == PUBLIC;
                    let answer = answer.as_deref();
                    let server = &mut hop.server;
                    (last, served) = (at, server.serve(task.path, is_open, answer, &mut self.dice));
                    if !matches!(served, Served::LetIn) {
                        break;
                    }
                }
                task.stage = Stage::Served(last, served);
                latency
            }
            Stage::Served(last, served) => {
                let end = self.respond(at, last, &served);
                if let Some(end) = end {
                    self.tasks[at].stage = Stage::Idle;
                    self.end(end);
                    return 1 + self.dice.below(self.manners.pause);
                }
                1
            }
        }
    }

    /// What the program does with a response. Returns how the request ended, if it did.
    fn respond(&mut self, at: usize, last: usize, served: &Served) -> Option<End> {
        let is_origin = last + 1 == self.hops.len();
        let (status, name, challenge) = match served {
            Served::LetIn => (200, "", None),
            Served::Limited => (429, "", None),
            Served::Forbidden => (401, "", None),
            Served::Asked(challenge) if is_origin => (401, "www-authenticate", Some(challenge)),
            Served::Asked(challenge) => (407, "proxy-authenticate", Some(challenge)),
        };
        let fields = |asked: &str| challenge.filter(|_| asked == name);
        for (hop, exchange) in self.hops.iter_mut().zip(&mut self.tasks[at].exchanges) {
            let next = hop.client.received(
                exchange,
                status,
                |name| fields(name).into_iter(),
                EntityBody::Unknown,
            );
            match next.expect("no proof is no error") {
                Next::Done(_) => {}
                Next::Retry if self.manners.repeats || exchange.answer().is_none() => return None,
                Next::Retry => return Some(End::Failed("NotRepeated".to_owned())),
                Next::Login(ask) => {
                    self.figures.asked += 1;
                    // Another task may have logged in since.
                    if !hop.client.wants(&ask) {
                        return None;
                    }
                    return match hop
                        .client
                        .login(&ask, &Account::new(USER, hop.typed).with_basic())
                    {
                        Ok(()) => None,
                        Err(LoginError::AlreadyRefused) => {
                            Some(End::Failed("AlreadyRefused".into()))
                        }
                        Err(error) => panic!("{error:?}"),
                    };
                }
                Next::GiveUp(GiveUp::NoUsableChallenge(_))
                    if matches!(served, Served::Forbidden) =>
                {
                    return Some(End::Forbidden);
                }
                Next::GiveUp(why) => {
                    let name = format!("{why:?}");
                    let name = name.split('(').next().unwrap_or_default();
                    return Some(End::Failed(name.to_owned()));
                }
            }
        }
        Some(match served {
            Served::Limited => End::Limited,
            _ => End::LetIn,
        })
    }

    fn end(&mut self, end: End) {
        match end {
            End::LetIn => self.figures.let_in += 1,
            End::Limited => self.figures.limited += 1,
            End::Forbidden => self.figures.forbidden += 1,
            End::Failed(name) => *self.figures.failed.entry(name).or_default() += 1,
        }
    }
}

enum End {
    LetIn,
    Limited,
    Forbidden,
    Failed(String),
}

impl Task {
    fn new() -> Self {
        Self {
            stage: Stage::Idle,
            path: "",
            exchanges: Vec::new(),
            requests: 0,
        }
    }
}
