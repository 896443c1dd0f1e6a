//! The same jobs by other crates, each in the way its documentation shows: those that are the fastest
//! of the others at some job. digest_auth, broadcast-auth and actix-web-httpauth are slower at the
//! jobs where they are not here.
//!
//! Where a peer does less than the others, its name says so.

use std::hint::black_box;

use broadcast_auth::{AuthResult, Credentials, RequestContext, Verifier};
use countersign::digest::Algorithm;
use countersign_benches::inputs::{
    self, AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGES, METHOD,
    PASSWORD, REALM, Service, URI, USERNAME, nonce_in,
};
use countersign_benches::measure::Operation;
use countersign_benches::rows::REQUESTS;
use digest_access::DigestAccess;
use digest_auth::{AuthContext, AuthorizationHeader};
use headers::authorization::{Basic as HeadersBasic, Credentials as _};
use headers::{Authorization as HeadersAuthorization, Header, HeaderValue};
use http_auth::parser::ChallengeParser;
use http_auth::{DigestClient, PasswordParams};

/// A crate, and the job as it does it.
type Peer = (&'static str, Operation);
pub type Peers = Vec<Peer>;

/// The peers of a row: other crates that do the same job.
pub fn of(row: &str) -> Peers {
    let (task, algorithm) = row.rsplit_once(", ").unwrap_or((row, ""));
    let algorithm = algorithm.parse().unwrap_or(Algorithm::SHA_256);
    let challenge = inputs::challenge(algorithm);
    match task {
        "challenge of Digest" => vec![peer("digest-access", || {
            black_box(CHALLENGE).parse::<DigestAccess>().unwrap()
        })],
        "challenge with its parameters" => all_parameters(CHALLENGE),
        "three challenges" => all_parameters(CHALLENGES),
        "Authorization" => vec![peer("digest_auth", || {
            AuthorizationHeader::parse(black_box(AUTHORIZATION)).unwrap()
        })],
        "client of the README" | "client of the README with proof" => clients(challenge),
        _ if task.starts_with("first answer") => first_answers(challenge),
        "begin, verify, admit"
        | "stored password"
        | "server of the README"
        | "server of the README with http" => admit(algorithm),
        "refusal with three challenges" => {
            let verifier = broadcast_verifier();
            vec![peer("broadcast-auth (one challenge)", move || {
                verifier.challenge()
            })]
        }
        "Basic" if row == "Basic, encode" => basic_encode(),
        "Basic" => basic_decode(),
        _ => Vec::new(),
    }
}

fn peer<R>(name: &'static str, work: impl FnMut() -> R + 'static) -> Peer {
    (name, Operation::new(work))
}

fn all_parameters(value: &'static str) -> Peers {
    vec![peer("http-auth", move || {
        let all = ChallengeParser::new(black_box(value));
        all.map(|one| one.unwrap().params.len()).sum::<usize>()
    })]
}

const PARAMS: PasswordParams<'_> = PasswordParams {
    username: USERNAME,
    password: PASSWORD,
    uri: URI,
    method: METHOD,
    body: None,
};

fn http_auth_client(challenge: &str) -> DigestClient {
    let parsed = ChallengeParser::new(challenge).next().unwrap().unwrap();
    DigestClient::try_from(&parsed).unwrap()
}

fn digest_access_client(challenge: &str) -> DigestAccess {
    let mut client: DigestAccess = challenge.parse().unwrap();
    client.set_username(USERNAME);
    client.set_password(PASSWORD);
    client
}

/// Clients as their documentation shows them, after a challenge. Each draws its own cnonces.
fn clients(challenge: &'static str) -> Peers {
    let mut http_auth = http_auth_client(challenge);
    let mut access = digest_access_client(challenge);
    vec![
        peer("http-auth", move || {
            http_auth.respond(black_box(&PARAMS)).unwrap()
        }),
        peer("digest-access", move || {
            let answer = access.generate_authorization(black_box(METHOD), URI, None, None);
            answer.unwrap()
        }),
    ]
}

/// From a challenge and a password to an answer.
fn first_answers(challenge: &'static str) -> Peers {
    vec![
        peer("http-auth", move || {
            let mut client = http_auth_client(black_box(challenge));
            client.respond(black_box(&PARAMS)).unwrap()
        }),
        peer("digest-access", move || {
            let mut client = digest_access_client(black_box(challenge));
            client
                .generate_authorization(METHOD, URI, None, None)
                .unwrap()
        }),
    ]
}

fn admit(algorithm: Algorithm) -> Peers {
    let (service, requests) = Service::new(algorithm).leak(REQUESTS);
    let mut context = AuthContext::new(USERNAME, PASSWORD, URI);
    context.set_custom_cnonce(inputs::CNONCE);
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
        let broadcast_auth = broadcast_admit(service);
        peers.push(("broadcast-auth (hashes the password again)", broadcast_auth));
    }
    peers
}

fn broadcast_verifier() -> Verifier {
    let credentials = Credentials::Digest {
        username: USERNAME.into(),
        password: PASSWORD.into(),
    };
    Verifier::new(credentials, REALM)
}

fn broadcast_admit(service: &'static Service) -> Operation {
    let verifier: &'static Verifier = Box::leak(Box::new(broadcast_verifier()));
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

fn basic_encode() -> Peers {
    let pair = || black_box((BASIC_USERNAME, BASIC_PASSWORD));
    vec![
        peer("http-auth", move || {
            let (username, password) = pair();
            http_auth::basic::encode_credentials(username, password)
        }),
        peer("headers", move || {
            let (username, password) = pair();
            HeadersAuthorization::basic(username, password).0.encode()
        }),
    ]
}

fn basic_decode() -> Peers {
    let value = HeaderValue::from_static(BASIC);
    vec![peer("headers", move || {
        let mut values = std::iter::once(black_box(&value));
        HeadersAuthorization::<HeadersBasic>::decode(&mut values).unwrap()
    })]
}
