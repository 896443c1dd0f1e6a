//! Requests under way at once, to two realms of one origin and through a proxy, by users with right
//! and wrong passwords, whose responses are late or lost: whatever the order, against real servers,
//! every request ends, no answer goes to a realm it was not asked for, no count of a nonce comes
//! twice, and wrong secrets are sent again less and less often.

use std::collections::{BTreeMap, BTreeSet};

use countersign::client::{
    Account, Ask, Client, Endpoint, Exchange, Field, GiveUp, LoginError, Next, Policy,
};
use countersign::digest::{Algorithm, Ha1, HashFunction, User, userhash};
use countersign::server::{Arrival, Authenticator, BasicOffer, NextNonce, Realm};
use countersign::{Authorization, Channel, EntityBody, FieldValue, Target, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::client::{Sent, home};
use crate::support::effort::cases;
use crate::support::server::authenticator;

const EXCHANGES: usize = 8;

/// Who there is at each server: all passwords of a user there are one.
const SERVERS: [(&str, &str, &str); 3] = [
    ("proxy", "Zazu", "Morning report"),
    ("x", "Mufasa", "Circle of Life"),
    ("y", "Scar", "Be prepared"),
];
const PROXY: usize = 0;

/// The most requests that one of the user may take, if none is lost: the proxy asks three times for
/// each time that the origin does, and lets the last one through.
const MOST_REQUESTS: usize = 12;

/// What a user types.
#[derive(Clone, Copy, Debug)]
enum Typed {
    Right,
    /// The right password of somebody who is not there.
    OtherUser,
    Wrong(u8),
}

/// What was typed, and the realm it was asked for.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Secret {
    server: usize,
    user: &'static str,
    password: String,
}

impl Secret {
    fn new(server: usize, typed: Typed) -> Self {
        let (realm, user, password) = SERVERS[server];
        let (user, password) = match typed {
            Typed::Right => (user, password.to_owned()),
            Typed::OtherUser => ("Nobody", password.to_owned()),
            Typed::Wrong(n) => (user, format!("wrong {n} in {realm}")),
        };
        Self {
            server,
            user,
            password,
        }
    }

    fn is_right(&self) -> bool {
        *self == Self::new(self.server, Typed::Right)
    }

    /// Whether this is what an answer was made with.
    fn made(&self, value: &[u8], target: &Target<'_>) -> bool {
        let (realm, ..) = SERVERS[self.server];
        match Authorization::parse(value).expect("an answer") {
            Authorization::Digest(digest) => {
                let ha1 = Ha1::new(HashFunction::Sha256, self.user, realm, &self.password);
                digest.realm == realm
                    && digest.expected_response(&ha1, target) == Some(digest.response)
            }
            Authorization::Basic(pair) => pair.matches(self.user, &self.password),
            other => panic!("{other:?}"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// The exchange of this number begins, for this path, or is sent again: its last request was
    /// lost.
    Send(usize, usize),
    /// The server answers the oldest request of the exchange.
    Serve(usize),
    /// The oldest response of the exchange comes in.
    Arrive(usize),
    /// That response is lost.
    Lose(usize),
    /// A user who was asked types this, at last.
    Type(usize, Typed),
    Wait(u64),
}

fn typed() -> impl Strategy<Value = Typed> {
    // As many that are wrong as a client remembers.
    let wrong = [1, 2, 3].map(Typed::Wrong);
    let right = [Typed::Right; 4];
    select([&right[..], &wrong, &[Typed::OtherUser]].concat())
}

fn event() -> impl Strategy<Value = Event> {
    let at = || 0..EXCHANGES;
    prop_oneof![
        8 => (at(), 0..6_usize).prop_map(|(at, path)| Event::Send(at, path)),
        8 => at().prop_map(Event::Serve),
        8 => at().prop_map(Event::Arrive),
        1 => at().prop_map(Event::Lose),
        6 => (at(), typed()).prop_map(|(at, typed)| Event::Type(at, typed)),
        1 => (0..200_u64).prop_map(Event::Wait),
    ]
}

struct Server {
    realm: Realm,
    auth: Authenticator,
    user: &'static str,
    password: &'static str,
}

/// What a server says.
struct Reply {
    status: u16,
    challenges: Vec<FieldValue>,
    infos: [Option<FieldValue>; 2],
}

#[derive(Default)]
struct Line {
    at_proxy: Exchange,
    at_origin: Exchange,
    path: Option<&'static str>,
    /// A request that no server has seen yet: what it carries for the proxy and for the origin.
    sent: Option<[Option<Vec<u8>>; 2]>,
    reply: Option<Reply>,
    /// Which client asks for a login.
    ask: Option<(bool, Ask)>,
    requests: usize,
    lost: usize,
}

struct World {
    servers: Vec<Server>,
    proxy: Client,
    origin: Client,
    lines: Vec<Line>,
    now: Timestamp,
    /// Which client sent which nonce and count.
    counts: BTreeSet<(bool, String, String)>,
    typed: BTreeSet<Secret>,
    refused: BTreeSet<Secret>,
    /// How often each came to a server, after it was refused.
    again: BTreeMap<Secret, u32>,
    asks: u32,
    /// How many responses were lost.
    lost: u32,
    has_proxy: bool,
}

impl World {
    fn new(bits: u16, has_proxy: bool) -> Self {
        let servers = SERVERS
            .iter()
            .enumerate()
            .map(|(n, &(name, user, password))| {
                let bit = |which: u16| bits >> (4 * n as u16 + which) & 1 != 0;
                let realm = Realm::new(name)
                    .expect("a realm")
                    .with_algorithms(&[Algorithm::SHA_256])
                    .with_one_time_nonces(bit(0))
                    .with_userhash(bit(1));
                let realm = match bit(2) {
                    true if n != PROXY => realm.with_domain(&format!("/{name}")).expect("a domain"),
                    _ => realm,
                };
                let realm = match bit(3) {
                    true => realm.with_next_nonce(NextNonce::Always),
                    false => realm,
                };
                // One of them has Basic alone, now and then.
                let realm = match bits >> (12 + n as u16) & 1 == 0 {
                    true => realm,
                    false => realm.with_algorithms(&[]).with_basic(BasicOffer::Encrypted),
                };
                let realm = if n == PROXY { realm.for_proxy() } else { realm };
                Server {
                    auth: authenticator(realm.clone(), 50),
                    realm,
                    user,
                    password,
                }
            });
        let policy = Policy::new();
        Self {
            servers: servers.collect(),
            proxy: Client::from_seed(Endpoint::proxy("https", "proxy", 3128), policy, [1; 32]),
            origin: Client::from_seed(home(), policy, [2; 32]),
            lines: (0..EXCHANGES).map(|_| Line::default()).collect(),
            now: Timestamp::from_unix_secs(1_700_000_000),
            counts: BTreeSet::new(),
            typed: BTreeSet::new(),
            refused: BTreeSet::new(),
            again: BTreeMap::new(),
            asks: 0,
            lost: 0,
            has_proxy,
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Send(at, path) => {
                let paths = ["/x/a", "/x/b/c", "/x/", "/y/a", "/y/b/c", "/y/"];
                let line = &mut self.lines[at];
                // Who is asked for a password has not sent.
                if line.ask.is_none() && line.reply.is_none() {
                    line.path.get_or_insert(paths[path]);
                    self.send(at);
                }
            }
            Event::Serve(at) => self.serve(at),
            Event::Arrive(at) => self.arrive(at),
            Event::Lose(at) => {
                let line = &mut self.lines[at];
                if line.reply.take().is_some() {
                    line.lost += 1;
                    self.lost += 1;
                }
            }
            Event::Type(at, typed) => self.log_in(at, typed),
            Event::Wait(secs) => self.now = self.now.plus_secs(secs),
        }
    }

    fn send(&mut self, at: usize) {
        let line = &mut self.lines[at];
        let path = line.path.expect("a request");
        let uri = format!("https://example.com{path}");
        let to_proxy = Target::new("GET", &uri);
        let to_origin = Target::new("GET", path);
        let mut sent = [None, None];
        if self.has_proxy {
            let answer = self
                .proxy
                .authorize(&mut line.at_proxy, &to_proxy)
                .map(Field::for_new_request);
            sent[0] = answer.expect("it can be").map(|v| v.as_bytes().to_vec());
        }
        let answer = self
            .origin
            .authorize(&mut line.at_origin, &to_origin)
            .map(Field::for_new_request);
        sent[1] = answer.expect("it can be").map(|v| v.as_bytes().to_vec());
        for (value, target) in sent.iter().zip([to_proxy, to_origin]) {
            if let Some(value) = value {
                self.check(value, &target);
            }
        }
        self.lines[at].sent = Some(sent);
    }

    /// What holds of everything that is sent.
    fn check(&mut self, value: &[u8], target: &Target<'_>) {
        let sent = Sent::read(value);
        let is_proxy = !target.uri.starts_with(b"/");
        let secret = self.secret(value, target);
        assert_eq!(secret.server == PROXY, is_proxy);
        if sent.scheme == "Basic" {
            let (realm, ..) = SERVERS[secret.server];
            let is_there = target.uri.starts_with(format!("/{realm}/").as_bytes());
            assert!(is_proxy || is_there, "{secret:?} at {:?}", target.uri);
            return;
        }
        let count = (
            is_proxy,
            sent.get("nonce").to_owned(),
            sent.get("nc").to_owned(),
        );
        assert!(self.counts.insert(count), "a count twice: {}", sent.text());
    }

    /// What holds of every answer that a server sees. One that is lost on the way there may be sent
    /// again without a bound, because it is no guess.
    fn count_guess(&mut self, value: &[u8], target: &Target<'_>) {
        let secret = self.secret(value, target).clone();
        if !self.refused.contains(&secret) {
            return;
        }
        // Each time it takes twice as many asks, and then as many exchanges may send it as are under
        // way. Whoever loses the response sends once more.
        let again = self.again.entry(secret.clone()).or_default();
        *again += 1;
        let times = 1 + (self.asks + 1).ilog2();
        let most = times * EXCHANGES as u32 + self.lost;
        assert!(*again <= most, "{secret:?} again");
    }

    /// What an answer was made with: something that was typed for its realm.
    fn secret(&self, value: &[u8], target: &Target<'_>) -> &Secret {
        let found = self.typed.iter().find(|secret| secret.made(value, target));
        found.expect("nobody typed that for this realm")
    }

    fn serve(&mut self, at: usize) {
        let line = &mut self.lines[at];
        let Some([for_proxy, for_origin]) = line.sent.take() else {
            return;
        };
        line.requests += 1;
        assert!(
            line.requests <= MOST_REQUESTS + line.lost,
            "it does not end"
        );
        let path = line.path.expect("a request");
        let uri = format!("https://example.com{path}");
        let mut infos = [None, None];
        let mut status = 200;
        let mut challenges = Vec::new();
        if self.has_proxy {
            let target = Target::new("GET", &uri);
            match self.judge(PROXY, &target, for_proxy.as_deref()) {
                Ok(info) => infos[0] = info,
                Err(refused) => {
                    status = 407;
                    challenges = refused;
                }
            }
        }
        if status == 200 {
            let server = if path.starts_with("/x") { 1 } else { 2 };
            let target = Target::new("GET", path);
            match self.judge(server, &target, for_origin.as_deref()) {
                Ok(info) => infos[1] = info,
                Err(refused) => {
                    status = 401;
                    challenges = refused;
                }
            }
        }
        self.lines[at].reply = Some(Reply {
            status,
            challenges,
            infos,
        });
    }

    fn judge(
        &mut self,
        server: usize,
        target: &Target<'_>,
        value: Option<&[u8]>,
    ) -> Result<Option<FieldValue>, Vec<FieldValue>> {
        if let Some(value) = value {
            self.count_guess(value, target);
        }
        let Server {
            realm,
            auth,
            user,
            password,
        } = &mut self.servers[server];
        let arrival = Arrival::new(Channel::Encrypted, self.now);
        let granted = auth
            .begin_as(realm, value.into_iter(), target, arrival)
            .and_then(|attempt| {
                let hash = attempt.hash_function();
                let is_user = match attempt.claimed_user() {
                    User::Name(name) => name == *user,
                    User::Hash(claimed) => claimed == userhash(hash, *user, realm.name()),
                    _ => false,
                };
                let ha1 = is_user.then(|| Ha1::new(hash, *user, realm.name(), *password));
                attempt.verify(ha1)
            })
            .and_then(|verified| auth.admit(verified));
        match granted {
            Ok(grant) => Ok(grant.authentication_info(EntityBody::Unknown)),
            Err(rejected) => Err(auth.refuse(&rejected).challenges),
        }
    }

    fn arrive(&mut self, at: usize) {
        let Some(reply) = self.lines[at].reply.take() else {
            return;
        };
        let line = &mut self.lines[at];
        let fields = |name: &str| -> Vec<FieldValue> {
            match name {
                "proxy-authenticate" | "www-authenticate" => reply.challenges.clone(),
                "proxy-authentication-info" => reply.infos[0].iter().cloned().collect(),
                "authentication-info" => reply.infos[1].iter().cloned().collect(),
                other => panic!("{other}"),
            }
        };
        for is_proxy in [true, false] {
            if is_proxy && !self.has_proxy {
                continue;
            }
            let (client, exchange) = match is_proxy {
                true => (&mut self.proxy, &mut line.at_proxy),
                false => (&mut self.origin, &mut line.at_origin),
            };
            let own = exchange.answer().map(|answer| answer.as_bytes().to_vec());
            let challenger = client.endpoint().challenger();
            let next = if reply.status == challenger.status() {
                client.challenged(
                    exchange,
                    countersign::challenges(&fields(challenger.challenge_field())),
                )
            } else {
                let info = fields(challenger.info_field());
                let proof = client.completed(exchange, 200, info.iter(), EntityBody::Unknown);
                Next::Done(proof.expect("a right proof"))
            };
            match next {
                Next::Done(_) if is_proxy => continue,
                Next::Done(_) => *line = Line::default(),
                Next::Retry => self.send(at),
                Next::Login(ask) => {
                    self.asks += 1;
                    line.ask = Some((is_proxy, ask));
                }
                Next::GiveUp(why) => {
                    if let GiveUp::WrongCredentials(_) = why {
                        let path = line.path.expect("a request");
                        let uri = format!("https://example.com{path}");
                        let uri = if is_proxy { uri.as_str() } else { path };
                        let target = Target::new("GET", uri);
                        let own = own.expect("something of its own was refused");
                        let secret = self.secret(&own, &target).clone();
                        assert!(!secret.is_right(), "{secret:?}");
                        self.refused.insert(secret);
                    }
                    self.lines[at] = Line::default();
                }
            }
            return;
        }
    }

    fn log_in(&mut self, at: usize, typed: Typed) {
        let Some((is_proxy, ask)) = self.lines[at].ask.take() else {
            return;
        };
        let server = SERVERS
            .iter()
            .position(|(realm, ..)| realm.as_bytes() == ask.realm());
        let secret = Secret::new(server.expect("a realm"), typed);
        let client = if is_proxy {
            &mut self.proxy
        } else {
            &mut self.origin
        };
        match client.login(
            &ask,
            &Account::new(secret.user, &secret.password).with_basic(),
        ) {
            Ok(()) => {
                self.typed.insert(secret);
            }
            Err(LoginError::AlreadyRefused) => {
                assert!(self.refused.contains(&secret), "{secret:?} was not");
                self.lines[at] = Line::default();
                return;
            }
            Err(why) => panic!("{why}"),
        }
        self.send(at);
    }

    /// What is under way comes to an end, with the right passwords from now on.
    fn finish(&mut self) {
        for at in 0..EXCHANGES {
            while self.lines[at].path.is_some() {
                if self.lines[at].ask.is_some() {
                    self.log_in(at, Typed::Right);
                } else if self.lines[at].reply.is_some() {
                    self.arrive(at);
                } else {
                    if self.lines[at].sent.is_none() {
                        self.send(at);
                    }
                    self.serve(at);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn exchanges_interleaved_at_random(
        bits in any::<u16>(),
        has_proxy in any::<bool>(),
        events in vec(event(), 1..200),
    ) {
        let mut world = World::new(bits, has_proxy);
        for event in events {
            world.happen(event);
        }
        world.finish();
    }
}
