//! The operations that are measured. Each is one whole task of a program, with all calls that it
//! takes.

use std::hint::black_box;

use countersign::client::{
    Account, AuthCache, Client, Endpoint, Exchange, Next, Policy, ServerProof,
};
use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Authenticator, Grant, Refusal};
use countersign::wire::{basic_credentials, ha2, response};
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

/// The same for each of two algorithms.
type MakeHashed = (&'static str, fn(&str, Algorithm) -> Row);

const HASHED: &[MakeHashed] = &[
    ("answer with a given cnonce", answer),
    ("client of the README", client),
    ("client of the README with proof", proving_client),
    ("first answer", first_answer),
    ("begin, verify, admit", |name, algorithm| {
        admit(name, Service::new(algorithm))
    }),
    ("stored password", stored_password),
    ("server of the README", server),
    ("server of the README with http", http_server),
];
const ALGORITHMS: [Algorithm; 2] = [Algorithm::SHA_256, Algorithm::MD5];

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
    ("first answer by a cache, SHA-256", |name| {
        let mut cache = AuthCache::from_seed(1, Policy::new(), [7; 32]);
        first_answer_of_host(name, move |endpoint, ask| ask(cache.client(&endpoint)))
    }),
    ("begin, verify, admit, SHA-256-sess", |name| {
        admit(name, Service::new(Algorithm::SHA_256_SESS))
    }),
    ("begin, verify, admit, SHA-256 over 1 KiB", |name| {
        admit(name, Service::with_auth_int(Algorithm::SHA_256))
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
    ("Basic, at a server", basic_server),
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
    let hashed = HASHED.iter().flat_map(|(task, _)| {
        let name = move |algorithm| format!("{task}, {algorithm}");
        ALGORITHMS.map(name)
    });
    let rows = rows.chain(hashed);
    let hostile = hostile::SHAPES.map(|(name, ..)| format!("{HOSTILE}{name}"));
    rows.chain(hostile).collect()
}

/// Draws a seed from the system: not counted, because that is a system call.
pub const NEW_CLIENT: &str = "first answer by a new client, SHA-256";

/// Makes the row with this name.
pub fn make(name: &str) -> Row {
    if name == NEW_CLIENT {
        return first_answer_of_host(name, |endpoint, ask| {
            ask(&mut Client::new(endpoint, Policy::new(), &mut getrandom::SysRng).unwrap())
        });
    }
    if let Some(shape) = name.strip_prefix(HOSTILE) {
        return hostile(name, shape);
    }
    if let Some((_, make)) = ROWS.iter().find(|row| row.0 == name) {
        return make(name);
    }
    let (task, algorithm) = name.rsplit_once(", ").unwrap();
    let (_, make) = HASHED.iter().find(|row| row.0 == task).unwrap();
    make(name, algorithm.parse().unwrap())
}

fn challenge_of(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::MD5 => CHALLENGE_MD5,
        _ => CHALLENGE,
    }
}

/// A client that was challenged and has logged in, and its exchange.
pub fn logged_in(challenge: &str) -> (Client, Exchange) {
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

fn answer(name: &str, algorithm: Algorithm) -> Row {
    let challenge = challenge_of(algorithm);
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
fn client(name: &str, algorithm: Algorithm) -> Row {
    let challenge = challenge_of(algorithm);
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

/// The same with responses of the crate `http` that hold the server's proof.
fn proving_client(name: &str, algorithm: Algorithm) -> Row {
    let challenge = challenge_of(algorithm);
    let target = Target::new(METHOD, URI);
    // A client makes the same cnonces each time, so the proofs can be made before.
    let prepare = move || {
        let (mut client, _) = logged_in(challenge);
        let responses = (0..REQUESTS).map(|_| {
            let mut exchange = Exchange::new();
            let answer = client.authorize(&mut exchange, &target).unwrap();
            let Ok(Authorization::Digest(sent)) =
                Authorization::parse(answer.for_new_request().unwrap())
            else {
                panic!("an answer to a Digest challenge");
            };
            let hash = sent.algorithm().hash_function();
            let ha1 = Ha1::new(hash, USERNAME, sent.realm, PASSWORD);
            let qop = sent.qop_params.unwrap();
            let proof = response(&ha1, sent.nonce, Some(&qop), &ha2(hash, "", URI, None));
            let info = countersign::wire::AuthenticationInfo::with_proof(&proof, &qop);
            let reply = http::Response::builder().header(INFO, &info.to_field_value());
            reply.body(()).unwrap()
        });
        (logged_in(challenge).0, responses.collect::<Vec<_>>(), 0)
    };
    let ours = Operation::prepared(REQUESTS, prepare, move |(client, responses, at)| {
        let mut exchange = Exchange::new();
        let answer = client.authorize(&mut exchange, black_box(&target)).unwrap();
        let length = answer.for_new_request().unwrap().as_bytes().len();
        // Kept: to drop it is not the client's work.
        let reply = &responses[*at];
        *at += 1;
        let fields = |name| reply.headers().get_all(name).iter();
        let next = client.received(&mut exchange, 200, fields, EntityBody::Unknown);
        assert_eq!(next, Ok(Next::Done(ServerProof::Valid)));
        length
    });
    Row::new(name, ours).allocating(2)
}

const INFO: &str = "authentication-info";

/// Gives a client for an endpoint, which was not there before, to a function that uses it.
type Give<'f> = &'f mut dyn FnMut(&mut Client) -> usize;

/// A first answer, of a client that is made for it.
fn first_answer_of_host(
    name: &str,
    mut make: impl FnMut(Endpoint, Give<'_>) -> usize + 'static,
) -> Row {
    let target = target();
    let account = Account::new(USERNAME, PASSWORD);
    let mut hosts = ["a.example.com", "b.example.com"].into_iter().cycle();
    let ours = Operation::new(move || {
        let endpoint = Endpoint::origin("https", hosts.next().unwrap(), None).unwrap();
        make(endpoint, &mut |client| {
            let mut exchange = Exchange::new();
            let next = client.challenged(&mut exchange, challenges([black_box(CHALLENGE)]));
            let Next::Login(ask) = next else {
                panic!("nobody has logged in");
            };
            client.login(&ask, &account).unwrap();
            let answer = client.authorize(&mut exchange, &target).unwrap();
            answer.for_new_request().unwrap().as_bytes().len()
        })
    });
    Row::new(name, ours).allocating(9)
}

/// From a challenge and a password to an answer.
fn first_answer(name: &str, algorithm: Algorithm) -> Row {
    let challenge = challenge_of(algorithm);
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
fn leak(service: Service) -> (&'static Service, &'static [Vec<u8>]) {
    let service = Box::leak(Box::new(service));
    (service, service.requests(REQUESTS).leak())
}

fn stored_password(name: &str, algorithm: Algorithm) -> Row {
    let (service, requests) = leak(Service::new(algorithm));
    let ours = Operation::prepared(
        REQUESTS,
        move || (service.authenticator(16), requests.iter()),
        move |(auth, requests)| {
            let request = black_box(requests.next().unwrap());
            let attempt = auth.begin([request].into_iter(), &service.target(), arrival());
            let pair = Some((USERNAME, PASSWORD));
            let verified = attempt.unwrap().verify_password(pair, |pair| *pair);
            assert!(black_box(&auth.admit(verified.unwrap())).is_ok());
        },
    );
    Row::new(name, ours).allocating(0)
}

/// The function `handle` of the README, at a fixed time.
fn http_server(name: &str, algorithm: Algorithm) -> Row {
    let service: &'static Service = Box::leak(Box::new(Service::new(algorithm)));
    let ours = Operation::prepared(
        REQUESTS,
        move || {
            let auth = service.authenticator(16);
            let nonce = service.issue(&auth, arrival());
            let requests = (1..=REQUESTS).map(|nc| {
                let field = service.request(&nonce, nc);
                let request = http::Request::get(format!("https://example.com{URI}"));
                request.header("authorization", field).body(()).unwrap()
            });
            (auth, requests.collect::<Vec<_>>(), 0)
        },
        move |(auth, requests, at)| {
            let request = black_box(&requests[*at]);
            *at += 1;
            let target = Target::from(request);
            let fields = request.headers().get_all("authorization").iter();
            let find = |user: &User<'_>, _| (user.name() == Some(USERNAME)).then_some(&service.ha1);
            let (status, name, values) = match auth.check(fields, &target, arrival(), find) {
                Ok(grant) => {
                    let info = grant.authentication_info(EntityBody::Unknown);
                    (200, grant.info_field(), Vec::from_iter(info))
                }
                Err(refusal) => (refusal.status, refusal.field, refusal.challenges),
            };
            assert_eq!(status, 200);
            let response = http::Response::builder().status(status);
            let response = values
                .iter()
                .fold(response, |it, value| it.header(name, value));
            response.body(()).unwrap()
        },
    );
    Row::new(name, ours).allocating(6)
}

fn basic_server(name: &str) -> Row {
    let realm = Service::new(Algorithm::SHA_256).realm.with_basic();
    let ha1 = Ha1::new(
        HashFunction::Sha256,
        BASIC_USERNAME,
        realm.name(),
        BASIC_PASSWORD,
    );
    let auth = Authenticator::from_seed(realm, 0, [7; 32]);
    let ours = Operation::new(move || {
        let fields = [black_box(BASIC)].into_iter();
        let attempt = auth.begin(fields, &target(), arrival()).unwrap();
        auth.admit(attempt.verify(Some(&ha1)).unwrap()).is_ok()
    });
    Row::new(name, ours).allocating(1)
}

fn admit(name: &str, service: Service) -> Row {
    let (service, requests) = leak(service);
    let ours = Operation::prepared(
        REQUESTS,
        move || (service.authenticator(16), requests.iter()),
        move |(auth, requests)| {
            let request = black_box(requests.next().unwrap());
            assert!(black_box(&steps(auth, black_box(service), request)).is_ok());
        },
    );
    Row::new(name, ours).allocating(0)
}

/// An `Authenticator` grants a request and makes the field with its proof.
fn server(name: &str, algorithm: Algorithm) -> Row {
    let (service, requests) = leak(Service::new(algorithm));
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

#[inline(always)]
fn steps<'a>(
    auth: &'a Authenticator,
    service: &'a Service,
    request: &'a [u8],
) -> Result<Grant<'a, &'a Ha1>, Refusal> {
    let attempt = auth.begin([request].into_iter(), &service.target(), arrival())?;
    auth.admit(attempt.verify(Some(&service.ha1))?)
}

/// The steps of a multi-threaded server for one request.
#[inline]
pub fn admit_shared(auth: &Authenticator, service: &Service, request: &[u8]) -> Option<FieldValue> {
    let grant = steps(auth, service, request).unwrap();
    grant.authentication_info(EntityBody::Empty)
}

/// The response to a request without credentials.
fn refuse(name: &str) -> Row {
    let service = Service::new(Algorithm::SHA_256);
    let algorithms = [Algorithm::SHA_256, Algorithm::MD5];
    let realm = service
        .realm
        .clone()
        .with_algorithms(&algorithms)
        .with_basic();
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
