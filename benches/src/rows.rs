//! The operations that are measured. Each is one whole task of a program, with all calls that it
//! takes.

use std::hint::black_box;

use countersign::client::{
    Account, AuthCache, Client, Endpoint, Exchange, Next, Policy, ServerProof,
};
use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Authenticator, Grant, Refusal};
use countersign::wire::{AuthenticationInfo, basic_credentials, ha2, response};
use countersign::{
    Authorization, Challenge, EntityBody, FieldValue, Target, Text, challenges, raw_challenges,
};

use crate::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGES, METHOD, PASSWORD,
    SHAPES, Service, URI, USERNAME, arrival, challenge, hostile_value, target,
};
use crate::measure::Operation;

/// The number of requests with one nonce.
pub const REQUESTS: u32 = 512;

/// One operation: made on its own, so that a program can count the instructions of one alone.
pub struct Row {
    pub name: String,
    /// The most allocations that it may make.
    pub most_allocations: u64,
    pub make: Box<dyn Fn() -> Operation>,
}

/// The name of a row, the most allocations that it may make, and the function that makes it.
type Make = (&'static str, u64, fn() -> Operation);

/// The same for each of two algorithms.
type MakeHashed = (&'static str, u64, fn(Algorithm) -> Operation);

const HASHED: &[MakeHashed] = &[
    ("answer", 1, answer),
    ("client of the README", 1, client),
    ("client of the README with proof", 2, proving_client),
    // The space, the challenge, the value.
    ("first answer", 3, first_answer),
    ("begin, verify, admit", 0, |algorithm| {
        admit(Service::new(algorithm))
    }),
    ("stored password", 0, stored_password),
    ("server of the README", 1, server),
    ("server of the README with http", 6, http_server),
];
const ALGORITHMS: [Algorithm; 2] = [Algorithm::SHA_256, Algorithm::MD5];

const ROWS: &[Make] = &[
    ("challenge with its parameters, 186 B", 0, || {
        Operation::new(|| {
            let challenge = raw_challenges([black_box(CHALLENGE)]).next();
            let challenge = challenge.unwrap().unwrap();
            let lengths = challenge.params().map(|(_, value)| value.raw().len());
            lengths.sum::<usize>()
        })
    }),
    ("challenge of Digest, 186 B", 0, || {
        Operation::new(|| challenges([black_box(CHALLENGE)]).next().unwrap().is_ok())
    }),
    ("three challenges, 424 B", 0, || {
        Operation::new(|| {
            let all = challenges([black_box(CHALLENGES)]);
            all.filter(|one| matches!(one, Ok(Challenge::Digest(_) | Challenge::Basic { .. })))
                .count()
        })
    }),
    ("Authorization, 361 B", 0, || {
        Operation::new(|| Authorization::parse(black_box(AUTHORIZATION)).is_ok())
    }),
    ("first answer by a cache, SHA-256", 6, || {
        let mut cache = AuthCache::from_seed(1, Policy::new(), [7; 32]);
        first_answer_of_host(move |endpoint, account| {
            log_in_and_answer(cache.client(&endpoint), account)
        })
    }),
    (NEW_CLIENT, 3, || {
        first_answer_of_host(|endpoint, account| {
            let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng);
            log_in_and_answer(&mut client.unwrap(), account)
        })
    }),
    ("begin, verify, admit, SHA-256-sess", 0, || {
        admit(Service::new(Algorithm::SHA_256_SESS))
    }),
    ("begin, verify, admit, SHA-256 over 1 KiB", 0, || {
        admit(Service::with_auth_int(Algorithm::SHA_256))
    }),
    ("refusal with three challenges", 4, refuse),
    ("Basic, encode", 1, || {
        Operation::new(|| {
            basic_credentials(black_box(BASIC_USERNAME), black_box(BASIC_PASSWORD)).unwrap()
        })
    }),
    ("Basic, decode to the pair", 1, || {
        Operation::new(|| {
            let Ok(Authorization::Basic(pair)) = Authorization::parse(black_box(BASIC)) else {
                panic!("not Basic")
            };
            pair.username().len() + pair.password().len()
        })
    }),
    ("Basic, at a server", 1, basic_server),
    ("new endpoint in a full cache of 100", 3, || forget(100)),
    ("new endpoint in a full cache of 10,000", 3, || {
        forget(10_000)
    }),
    ("new endpoint in a full cache of 100,000", 3, || {
        forget(100_000)
    }),
];

/// The row that draws a seed from the system.
pub const NEW_CLIENT: &str = "first answer by a new client, SHA-256";

/// The prefix of the names of hostile rows.
pub const HOSTILE: &str = "64 KiB of ";

/// All rows.
pub fn all() -> Vec<Row> {
    let mut all = Vec::new();
    let mut add = |name: String, most_allocations, make| {
        all.push(Row {
            name,
            most_allocations,
            make,
        });
    };
    for &(name, most, make) in ROWS {
        add(name.to_string(), most, Box::new(make));
    }
    for &(task, most, make) in HASHED {
        for algorithm in ALGORITHMS {
            let name = format!("{task}, {algorithm}");
            add(name, most, Box::new(move || make(algorithm)));
        }
    }
    for (name, start, repeated) in SHAPES {
        let name = format!("{HOSTILE}{name}");
        add(name, 0, Box::new(move || hostile(start, repeated)));
    }
    all
}

fn endpoint(host: &str) -> Endpoint {
    Endpoint::origin("https", host, None).unwrap()
}

/// Logs a client in, after a challenge.
#[inline(always)]
fn log_in(client: &mut Client, exchange: &mut Exchange, challenge: &str, account: &Account) {
    let Next::Login(ask) = client.challenged(exchange, challenges([challenge])) else {
        panic!("nobody has logged in");
    };
    client.login(&ask, account).unwrap();
}

/// A client that was challenged and has logged in, and its exchange.
pub fn logged_in(challenge: &str) -> (Client, Exchange) {
    let mut client = Client::from_seed(endpoint("example.com"), Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let account = Account::new(USERNAME, PASSWORD);
    log_in(&mut client, &mut exchange, challenge, &account);
    (client, exchange)
}

fn answer(algorithm: Algorithm) -> Operation {
    let (mut client, mut exchange) = logged_in(challenge(algorithm));
    let target = target();
    Operation::new(move || {
        let target = black_box(&target);
        let answer = client.authorize(&mut exchange, target);
        answer.unwrap().for_new_request().unwrap().as_bytes().len()
    })
}

/// One request of the loop of the README, with a client that is logged in.
fn client(algorithm: Algorithm) -> Operation {
    let (mut client, _) = logged_in(challenge(algorithm));
    Operation::new(move || {
        let target = Target::new(METHOD, black_box(URI)).with_body(EntityBody::Empty);
        let mut exchange = Exchange::new();
        let answer = client.authorize(&mut exchange, &target).unwrap();
        let answer = answer.for_new_request().unwrap();
        let length = answer.as_bytes().len();
        let none = |_| std::iter::empty::<&str>();
        let next = client.received(&mut exchange, 200, none, EntityBody::Bytes(b""));
        assert!(matches!(next, Ok(Next::Done(_))));
        length
    })
}

/// The same with responses of the crate `http` that hold the server's proof.
fn proving_client(algorithm: Algorithm) -> Operation {
    let challenge = challenge(algorithm);
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
            let mut info = AuthenticationInfo::default();
            (info.rspauth, info.qop) = (Text::new(proof.as_str()).ok(), Some(qop.qop()));
            (info.cnonce, info.nc) = (Some(qop.cnonce()), Some(qop.nc()));
            let info = info.to_field_value();
            let reply = http::Response::builder().header("authentication-info", &info);
            reply.body(()).unwrap()
        });
        (logged_in(challenge).0, responses.collect::<Vec<_>>(), 0)
    };
    Operation::prepared(REQUESTS, prepare, move |(client, responses, at)| {
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
    })
}

/// A first answer of a client that is made for it, for another host than the last.
fn first_answer_of_host(
    mut answer: impl FnMut(Endpoint, &Account) -> usize + 'static,
) -> Operation {
    let account = Account::new(USERNAME, PASSWORD);
    let mut hosts = ["a.example.com", "b.example.com"].into_iter().cycle();
    Operation::new(move || answer(endpoint(hosts.next().unwrap()), &account))
}

fn log_in_and_answer(client: &mut Client, account: &Account) -> usize {
    let mut exchange = Exchange::new();
    log_in(client, &mut exchange, black_box(CHALLENGE), account);
    let answer = client.authorize(&mut exchange, &target()).unwrap();
    answer.for_new_request().unwrap().as_bytes().len()
}

/// From a challenge and a password to an answer.
fn first_answer(algorithm: Algorithm) -> Operation {
    let challenge = challenge(algorithm);
    let endpoint = endpoint("example.com");
    let target = target();
    let account = Account::new(USERNAME, PASSWORD);
    Operation::new(move || {
        let mut client = Client::from_seed(endpoint.clone(), Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        log_in(&mut client, &mut exchange, black_box(challenge), &account);
        let answer = client.authorize(&mut exchange, &target);
        answer.unwrap().for_new_request().unwrap().as_bytes().len()
    })
}

/// What a server does with each of the requests that were made for it.
fn of_requests<R>(
    service: Service,
    work: impl Fn(&Authenticator, &Service, &[u8]) -> R + 'static,
) -> Operation {
    let (service, requests) = service.leak(REQUESTS);
    Operation::prepared(
        REQUESTS,
        move || (service.authenticator(16), requests.iter()),
        move |(auth, requests)| work(auth, service, black_box(requests.next().unwrap())),
    )
}

fn stored_password(algorithm: Algorithm) -> Operation {
    of_requests(Service::new(algorithm), |auth, service, request| {
        let attempt = auth.begin([request].into_iter(), &service.target(), arrival());
        let pair = Some((USERNAME, PASSWORD));
        let verified = attempt.unwrap().verify_password(pair, |pair| *pair);
        assert!(black_box(&auth.admit(verified.unwrap())).is_ok());
    })
}

fn admit(service: Service) -> Operation {
    of_requests(service, |auth, service, request| {
        assert!(black_box(&steps(auth, black_box(service), request)).is_ok());
    })
}

/// An `Authenticator` grants a request and makes the field with its proof.
fn server(algorithm: Algorithm) -> Operation {
    of_requests(Service::new(algorithm), admit_shared)
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
pub fn admit_shared(auth: &Authenticator, service: &Service, request: &[u8]) -> FieldValue {
    let grant = steps(auth, service, request).unwrap();
    grant.authentication_info(EntityBody::Empty).unwrap()
}

/// The function `handle` of the README, at a fixed time.
fn http_server(algorithm: Algorithm) -> Operation {
    let (service, fields) = Service::new(algorithm).leak(REQUESTS);
    Operation::prepared(
        REQUESTS,
        move || {
            let requests = fields.iter().map(|field| {
                let request = http::Request::get(format!("https://example.com{URI}"));
                let request = request.header("authorization", &field[..]);
                request.body(()).unwrap()
            });
            (service.authenticator(16), requests.collect::<Vec<_>>(), 0)
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
    )
}

fn basic_server() -> Operation {
    let realm = Service::new(Algorithm::SHA_256).realm.with_basic();
    let hash = HashFunction::Sha256;
    let ha1 = Ha1::new(hash, BASIC_USERNAME, realm.name(), BASIC_PASSWORD);
    let auth = Authenticator::from_fresh_seed(realm, 0, [7; 32]);
    Operation::new(move || {
        let fields = [black_box(BASIC)].into_iter();
        let attempt = auth.begin(fields, &target(), arrival()).unwrap();
        auth.admit(attempt.verify(Some(&ha1)).unwrap()).is_ok()
    })
}

/// The response to a request without credentials.
fn refuse() -> Operation {
    let service = Service::new(Algorithm::SHA_256);
    let realm = service.realm.clone().with_algorithms(&ALGORITHMS);
    let realm = realm.with_basic();
    let auth = service.authenticator(16);
    Operation::new(move || {
        let none = std::iter::empty::<&str>();
        let begun = auth.begin_as(black_box(&realm), none, &target(), arrival());
        let challenges = begun.unwrap_err().challenges;
        let lengths = challenges.iter().map(|value| value.as_bytes().len());
        lengths.sum::<usize>()
    })
}

/// Makes a client in a full cache, which evicts another one.
fn forget(capacity: usize) -> Operation {
    let mut cache = AuthCache::from_seed(capacity, Policy::new(), [7; 32]);
    let mut number = 0_u64;
    let mut next = move || {
        number += 1;
        endpoint(&format!("host-{number:x}.example.com"))
    };
    for _ in 0..capacity {
        let endpoint = next();
        let client = cache.client(&endpoint);
        // A client in use knows a challenge.
        let _ = client.challenged(&mut Exchange::new(), challenges([CHALLENGE]));
    }
    Operation::new(move || cache.client(&next()).endpoint().port())
}

/// Parses a hostile value.
fn hostile(start: &str, repeated: &str) -> Operation {
    let value: &'static str = hostile_value(start, repeated).leak();
    Operation::new(move || raw_challenges([black_box(value)]).count())
}
