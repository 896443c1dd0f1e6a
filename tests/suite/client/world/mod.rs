//! A program with several requests at a time, a server or a proxy and a server, and simulated time.
//! Whatever they do, no answer goes where it was not asked for, no count of a nonce comes twice, and
//! every request ends.

pub(super) mod habits;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use countersign::client::{
    Account, Ask, Client, Endpoint, Exchange, GiveUp, LoginError, Next, Policy,
};
use countersign::rand_core::TryRng;
use countersign::{Authorization, EntityBody, FieldValue, Target};
use habits::{Manners, Setting};
use server::{Served, Server};

use crate::support::client::{PASSWORD, Sends, home};
use crate::support::server::Seeded;

/// The path that asks nobody for a password.
const PUBLIC: &str = "/public";
/// The path of an origin with one realm, and those of one with two.
const PRIVATE: &str = "/private";
const OF_REALMS: [&str; 2] = ["/origin/private", "/other/private"];
/// The most requests for one of the user, if no response is lost.
const MOST_REQUESTS: u32 = 32;

/// Chance, the same in each run.
pub(super) struct Dice(Seeded);

impl Dice {
    /// A number below this one.
    fn below(&mut self, bound: u64) -> u64 {
        let Ok(number) = self.0.try_next_u64();
        number % bound
    }

    /// Returns true `many` times in a thousand.
    fn of_thousand(&mut self, many: u64) -> bool {
        self.below(1000) < many
    }
}

/// A server on the way, or one for each realm, and the client for it.
struct Hop {
    client: Client,
    servers: Vec<Server>,
    /// What the user types when asked, if it is not mistyped.
    typed: &'static str,
    /// All that was typed, for each realm.
    ever_typed: BTreeSet<(&'static str, &'static str)>,
    /// The nonces that were sent last, with their counts. A client keeps some more.
    counts: Vec<(Vec<u8>, u32)>,
}

impl Hop {
    fn new(endpoint: Endpoint, servers: Vec<Server>, seed: u8) -> Self {
        Self {
            client: Client::from_seed(endpoint, Policy::new(), [seed; 32]),
            servers,
            typed: PASSWORD,
            ever_typed: BTreeSet::new(),
            counts: Vec::new(),
        }
    }

    fn server(&mut self, path: &str) -> &mut Server {
        let at = usize::from(self.servers.len() > 1 && path == OF_REALMS[1]);
        &mut self.servers[at]
    }

    /// What holds of every answer: it was made with what was typed for its realm, Basic stays in its
    /// folder, and a count comes once.
    fn check(&mut self, value: &FieldValue, target: &Target<'_>) {
        let answer = Authorization::parse(value).expect("an answer");
        let is_there = |server: &Server| match &answer {
            Authorization::Digest(digest) => digest.realm == server.realm,
            _ => {
                self.servers.len() == 1
                    || (target.uri == OF_REALMS[1].as_bytes()) == server.is_other()
            }
        };
        let server = self.servers.iter().find(|server| is_there(server));
        let server = server.expect("a realm of this hop");
        let mut typed = self.ever_typed.iter();
        let is_typed = typed.any(|(realm, password)| {
            *realm == server.realm && server.is_made_with(password, &answer, target)
        });
        assert!(is_typed, "nobody typed that for {}", server.realm);
        if let Authorization::Digest(digest) = answer {
            let count = digest.qop_params.expect("a qop").nc();
            let nonce = digest.nonce.to_bytes().into_owned();
            let before = self.counts.iter().position(|(of, _)| *of == nonce);
            let before = before.map_or(0, |at| self.counts.remove(at).1);
            assert!(count > before, "a count twice: {value:?}");
            self.counts.push((nonce, count));
            if self.counts.len() > 8 {
                self.counts.remove(0);
            }
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
    pub(super) lost: u32,
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
    Sent(Vec<Option<FieldValue>>),
    /// The response of this hop is on its way.
    Served(usize, Served),
    /// The user is asked for a password at this hop.
    Asked(usize, Ask),
}

enum End {
    LetIn,
    Limited,
    Forbidden,
    Lost,
    Failed(String),
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
    /// A server refuses nothing but wrong passwords, or says `stale`.
    is_fair: bool,
    dice: Dice,
    figures: Figures,
}

impl World {
    pub(super) fn new(setting: &Setting) -> Self {
        let mut dice = Dice(Seeded(setting.seed));
        let Manners { tasks, pause, .. } = setting.manners;
        let proxy = setting.proxy.map(|habits| {
            let endpoint = Endpoint::proxy("https", "proxy", 3128);
            Hop::new(endpoint, vec![Server::new(habits, "proxy")], 1)
        });
        let realms = &["origin", "other"][..=usize::from(setting.manners.two_realms)];
        let servers = realms
            .iter()
            .map(|realm| Server::new(setting.origin, realm));
        let origin = Hop::new(home(), servers.collect(), 2);
        let idle = || Task {
            stage: Stage::Idle,
            path: "",
            exchanges: Vec::new(),
            requests: 0,
        };
        Self {
            hops: proxy.into_iter().chain([origin]).collect(),
            queue: (0..tasks.into())
                .map(|at| (dice.below(pause), at))
                .collect(),
            tasks: (0..tasks).map(|_| idle()).collect(),
            manners: setting.manners,
            is_fair: setting.origin.says_stale && setting.origin.failing == 0,
            dice,
            figures: Figures::default(),
        }
    }

    /// What the user types at the origin from now on.
    pub(super) fn type_in(&mut self, password: &'static str) {
        let origin = self.hops.last_mut().expect("a server");
        origin.typed = password;
    }

    /// The password at the origin from now on.
    pub(super) fn change(&mut self, password: &'static str) {
        let origin = self.hops.last_mut().expect("a server");
        for server in &mut origin.servers {
            server.password = password;
        }
        self.is_fair = false;
    }

    /// Runs until this many more requests have begun. Some are under way before and after.
    pub(super) fn run(&mut self, requests: u32) -> Figures {
        self.figures = Figures::default();
        for server in self.hops.iter_mut().flat_map(|hop| &mut hop.servers) {
            server.wrong = 0;
        }
        while self.figures.begun < requests {
            let (now, at) = self.queue.pop_first().expect("a task");
            let later = self.step(at);
            self.queue.insert((now + later, at));
        }
        self.figures()
    }

    /// Takes so many steps of tasks at random. Then the user mistypes nothing more, and what is under
    /// way comes to an end.
    pub(super) fn run_in_any_order(&mut self, steps: u32) -> Figures {
        let tasks = self.tasks.len();
        for _ in 0..steps {
            let at = self.dice.below(tasks as u64) as usize;
            self.step(at);
        }
        self.manners.mistyped = 0;
        for at in 0..tasks {
            while !matches!(self.tasks[at].stage, Stage::Idle) {
                self.step(at);
            }
        }
        self.figures()
    }

    fn figures(&mut self) -> Figures {
        let servers = self.hops.iter().flat_map(|hop| &hop.servers);
        self.figures.wrong = servers.map(|server| server.wrong).sum();
        self.figures.clone()
    }

    /// Does the next thing in a task. Returns how long the one after that takes.
    fn step(&mut self, at: usize) -> u64 {
        let latency = 10_000 + self.dice.below(20_000);
        let task = &mut self.tasks[at];
        match mem::replace(&mut task.stage, Stage::Ready) {
            Stage::Idle => {
                self.figures.begun += 1;
                let is_public = self.dice.of_thousand(self.manners.public);
                task.path = match (is_public, self.manners.two_realms) {
                    (true, _) => PUBLIC,
                    (_, false) => PRIVATE,
                    (_, true) => OF_REALMS[self.dice.below(2) as usize],
                };
                task.requests = 0;
                task.exchanges = self.hops.iter().map(|_| Exchange::new()).collect();
                1
            }
            Stage::Ready => {
                task.requests += 1;
                self.figures.most_requests = self.figures.most_requests.max(task.requests);
                let most = MOST_REQUESTS + self.figures.lost;
                assert!(task.requests <= most, "it does not end");
                let target = Target::new("GET", task.path);
                let pairs = self.hops.iter_mut().zip(&mut task.exchanges);
                let answers = pairs.map(|(hop, exchange)| {
                    let answer = hop.client.sends(exchange, &target).cloned();
                    if let Some(answer) = &answer {
                        hop.check(answer, &target);
                    }
                    answer
                });
                task.stage = Stage::Sent(answers.collect());
                latency
            }
            Stage::Sent(answers) => {
                let (mut last, mut served) = (0, Served::LetIn);
                for (at, (hop, answer)) in self.hops.iter_mut().zip(&answers).enumerate() {
                    // A proxy asks for all paths.
                    let is_open = at + 1 == answers.len() && task.path == PUBLIC;
                    let server = hop.server(task.path);
                    let answer = answer.as_ref();
                    (last, served) = (at, server.serve(task.path, is_open, answer, &mut self.dice));
                    if !matches!(served, Served::LetIn) {
                        break;
                    }
                }
                task.stage = Stage::Served(last, served);
                latency
            }
            Stage::Served(..) if self.dice.of_thousand(self.manners.lost) => {
                self.figures.lost += 1;
                // The program gives up, or sends the request again.
                if self.dice.of_thousand(500) {
                    return self.end(at, End::Lost);
                }
                1
            }
            Stage::Served(last, served) => match self.respond(at, last, &served) {
                Some(end) => self.end(at, end),
                None => 1,
            },
            Stage::Asked(hop, ask) => match self.log_in(hop, &ask) {
                Some(end) => self.end(at, end),
                None => 1,
            },
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
        let fields = |asked: &str| challenge.filter(|_| asked == name).into_iter();
        let task = &mut self.tasks[at];
        let pairs = self.hops.iter_mut().zip(&mut task.exchanges);
        for (n, (hop, exchange)) in pairs.enumerate() {
            let received = hop
                .client
                .received(exchange, status, fields, EntityBody::Unknown);
            match received.expect("no proof is no error") {
                Next::Done(_) => {}
                Next::Retry if self.manners.repeats || exchange.answer().is_none() => return None,
                Next::Retry => return Some(End::Failed("NotRepeated".to_owned())),
                Next::Login(ask) => {
                    self.figures.asked += 1;
                    if !self.manners.types_late {
                        return self.log_in(n, &ask);
                    }
                    task.stage = Stage::Asked(n, ask);
                    return None;
                }
                Next::GiveUp(GiveUp::NoUsableChallenge(_))
                    if matches!(served, Served::Forbidden) =>
                {
                    return Some(End::Forbidden);
                }
                Next::GiveUp(why) => {
                    if self.is_fair && matches!(why, GiveUp::WrongCredentials(_)) {
                        let own = exchange.answer().expect("an answer of its own was refused");
                        let answer = Authorization::parse(own).expect("an answer");
                        let (server, target) =
                            (hop.server(task.path), Target::new("GET", task.path));
                        assert!(!server.is_made_with(server.password, &answer, &target));
                    }
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

    /// The user types a password.
    fn log_in(&mut self, hop: usize, ask: &Ask) -> Option<End> {
        let hop = &mut self.hops[hop];
        // Another task may have logged in since; not every program looks.
        if !self.manners.types_late && !hop.client.wants(ask) {
            return None;
        }
        let mut servers = hop.servers.iter();
        let server = servers.find(|server| server.realm.as_bytes() == ask.realm());
        let server = server.expect("a realm of this hop");
        let typed = match self.dice.of_thousand(self.manners.mistyped) {
            true => ["wrong 1", "wrong 2", "wrong 3"][self.dice.below(3) as usize],
            false => hop.typed,
        };
        let account = Account::new(server.user(), typed).with_basic();
        match hop.client.login(ask, &account) {
            Ok(()) => {
                hop.ever_typed.insert((server.realm, typed));
                None
            }
            Err(LoginError::AlreadyRefused) => {
                assert!(!self.is_fair || typed != server.password, "it was right");
                Some(End::Failed("AlreadyRefused".into()))
            }
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Returns the time until the next request.
    fn end(&mut self, at: usize, end: End) -> u64 {
        self.tasks[at].stage = Stage::Idle;
        match end {
            End::LetIn => self.figures.let_in += 1,
            End::Limited => self.figures.limited += 1,
            End::Forbidden => self.figures.forbidden += 1,
            End::Lost => {}
            End::Failed(name) => *self.figures.failed.entry(name).or_default() += 1,
        }
        1 + self.dice.below(self.manners.pause)
    }
}
