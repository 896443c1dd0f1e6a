//! Random lives of an [`AuthCache`] among hostile servers, watched from outside: accounts, typed
//! logins, policies and logouts at any time, challenges and responses of all kinds. `judge` has what
//! must hold of every answer, and at the end an honest server lets the program in.

mod honest;
mod judge;
mod server;
mod settings;

use countersign::client::{
    Account, Ask, AuthCache, Endpoint, Exchange, Field, GiveUp, Next, ServerProof,
};
use countersign::digest::Ha1;
use countersign::rand_core::TryRng;
use countersign::{Channel, EntityBody, Scheme, Target};
use judge::Judge;
use settings::Settings;

use crate::support::effort;
use crate::support::server::Seeded;

const REALMS: [&str; 4] = ["files", "evil", "Files", "a\"b"];
const TARGETS: [&str; 15] = [
    "/a/x",
    "/a/y?q=1",
    "/b/x",
    "/",
    "/~evil/z",
    "/a/%2e%2e/b",
    "/a/..;/b",
    "//evil.com/x",
    "http://evil.com/a/x",
    "https://a.example/a/x",
    "https://u:p@a.example/a/x",
    "*",
    "/a/x\\..\\b",
    "/a%2Fx/c",
    "/ab",
];

/// Chance, the same in each run.
struct Dice(Seeded);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        let Ok(number) = self.0.try_next_u64();
        (number % bound as u64) as usize
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// The origins and the proxy. They differ in one part each.
fn endpoints() -> Vec<Endpoint> {
    let of = |scheme, host, port| Endpoint::origin(scheme, host, port).unwrap();
    vec![
        of("https", "a.example", None),
        of("http", "a.example", None),
        of("https", "a.example", Some(8443)),
        of("https", "b.example", None),
        of("https", "a.example", None).with_channel(Channel::Cleartext),
        Endpoint::proxy("http", "proxy.example", 3128),
    ]
}

const PROXY: usize = 5;
const CLEARTEXT: [usize; 3] = [1, 4, PROXY];

/// A request of the program that is under way.
#[derive(Default)]
struct Line {
    at: usize,
    exchange: Exchange,
    method: &'static str,
    uri: &'static str,
    /// It was challenged for this target, and no answer was accepted since.
    is_asked: bool,
    /// The realms and schemes of the last challenges.
    last: Vec<(String, bool)>,
    /// How many challenges there were in a row.
    challenges: u32,
    /// Whose answer the last request carried.
    owner: Option<usize>,
    /// The life of the endpoint in which it was made.
    life: u32,
}

struct Round {
    dice: Dice,
    endpoints: Vec<Endpoint>,
    /// How many endpoints are mostly used.
    mostly: usize,
    /// Passwords are typed, and there are no accounts.
    is_typed: bool,
    cache: AuthCache,
    settings: Vec<Settings>,
    judge: Judge,
    asks: Vec<Ask>,
    lines: Vec<Line>,
    /// Proofs that were sent, to be sent again.
    proofs: Vec<String>,
}

impl Round {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(Seeded(seed));
        let capacity = 1 + dice.below(7);
        let endpoints = endpoints();
        let default = Settings::random(&mut dice);
        let own = seed.to_le_bytes();
        let seed = core::array::from_fn(|at| own[at % 8]);
        Self {
            mostly: 1 + dice.below(3),
            is_typed: dice.one_in(2),
            cache: AuthCache::from_seed(capacity, default.policy(), seed),
            settings: vec![default; endpoints.len() + 1],
            judge: Judge::new(capacity >= endpoints.len(), 2 * capacity >= endpoints.len()),
            asks: Vec::new(),
            lines: Vec::new(),
            proofs: Vec::new(),
            endpoints,
            dice,
        }
    }

    fn endpoint(&mut self) -> usize {
        match self.dice.one_in(4) {
            true => self.dice.below(self.endpoints.len()),
            false => self.dice.below(self.mostly),
        }
    }

    /// What the program does between two messages.
    fn configure(&mut self) {
        let at = self.endpoint();
        match self.dice.below(40) {
            0 | 1 if !self.is_typed => self.add_account(at),
            2 => {
                self.settings[at] = Settings::random(&mut self.dice);
                let policy = self.settings[at].policy();
                self.cache.set_policy(&self.endpoints[at], policy);
                self.judge.policy_is_set(at);
            }
            3 if self.dice.one_in(2) => {
                self.cache.client(&self.endpoints[at]).logout();
                self.judge.is_logged_out(at);
            }
            4 if self.dice.one_in(3) => {
                self.cache.forget(&self.endpoints[at]);
                self.judge.is_forgotten(at);
                self.settings[at] = self.settings[self.endpoints.len()];
            }
            5 => {
                let at = self.dice.below(self.endpoints.len());
                let _ = self.cache.client(&self.endpoints[at]);
            }
            6..=12 if !self.asks.is_empty() => self.log_in(),
            _ => {}
        }
    }

    fn add_account(&mut self, at: usize) {
        let realm = (!self.dice.one_in(2)).then(|| self.dice.pick(&REALMS));
        let mut owner = self.judge.somebody(at, realm);
        let mut account = Account::new(&owner.user, &owner.password);
        let hash = self.dice.pick(&settings::HASHES);
        match realm {
            Some(realm) if self.dice.one_in(6) => {
                let ha1 = Ha1::new(hash, &owner.user, realm, &owner.password);
                account = Account::from_ha1(&owner.user, realm, &ha1);
                owner.ha1 = Some(hash);
            }
            _ => {
                if let Some(realm) = realm {
                    account = account.for_realm(realm);
                }
                let scheme = self.dice.below(3);
                owner.has_basic = scheme > 0;
                owner.is_preemptive = scheme > 1;
                account = match scheme {
                    0 => account,
                    1 => account.with_basic(),
                    _ => account.with_preemptive_basic(),
                };
            }
        }
        if self.cache.add_account(&self.endpoints[at], account).is_ok() {
            self.judge.has_account(owner);
        }
    }

    /// A person types a new password for some ask, which may be old, or of another endpoint.
    fn log_in(&mut self) {
        let ask = self.asks[self.dice.below(self.asks.len())].clone();
        let own = self.endpoints.iter().position(|it| it == ask.endpoint());
        let own = own.expect("an ask of an endpoint");
        let at = match self.dice.one_in(12) {
            true => self.dice.below(self.endpoints.len()),
            false => own,
        };
        let realm = String::from_utf8(ask.realm().to_vec()).unwrap();
        let is_basic = ask.scheme() == Scheme::Basic;
        let mut owner = self.judge.somebody(own, None);
        let mut account = Account::new(&owner.user, &owner.password);
        owner.has_basic = is_basic && !self.dice.one_in(6);
        if owner.has_basic {
            account = account.with_basic();
        }
        let client = self.cache.client(&self.endpoints[at]);
        if client.login(&ask, &account).is_ok() {
            assert_eq!(at, own, "the ask of another endpoint");
            assert!(owner.has_basic || !is_basic, "an account for Digest");
            self.judge.is_typed_in(owner, realm, is_basic);
        }
    }

    /// Sends a request, and has it answered.
    fn message(&mut self) {
        if self.lines.len() < 4 {
            let (at, method) = (self.endpoint(), self.dice.pick(&["GET", "POST"]));
            self.lines.push(Line {
                at,
                method,
                uri: self.dice.pick(&TARGETS),
                life: self.judge.life(at),
                ..Line::default()
            });
        }
        let n = self.dice.below(self.lines.len());
        let mut line = self.lines.swap_remove(n);
        if self.dice.one_in(15) {
            // With the same exchange: it asks for an answer to its own target alone.
            let uri = self.dice.pick(&TARGETS);
            if line.uri != uri {
                (line.uri, line.is_asked) = (uri, false);
                line.last.clear();
            }
        }
        let body = [
            EntityBody::Unknown,
            EntityBody::Bytes(b"x"),
            EntityBody::Empty,
        ];
        let target = Target::new(line.method, line.uri).with_body(self.dice.pick(&body));
        let client = self.cache.client(&self.endpoints[line.at]);
        let field = client.authorize(&mut line.exchange, &target);
        line.owner = match field {
            Ok(Field::Set(value)) => {
                let value = value.as_bytes().to_vec();
                let settings = &self.settings[line.at];
                Some(self.judge.check(&value, &line, settings, &target))
            }
            _ => None,
        };
        let goes_on = match self.dice.one_in(3) {
            true => self.respond(&mut line),
            false => self.challenge(&mut line),
        };
        if goes_on {
            self.lines.push(line);
        }
    }

    fn respond(&mut self, line: &mut Line) -> bool {
        let status = [200, 200, 200, 302, 404, 403, 429, 500, 407, 401, 421, 100];
        let status = self.dice.pick(&status);
        let right = line.owner.and_then(|owner| self.judge.proof(line, owner));
        let next = server::next_nonce(&mut self.dice);
        let info = match (&right, self.dice.below(4)) {
            (Some(right), 0 | 1) => {
                self.proofs.push(right.clone());
                Some(format!("{right}{next}"))
            }
            (_, 2) if !self.proofs.is_empty() => {
                Some(self.proofs[self.dice.below(self.proofs.len())].clone())
            }
            (_, 3) => Some(format!("rspauth=\"{}\"{next}", "0".repeat(64))),
            _ => Some(next.trim_start_matches(", ").to_owned()).filter(|it| !it.is_empty()),
        };
        let client = self.cache.client(&self.endpoints[line.at]);
        let body = EntityBody::Bytes(b"");
        let result = client.completed(&mut line.exchange, status, info.iter(), body);
        let is_right = info
            .zip(right)
            .is_some_and(|(it, right)| it.starts_with(&right));
        match &result {
            Ok(ServerProof::Valid) => {
                assert!(is_right, "a false proof was taken");
                self.judge.is_proven(line);
            }
            Ok(_) => assert!(!self.settings[line.at].requires_proof, "no proof"),
            Err(_) => {}
        }
        let accepts = matches!(status, 200 | 302 | 404) || (line.at == PROXY && status == 401);
        let is_accepted = matches!(result, Ok(ServerProof::Valid)) || result.is_ok() && accepts;
        if line.owner.is_some() && is_accepted {
            (line.is_asked, line.challenges) = (false, 0);
            line.last.clear();
        }
        result.is_ok() && !self.dice.one_in(2)
    }

    fn challenge(&mut self, line: &mut Line) -> bool {
        let (values, offered) = server::challenges(&mut self.dice);
        let client = self.cache.client(&self.endpoints[line.at]);
        let challenger = self.endpoints[line.at].challenger();
        let fields = |name| {
            assert_eq!(name, challenger.challenge_field());
            values.iter()
        };
        let (exchange, status) = (&mut line.exchange, challenger.status());
        let next = client.received(exchange, status, fields, EntityBody::Unknown);
        let next = next.expect("a challenge is no error");
        let shown = format!("{:?} {:?} {next:?}", self.cache, line.exchange);
        assert!(
            !["secret", "user", "files", "noise"]
                .iter()
                .any(|it| shown.contains(it))
        );
        line.challenges += u32::from(matches!(next, Next::Retry | Next::Login(_)));
        let most = 10 + u32::from(self.settings[line.at].max_answers);
        assert!(
            line.challenges <= most || line.life != self.judge.life(line.at),
            "a loop"
        );
        let is_usable = match &next {
            Next::GiveUp(GiveUp::NoUsableChallenge(_) | GiveUp::ForeignTarget) => false,
            // The ask of preemptive Basic that was refused without a challenge.
            Next::GiveUp(GiveUp::WrongCredentials(ask)) => !ask.realm().is_empty(),
            _ => true,
        };
        self.judge.is_challenged(line, &offered, is_usable);
        if is_usable {
            line.is_asked = true;
            line.last = offered
                .iter()
                .map(|it| (it.realm.clone(), it.is_basic))
                .collect();
        }
        match next {
            Next::Login(ask) => {
                assert!(!self.judge.has_accounts(line.at), "Login with accounts");
                self.asks.push(ask);
                true
            }
            Next::Retry => true,
            Next::GiveUp(GiveUp::WrongCredentials(ask)) => {
                if is_usable {
                    self.asks.push(ask);
                }
                self.judge.is_refused(line);
                false
            }
            Next::GiveUp(GiveUp::NoUsableChallenge(_)) => self.dice.one_in(2),
            Next::GiveUp(_) => false,
            Next::Done(_) => panic!("done after a challenge"),
        }
    }
}

#[test]
fn random_lives_of_a_cache() {
    for seed in 0..u64::from(effort::repeats(20_000)) {
        let mut round = Round::new(seed);
        let is_right = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..60 {
                round.configure();
                round.message();
            }
            round.honest_ending();
        }));
        assert!(is_right.is_ok(), "seed {seed}");
    }
}
