//! Of clients. Whatever they are given: what they send is one value, and it proves what the user
//! typed.

use countersign::client::{AuthCache, Client, Endpoint, Exchange, Next, Policy, Readiness};
use countersign::digest::{Ha1, HashFunction};
use countersign::{Authorization, EntityBody, Target};

use super::Try::{Bytes, Number, Text as Str};
use super::{Row, fit, is_one_value};
use crate::support::client::Sent;

const CHALLENGE: &str = r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#;

fn endpoint() -> Endpoint {
    Endpoint::origin("https", "example.com", None).expect("a known port")
}

fn client() -> Client {
    Client::from_seed(endpoint(), Policy::new(), [7; 32])
}

fn logged_in() -> (Client, Exchange) {
    let (mut client, mut exchange) = (client(), Exchange::new());
    log_in(&mut client, &mut exchange, CHALLENGE, "u", "p").expect("plain text");
    (client, exchange)
}

/// Logs in, and checks the answer if there is one.
fn log_in(
    client: &mut Client,
    exchange: &mut Exchange,
    challenge: &str,
    name: &str,
    password: &str,
) -> Option<()> {
    let Next::Login(ask) = client.challenged(exchange, [challenge]) else {
        panic!("no login")
    };
    client.login(&ask, name, password).ok()?;
    let target = Target::new("GET", "/");
    let answer = client.authorize(exchange, &target);
    let Ok(Some(answer)) = answer else {
        let is_long = name.len() + password.len() > 40_000;
        assert!(is_long, "{answer:?}");
        return Some(());
    };
    is_one_value(answer);
    let is_right = match Authorization::parse(answer) {
        Ok(Authorization::Basic(pair)) => pair.matches(name, password),
        _ => Sent::read(answer.as_bytes()).is_right(name, password, &target),
    };
    assert!(is_right);
    Some(())
}

/// The challenges that a login can be for.
fn logs_in(name: &str, password: &str) {
    for challenge in [CHALLENGE, r#"Basic realm="r", charset="UTF-8""#] {
        let made = log_in(
            &mut client(),
            &mut Exchange::new(),
            challenge,
            name,
            password,
        );
        let plain = |text: &str| !text.contains(char::is_control);
        assert!(made.is_some() || !plain(name) || !plain(password) || name.contains(':'));
    }
}

/// An endpoint is what it was made of, and gets no credentials of another.
fn is_endpoint(endpoint: &Endpoint, scheme: &str, host: &str, port: u16) {
    assert_eq!(endpoint.scheme(), scheme.to_ascii_lowercase());
    assert_eq!(endpoint.host(), host.to_ascii_lowercase());
    assert_eq!(endpoint.port(), port);
    let mut cache = AuthCache::from_seed(2, Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let home = cache.client(&self::endpoint());
    log_in(home, &mut exchange, CHALLENGE, "u", "p").expect("plain text");
    let other = cache.client(endpoint);
    let mut exchange = Exchange::new();
    let answer = other.authorize(&mut exchange, &Target::new("GET", "/"));
    assert_eq!(
        answer.expect("a plain request").is_some(),
        *endpoint == self::endpoint()
    );
}

/// A request-target that is not this endpoint's gets no answer.
fn is_target(uri: &[u8]) {
    let (mut client, _) = logged_in();
    let (covers, readiness) = (client.covers(uri), client.readiness(uri));
    let mut exchange = Exchange::new();
    match client.authorize(&mut exchange, &Target::new("GET", uri)) {
        Ok(Some(answer)) => {
            assert!(covers && readiness == Readiness::Answer);
            is_one_value(answer);
        }
        Ok(None) => assert!(!covers || uri.len() > 100_000),
        Err(error) => assert!(uri.iter().any(u8::is_ascii_control), "{error}"),
    }
}

/// A response that says anything leaves a client that an honest server lets in.
fn survives(run: impl Fn(&mut Client, &mut Exchange)) {
    let (mut client, mut exchange) = logged_in();
    run(&mut client, &mut exchange);
    let (mut exchange, target) = (Exchange::new(), Target::new("GET", "/"));
    let _ = client
        .authorize(&mut exchange, &target)
        .expect("a plain request");
    let honest = CHALLENGE.replace("\"n\"", "\"fresh\", stale=true");
    match client.challenged(&mut exchange, [&honest]) {
        Next::Login(ask) => client.login(&ask, "u", "p").expect("plain text"),
        Next::Retry => {}
        other => panic!("{other:?}"),
    }
    let answer = client
        .authorize(&mut exchange, &target)
        .expect("a plain request");
    assert!(answer.is_some_and(|it| Sent::read(it.as_bytes()).is_right("u", "p", &target)));
}

pub(super) const ROWS: &[Row] = &[
    (
        "client::Client::authorize_with_cnonce",
        "cnonce",
        Str(|it| {
            let (mut client, mut exchange) = logged_in();
            let target = Target::new("GET", "/");
            let fits =
                (1..=64).contains(&it.len()) && it.bytes().all(|it| matches!(it, b' '..=b'~'));
            match client.authorize_with_cnonce(&mut exchange, &target, it) {
                Ok(answer) => is_one_value(answer.expect("an answer")),
                Err(error) => assert!(!fits, "{error}"),
            }
        }),
    ),
    (
        "client::AuthCache::new",
        "capacity",
        Number(|it| {
            let rng = &mut crate::support::server::Seeded(0);
            let Ok(mut cache) = AuthCache::new(fit_usize(it), Policy::new(), rng);
            fills(&mut cache, it);
        }),
    ),
    (
        "client::AuthCache::from_seed",
        "capacity",
        Number(|it| {
            fills(
                &mut AuthCache::from_seed(fit_usize(it), Policy::new(), [7; 32]),
                it,
            );
        }),
    ),
    (
        "client::AuthCache::from_seed",
        "seed",
        Bytes(|it| {
            let mut cache = AuthCache::from_seed(1, Policy::new(), seed(it));
            let client = cache.client(&endpoint());
            log_in(client, &mut Exchange::new(), CHALLENGE, "u", "p").expect("plain text");
        }),
    ),
    (
        "client::Client::from_seed",
        "seed",
        Bytes(|it| {
            let mut client = Client::from_seed(endpoint(), Policy::new(), seed(it));
            log_in(&mut client, &mut Exchange::new(), CHALLENGE, "u", "p").expect("plain text");
        }),
    ),
    (
        "client::Client::with_preemptive_basic",
        "username",
        Str(|it| preemptive(it, "p")),
    ),
    (
        "client::Client::with_preemptive_basic",
        "password",
        Str(|it| preemptive("u", it)),
    ),
    (
        "client::Client::login",
        "username",
        Str(|it| logs_in(it, "p")),
    ),
    (
        "client::Client::login",
        "password",
        Str(|it| logs_in("u", it)),
    ),
    (
        "client::Client::login_with_ha1",
        "username",
        Str(|it| {
            let (mut client, mut exchange) = (client(), Exchange::new());
            let Next::Login(ask) = client.challenged(&mut exchange, [CHALLENGE]) else {
                panic!("no login")
            };
            let ha1 = Ha1::new(HashFunction::Sha256, it, "r", "p");
            if client.login_with_ha1(&ask, it, &ha1).is_ok() {
                let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
                answer.ok().flatten().into_iter().for_each(is_one_value);
            }
        }),
    ),
    ("client::Client::covers", "uri", Bytes(is_target)),
    ("client::Client::readiness", "uri", Bytes(is_target)),
    (
        "client::Client::received",
        "status",
        Number(|it| {
            let status: u16 = fit(it);
            survives(|client, exchange| {
                let none = |_| None::<&str>;
                let _ = client.received(exchange, status, none, EntityBody::Unknown);
            });
        }),
    ),
    (
        "client::Client::received",
        "fields",
        Bytes(|it| {
            for status in [200, 401] {
                survives(|client, exchange| {
                    let _ = client.received(exchange, status, |_| [it], EntityBody::Unknown);
                });
            }
        }),
    ),
    (
        "client::Client::challenged",
        "values",
        Bytes(|it| {
            survives(|client, exchange| drop(client.challenged(exchange, [it, it])));
        }),
    ),
    (
        "client::Client::completed",
        "status",
        Number(|it| {
            let status: u16 = fit(it);
            survives(|client, exchange| {
                let _ = client.completed(exchange, status, None::<&str>, EntityBody::Unknown);
            });
        }),
    ),
    (
        "client::Client::completed",
        "values",
        Bytes(|it| {
            survives(|client, exchange| {
                let value = [b"nextnonce=", it].concat();
                let _ = client.completed(exchange, 200, [it], EntityBody::Unknown);
                let _ = client.completed(exchange, 200, [&value], EntityBody::Unknown);
            });
        }),
    ),
    (
        "client::Endpoint::origin",
        "scheme",
        Str(|it| {
            let made = Endpoint::origin(it, "h", Some(1)).expect("the port is there");
            is_endpoint(&made, it, "h", 1);
            assert_eq!(
                Endpoint::origin(it, "h", None).is_err(),
                !["http", "https"].contains(&it.to_ascii_lowercase().as_str())
            );
        }),
    ),
    (
        "client::Endpoint::origin",
        "host",
        Str(|it| {
            is_endpoint(
                &Endpoint::origin("https", it, None).expect("a known port"),
                "https",
                it,
                443,
            );
        }),
    ),
    (
        "client::Endpoint::origin",
        "port",
        Number(|it| {
            let port = fit(it);
            let made = Endpoint::origin("https", "example.com", Some(port)).expect("a port");
            is_endpoint(&made, "https", "example.com", port);
        }),
    ),
    (
        "client::Endpoint::proxy",
        "scheme",
        Str(|it| {
            is_endpoint(&Endpoint::proxy(it, "h", 1), it, "h", 1);
        }),
    ),
    (
        "client::Endpoint::proxy",
        "host",
        Str(|it| {
            is_endpoint(&Endpoint::proxy("https", it, 443), "https", it, 443);
        }),
    ),
    (
        "client::Endpoint::proxy",
        "port",
        Number(|it| {
            is_endpoint(
                &Endpoint::proxy("https", "example.com", fit(it)),
                "https",
                "example.com",
                fit(it),
            );
        }),
    ),
    (
        "client::Policy::with_max_answers",
        "answers",
        Number(|it| {
            let answers: u8 = fit(it);
            let policy = Policy::new().with_max_answers(answers);
            let mut client = Client::from_seed(endpoint(), policy, [7; 32]);
            let (mut exchange, mut sent) = (Exchange::new(), 0);
            for n in 0.. {
                let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
                sent += u32::from(answer.expect("a plain request").is_some());
                let challenge = CHALLENGE.replace("realm=\"r\"", &format!("realm=\"{n}\""));
                match client.challenged(&mut exchange, [&challenge]) {
                    Next::Login(ask) => client.login(&ask, "u", "p").expect("plain text"),
                    Next::Retry => {}
                    _ => break,
                }
            }
            assert_eq!(sent, u32::from(answers.max(1)));
        }),
    ),
];

fn fit_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn seed(bytes: &[u8]) -> [u8; 32] {
    let mut seed = [0; 32];
    seed.iter_mut()
        .zip(bytes)
        .for_each(|(place, byte)| *place = *byte);
    seed
}

/// Takes clients in, one at least.
fn fills(cache: &mut AuthCache, capacity: u64) {
    for port in 1..=70 {
        cache.client(&Endpoint::origin("https", "h", Some(port)).expect("a port"));
        assert!(cache.len() as u64 <= capacity.max(1));
    }
    assert_eq!(cache.len() as u64, capacity.clamp(1, 70));
}

/// Sends what Basic can encode, and nothing else.
fn preemptive(name: &str, password: &str) {
    let made = client().with_preemptive_basic(name, password);
    let encoded = countersign::wire::basic_credentials(name, password);
    assert_eq!(made.is_ok(), encoded.is_ok());
    let (Ok(mut client), Ok(encoded)) = (made, encoded) else {
        return;
    };
    let mut exchange = Exchange::new();
    let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
    let is_long = encoded.as_bytes().len() > countersign::MAX_VALUE_BYTES;
    assert_eq!(
        answer.expect("a plain request"),
        Some(&encoded).filter(|_| !is_long)
    );
}
