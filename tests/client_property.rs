//! A client at the mercy of a server that says anything: each exchange ends, nothing leaks, and
//! nothing is sent where it was not asked for.

mod support;

use std::collections::BTreeSet;

use countersign::client::{
    Ask, AuthorizeError, Client, Endpoint, Exchange, Next, Policy, Strength,
};
use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::{Channel, EntityBody, Target};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use support::client::{Sent, ask_of, client, client_on};
use support::generate::{self, Bytes, cases};

/// Neither name nor password is a text that a header might hold by chance.
const USERS: [(&str, &str); 2] = [
    ("user-7fa3", "password-d1c8"),
    ("user-04be", "password-5e92"),
];

const URIS: &[&str] = &[
    "/",
    "/in/a",
    "/in/b?c=/out",
    "/out",
    "/in/../out",
    "/inn",
    "https://example.com/in/a",
    "https://example.com/out",
    "https://evil.example/in/a",
    "https://example.com:8443/in/a",
    "*",
    "/\"quoted\"",
];

fn is_elsewhere(uri: &str) -> bool {
    uri.contains("evil") || uri.contains("8443")
}

/// What happens next, to the exchange of this number or to the client.
#[derive(Clone, Debug)]
enum Event {
    /// The exchange sends its request if it has none under way: this one, if it is its first.
    Send(usize, &'static str),
    /// Its request is answered with 401 and these challenges.
    Challenged(usize, Vec<Bytes>),
    /// Its request is answered with something else.
    Accepted(usize, Option<Bytes>),
    Login(usize),
    Logout,
}

/// A Digest challenge that a client may well be able to use, and has perhaps seen before.
fn likely_digest(domains: &'static [&'static str]) -> impl Strategy<Value = Bytes> + Clone {
    (
        select(vec!["r", "r", "r", "r", "s", "", r#"a\"b"#]),
        prop_oneof![(0..3_u32).boxed(), any::<u32>().boxed()],
        select(vec![
            r#", qop="auth""#,
            r#", qop="auth""#,
            r#", qop="auth,auth-int""#,
            r#", qop="auth-int""#,
            r#", qop="crazy""#,
            "",
        ]),
        select(vec![
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            ", algorithm=SHA-256-sess",
            ", algorithm=SHA-512-256",
            ", algorithm=MD5",
            ", algorithm=SHA-3",
            "",
        ]),
        select(vec!["", "", ", stale=true", ", stale=FALSE"]),
        select(vec![
            "",
            r#", opaque="o\"p""#,
            ", userhash=true",
            ", charset=UTF-8",
            ", nonce=again",
        ]),
        select(domains),
    )
        .prop_map(|(realm, nonce, qop, algorithm, stale, more, domain)| {
            let start = format!(r#"Digest realm="{realm}", nonce="{nonce}""#);
            [&start, qop, algorithm, stale, more, domain]
                .concat()
                .into()
        })
}

const DOMAINS: &[&str] = &[
    "",
    "",
    r#", domain="/in""#,
    r#", domain="/in https://evil.example/""#,
    r#", domain="https://evil.example/""#,
    r#", domain="foo""#,
];

fn challenge() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        6 => likely_digest(DOMAINS),
        1 => select(vec![r#"Basic realm="r""#, "Basic realm=s, charset=UTF-8"])
            .prop_map(|value| value.as_bytes().to_vec()),
        1 => generate::digest_challenge(),
        1 => generate::any_challenges(),
    ]
}

fn info() -> impl Strategy<Value = Option<Bytes>> {
    prop_oneof![
        2 => Just(None),
        2 => (0..3_u32).prop_map(|n| Some(format!(r#"nextnonce="{n}""#).into())),
        1 => generate::info().prop_map(Some),
        1 => generate::any_info().prop_map(Some),
    ]
}

fn event(exchanges: usize) -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (0..exchanges, select(URIS)).prop_map(|(at, uri)| Event::Send(at, uri)),
        9 => (0..exchanges, vec(challenge(), 0..3))
            .prop_map(|(at, values)| Event::Challenged(at, values)),
        3 => (0..exchanges, info()).prop_map(|(at, info)| Event::Accepted(at, info)),
        1 => (0..USERS.len()).prop_map(Event::Login),
        1 => Just(Event::Logout),
    ]
}

/// A policy, and what of it the checks need to know.
#[derive(Clone, Copy, Debug)]
struct Config {
    channel: Channel,
    basic: bool,
    rfc2069: bool,
    uncounted: bool,
    strong: bool,
    prefer_auth_int: bool,
    max_answers: u8,
}

impl Config {
    fn client(&self) -> Client {
        let mut policy = Policy::new().with_max_answers(self.max_answers);
        for (on, with) in [
            (!self.basic, Policy::without_basic as fn(Policy) -> Policy),
            (self.rfc2069, Policy::with_rfc2069),
            (self.uncounted, Policy::with_uncounted_form),
            (self.strong, |policy| {
                policy.with_floor(HashFunction::Sha512_256)
            }),
            (self.prefer_auth_int, Policy::prefer_auth_int),
        ] {
            policy = if on { with(policy) } else { policy };
        }
        client_on(self.channel, policy)
    }
}

fn config() -> impl Strategy<Value = Config> {
    let channel = select(vec![Channel::Encrypted, Channel::Cleartext]);
    let often = || prop::bool::weighted(0.8);
    let seldom = || prop::bool::weighted(0.2);
    (
        channel,
        often(),
        often(),
        seldom(),
        seldom(),
        any::<bool>(),
        1..6_u8,
    )
        .prop_map(
            |(channel, basic, rfc2069, uncounted, strong, prefer_auth_int, max_answers)| Config {
                channel,
                basic,
                rfc2069,
                uncounted,
                strong,
                prefer_auth_int,
                max_answers,
            },
        )
}

/// One request of the user.
#[derive(Default)]
struct Line {
    exchange: Exchange,
    uri: &'static str,
    requests: u32,
    /// A request is under way.
    waits: bool,
}

/// A client that is watched.
struct Watched {
    config: Config,
    client: Client,
    /// The login that was asked for last.
    ask: Option<Ask>,
    /// Who has logged in to which realm so far.
    logins: BTreeSet<(Bytes, usize)>,
    lines: Vec<Line>,
    /// The nonces and counts that were sent.
    counts: Vec<(Bytes, u32)>,
    /// Says which requests must not be answered unasked, whatever the client says.
    never_unasked: fn(&str) -> bool,
}

impl Watched {
    fn new(config: Config, exchanges: usize, never_unasked: fn(&str) -> bool) -> Self {
        Self {
            config,
            client: config.client(),
            ask: None,
            logins: BTreeSet::new(),
            lines: (0..exchanges).map(|_| Line::default()).collect(),
            counts: Vec::new(),
            never_unasked,
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Send(at, uri) if !self.lines[at].waits => self.send(at, uri),
            Event::Challenged(at, values) if self.lines[at].waits => self.challenged(at, &values),
            Event::Accepted(at, info) if self.lines[at].waits => {
                let line = &mut self.lines[at];
                let body = EntityBody::Bytes(b"");
                let _ = self.client.accepted(&mut line.exchange, &info, body);
                *line = Line::default();
            }
            Event::Login(user) => self.login(user),
            Event::Logout => self.client.logout(),
            _ => {}
        }
    }

    fn login(&mut self, user: usize) {
        let Some(ask) = &self.ask else { return };
        let (name, password) = USERS[user];
        if self.client.login(ask, name, password).is_ok() {
            self.logins.insert((ask.realm().to_vec(), user));
        }
    }

    fn challenged(&mut self, at: usize, values: &[Bytes]) {
        let line = &mut self.lines[at];
        line.waits = false;
        let next = self.client.challenged(&mut line.exchange, values);
        self.ask = ask_of(&next).cloned().or_else(|| self.ask.take());
        match next {
            Next::Login(_) => self.login(at % USERS.len()),
            Next::Retry => {}
            _ => *line = Line::default(),
        }
    }

    fn send(&mut self, at: usize, uri: &'static str) {
        let line = &mut self.lines[at];
        let unasked = line.requests == 0;
        if unasked {
            line.uri = uri;
        }
        let covered = self.client.covers(line.uri);
        let target = Target::new("GET", line.uri).with_body(EntityBody::Bytes(b""));
        let answer = match self.client.authorize(&mut line.exchange, &target) {
            Ok(answer) => answer.map(|answer| answer.as_bytes().to_vec()),
            Err(AuthorizeError::BodyNeeded(_)) => panic!("it is known"),
            Err(error) => panic!("{error}"),
        };
        line.waits = true;
        line.requests += 1;
        assert!(line.requests <= 1 + u32::from(self.config.max_answers));
        let uri = line.uri;
        if let Some(value) = answer {
            assert!(!unasked || covered, "{uri} is outside");
            assert!(!unasked || !(self.never_unasked)(uri), "{uri}");
            assert!(!is_elsewhere(uri), "{uri}");
            self.check(&value, &target);
            self.count(&Sent::read(&value));
        }
    }

    /// No count of a nonce comes twice, unless the nonce has been out of use for long.
    fn count(&mut self, sent: &Sent) {
        let find = |name: &str| sent.params.iter().find(|(found, _)| found == name);
        let (Some((_, nonce)), Some(_)) = (find("nonce"), find("nc")) else {
            return;
        };
        let count = u32::from_str_radix(sent.get("nc"), 16).expect("a count");
        if let Some(at) = self.counts.iter().rposition(|(before, _)| before == nonce) {
            let (before, since) = self.counts[at..].split_first().expect("the last use");
            let since: BTreeSet<_> = since.iter().map(|(nonce, _)| nonce).collect();
            assert!(count > before.1 || since.len() > 16, "{count} again");
        }
        self.counts.push((nonce.clone(), count));
    }

    /// What holds of every header value.
    fn check(&self, value: &[u8], target: &Target<'_>) {
        let sent = Sent::read(value);
        let has = |secret: &str| value.windows(secret.len()).any(|w| w == secret.as_bytes());
        for (_, password) in USERS {
            assert!(!has(password), "the password");
        }
        let strength = match sent.param("algorithm") {
            _ if sent.scheme == "Basic" => Strength::Basic,
            _ if sent.param("qop").is_none() => Strength::DigestRfc2069,
            Some(sha2) if sha2.to_ascii_uppercase().starts_with("SHA") => Strength::DigestSha2,
            _ => Strength::DigestMd5,
        };
        assert!(
            strength >= self.client.strength(),
            "weaker than what was taken"
        );
        if sent.scheme == "Basic" {
            assert!(self.config.basic && self.config.channel == Channel::Encrypted);
            return;
        }
        let param = |name: &str| {
            let found = sent.params.iter().find(|(found, _)| found == name);
            found.map(|(_, value)| value.as_slice())
        };
        let realm = param("realm").unwrap();
        for algorithm in Algorithm::ALL {
            for (name, password) in USERS {
                let ha1 = Ha1::new(algorithm.hash_function(), name, realm, password);
                assert!(!has(ha1.as_hex()), "HA1");
            }
        }
        assert!(param("qop").is_some() || self.config.rfc2069, "a downgrade");
        assert!(!self.config.strong || param("response").unwrap().len() == 64);
        let uncounted = self.config.uncounted && param("qop").is_some();
        // Whoever it is of, they have logged in to this realm.
        let mut users = self.logins.iter().filter(|(of, _)| of == realm);
        let is_right = users.any(|(_, user)| {
            let (name, password) = USERS[*user];
            sent.is_right(name, password, target)
        });
        assert!(uncounted || is_right);
        assert_eq!(param("uri"), Some(target.uri));
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// One exchange after the other.
    #[test]
    fn any_server_is_left_alone(
        config in config(),
        events in vec(event(1), 1..60),
    ) {
        let mut watched = Watched::new(config, 1, is_elsewhere);
        for event in events {
            watched.happen(event);
        }
        let shown = format!("{:?}", watched.client);
        prop_assert!(!USERS.iter().any(|(_, password)| shown.contains(password)));
    }

    /// Several at a time on one client.
    #[test]
    fn any_server_is_left_alone_by_all_exchanges(
        config in config(),
        events in vec(event(4), 1..150),
    ) {
        let mut watched = Watched::new(config, 4, is_elsewhere);
        for event in events {
            watched.happen(event);
        }
    }

    /// Whatever else a server says, as long as all it asks for is `/in`, nothing else is sent
    /// unasked.
    #[test]
    fn nothing_is_sent_unasked_outside_of_the_domain(
        config in config(),
        events in vec(
            prop_oneof![
                event(3).prop_filter("these have other domains", |event| {
                    !matches!(event, Event::Challenged(..))
                }),
                (0..3_usize, vec(likely_digest(&[r#", domain="/in""#]), 1..3))
                    .prop_map(|(at, values)| Event::Challenged(at, values)),
            ],
            1..150,
        ),
    ) {
        let never = |uri: &str| !["/in/a", "/in/b?c=/out", "https://example.com/in/a"].contains(&uri);
        let mut watched = Watched::new(config, 3, never);
        for event in events {
            watched.happen(event);
        }
    }

    /// A proxy and an origin that ask by turns, in the loop of the cookbook: what one has accepted is
    /// no reason to go on with the other for ever.
    #[test]
    fn two_that_ask_by_turns_are_left_alone(
        config in config(),
        replies in vec((any::<bool>(), vec(challenge(), 0..3), info()), 1..12),
    ) {
        let uris = ["http://example.com/in/a", "/in/a"];
        let policy = Policy::new().with_max_answers(config.max_answers);
        let mut clients = [
            Client::from_seed(Endpoint::proxy("https", "proxy", 3128), policy, [1; 32]),
            client(policy),
        ];
        let mut exchanges = [Exchange::new(), Exchange::new()];
        let most = (1 + usize::from(config.max_answers)).pow(2);
        let mut requests = 0;
        for (from_proxy, challenges, info) in replies.iter().cycle() {
            requests += 1;
            prop_assert!(requests <= most);
            for who in 0..2 {
                let target = Target::new("GET", uris[who]).with_body(EntityBody::Bytes(b""));
                let answer = clients[who].authorize(&mut exchanges[who], &target);
                prop_assert!(answer.is_ok());
            }
            let who = usize::from(!from_proxy);
            if who == 1 {
                let body = EntityBody::Bytes(b"");
                if clients[0].accepted(&mut exchanges[0], info, body).is_err() {
                    break;
                }
            }
            match clients[who].challenged(&mut exchanges[who], challenges) {
                Next::Login(ask) => prop_assert!(clients[who].login(&ask, "a", "b").is_ok()),
                Next::Retry => {}
                _ => break,
            }
        }
    }

    /// Texts of all kinds come back as they were, and prove the password.
    #[test]
    fn what_was_put_in_comes_out(
        realm in generate::text(),
        nonce in generate::text(),
        opaque in generate::text(),
        user in generate::utf8(),
        password in generate::utf8(),
        uri in generate::text(),
    ) {
        let quoted = |text: &[u8]| {
            let mut out = Vec::new();
            for &byte in text {
                if byte == b'"' || byte == b'\\' {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out
        };
        let value = [
            b"Digest qop=auth, algorithm=SHA-256, realm=\"",
            &*quoted(&realm),
            b"\", nonce=\"",
            &*quoted(&nonce),
            b"\", opaque=\"",
            &*quoted(&opaque),
            b"\"",
        ]
        .concat();
        // A target that is no path is one of this endpoint.
        let endpoint = Endpoint::origin("sips", "example.com", None).unwrap();
        let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let next = client.challenged(&mut exchange, [&value]);
        let ask = ask_of(&next).expect("a login");
        prop_assert_eq!(ask.realm(), &*realm);
        client.login(ask, &user, &password).unwrap();
        let target = Target::new("GET", &uri);
        let answer = client.authorize(&mut exchange, &target).unwrap();
        let sent = Sent::read(answer.unwrap().as_bytes());
        let param = |name: &str| {
            let found = sent.params.iter().find(|(found, _)| found == name);
            found.map(|(_, value)| value.clone())
        };
        prop_assert_eq!(param("realm"), Some(realm));
        prop_assert_eq!(param("nonce"), Some(nonce));
        prop_assert_eq!(param("opaque"), Some(opaque));
        prop_assert_eq!(param("uri"), Some(uri.clone()));
        let name = if user.is_ascii() { "username" } else { "username*" };
        prop_assert!(param(name).is_some());
        prop_assert!(sent.is_right(&user, &password, &target));
    }
}

/// Servers that always say the same kind of thing, and how many requests they get.
#[test]
fn servers_of_one_mind() {
    type Mind = fn(usize) -> String;
    let minds: [(&str, Mind); 7] = [
        ("the same nonce", |_| {
            r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#.to_owned()
        }),
        ("always stale", |n| {
            format!(r#"Digest realm="r", nonce="{n}", qop="auth", algorithm=SHA-256, stale=true"#)
        }),
        ("another nonce", |n| {
            format!(r#"Digest realm="r", nonce="{n}", qop="auth", algorithm=SHA-256"#)
        }),
        ("another realm", |n| {
            format!(r#"Digest realm="{n}", nonce="n", qop="auth", algorithm=SHA-256, stale=true"#)
        }),
        ("another algorithm", |n| {
            let algorithm = ["SHA-256", "SHA-512-256"][n % 2];
            format!(r#"Digest realm="r", nonce="n", qop="auth", algorithm={algorithm}"#)
        }),
        ("another scheme", |n| match n % 2 {
            0 => r#"Basic realm="r""#.to_owned(),
            _ => r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#.to_owned(),
        }),
        ("another Basic realm", |n| format!(r#"Basic realm="{n}""#)),
    ];
    for max_answers in 1..10 {
        for (name, mind) in minds {
            for logged_in in [false, true] {
                let policy = Policy::new().with_max_answers(max_answers);
                let mut client = client(policy);
                let mut exchange = Exchange::new();
                let target = Target::new("GET", "/");
                if logged_in {
                    let next = client.challenged(&mut exchange, [&mind(0)]);
                    client.login(ask_of(&next).unwrap(), "a", "b").unwrap();
                    exchange = Exchange::new();
                }
                let (mut requests, mut answers) = (0, 0);
                loop {
                    requests += 1;
                    let answer = client.authorize(&mut exchange, &target);
                    answers += u32::from(answer.unwrap().is_some());
                    match client.challenged(&mut exchange, [&mind(requests)]) {
                        Next::Login(ask) => client.login(&ask, "a", "b").unwrap(),
                        Next::Retry => {}
                        _ => break,
                    }
                }
                // An answer that goes to another realm than its own is a guess.
                let guesses = u32::from(name.contains("realm") && logged_in);
                assert!(answers <= u32::from(max_answers) + guesses, "{name}");
                assert!(requests <= 1 + usize::from(max_answers), "{name}");
                // Whoever changes the question is asked to the end; others are known for what
                // they are before.
                let changes = ["another realm", "another algorithm", "another scheme"];
                if changes.contains(&name) && !logged_in {
                    assert_eq!(answers, u32::from(max_answers), "{name}");
                } else if !name.starts_with("another ") {
                    assert!(requests <= 3, "{name}: {requests}");
                }
            }
        }
    }
}
