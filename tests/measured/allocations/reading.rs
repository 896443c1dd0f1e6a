//! Reading allocates nothing, however hostile the header.

use std::hint::black_box;

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::{self, User};
use countersign::wire::{AuthenticationInfo, DigestCredentials, QopParams};
use countersign::{Authorization, Challenge, Target, Text, challenges, raw_challenges};

use crate::allocator::allocations;
use crate::support::hostile;

const CHALLENGES: &str = "Digest realm=\"a \\\"b\\\"\", nonce=\"bm9uY2U\", algorithm=SHA-256, \
    qop=\"auth, auth-int\", opaque=\"b3BhcXVl\", stale=true, userhash=true, charset=UTF-8, \
    Digest realm=\"a\", nonce=\"bm9uY2U\", qop=\"auth\", algorithm=SHA-512-256, domain=\"/a /b\", \
    Basic realm=\"a\", charset=\"UTF-8\"";

const CREDENTIALS: &str = "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", \
    uri=\"/dir/index.html\", algorithm=SHA-256, \
    nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", nc=00000001, \
    cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\", qop=auth, \
    response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\", \
    opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"";

const INFO: &str = "nextnonce=\"bm9uY2U\", qop=auth, \
    rspauth=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\", \
    cnonce=\"f2/wE4q74E6z\", nc=00000001";

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| ()), 0);
    assert_eq!(allocations(|| Box::new(1)), 1);
    assert_eq!(allocations(|| vec![0; 100]), 1);
    let mut grown = Vec::with_capacity(1);
    assert_eq!(allocations(|| grown.extend([1, 2, 3])), 1);
}

/// Reads a list to the end, and all that is in it.
fn read_challenges(value: &str) -> usize {
    let mut usable = 0;
    for challenge in raw_challenges([value]).flatten() {
        for (_, value) in challenge.params() {
            black_box(value == "x");
        }
        black_box(challenge.param("realm").map(|realm| realm.raw().len()));
        usable += 1;
    }
    usable
}

#[test]
fn reading_allocates_nothing() {
    assert_eq!(read_challenges(CHALLENGES), 3);
    assert_eq!(allocations(|| read_challenges(CHALLENGES)), 0);
    let typed = || challenges([CHALLENGES]);
    assert_eq!(typed().filter(Result::is_ok).count(), 3);
    assert_eq!(allocations(|| typed().count()), 0);

    let read = || Authorization::parse(CREDENTIALS);
    assert!(matches!(read(), Ok(Authorization::Digest(_))));
    assert_eq!(allocations(read), 0);

    let read = || AuthenticationInfo::parse([INFO]);
    assert!(read().is_ok());
    assert_eq!(allocations(read), 0);
}

#[test]
fn writing_allocates_once() {
    for challenge in challenges([CHALLENGES]).flatten() {
        let Challenge::Digest(challenge) = challenge else {
            continue;
        };
        let uri = Text::new("/dir/index.html").expect("a fine text");
        let protection = QopParams::new("auth", "00000001", "f2/wE4q74E6z").ok();
        let user = User::from("Jäsøn Doe");
        let response = digest::userhash(challenge.algorithm().hash_function(), "", "");
        let answer = DigestCredentials::new(&challenge, &user, uri, protection, response);
        let answer = answer.expect("a fine name");
        assert_eq!(allocations(|| answer.to_field_value()), 1);
    }
    let Ok(info) = AuthenticationInfo::parse([INFO]) else {
        panic!("no info");
    };
    assert_eq!(allocations(|| info.to_field_value()), 1);
}

/// All of them in a challenge list, as credentials and as `Authentication-Info`.
#[test]
fn hostile_values_allocate_nothing() {
    for size in hostile::SIZES {
        for (name, value) in hostile::values(size) {
            assert_eq!(allocations(|| read_challenges(&value)), 0, "{name}");
            let rest = hostile::without_scheme(&value);
            let read = || AuthenticationInfo::parse([rest]).is_ok();
            assert_eq!(allocations(read), 0, "{name}");
            for scheme in ["A", "Digest", "Basic"] {
                let value = [scheme, rest].join(" ");
                let read = || Authorization::parse(&value).is_ok();
                let most = usize::from(scheme == "Basic");
                assert!(allocations(read) <= most, "{scheme}, {name}");
            }
        }
    }
}

/// The space, the challenge and the value are one each; a later answer is the value, once there were
/// two.
#[test]
fn answering_allocates_the_value() {
    let target = Target::new("GET", "/dir/index.html?view=top");
    for algorithm in ["SHA-256", "SHA-256-sess", "SHA-512-256"] {
        let value = CHALLENGE.replace("SHA-256", algorithm);
        let endpoint = Endpoint::origin("https", "example.com", None).expect("a port");
        let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let account = Account::new("Mufasa", "Circle of Life");
        let log_in = || {
            let Next::Login(ask) = client.challenged(&mut exchange, challenges([&value])) else {
                panic!("nobody has logged in");
            };
            client.login(&ask, &account).expect("a login");
            let answer = client.authorize(&mut exchange, &target);
            assert!(answer.is_ok_and(|answer| answer.for_new_request().is_some()));
        };
        assert_eq!(allocations(log_in), 3, "{algorithm}");
        for request in 0..3 {
            let again = || {
                let mut exchange = Exchange::new();
                let answer = client.authorize(&mut exchange, &target);
                assert!(answer.is_ok_and(|answer| answer.for_new_request().is_some()));
                let info = [r#"nextnonce="bm9uY2U""#].into_iter();
                let body = countersign::EntityBody::Unknown;
                let proof = client.completed(&mut exchange, 200, info, body);
                proof.expect("no proof is no error");
            };
            // With the first it is noted what later answers have in common with it: the hash state and
            // the text.
            let expected = match (request, algorithm) {
                (0, "SHA-256" | "SHA-512-256") => 3,
                _ => 1,
            };
            assert_eq!(allocations(again), expected, "{algorithm} {request}");
        }
    }
}

const CHALLENGE: &str = "Digest realm=\"http-auth@example.org\", nonce=\"bm9uY2U\", qop=\"auth\", \
    algorithm=SHA-256, opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\", charset=UTF-8, \
    userhash=true";
