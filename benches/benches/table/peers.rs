//! The same jobs by other crates, each in the way its documentation shows: those that are the fastest
//! of the others at some job. digest_auth, broadcast-auth and actix-web-httpauth are slower at the
//! jobs where they are not here.
//!
//! Where a peer does less than the others, its name says so.

use std::hint::black_box;

use broadcast_auth::{AuthResult, Credentials, RequestContext, Verifier};
use countersign::digest::Algorithm;
use countersign_benches::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, CHALLENGES,
    METHOD, PASSWORD, REALM, Service, URI, USERNAME, nonce_in,
};
use countersign_benches::measure::Operation;
use digest_access::DigestAccess;
use digest_auth::{AuthContext, AuthorizationHeader};
use headers::authorization::{Basic as HeadersBasic, Credentials as _};
use headers::{Authorization as HeadersAuthorization, Header, HeaderValue};
use http_auth::parser::ChallengeParser;
use http_auth::{DigestClient, PasswordParams};

use countersign_benches::rows::REQUESTS;

pub type Peers = Vec<(&'static str, Operation)>;

/// The peers of a row: other crates that do the same job.
pub fn of(row: &str) -> Peers {
    let (task, algorithm) = row.rsplit_once(", ").unwrap_or((row, ""));
    let algorithm = algorithm.parse().unwrap_or(Algorithm::SHA_256);
    let challenge = match algorithm {
        Algorithm::MD5 => CHALLENGE_MD5,
        _ => CHALLENGE,
    };
    match task {
        "challenge of Digest" => digest_challenge(CHALLENGE),
        "challenge with its parameters" => all_parameters(CHALLENGE),
        "three challenges" => all_parameters(CHALLENGES),
        "Authorization" => authorization(AUTHORIZATION),
        "client of the README" | "client of the README with proof" => clients(challenge),
        _ if task.starts_with("first answer") => first_answers(challenge),
        "begin, verify, admit" | "server of the README" | "server of the README with http" => {
            admit(algorithm)
        }
        "stored password" => admit(algorithm),
        "refusal with three challenges" => self::challenge(),
        "Basic" if row == "Basic, encode" => basic_encode(BASIC_USERNAME, BASIC_PASSWORD),
        "Basic" => basic_decode(BASIC),
        _ => Vec::new(),
    }
}

fn all_parameters(value: &'static str) -> Peers {
    let http_auth = Operation::new(move || {
        let all = ChallengeParser::new(black_box(value));
        all.map(|one| one.unwrap().params.len()).sum::<usize>()
    });
    vec![("http-auth", http_auth)]
}

fn digest_challenge(value: &'static str) -> Peers {
    vec![(
        "digest-access",
        Operation::new(move || black_box(value).parse::<DigestAccess>().unwrap()),
    )]
}

fn authorization(value: &'static str) -> Peers {
    vec![(
        "digest_auth",
        Operation::new(move || AuthorizationHeader::parse(black_box(value)).unwrap()),
    )]
}

const PARAMS: PasswordParams<'_> = PasswordParams {
    username: USERNAME,
    password: PASSWORD,
    uri: URI,
    method: METHOD,
    body: None,
};

/// Clients as their documentation shows them, after a challenge. Each draws its own cnonces.
fn clients(challenge: &'static str) -> Peers {
    let parsed = ChallengeParser::new(challenge).next().unwrap().unwrap();
    let mut http_auth = DigestClient::try_from(&parsed).unwrap();
    let mut access: DigestAccess = challenge.parse().unwrap();
    access.set_username(USERNAME);
    access.set_password(PASSWORD);
    vec![
        (
            "http-auth",
            Operation::new(move || http_auth.respond(black_box(&PARAMS)).unwrap()),
        ),
        (
            "digest-access",
            Operation::new(move || {
                access
                    .generate_authorization(black_box(METHOD), URI, None, None)
                    .unwrap()
            }),
        ),
    ]
}

/// From a challenge and a password to an answer.
fn first_answers(challenge: &'static str) -> Peers {
    vec![
        (
            "http-auth",
            Operation::new(move || {
                let challenge = ChallengeParser::new(black_box(challenge)).next();
                let mut client = DigestClient::try_from(&challenge.unwrap().unwrap()).unwrap();
                client.respond(black_box(&PARAMS)).unwrap()
            }),
        ),
        (
            "digest-access",
            Operation::new(move || {
                let mut client: DigestAccess = black_box(challenge).parse().unwrap();
                client.set_username(USERNAME);
                client.set_password(PASSWORD);
                client
                    .generate_authorization(METHOD, URI, None, None)
                    .unwrap()
            }),
        ),
    ]
}

fn admit(algorithm: Algorithm) -> Peers {
    let service: &'static Service = Box::leak(Box::new(Service::new(algorithm)));
    let requests: &'static [Vec<u8>] = service.requests(REQUESTS).leak();
    let mut context = AuthContext::new(USERNAME, PASSWORD, URI);
    context.set_custom_cnonce(countersign_benches::inputs::CNONCE);
    let digest_auth = Operation::prepared(
        REQUESTS,
        || requests.iter(),
        move |requests| {
            let request = std::str::from_utf8(black_box(requests.next().unwrap())).unwrap();
            let mut header = AuthorizationHeader::parse(request).unwrap();
            let claimed = std::mem::take(&mut header.response);
            header.digest(black_box(&context));
            assert_eq!(claimed, header.response);
        },
    );
    let mut peers = vec![("digest_auth (knows no nonce and no replay)", digest_auth)];
    if service.algorithm == Algorithm::MD5 {
        peers.push((
            "broadcast-auth (hashes the password again)",
            broadcast_admit(service),
        ));
    }
    peers
}

fn broadcast_admit(service: &'static Service) -> Operation {
    let credentials = Credentials::Digest {
        username: USERNAME.into(),
        password: PASSWORD.into(),
    };
    let verifier: &'static Verifier = Box::leak(Box::new(Verifier::new(credentials, REALM)));
    let requests = || {
        let challenge = verifier.challenge();
        let nonce = nonce_in(&challenge);
        let request = |nc| String::from_utf8(service.request(nonce, nc)).unwrap();
        (1..=REQUESTS).map(request).collect::<Vec<_>>().into_iter()
    };
    Operation::prepared(REQUESTS, requests, |requests| {
        let request = requests.next().unwrap();
        let headers = [("authorization", black_box(request.as_str()))];
        let context = RequestContext::new(METHOD, URI).with_headers(&headers);
        assert_eq!(verifier.verify(&context), AuthResult::Ok);
    })
}

fn challenge() -> Peers {
    let credentials = Credentials::Digest {
        username: USERNAME.into(),
        password: PASSWORD.into(),
    };
    let verifier = Verifier::new(credentials, REALM);
    vec![(
        "broadcast-auth (one challenge)",
        Operation::new(move || verifier.challenge()),
    )]
}

fn basic_encode(username: &'static str, password: &'static str) -> Peers {
    vec![
        (
            "http-auth",
            Operation::new(move || {
                http_auth::basic::encode_credentials(black_box(username), black_box(password))
            }),
        ),
        (
            "headers",
            Operation::new(move || {
                HeadersAuthorization::basic(black_box(username), black_box(password))
                    .0
                    .encode()
            }),
        ),
    ]
}

fn basic_decode(value: &'static str) -> Peers {
    let headers_value = HeaderValue::from_static(value);
    vec![(
        "headers",
        Operation::new(move || {
            let mut values = std::iter::once(black_box(&headers_value));
            HeadersAuthorization::<HeadersBasic>::decode(&mut values).unwrap()
        }),
    )]
}
