//! `qop=auth-int` and `Authentication-Info`: bodies on both ways, the server's own proof, and the
//! nonce to use next.

mod support;

use countersign::client::{Client, Exchange, Next, Policy, ServerProof};
use countersign::digest::{
    Algorithm, BodyHasher, Cnonce, Hash, HexDigest, Protection, Qop, QopSet, rspauth,
};
use countersign::server::{Arrival, Attempt, NextNonce, Rejection, Server};
use countersign::{AuthenticationInfo, Authorization, Body, Channel, Issuer, Target, basic};
use support::digest::{body_hash, key};
use support::server::{Answer, PASSWORD, START, Service, USER, ha1, octets_with_response, server};

fn hashed(hash: Hash, chunks: &[&[u8]]) -> HexDigest {
    let mut hasher = BodyHasher::new(hash);
    chunks.iter().for_each(|chunk| hasher.update(chunk));
    hasher.finish()
}

/// A server of both qop values, and an answer whose response covers a body.
fn with_body(algorithm: Algorithm, body: &[u8]) -> (Service, Answer) {
    let server = server().with_algorithms(&[algorithm]);
    let mut service = Service::new(server.with_qop(QopSet::BOTH));
    let answer = Answer {
        algorithm,
        qop: Some("auth-int"),
        body: body.to_vec(),
        method: "POST".to_owned(),
        ..service.answer()
    };
    (service, answer)
}

#[test]
fn a_request_body_however_it_comes() {
    for &algorithm in Algorithm::ALL {
        let hash = algorithm.hash();
        for (body, chunks) in [
            (&b""[..], vec![]),
            (b"", vec![&b""[..]]),
            (b"a=1&b=2", vec![b"a=1", b"", b"&b=2"]),
            (&[0, 0xff, b'\r', b'\n'], vec![&[0, 0xff, b'\r', b'\n']]),
        ] {
            let (service, answer) = with_body(algorithm, body);
            let digest = hashed(hash, &chunks);
            let header = answer.header();
            let target = Target::new(&answer.method, &answer.uri);
            let begin = |body| {
                let attempt = service.begin(&header, &target.with_body(body));
                attempt.expect("in order")
            };
            let verify = |attempt: Attempt<'_>| attempt.verify(Some(&ha1(hash))).map(|_| ());

            // Before: with the request, as bytes or as a hash.
            for known in [Body::Bytes(body), Body::Hashed(digest)] {
                assert_eq!(begin(known).wants_body(), None);
                assert_eq!(verify(begin(known)), Ok(()));
            }
            // Afterwards, because it is asked for.
            assert_eq!(begin(Body::Unknown).wants_body(), Some(hash));
            let attempt = begin(Body::Unknown).with_body(digest);
            assert_eq!(attempt.wants_body(), None);
            assert_eq!(verify(attempt), Ok(()));
            // Not at all.
            let outcome = verify(begin(Body::Unknown));
            assert_eq!(outcome, Err(Rejection::BodyUnknown));
            // Another one.
            let outcome = verify(begin(Body::Bytes(b"other")));
            assert_eq!(outcome, Err(Rejection::WrongCredentials));
        }
    }
}

#[test]
fn a_body_hashed_with_another_function_is_not_known() {
    let (mut service, answer) = with_body(Algorithm::SHA_256, b"body");
    let digest = hashed(Hash::Sha512_256, &[b"body"]);
    let target = answer.target().with_body(Body::Hashed(digest));
    let outcome = service.grant(&answer.header(), &target).map(|_| ());
    assert_eq!(outcome, Err(Rejection::BodyUnknown));
}

/// With `qop=auth` the body is nobody's business.
#[test]
fn a_body_that_is_not_covered() {
    let (mut service, mut answer) = with_body(Algorithm::SHA_256, b"body");
    answer.qop = Some("auth");
    let header = answer.header();
    let target = answer.target();
    let attempt = service.begin(&header, &target);
    assert_eq!(attempt.unwrap().wants_body(), None);
    answer.body = b"changed on the way".to_vec();
    assert_eq!(service.take_header(&header, &answer), Ok(()));
}

/// The proof by the formula: as the response, with no method and the body of the response.
#[test]
fn the_server_proves_that_it_knows_the_secret() {
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    for &algorithm in Algorithm::ALL {
        for qop in ["auth", "auth-int"] {
            // The overview form has no place for a body.
            for &overview in &[false, true][..if qop == "auth" { 2 } else { 1 }] {
                let (mut service, mut answer) = with_body(algorithm, b"");
                service.server = service.server.with_overview_form();
                answer.qop = Some(qop);
                answer.overview = overview;
                answer.cnonce = r#"c"\"#.to_owned();
                let header = answer.header();
                let grant = service.grant(&header, &answer.target()).unwrap();
                let value = grant.info(None, Body::Bytes(PAGE)).unwrap();
                let info = AuthenticationInfo::parse([&value]).unwrap();

                let protection = Protection::new(qop, &answer.nc, &answer.cnonce).unwrap();
                let body = body_hash(algorithm, Some(&protection), PAGE);
                let hash = algorithm.hash();
                let key = key(
                    algorithm,
                    &ha1(hash),
                    answer.nonce.as_bytes(),
                    answer.cnonce.as_bytes(),
                );
                let counted = Some(&protection).filter(|_| !overview);
                let expected = rspauth(&key, &answer.nonce, counted, &answer.uri, body.as_ref());
                assert!(info.proves(&expected), "{algorithm} {qop} {overview}");
                assert_ne!(expected, answer.response());
                assert_eq!(info.cnonce().unwrap(), *answer.cnonce);
                assert_eq!(info.nc(), Some(1));
                assert_eq!(info.qop().map(Qop::as_str), Some(qop));
                assert!(info.nextnonce().is_none());

                // The same by the hash, and none where it should cover what is not known.
                let digest = hashed(hash, &[PAGE]);
                assert_eq!(grant.info(None, Body::Hashed(digest)), Some(value.clone()));
                let unknown = grant.info(None, Body::Unknown);
                assert_eq!(unknown, (qop == "auth").then_some(value));
            }
        }
    }
}

#[test]
fn where_there_is_nothing_to_say() {
    let mut service = Service::new(server().with_rfc2069().with_basic());
    let header = basic::credentials(USER, PASSWORD).unwrap();
    let next = service.server.mint(&service.arrival(), &mut service.rng);
    let target = Target::new("GET", "/");
    let grant = service.grant(&header, &target).unwrap();
    assert_eq!(grant.info(Some(&next), Body::Bytes(b"")), None);

    let mut answer = service.answer();
    answer.qop = None;
    let header = answer.header();
    let grant = service.grant(&header, &answer.target()).unwrap();
    assert_eq!(grant.info(None, Body::Bytes(b"")), None);
    let info = grant.info(Some(&next), Body::Bytes(b""));
    let expected = format!("nextnonce=\"{}\"", next.as_str());
    assert_eq!(info.as_deref(), Some(&*expected));
}

/// A cnonce that is no UTF-8 cannot be said again in a `String`.
#[test]
fn a_cnonce_that_is_not_utf_8_gets_no_proof() {
    let mut service = Service::new(server());
    let answer = service.answer();
    let params = answer.params().with("cnonce", "\"\u{e9}\"");
    let header = octets_with_response(params, &ha1(Hash::Sha256), &answer.target());
    let grant = service.grant(&header, &answer.target()).unwrap();
    assert_eq!(grant.info(None, Body::Unknown), None);
}

#[test]
fn when_the_next_nonce_is_sent() {
    let old = |secs: u64| secs * 1000;
    let when_old = || server().with_next_nonce(NextNonce::WhenOld);
    for (server, age, due) in [
        (server(), 0, false),
        (server(), old(150) - 1, false),
        (server(), old(150), true),
        (server(), old(300), true),
        (when_old().with_nonce_lifetime(1), 499, false),
        (when_old().with_nonce_lifetime(1), 500, true),
        (when_old().with_nonce_lifetime(0), 0, true),
        (server().with_next_nonce(NextNonce::Never), old(300), false),
        (server().with_next_nonce(NextNonce::Always), 0, true),
        (server().with_one_time_nonces(), 0, true),
        (
            server()
                .with_one_time_nonces()
                .with_next_nonce(NextNonce::Never),
            0,
            false,
        ),
    ] {
        let mut service = Service::new(server);
        let answer = service.answer();
        service.now = START.plus_millis(age);
        let next = next_nonce(&mut service, &answer);
        assert_eq!(next.is_some(), due, "at {age} with {:?}", service.server);
        // It is one of the server's, and of now.
        if let Some(next) = next {
            assert_ne!(next, answer.nonce);
            assert_eq!(service.take(&Answer::to(&next)), Ok(()));
        }
    }
}

/// The next nonce, as the client reads it.
fn next_nonce(service: &mut Service, answer: &Answer) -> Option<String> {
    let (arrival, mut rng) = (service.arrival(), service.rng.clone());
    let header = answer.header();
    let grant = service.grant(&header, &answer.target()).unwrap();
    let next = grant.server().next_nonce(&grant, &arrival, &mut rng);
    let value = grant.info(next.as_ref(), Body::Unknown).unwrap();
    let info = AuthenticationInfo::parse([&value]).unwrap();
    assert!(info.rspauth().is_some());
    let said = info
        .nextnonce()
        .map(|text| text.to_str().unwrap().into_owned());
    assert_eq!(said.as_deref(), next.as_ref().map(|next| next.as_str()));
    service.rng = rng;
    said
}

#[test]
fn the_next_nonce_is_bound_as_the_last() {
    let mut service = Service::new(server().with_next_nonce(NextNonce::Always));
    let here = Arrival::new(Channel::Encrypted, START).bound_to(b"here");
    let nonce = service.server.mint(&here, &mut service.rng);
    let answer = Answer::to(nonce.as_str());
    let header = answer.header();
    let attempt = service.server.begin(Some(&header), &answer.target(), &here);
    let proof = attempt.unwrap().verify(Some(&ha1(Hash::Sha256))).unwrap();
    let grant = service.replays.admit(proof).unwrap();
    let next = service
        .server
        .next_nonce(&grant, &here, &mut service.rng)
        .unwrap();
    let answer = Answer::to(next.as_str());
    let header = answer.header();
    let elsewhere = here.bound_to(b"elsewhere");
    for (arrival, good) in [(here, true), (elsewhere, false)] {
        let target = answer.target();
        let attempt = service.server.begin(Some(&header), &target, &arrival);
        let outcome = attempt.unwrap().verify(Some(&ha1(Hash::Sha256)));
        assert_eq!(outcome.is_ok(), good);
    }
}

/// Against the client of this crate: it takes the proof, and the next nonce.
#[test]
fn the_own_client_is_satisfied() {
    const PAGE: &[u8] = b"page";
    for &algorithm in Algorithm::ALL {
        for qop in [QopSet::AUTH, QopSet::AUTH_INT, QopSet::BOTH] {
            for issuer in [Issuer::Origin, Issuer::Proxy] {
                let server = server().with_algorithms(&[algorithm]).with_qop(qop);
                for server in [server.clone(), server.with_one_time_nonces()] {
                    let mut service = Service::new(server);
                    let mut client = Client::new(Channel::Encrypted, Policy::new());
                    if issuer == Issuer::Proxy {
                        client = client.for_proxy();
                    }
                    converse(&mut service, &mut client, issuer, PAGE);
                }
            }
        }
    }
    assert_eq!(Issuer::Origin.info_field(), "authentication-info");
    assert_eq!(Issuer::Proxy.info_field(), "proxy-authentication-info");
}

/// Three requests, the first of which is refused, and what the server says to each.
fn converse(service: &mut Service, client: &mut Client, issuer: Issuer, page: &[u8]) {
    let target = Target::new("POST", "/form").with_body(Body::Bytes(b"a=1"));
    let rejection = Rejection::NoCredentials;
    assert_eq!(rejection.status(issuer), issuer.status());
    let values = service.challenges(&rejection);
    let mut exchange = Exchange::new();
    assert_eq!(client.challenged(&mut exchange, &values), Next::Login);
    client.login(USER, PASSWORD).unwrap();
    let mut nonces = Vec::new();
    for _ in 0..3 {
        let cnonce = Cnonce::generate(&mut service.rng);
        let answer = client.authorize(&mut exchange, &target, &cnonce).unwrap();
        let header = answer.unwrap().as_bytes().to_vec();
        let arrival = service.arrival();
        let mut rng = service.rng.clone();
        let grant = service.grant(&header, &target).unwrap();
        let server: &Server = grant.server();
        let next = server.next_nonce(&grant, &arrival, &mut rng);
        let value = grant.info(next.as_ref(), Body::Bytes(page)).unwrap();
        nonces.extend(next.map(|next| next.as_str().to_owned()));
        service.rng = rng;

        let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
            panic!("{header:?}");
        };
        let ha1 = ha1(sent.algorithm().hash());
        let expected = sent.expected_rspauth(&ha1, Body::Bytes(page)).unwrap();
        assert!(
            AuthenticationInfo::parse([&value])
                .unwrap()
                .proves(&expected)
        );
        let without_body = sent.expected_rspauth(&ha1, Body::Unknown);
        assert_eq!(without_body.is_none(), sent.qop() == Some(Qop::AuthInt));

        let seen = client.accepted(&mut exchange, [&value], Body::Bytes(page));
        assert_eq!(seen, Ok(ServerProof::Valid), "{value}");
        exchange = Exchange::new();
    }
    nonces.sort();
    let said = nonces.len();
    nonces.dedup();
    assert_eq!(nonces.len(), said);
}
