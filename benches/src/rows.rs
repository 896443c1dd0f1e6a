//! The operations that are measured. Each is one whole task of a program, with all calls that it
//! takes.

use std::hint::black_box;

use countersign::client::{Account, AuthCache, Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::Algorithm;
use countersign::server::Authenticator;
use countersign::wire::basic_credentials;
use countersign::{
    Authorization, Challenge, EntityBody, FieldValue, Target, challenges, raw_challenges,
};

use crate::hostile;
use crate::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, CHALLENGES,
    CNONCE, METHOD, PASSWORD, Service, URI, USERNAME, arrival, target,
};
use crate::measure::Operation;

/// The number of requests with one nonce.
pub const REQUESTS: u32 = 512;

/// One operation, and the most allocations that it may make.
pub struct Row {
    pub name: String,
    pub ours: Operation,
    pub most_allocations: Option<u64>,
}

impl Row {
    fn new(name: impl Into<String>, ours: Operation) -> Self {
        Self {
            name: name.into(),
            ours,
            most_allocations: None,
        }
    }

    const fn allocating(mut self, allocations: u64) -> Self {
        self.most_allocations = Some(allocations);
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
        Row::new(name, ours).allocating(0)
    }),
    ("challenge of Digest, 186 B", |name| {
        let ours = Operation::new(|| challenges([black_box(CHALLENGE)]).next().unwrap().is_ok());
        Row::new(name, ours).allocating(0)
    }),
    ("three challenges, 424 B", |name| {
        let ours = Operation::new(|| {
            let all = challenges([black_box(CHALLENGES)]);
            all.filter(|one| matches!(one, Ok(Challenge::Digest(_) | Challenge::Basic { .. })))
                .count()
        });
        Row::new(name, ours).allocating(0)
    }),
    ("Authorization, 361 B", |name| {
        let ours = Operation::new(|| Authorization::parse(black_box(AUTHORIZATION)).is_ok());
        Row::new(name, ours).allocating(0)
    }),
    ("answer with a given cnonce, SHA-256", |name| {
        answer(name, CHALLENGE)
    }),
    ("answer with a given cnonce, MD5", |name| {
        answer(name, CHALLENGE_MD5)
    }),
    ("client of the README, SHA-256", |name| {
        client(name, CHALLENGE)
    }),
    ("client of the README, MD5", |name| {
        client(name, CHALLENGE_MD5)
    }),
    ("first answer, SHA-256", |name| {
        first_answer(name, CHALLENGE)
    }),
    ("first answer, MD5", |name| {
        first_answer(name, CHALLENGE_MD5)
    }),
    ("begin, verify, admit, SHA-256", |name| {
        admit(name, Algorithm::SHA_256)
    }),
    ("begin, verify, admit, MD5", |name| {
        admit(name, Algorithm::MD5)
    }),
    ("server of the README, SHA-256", |name| {
        server(name, Algorithm::SHA_256)
    }),
    ("server of the README, MD5", |name| {
        server(name, Algorithm::MD5)
    }),
    ("refusal with three challenges", refuse),
    ("Basic, encode", |name| {
        let ours = Operation::new(|| {
            basic_credentials(black_box(BASIC_USERNAME), black_box(BASIC_PASSWORD)).unwrap()
        });
        Row::new(name, ours).allocating(1)
    }),
    ("Basic, decode to the pair", |name| {
        let ours = Operation::new(|| {
            let Ok(Authorization::Basic(pair)) = Authorization::parse(black_box(BASIC)) else {
                panic!("not Basic")
            };
            pair.username().len() + pair.password().len()
        });
        Row::new(name, ours).allocating(1)
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

/// A client that was challenged and has logged in, and its exchange.
fn logged_in(challenge: &str) -> (Client, Exchange) {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let Next::Login(ask) = client.challenged(&mut exchange, challenges([challenge])) else {
        panic!("nobody has logged in");
    };
    client
        .login(&ask, &Account::new(USERNAME, PASSWORD))
        .unwrap();
    (client, exchange)
}

fn answer(name: &str, challenge: &'static str) -> Row {
    let (mut client, mut exchange) = logged_in(challenge);
    let target = target();
    let ours = Operation::new(move || {
        let target = black_box(&target);
        let answer = client.authorize_with_cnonce(&mut exchange, target, black_box(CNONCE));
        answer.unwrap().for_new_request().unwrap().as_bytes().len()
    });
    Row::new(name, ours).allocating(1)
}

/// One request of the loop of the README, with a client that is logged in.
fn client(name: &str, challenge: &'static str) -> Row {
    let (mut client, _) = logged_in(challenge);
    let ours = Operation::new(move || {
        let target = Target::new(METHOD, black_box(URI)).with_body(EntityBody::Empty);
        let mut exchange = Exchange::new();
        let answer = client.authorize(&mut exchange, &target).unwrap();
        let answer = answer.for_new_request().unwrap();
        let length = answer.as_bytes().len();
        let none = |_| std::iter::empty::<&str>();
        let next = client.received(&mut exchange, 200, none, EntityBody::Bytes(b""));
        assert!(matches!(next, Ok(Next::Done(_))));
        length
    });
    Row::new(name, ours).allocating(1)
}

/// From a challenge and a password to an answer.
fn first_answer(name: &str, challenge: &'static str) -> Row {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let target = target();
    let account = Account::new(USERNAME, PASSWORD);
    let ours = Operation::new(move || {
        let mut client = Client::from_seed(endpoint.clone(), Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let Next::Login(ask) = client.challenged(&mut exchange, challenges([black_box(challenge)]))
        else {
            panic!("nobody has logged in");
        };
        client.login(&ask, &account).unwrap();
        let answer = client.authorize_with_cnonce(&mut exchange, &target, CNONCE);
        answer.unwrap().for_new_request().unwrap().as_bytes().len()
    });
    // The list of spaces, the space, the challenge of the space and that of the exchange, the value.
    Row::new(name, ours).allocating(5)
}

/// Leaked, because the operations live as long as the program.
fn service(algorithm: Algorithm) -> (&'static Service, &'static [Vec<u8>]) {
    let service = Box::leak(Box::new(Service::new(algorithm)));
    (service, service.requests(REQUESTS).leak())
}

fn admit(name: &str, algorithm: Algorithm) -> Row {
    let (service, requests) = service(algorithm);
    let ours = Operation::prepared(
        REQUESTS,
        move || (service.authenticator(16), requests.iter()),
        move |(auth, requests)| {
            let request = black_box(requests.next().unwrap());
            let Service { ha1, .. } = black_box(service);
            let target = target();
            let admit = || {
                let attempt = auth.begin([request].into_iter(), &target, arrival())?;
                auth.admit(attempt.verify(Some(ha1))?)
            };
            assert!(black_box(&admit()).is_ok());
        },
    );
    Row::new(name, ours).allocating(0)
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
    let target = target();
    let admit = || {
        let attempt = auth.begin([request].into_iter(), &target, arrival())?;
        auth.admit(attempt.verify(Some(&service.ha1))?)
    };
    admit().unwrap().authentication_info(EntityBody::Empty)
}

/// The response to a request without credentials.
fn refuse(name: &str) -> Row {
    let service = Service::new(Algorithm::SHA_256);
    let realm = service.realm.clone().with_basic();
    let auth = service.authenticator(16);
    let ours = Operation::new(move || {
        let none = std::iter::empty::<&str>();
        let begun = auth.begin_as(black_box(&realm), none, &target(), arrival());
        let refusal = begun.unwrap_err();
        refusal
            .challenges
            .iter()
            .map(|value| value.as_bytes().len())
            .sum::<usize>()
    });
    Row::new(name, ours).allocating(4)
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
        let _ = client.challenged(&mut Exchange::new(), countersign::challenges([CHALLENGE]));
    }
    let ours = Operation::new(move || cache.client(&next()).strength());
    Row::new(name, ours).allocating(4)
}

/// Parses a hostile value.
fn hostile(name: &str, shape: &str) -> Row {
    let value: &'static str = hostile::value(shape).leak();
    let ours = Operation::new(move || raw_challenges([black_box(value)]).count());
    Row::new(name, ours).allocating(0)
}
