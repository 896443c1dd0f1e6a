//! An `AuthCache`: a client for each endpoint, and how many at most.

use countersign::client::{
    AuthCache, Client, Endpoint, Exchange, Next, Policy, Readiness, ServerProof, Strength,
};
use countersign::digest::{Ha1, HashFunction};
use countersign::{Authorization, EntityBody, Target};

use crate::support::client::{
    CHALLENGE, HOME, Origin, answers, ask_of, challenge, home, sent_unasked,
};

fn cache(capacity: usize) -> AuthCache {
    AuthCache::from_seed(capacity, Policy::new(), [7; 32])
}

fn at(host: &str) -> Endpoint {
    Origin { host, ..HOME }.endpoint()
}

/// The hosts it knows.
fn known(cache: &AuthCache) -> Vec<&str> {
    let hosts = cache.clients().map(|client| client.endpoint().host());
    let mut hosts: Vec<_> = hosts.collect();
    hosts.sort_unstable();
    hosts
}

#[test]
fn each_endpoint_has_one_client() {
    let mut cache = cache(10);
    assert!(cache.is_empty());
    let proxy = Endpoint::proxy("https", "example.com", 443);
    let endpoints = [
        home(),
        at("example.org"),
        Origin { port: 8443, ..HOME }.endpoint(),
        Endpoint::origin("http", "example.com", Some(443)).unwrap(),
        proxy,
    ];
    for (n, endpoint) in endpoints.iter().enumerate() {
        assert!(cache.get_mut(endpoint).is_none());
        let client = cache.client(endpoint);
        assert_eq!(client.endpoint(), endpoint);
        assert_eq!(client.readiness("/"), Readiness::NotLoggedIn);
        let challenge = challenge("n", r#", charset=UTF-8"#);
        let next = client.challenged(&mut Exchange::new(), [&challenge]);
        client.login(ask_of(&next).unwrap(), "a", "b").unwrap();
        assert_eq!(cache.len(), n + 1);
        assert!(!cache.is_empty());
        assert_eq!(cache.client(endpoint).readiness("/"), Readiness::Answer);
    }
    let shouted = Endpoint::origin("HTTPS", "EXAMPLE.COM", None).unwrap();
    assert!(cache.get_mut(&shouted).is_some());
    cache.forget(&shouted);
    assert!(cache.get_mut(&home()).is_none());
    assert_eq!(cache.len(), 4);
    cache.forget(&home());
    assert_eq!(cache.len(), 4);
    assert!(
        cache
            .clients()
            .all(|client| client.readiness("/") == Readiness::Answer)
    );
}

/// Cnonces come from a seed, and no two clients have the same.
#[test]
fn clients_have_different_seeds() {
    let mut cache = cache(2);
    let mut seen = std::collections::BTreeSet::new();
    for n in 0..20 {
        let client = cache.client(&at(&format!("h{n}")));
        answers(client, "/");
        for _ in 0..10 {
            let sent = sent_unasked(client, "/").unwrap();
            assert!(seen.insert(sent.get("cnonce").to_owned()));
        }
    }
}

/// The numbers of protection spaces, which asks and exchanges keep, come from bytes of the seed that
/// no cnonce depends on. So each byte determines whether an ask is the client's own, or cnonces.
#[test]
fn asks_hold_nothing_of_what_cnonces_are_made_of() {
    let made = |seed: [u8; 32]| {
        let mut client = Client::from_seed(home(), Policy::new(), seed);
        let next = client.challenged(&mut Exchange::new(), [CHALLENGE]);
        let ask = ask_of(&next).unwrap().clone();
        answers(&mut client, "/");
        let sent = sent_unasked(&mut client, "/").unwrap();
        (format!("{client:?}"), ask, sent.get("cnonce").to_owned())
    };
    let seed = [7; 32];
    let (debug, ask, cnonce) = made(seed);
    for at in 0..seed.len() {
        let mut other = seed;
        other[at] = 8;
        let (other_debug, other_ask, other_cnonce) = made(other);
        assert_eq!(other_debug, debug, "{at}");
        assert_ne!(other_ask == ask, other_cnonce == cnonce, "{at}");
    }
}

#[test]
fn a_client_is_set_up_again_after_it_was_forgotten() {
    let mut cache = cache(1);
    for _ in 0..2 {
        let mut calls = 0;
        for _ in 0..2 {
            let client = cache.client_with(&home(), |client| {
                calls += 1;
                let policy = Policy::new().without_basic();
                client
                    .with_policy(policy)
                    .with_strength(Strength::DigestMd5)
            });
            assert_eq!(client.strength(), Strength::DigestMd5);
            let basic = [r#"Basic realm="a""#];
            let next = client.challenged(&mut Exchange::new(), basic);
            assert!(matches!(next, Next::GiveUp(_)), "{next:?}");
        }
        assert_eq!(calls, 1);
        cache.client(&at("elsewhere"));
        assert!(cache.get_mut(&home()).is_none());
    }
}

/// Otherwise a page that has a program visit many endpoints could have weaker credentials sent.
#[test]
fn a_strength_outlives_its_client() {
    let mut cache = cache(2);
    cache.client_with(&home(), |client| client.with_strength(Strength::DigestSha2));
    for n in 0..100 {
        cache.client(&at(&format!("h{n}")));
    }
    assert!(cache.get_mut(&home()).is_none());
    assert_eq!(cache.client(&home()).strength(), Strength::DigestSha2);
    cache.forget(&home());
    assert_eq!(cache.client(&home()).strength(), Strength::Nothing);
}

/// A realm that accepts weaker credentials stays usable, as it would without the eviction.
#[test]
fn what_one_realm_has_proven_is_required_of_it_alone() {
    for others in [0, 100] {
        let mut cache = cache(2);
        let client = cache.client(&home());
        let mut exchange = Exchange::new();
        let next = client.challenged(
            &mut exchange,
            [r#"Digest realm="a", nonce="n", qop="auth", algorithm=SHA-256"#],
        );
        let ask = ask_of(&next).expect("a login");
        client.login(ask, "Mufasa", "Circle of Life").unwrap();
        let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
        let answer = answer.unwrap().unwrap();
        let Ok(Authorization::Digest(digest)) = Authorization::parse(answer) else {
            panic!("{answer:?}")
        };
        let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "a", "Circle of Life");
        let rspauth = digest.expected_rspauth(&ha1, EntityBody::Unknown).unwrap();
        let info = format!("rspauth=\"{}\"", rspauth.as_str());
        let proof = client.completed(&mut exchange, 200, Some(&info), EntityBody::Unknown);
        assert_eq!(proof, Ok(ServerProof::Valid));
        for n in 0..others {
            cache.client(&at(&format!("h{n}")));
        }
        assert_eq!(cache.get_mut(&home()).is_none(), others > 0);

        let client = cache.client(&home());
        assert_eq!(client.strength(), Strength::DigestSha2);
        for (realm, is_usable) in [("a", false), ("b", true)] {
            let weak = [format!("Basic realm=\"{realm}\"")];
            let next = client.challenged(&mut Exchange::new(), &weak);
            assert_eq!(
                ask_of(&next).is_some(),
                is_usable,
                "{realm}, {others}: {next:?}"
            );
        }
    }
}

#[test]
fn as_many_strengths_are_kept_as_clients() {
    let name = |n: usize| at(&format!("h{n}"));
    for capacity in 1..4 {
        for host in 0..10 {
            let mut cache = cache(capacity);
            for n in 0..10 {
                cache.client_with(&name(n), |client| {
                    client.with_strength(Strength::DigestSha2)
                });
            }
            // The last ones are clients still, and those before them were evicted last.
            let is_kept = cache.client(&name(host)).strength() == Strength::DigestSha2;
            assert_eq!(is_kept, host >= 10 - 2 * capacity, "{host} of {capacity}");
        }
    }
}

#[test]
fn the_least_recently_used_client_is_evicted_first() {
    let mut cache = cache(3);
    for host in ["a", "b", "c"] {
        cache.client(&at(host));
    }
    assert_eq!(known(&cache), ["a", "b", "c"]);
    // Both ways of asking are use.
    assert!(cache.get_mut(&at("a")).is_some());
    cache.client(&at("b"));
    cache.client(&at("d"));
    assert_eq!(known(&cache), ["a", "b", "d"]);
    // Not for one that is not there.
    assert!(cache.get_mut(&at("c")).is_none());
    cache.client(&at("e"));
    assert_eq!(known(&cache), ["b", "d", "e"]);
    // One that was forgotten on purpose leaves room.
    cache.forget(&at("d"));
    cache.client(&at("f"));
    assert_eq!(known(&cache), ["b", "e", "f"]);
}

#[test]
fn capacity_is_never_exceeded() {
    for capacity in [0, 1, 2, 100] {
        let mut cache = cache(capacity);
        for n in 0..300 {
            cache.client(&at(&format!("h{n}")));
            assert!(cache.len() <= capacity.max(1));
            // The last is never the one forgotten.
            assert!(cache.get_mut(&at(&format!("h{n}"))).is_some());
        }
    }
}

/// A redirect from place to place: what is sent at each stop.
#[test]
fn a_redirect_to_another_origin_carries_no_credentials() {
    let mut cache = cache(10);
    let client = cache.client(&home());
    let value = challenge("n", r#", domain="/in https://example.org/in""#);
    let next = client.challenged(&mut Exchange::new(), [&value]);
    client.login(ask_of(&next).unwrap(), "a", "b").unwrap();

    for (endpoint, target, sent) in [
        (home(), "/in/a", true),
        (home(), "/out", false),
        (home(), "/in/../out", false),
        (home(), "https://example.com/in", true),
        (home(), "https://example.org/in", false),
        // Though the domain names it: it is another origin's to ask.
        (at("example.org"), "/in", false),
        (at("example.com.evil.org"), "/in", false),
        (Origin { port: 444, ..HOME }.endpoint(), "/in", false),
        (
            Endpoint::origin("http", "example.com", None).unwrap(),
            "/in",
            false,
        ),
        (home(), "/in", true),
    ] {
        let found = sent_unasked(cache.client(&endpoint), target).is_some();
        assert_eq!(found, sent, "{endpoint} {target}");
    }
}
