//! The operations: ours, the floor under each, and the peers'.

use std::hint::black_box;

use countersign::digest::{Algorithm, HashFunction};
use countersign::server::{Arrival, Attempt, Nonces};
use countersign::{Authorization, Target, basic, challenges, digest};
use countersign_benches::floor::{self, NonceMac, Spans};
use countersign_benches::hostile::Shape;
use countersign_benches::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, CHALLENGES,
    CNONCE, NONCE, Service, arrival, cnonce, target,
};
use countersign_benches::measure::Operation;
use countersign_benches::operations;
use md5::Md5;
use sha2::Sha256;

use crate::peers;

/// How many requests there are with one nonce: so few that they stay in the first cache.
pub const REQUESTS: u32 = 64;

/// What an operation may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// So many times its floor.
    pub times: f64,
    pub allocations: Option<u64>,
}

/// One operation, and what to compare it with.
pub struct Row<'a> {
    pub name: String,
    pub budget: Option<Budget>,
    pub ours: Operation<'a>,
    pub floor: Operation<'a>,
    pub peers: Vec<(&'static str, Operation<'a>)>,
}

const READING: Option<Budget> = Some(Budget {
    times: 2.0,
    allocations: Some(0),
});

pub fn all() -> Vec<Row<'static>> {
    let mut rows = vec![
        Row {
            name: "challenge, grammar (186 B)".into(),
            budget: READING,
            ours: Operation::new(|| operations::read_challenges(black_box(CHALLENGE))),
            floor: tokenize(CHALLENGE.as_bytes()),
            peers: peers::challenges(CHALLENGE),
        },
        Row {
            name: "challenge, as Digest (186 B)".into(),
            budget: READING,
            ours: Operation::new(|| operations::read_typed_challenge(black_box(CHALLENGE))),
            floor: tokenize(CHALLENGE.as_bytes()),
            peers: peers::digest_challenge(CHALLENGE),
        },
        Row {
            name: "three challenges, grammar (424 B)".into(),
            budget: READING,
            ours: Operation::new(|| operations::read_challenges(black_box(CHALLENGES))),
            floor: tokenize(CHALLENGES.as_bytes()),
            peers: peers::challenges(CHALLENGES),
        },
        Row {
            name: "three challenges, as Digest and Basic (424 B)".into(),
            budget: READING,
            ours: Operation::new(|| operations::read_all_challenges(black_box(CHALLENGES))),
            floor: tokenize(CHALLENGES.as_bytes()),
            peers: peers::all_challenges(CHALLENGES),
        },
        Row {
            name: "Authorization (361 B)".into(),
            budget: READING,
            ours: Operation::new(|| operations::read_authorization(black_box(AUTHORIZATION))),
            floor: tokenize(AUTHORIZATION.as_bytes()),
            peers: peers::authorization(AUTHORIZATION),
        },
        answer(Algorithm::SHA_256, CHALLENGE),
        answer(Algorithm::MD5, CHALLENGE_MD5),
        admit(Algorithm::SHA_256),
        admit(Algorithm::MD5),
        admit_shared(Algorithm::SHA_256),
        admit_shared(Algorithm::MD5),
        refuse(),
        basic_encode(),
        basic_decode(),
    ];
    for name in [
        "commas",
        "spaces",
        "escapes",
        "escapes and blanks",
        "unclosed quote",
        "parameters",
        "schemes",
        "challenges",
        "long challenges",
        "commas in a challenge",
        "faults in one challenge",
    ] {
        rows.push(hostile_challenges(Shape::named(name)));
    }
    // The others end an Authorization at their first byte.
    for name in ["spaces", "escapes", "parameters", "commas in a challenge"] {
        rows.push(hostile_authorization(Shape::named(name)));
    }
    rows
}

/// What some of them are made of.
pub fn parts() -> Vec<(&'static str, Operation<'static>)> {
    let challenge = challenges([CHALLENGE]).raw().next().unwrap().unwrap();
    let others = Box::leak(
        AUTHORIZATION
            .replacen("Digest", "Others", 1)
            .into_boxed_str(),
    );
    let service: &'static Service = Box::leak(Box::new(Service::new(Algorithm::SHA_256)));
    let request: &'static [u8] = service.requests(1).remove(0).leak();
    let (mut begun_by, mut verified_by) = (service.nonces(16), service.nonces(16));
    let begin = move |nonces: &mut Nonces| -> Attempt<'static> {
        let request = black_box(request);
        let begun = nonces.begin(&service.realm, [request], &target(), &arrival());
        begun.unwrap()
    };
    vec![
        (
            "a challenge that was read, as Digest",
            Operation::new(move || digest::Challenge::try_from(black_box(challenge))),
        ),
        (
            "Authorization of a scheme without meaning (361 B)",
            Operation::new(|| operations::read_authorization(black_box(others))),
        ),
        (
            "begin, SHA-256",
            Operation::new(move || begin(&mut begun_by)),
        ),
        (
            "begin, verify, SHA-256",
            Operation::new(move || {
                let attempt = begin(&mut verified_by);
                attempt.verify(Some(black_box(&service.ha1))).unwrap()
            }),
        ),
    ]
}

fn tokenize(value: &'static [u8]) -> Operation<'static> {
    let mut found = Spans::default();
    Operation::new(move || {
        floor::tokenize(black_box(value), &mut found);
        black_box(&found);
    })
}

fn answer(algorithm: Algorithm, challenge: &'static str) -> Row<'static> {
    let ha1 = Service::new(algorithm).ha1;
    let (mut client, mut exchange) = operations::logged_in(challenge);
    let (target, cnonce) = (target(), cnonce());
    let mut nc = 0;
    let floor = match algorithm.hash_function() {
        HashFunction::Md5 => floor::answer::<Md5>,
        _ => floor::answer::<Sha256>,
    };
    Row {
        name: format!("answer, {algorithm}"),
        budget: Some(Budget {
            times: 1.25,
            allocations: Some(1),
        }),
        ours: Operation::new(move || {
            operations::authorize(
                &mut client,
                &mut exchange,
                black_box(&target),
                black_box(&cnonce),
            )
        }),
        floor: Operation::new(move || {
            nc += 1;
            floor(
                algorithm.as_str(),
                black_box(ha1.as_hex().as_bytes()),
                black_box(NONCE),
                nc,
                black_box(CNONCE),
            )
        }),
        peers: peers::answers(challenge),
    }
}

fn admit(algorithm: Algorithm) -> Row<'static> {
    let name = format!("begin, verify, admit, {algorithm}");
    let (service, requests) = service(algorithm);
    Row {
        peers: peers::admit(service, requests),
        ..admit_by(name, service, requests, Service::nonces, operations::admit)
    }
}

fn admit_shared(algorithm: Algorithm) -> Row<'static> {
    let name = format!("begin, verify, admit, shared by threads, {algorithm}");
    let (service, requests) = service(algorithm);
    admit_by(
        name,
        service,
        requests,
        Service::authenticator,
        |auth, service, request, target, arrival| {
            operations::admit_shared(auth, service, request, target, arrival)
        },
    )
}

/// They live as long as the program, as its operations do.
fn service(algorithm: Algorithm) -> (&'static Service, &'static [Vec<u8>]) {
    let service = Box::leak(Box::new(Service::new(algorithm)));
    (service, service.requests(REQUESTS).leak())
}

fn admit_by<S: 'static>(
    name: String,
    service: &'static Service,
    requests: &'static [Vec<u8>],
    new: fn(&Service, usize) -> S,
    admit: impl Fn(&mut S, &Service, &[u8], &Target<'_>, &Arrival<'_>) -> bool + 'static,
) -> Row<'static> {
    let (target, arrival) = (target(), arrival());
    let mac = NonceMac::new(&[7; 32]);
    let floor = match service.algorithm.hash_function() {
        HashFunction::Md5 => floor::admit::<Md5>,
        _ => floor::admit::<Sha256>,
    };
    Row {
        name,
        budget: Some(Budget {
            times: 1.35,
            allocations: Some(0),
        }),
        ours: Operation::prepared(
            REQUESTS,
            move || (new(service, 16), requests.iter()),
            move |(server, requests)| {
                let request = black_box(requests.next().unwrap());
                assert!(admit(
                    server,
                    black_box(service),
                    request,
                    &target,
                    &arrival
                ));
            },
        ),
        floor: Operation::prepared(
            REQUESTS,
            || requests.iter(),
            move |requests| {
                let request = black_box(requests.next().unwrap());
                let ha1 = black_box(service.ha1.as_hex().as_bytes());
                assert!(floor(request, ha1, &mac));
            },
        ),
        peers: Vec::new(),
    }
}

fn refuse() -> Row<'static> {
    let service = Service::new(Algorithm::SHA_256);
    let mut nonces = service.nonces(16);
    let (target, arrival) = (target(), arrival());
    let mac = NonceMac::new(&[7; 32]);
    let mut out = Vec::with_capacity(512);
    Row {
        name: "begin, refuse, two challenges".into(),
        budget: None,
        ours: Operation::new(move || {
            operations::refuse(&mut nonces, black_box(&service), &target, &arrival)
        }),
        floor: Operation::new(move || {
            floor::challenges(&mac, black_box(&[7; 14]), &mut out);
            black_box(&out);
        }),
        peers: peers::challenge(),
    }
}

fn basic_encode() -> Row<'static> {
    let pair = format!("{BASIC_USERNAME}:{BASIC_PASSWORD}").into_bytes();
    Row {
        name: "Basic, encode".into(),
        budget: Some(Budget {
            times: 2.0,
            allocations: Some(1),
        }),
        ours: Operation::new(|| {
            basic::credentials(black_box(BASIC_USERNAME), black_box(BASIC_PASSWORD)).unwrap()
        }),
        floor: Operation::new(move || floor::encode(black_box(&pair))),
        peers: peers::basic_encode(BASIC_USERNAME, BASIC_PASSWORD),
    }
}

fn basic_decode() -> Row<'static> {
    let text = &BASIC.as_bytes()["Basic ".len()..];
    Row {
        name: "Basic, decode".into(),
        budget: Some(Budget {
            times: 2.0,
            allocations: Some(1),
        }),
        ours: Operation::new(|| operations::read_authorization(black_box(BASIC))),
        floor: Operation::new(move || floor::decode(black_box(text))),
        peers: peers::basic_decode(BASIC),
    }
}

fn hostile_challenges(shape: &Shape) -> Row<'static> {
    let value = hostile(shape);
    Row {
        name: format!("64 KiB of {}, as challenges", shape.name),
        budget: READING,
        ours: Operation::new(move || challenges([black_box(value)]).raw().count()),
        floor: tokenize(value.as_bytes()),
        peers: peers::challenges(value),
    }
}

fn hostile_authorization(shape: &Shape) -> Row<'static> {
    let value = hostile(shape);
    Row {
        name: format!("64 KiB of {}, as Authorization", shape.name),
        budget: READING,
        ours: Operation::new(move || Authorization::parse(black_box(value)).is_ok()),
        floor: tokenize(value.as_bytes()),
        peers: peers::any_authorization(value),
    }
}

fn hostile(shape: &Shape) -> &'static str {
    std::str::from_utf8(shape.fill(64 * 1024).leak()).unwrap()
}
