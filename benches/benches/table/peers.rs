//! The same jobs by other crates, each in the way its documentation shows.
//!
//! Where a peer does less than the others, its name says so.

use std::hint::black_box;

use actix_web::http::header::{HeaderValue as ActixValue, TryIntoHeaderValue};
use actix_web_httpauth::headers::authorization::{Basic as ActixBasic, Scheme};
use broadcast_auth::{AuthResult, Authenticator, Credentials, RequestContext, Verifier};
use countersign::digest::Algorithm;
use countersign_benches::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, METHOD,
    PASSWORD, REALM, Service, URI, USERNAME, nonce_in,
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
    match row {
        "challenge of Digest, 186 B" => digest_challenge(CHALLENGE),
        "Authorization, 361 B" => authorization(AUTHORIZATION),
        "client of the README, SHA-256" => clients(CHALLENGE),
        "client of the README, MD5" => clients(CHALLENGE_MD5),
        "first answer, SHA-256" => first_answers(CHALLENGE),
        "begin, verify, admit, SHA-256" => admit(Algorithm::SHA_256),
        "begin, verify, admit, MD5" => admit(Algorithm::MD5),
        "refusal with three challenges" => challenge(),
        "Basic, encode" => basic_encode(BASIC_USERNAME, BASIC_PASSWORD),
        "Basic, decode to the pair" => basic_decode(BASIC),
        _ => Vec::new(),
    }
}

fn digest_challenge(value: &'static str) -> Peers {
    vec![
        (
            "http-auth",
            Operation::new(move || {
                let challenge = ChallengeParser::new(black_box(value)).next();
                DigestClient::try_from(&challenge.unwrap().unwrap()).unwrap()
            }),
        ),
        (
            "digest_auth",
            Operation::new(move || digest_auth::parse(black_box(value)).unwrap()),
        ),
        (
            "digest-access",
            Operation::new(move || black_box(value).parse::<DigestAccess>().unwrap()),
        ),
    ]
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
    let mut prompt = digest_auth::parse(challenge).unwrap();
    let mut access: DigestAccess = challenge.parse().unwrap();
    access.set_username(USERNAME);
    access.set_password(PASSWORD);
    let credentials = Credentials::new(USERNAME, PASSWORD);
    let mut broadcast = Authenticator::from_challenge(challenge, credentials).unwrap();
    vec![
        (
            "http-auth",
            Operation::new(move || http_auth.respond(black_box(&PARAMS)).unwrap()),
        ),
        (
            "digest_auth",
            Operation::new(move || {
                let context = AuthContext::new(black_box(USERNAME), PASSWORD, URI);
                prompt.respond(&context).unwrap().to_header_string()
            }),
        ),
        (
            "digest-access",
            Operation::new(move || {
                access
                    .generate_authorization(black_box(METHOD), URI, None, None)
                    .unwrap()
            }),
        ),
        (
            "broadcast-auth",
            Operation::new(move || {
                let context = RequestContext::new(black_box(METHOD), URI);
                broadcast.authorization(&context).unwrap()
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
            "digest_auth",
            Operation::new(move || {
                let mut prompt = digest_auth::parse(black_box(challenge)).unwrap();
                let context = AuthContext::new(black_box(USERNAME), PASSWORD, URI);
                prompt.respond(&context).unwrap().to_header_string()
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
        (
            "actix-web-httpauth",
            Operation::new(move || {
                ActixBasic::new(black_box(username), Some(black_box(password)))
                    .try_into_value()
                    .unwrap()
            }),
        ),
    ]
}

fn basic_decode(value: &'static str) -> Peers {
    let headers_value = HeaderValue::from_static(value);
    let actix_value = ActixValue::from_static(value);
    vec![
        (
            "headers",
            Operation::new(move || {
                let mut values = std::iter::once(black_box(&headers_value));
                HeadersAuthorization::<HeadersBasic>::decode(&mut values).unwrap()
            }),
        ),
        (
            "actix-web-httpauth",
            Operation::new(move || ActixBasic::parse(black_box(&actix_value)).unwrap()),
        ),
    ]
}
