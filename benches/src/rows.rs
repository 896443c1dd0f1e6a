//! The operations that are measured. Each is one whole task of a program, with all calls that it
//! takes.

use std::hint::black_box;

use countersign::client::{AuthCache, Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Authenticator, BasicOffer};
use countersign::wire::{DigestCredentials, QopParams, basic_credentials, ha2, response};
use countersign::{
    Authorization, Challenge, EntityBody, FieldValue, Target, Text, challenges, raw_challenges,
};
use md5::Md5;
use sha2::Sha256;

use crate::floor::{self, NonceMac, Spans, Window};
use crate::hostile;
use crate::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, CHALLENGES,
    CNONCE, METHOD, PASSWORD, REALM, Service, URI, USERNAME, arrival, target,
};
use crate::measure::Operation;

/// The number of requests with one nonce.
pub const REQUESTS: u32 = 512;

/// One operation, and what it is compared with.
pub struct Row {
    pub name: String,
    pub ours: Operation,
    pub floor: Option<Operation>,
    pub goal: Goal,
}

/// The limits that an operation has to keep.
#[derive(Clone, Copy, Debug, Default)]
pub struct Goal {
    /// The most time, as a multiple of the time of its floor.
    pub times: Option<f64>,
    /// The most allocations.
    pub allocations: Option<u64>,
    /// The name of a peer, and the factor by which the operation has to be faster than the fastest
    /// peer of this name.
    pub peer: Option<(&'static str, f64)>,
    /// The most time, in nanoseconds.
    pub nanoseconds: Option<f64>,
}

impl Row {
    fn new(name: impl Into<String>, ours: Operation) -> Self {
        Self {
            name: name.into(),
            ours,
            floor: None,
            goal: Goal::default(),
        }
    }

    fn over(mut self, floor: Operation, times: f64) -> Self {
        self.floor = Some(floor);
        self.goal.times = Some(times);
        self
    }

    const fn allocating(mut self, allocations: u64) -> Self {
        self.goal.allocations = Some(allocations);
        self
    }

    const fn faster_than(mut self, peer: &'static str, times: f64) -> Self {
        self.goal.peer = Some((peer, times));
        self
    }
}

/// The name of a row, and the function that makes it.
type Make = (&'static str, fn(&str) -> Row);

/// Each row is made separately, so that a program can count the instructions of one alone.
const ROWS: &[Make] = &[
    ("challenge with its parameters, 186 B", |name| {
        let ours = Operation::new(|| {
            let challenge = raw_challenges([black_box(CHALLENGE)]).next();
            let challenge = challenge.unwrap().unwrap();
            challenge
                .params()
                .map(|(_, value)| value.raw().len())
                .sum::<usize>()
        });
        Row::new(name, ours)
            .over(tokenize(CHALLENGE), 1.8)
            .allocating(0)
    }),
    ("challenge of Digest, 186 B", |name| {
        let ours = Operation::new(|| challenges([black_box(CHALLENGE)]).next().unwrap().is_ok());
        Row::new(name, ours)
            .over(tokenize(CHALLENGE), 2.0)
            .allocating(0)
    }),
    ("three challenges, 424 B", |name| {
        let ours = Operation::new(|| {
            let all = challenges([black_box(CHALLENGES)]);
            all.filter(|one| matches!(one, Ok(Challenge::Digest(_) | Challenge::Basic(_))))
                .count()
        });
        Row::new(name, ours)
            .over(tokenize(CHALLENGES), 2.0)
            .allocating(0)
    }),
    ("Authorization, 361 B", |name| {
        let ours = Operation::new(|| Authorization::parse(black_box(AUTHORIZATION)).is_ok());
        Row::new(name, ours)
            .over(tokenize(AUTHORIZATION), 2.0)
            .allocating(0)
    }),
    ("answer with a given cnonce, SHA-256", |name| {
        answer(name, CHALLENGE)
    }),
    ("answer with a given cnonce, MD5", |name| {
        answer(name, CHALLENGE_MD5)
    }),
    ("client of the README, SHA-256", |name| {
        client(name, CHALLENGE, 1.8)
    }),
    ("client of the README, MD5", |name| {
        client(name, CHALLENGE_MD5, 1.5)
    }),
    ("first answer, SHA-256", |name| {
        first_answer(name, CHALLENGE)
    }),
    ("first answer, MD5", |name| {
        first_answer(name, CHALLENGE_MD5)
    }),
    ("begin, verify, admit, SHA-256", |name| {
        admit(name, Algorithm::SHA_256, 1.2)
    }),
    ("begin, verify, admit, MD5", |name| {
        admit(name, Algorithm::MD5, 1.15)
    }),
    ("server of the README, SHA-256", |name| {
        server(name, Algorithm::SHA_256)
    }),
    ("server of the README, MD5", |name| {
        server(name, Algorithm::MD5)
    }),
    ("refusal with three challenges", refuse),
    ("Basic, encode", |name| {
        let pair = format!("{BASIC_USERNAME}:{BASIC_PASSWORD}").into_bytes();
        let ours = Operation::new(|| {
            basic_credentials(black_box(BASIC_USERNAME), black_box(BASIC_PASSWORD)).unwrap()
        });
        let floor = Operation::new(move || floor::encode(black_box(&pair)));
        Row::new(name, ours)
            .over(floor, 2.0)
            .allocating(1)
            .faster_than("http-auth", 2.0)
    }),
    ("Basic, decode to the pair", |name| {
        let ours = Operation::new(|| {
            let Ok(Authorization::Basic(pair)) = Authorization::parse(black_box(BASIC)) else {
                panic!("not Basic")
            };
            pair.username().len() + pair.password().len()
        });
        let text = &BASIC.as_bytes()["Basic ".len()..];
        let floor = Operation::new(move || floor::decode(black_box(text)));
        Row::new(name, ours)
            .over(floor, 2.0)
            .allocating(1)
            .faster_than("headers", 1.1)
    }),
    ("new endpoint in a full cache of 100", |name| {
        forget(name, 100)
    }),
    ("new endpoint in a full cache of 10,000", |name| {
        forget(name, 10_000)
    }),
    ("new endpoint in a full cache of 100,000", |name| {
        forget(name, 100_000)
    }),
];

/// The prefix of the names of hostile rows.
pub const HOSTILE: &str = "64 KiB of ";

/// The names of all rows.
pub fn names() -> Vec<String> {
    let rows = ROWS.iter().map(|(name, _)| name.to_string());
    let hostile = hostile::SHAPES.map(|(name, ..)| format!("{HOSTILE}{name}"));
    rows.chain(hostile).collect()
}

/// Makes the row with this name.
pub fn make(name: &str) -> Row {
    if let Some(shape) = name.strip_prefix(HOSTILE) {
        return hostile(name, shape);
    }
    let (_, make) = ROWS.iter().find(|row| row.0 == name).unwrap();
    make(name)
}

fn tokenize(value: &'static str) -> Operation {
    let mut found = Spans::default();
    Operation::new(move || {
        floor::tokenize(black_box(value).as_bytes(), &mut found);
        black_box(&found);
    })
}

/// A client that was challenged and has logged in, and its exchange.
fn logged_in(challenge: &str) -> (Client, Exchange) {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let Next::Login(ask) = client.challenged(&mut exchange, [challenge]) else {
        panic!("nobody has logged in");
    };
    client.login(&ask, USERNAME, PASSWORD).unwrap();
    (client, exchange)
}

fn algorithm(challenge: &str) -> Algorithm {
    match challenge.contains("MD5") {
        true => Algorithm::MD5,
        false => Algorithm::SHA_256,
    }
}

fn answer(name: &str, challenge: &'static str) -> Row {
    let (mut client, mut exchange) = logged_in(challenge);
    let target = target();
    let ours = Operation::new(move || {
        let target = black_box(&target);
        let answer = client.authorize_with_cnonce(&mut exchange, target, black_box(CNONCE));
        answer.unwrap().unwrap().as_bytes().len()
    });
    let service: &Service = Box::leak(Box::new(Service::new(algorithm(challenge))));
    let floor = match service.algorithm.hash_function() {
        HashFunction::Md5 => floor::answers::<Md5>(service.known()),
        _ => floor::answers::<Sha256>(service.known()),
    };
    Row::new(name, ours)
        .over(Operation::new(floor), 1.2)
        .allocating(1)
}

/// One request of the loop of the README, with a client that is logged in.
fn client(name: &str, challenge: &'static str, times: f64) -> Row {
    let (mut client, _) = logged_in(challenge);
    let ours = Operation::new(move || {
        let target = Target::new(METHOD, black_box(URI)).with_body(EntityBody::Bytes(b""));
        let mut exchange = Exchange::new();
        let answer = client.authorize(&mut exchange, &target).unwrap().unwrap();
        let length = answer.as_bytes().len();
        let none = |_| None::<&str>;
        let next = client.received(&mut exchange, 200, none, EntityBody::Bytes(b""));
        assert!(matches!(next, Ok(Next::Done(_))));
        length
    });
    Row::new(name, ours)
        .allocating(1)
        .faster_than("http-auth", times)
}

/// From a challenge and a password to an answer. The floor does the same by plain functions.
fn first_answer(name: &str, challenge: &'static str) -> Row {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let target = target();
    let ours = Operation::new(move || {
        let mut client = Client::from_seed(endpoint.clone(), Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let Next::Login(ask) = client.challenged(&mut exchange, [black_box(challenge)]) else {
            panic!("nobody has logged in");
        };
        client.login(&ask, USERNAME, PASSWORD).unwrap();
        let answer = client.authorize_with_cnonce(&mut exchange, &target, CNONCE);
        answer.unwrap().unwrap().as_bytes().len()
    });
    let functions = Operation::new(move || -> FieldValue {
        let Some(Ok(Challenge::Digest(challenge))) = challenges([black_box(challenge)]).next()
        else {
            panic!("not Digest");
        };
        let hash = challenge.algorithm().hash_function();
        let ha1 = Ha1::new(hash, USERNAME, challenge.realm, PASSWORD);
        let qop = QopParams::new("auth", "00000001", CNONCE).unwrap();
        let ha2 = ha2(hash, METHOD, URI, None);
        let response = response(&ha1, challenge.nonce, Some(&qop), &ha2);
        let (user, uri) = (User::from(USERNAME), Text::new(URI).unwrap());
        let made = DigestCredentials::new(&challenge, &user, uri, Some(qop), response);
        made.unwrap().to_field_value()
    });
    Row::new(name, ours).over(functions, 1.4).allocating(4)
}

/// Leaked, because the operations live as long as the program.
fn service(algorithm: Algorithm) -> (&'static Service, &'static [Vec<u8>]) {
    let service = Box::leak(Box::new(Service::new(algorithm)));
    (service, service.requests(REQUESTS).leak())
}

fn admit(name: &str, algorithm: Algorithm, times: f64) -> Row {
    let (service, requests) = service(algorithm);
    let ours = Operation::prepared(
        REQUESTS,
        move || (service.nonces(16), requests.iter()),
        move |(nonces, requests)| {
            let request = black_box(requests.next().unwrap());
            let Service { realm, ha1, .. } = black_box(service);
            let (target, arrival) = (target(), arrival());
            let mut admit = || {
                let attempt = nonces.begin(realm, Some(request), &target, &arrival)?;
                nonces.admit(attempt.verify(Some(ha1))?)
            };
            assert!(black_box(&admit()).is_ok());
        },
    );
    let (mac, known) = (NonceMac::new(&[7; 32]), service.known());
    let floor = match algorithm.hash_function() {
        HashFunction::Md5 => floor::admit::<Md5>,
        _ => floor::admit::<Sha256>,
    };
    let floor = Operation::prepared(
        REQUESTS,
        || (Window::default(), requests.iter()),
        move |(window, requests)| {
            let request = black_box(requests.next().unwrap());
            assert!(floor(request, &black_box(known), &mac, window));
        },
    );
    Row::new(name, ours).over(floor, times).allocating(0)
}

/// An `Authenticator` grants a request and makes the field with its proof.
fn server(name: &str, algorithm: Algorithm) -> Row {
    let (service, requests) = service(algorithm);
    let ours = Operation::prepared(
        REQUESTS,
        move || (service.authenticator(16), requests.iter()),
        move |(auth, requests)| {
            let request = black_box(requests.next().unwrap());
            let value = admit_shared(auth, service, request);
            assert!(value.is_some());
            value
        },
    );
    Row::new(name, ours).allocating(1)
}

/// The steps of a multi-threaded server for one request.
#[inline]
pub fn admit_shared(auth: &Authenticator, service: &Service, request: &[u8]) -> Option<FieldValue> {
    let (target, arrival) = (target(), arrival());
    let admit = || {
        let attempt = auth.begin(Some(request), &target, &arrival)?;
        auth.admit(attempt.verify(Some(&service.ha1))?)
    };
    admit().unwrap().authentication_info(EntityBody::Bytes(b""))
}

/// The response to a request without credentials.
fn refuse(name: &str) -> Row {
    let service = Service::new(Algorithm::SHA_256);
    let realm = service.realm.clone().with_basic(BasicOffer::Encrypted);
    let mut nonces = service.nonces(16);
    let ours = Operation::new(move || {
        let begun = nonces.begin(black_box(&realm), None::<&str>, &target(), &arrival());
        let refusal = nonces.refuse(&begun.unwrap_err());
        refusal
            .challenges
            .iter()
            .map(|value| value.as_bytes().len())
            .sum::<usize>()
    });
    let mac = NonceMac::new(&[7; 32]);
    let floor =
        Operation::new(move || floor::challenges(&mac, black_box(&[7; 14]), black_box(REALM)));
    Row::new(name, ours).over(floor, 1.6).allocating(4)
}

/// Makes a client in a full cache, which evicts another one.
fn forget(name: &str, capacity: usize) -> Row {
    let mut cache = AuthCache::from_seed(capacity, Policy::new(), [7; 32]);
    let mut number = 0_u64;
    let mut next = move || {
        number += 1;
        let host = format!("host-{number:x}.example.com");
        Endpoint::origin("https", &host, None).unwrap()
    };
    for _ in 0..capacity {
        let endpoint = next();
        let client = cache.client(&endpoint);
        // A client in use knows a challenge.
        let _ = client.challenged(&mut Exchange::new(), [CHALLENGE]);
    }
    let ours = Operation::new(move || cache.client(&next()).strength());
    let mut row = Row::new(name, ours).allocating(4);
    row.goal.nanoseconds = Some(1000.0);
    row
}

/// Parses a hostile value. The floor is one search for a byte that does not occur.
fn hostile(name: &str, shape: &str) -> Row {
    let value: &'static str = hostile::value(shape).leak();
    let ours = Operation::new(move || raw_challenges([black_box(value)]).count());
    let row = Row::new(name, ours).allocating(0);
    let search = move || memchr::memchr(b'\x01', black_box(value).as_bytes());
    Row {
        floor: Some(Operation::new(search)),
        ..row
    }
}
