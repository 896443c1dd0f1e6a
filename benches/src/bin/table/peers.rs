//! The same jobs by other crates, each in the way its documentation shows.
//!
//! Where a peer does less than the others, its name says so.

use std::hint::black_box;

use actix_web::http::header::{HeaderValue as ActixValue, TryIntoHeaderValue};
use actix_web_httpauth::headers::authorization::{Basic as ActixBasic, Scheme};
use broadcast_auth::{AuthResult, Authenticator, Credentials, RequestContext, Verifier};
use countersign::digest::{Algorithm, Ha1, HashFunction, QopParams, ha2, response};
use countersign_benches::inputs::{
    CNONCE, METHOD, PASSWORD, REALM, Service, URI, USERNAME, nonce_in,
};
use countersign_benches::measure::Operation;
use digest_access::DigestAccess;
use digest_auth::{AuthContext, AuthorizationHeader};
use headers::authorization::{Basic as HeadersBasic, Credentials as _};
use headers::{Authorization as HeadersAuthorization, Header, HeaderValue};
use http_auth::parser::ChallengeParser;
use http_auth::{DigestClient, PasswordClient, PasswordParams};

use crate::rows::REQUESTS;

type Peers = Vec<(&'static str, Operation<'static>)>;

pub fn challenges(value: &'static str) -> Peers {
    vec![
        (
            "http-auth",
            Operation::new(move || {
                let challenges = ChallengeParser::new(black_box(value));
                challenges.filter(Result::is_ok).count()
            }),
        ),
        (
            "broadcast-auth",
            Operation::new(move || broadcast_auth::parse_challenges(&[black_box(value)])),
        ),
    ]
}

pub fn digest_challenge(value: &'static str) -> Peers {
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

pub fn all_challenges(value: &'static str) -> Peers {
    vec![(
        "http-auth",
        Operation::new(move || {
            ChallengeParser::new(black_box(value))
                .filter(|challenge| PasswordClient::try_from(challenge.as_ref().unwrap()).is_ok())
                .count()
        }),
    )]
}

pub fn authorization(value: &'static str) -> Peers {
    vec![(
        "digest_auth",
        Operation::new(move || AuthorizationHeader::parse(black_box(value)).unwrap()),
    )]
}

/// What may not be one at all.
pub fn any_authorization(value: &'static str) -> Peers {
    vec![(
        "digest_auth",
        Operation::new(move || AuthorizationHeader::parse(black_box(value)).is_ok()),
    )]
}

pub fn answers(challenge: &'static str) -> Peers {
    let expected = {
        let hash = if challenge.contains("SHA-256") {
            HashFunction::Sha256
        } else {
            HashFunction::Md5
        };
        let ha1 = Ha1::new(hash, USERNAME, REALM, PASSWORD);
        let protection = QopParams::new("auth", "00000001", CNONCE).unwrap();
        let nonce = countersign_benches::inputs::NONCE;
        let response = response(
            &ha1,
            nonce,
            Some(&protection),
            &ha2(hash, METHOD, URI, None),
        );
        format!("response=\"{}\"", response.as_str())
    };

    let params = PasswordParams {
        username: USERNAME,
        password: PASSWORD,
        uri: URI,
        method: METHOD,
        body: None,
    };
    let http_auth = || {
        let challenge = ChallengeParser::new(challenge).next().unwrap().unwrap();
        let mut client = DigestClient::try_from(&challenge).unwrap();
        move || {
            client
                .respond_with_testing_cnonce(black_box(&params), black_box(CNONCE))
                .unwrap()
        }
    };
    assert!(http_auth()().contains(&expected));

    let digest_auth = || {
        let mut prompt = digest_auth::parse(challenge).unwrap();
        let mut context = AuthContext::new(USERNAME, PASSWORD, URI);
        context.set_custom_cnonce(CNONCE);
        move || {
            let answer = prompt.respond(black_box(&context)).unwrap();
            answer.to_header_string()
        }
    };
    assert!(digest_auth()().contains(&expected));

    let digest_access = || {
        let mut client: DigestAccess = challenge.parse().unwrap();
        client.set_username(USERNAME);
        client.set_password(PASSWORD);
        move || {
            client
                .generate_authorization(black_box(METHOD), URI, None, Some(black_box(CNONCE)))
                .unwrap()
        }
    };
    assert!(digest_access()().contains(&expected));

    let broadcast_auth = || {
        let credentials = Credentials::new(USERNAME, PASSWORD);
        let mut client = Authenticator::from_challenge(challenge, credentials).unwrap();
        let mut context = RequestContext::new(METHOD, URI);
        context.body = None;
        move || client.authorization(black_box(&context)).unwrap()
    };
    assert!(broadcast_auth()().contains("qop=auth,"));

    vec![
        (
            "http-auth (hashes the password again)",
            Operation::new(http_auth()),
        ),
        (
            "digest_auth (hashes the password again)",
            Operation::new(digest_auth()),
        ),
        ("digest-access", Operation::new(digest_access())),
        (
            "broadcast-auth (hashes the password again, draws the cnonce)",
            Operation::new(broadcast_auth()),
        ),
    ]
}

pub fn admit(service: &'static Service, requests: &'static [Vec<u8>]) -> Peers {
    let mut context = AuthContext::new(USERNAME, PASSWORD, URI);
    context.set_custom_cnonce(CNONCE);
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

fn broadcast_admit(service: &'static Service) -> Operation<'static> {
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

pub fn challenge() -> Peers {
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

pub fn basic_encode(username: &'static str, password: &'static str) -> Peers {
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

pub fn basic_decode(value: &'static str) -> Peers {
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
