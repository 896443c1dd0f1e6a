//! An `AuthCache`: a client for each endpoint, how many at most, and what outlives them.

use std::collections::BTreeSet;

use countersign::challenges;
use countersign::client::{
    Account, AuthCache, Client, Endpoint, Exchange, GiveUp, Next, Policy, ServerProof, SkipReason,
    Strength,
};
use countersign::{EntityBody, Target};

use crate::support::client::{
    CHALLENGE, PASSWORD, USER, accept, ask_of, challenge, client, home, origin, sent_unasked,
};
use crate::support::server::Seeded;

fn cache(capacity: usize) -> AuthCache {
    AuthCache::from_seed(capacity, Policy::new(), [7; 32])
}

fn at(host: &str) -> Endpoint {
    origin(host, 443)
}

fn is_logged_in(cache: &mut AuthCache, endpoint: &Endpoint) -> bool {
    sent_unasked(cache.client(endpoint), "/").is_some()
}

fn visit_others(cache: &mut AuthCache, hosts: usize) {
    for n in 0..hosts {
        cache.client(&at(&format!("h{n}")));
    }
}

/// What a client makes of a challenge.
fn says(client: &mut Client, value: &str) -> Next {
    client.challenged(&mut Exchange::new(), challenges([value]))
}

/// Cnonces come from a seed, and no two clients have the same.
#[test]
fn clients_have_different_seeds() {
    let mut cache = cache(2);
    let mut seen = BTreeSet::new();
    for n in 0..20 {
        let client = cache.client(&at(&format!("h{n}")));
        accept(client, CHALLENGE, false);
        for _ in 0..10 {
            let sent = sent_unasked(client, "/").unwrap();
            assert!(seen.insert(sent.get("cnonce").to_owned()));
        }
    }
}

/// The numbers of protection spaces, which asks and exchanges keep, come from bytes of the seed that
/// no cnonce depends on, and the first cnonce from bytes that no later one depends on. So each byte
/// determines whether an ask is the client's own, or the first cnonce, or later ones.
#[test]
fn asks_hold_nothing_of_what_cnonces_are_made_of() {
    let made = |seed: [u8; 32]| {
        let mut client = Client::from_seed(home(), Policy::new(), seed);
        let next = says(&mut client, CHALLENGE);
        let ask = ask_of(&next).unwrap().clone();
        let account = Account::new(USER, PASSWORD);
        client.login(&ask, &account).unwrap();
        let cnonces = [(); 2].map(|()| {
            let sent = sent_unasked(&mut client, "/").unwrap();
            sent.get("cnonce").to_owned()
        });
        (format!("{client:?}"), ask, cnonces)
    };
    let seed = [7; 32];
    let (debug, ask, [first, later]) = made(seed);
    for at in 0..seed.len() {
        let mut other = seed;
        other[at] = 8;
        let (other_debug, other_ask, [other_first, other_later]) = made(other);
        assert_eq!(other_debug, debug, "{at}");
        let differs = [other_ask != ask, other_first != first, other_later != later];
        assert_eq!(differs.iter().filter(|it| **it).count(), 1, "{at}");
    }
}

/// An evicted client gets its accounts again, also the one that nobody has to ask for.
#[test]
fn accounts_outlive_their_client() {
    let mut cache = cache(1);
    let account = Account::new(USER, PASSWORD).for_realm("r");
    cache.add_account(&home(), account).unwrap();
    let basic = Account::new(USER, PASSWORD).with_preemptive_basic();
    cache.add_account(&at("guests"), basic).unwrap();
    for _ in 0..3 {
        assert_eq!(says(cache.client(&home()), CHALLENGE), Next::Retry);
        let sent = sent_unasked(cache.client(&at("guests")), "/").expect("an answer");
        assert_eq!(sent.scheme, "Basic");
        visit_others(&mut cache, 9);
    }
    cache.forget(&home());
    let next = says(cache.client(&home()), CHALLENGE);
    assert!(matches!(next, Next::Login(_)), "{next:?}");
    cache.forget(&at("guests"));
    assert_eq!(sent_unasked(cache.client(&at("guests")), "/"), None);
}

/// Otherwise a page that has a program visit many endpoints could have weaker credentials sent. A
/// strength that the program requires of every endpoint must not make the client forget it either.
#[test]
fn what_a_realm_has_proved_outlives_visits_elsewhere() {
    for floor in [Strength::Nothing, Strength::Basic] {
        let mut cache = cache(4);
        let floored = Policy::new().require_strength(floor);
        if floor > Strength::Nothing {
            cache.set_policy(&home(), floored);
        }
        accept(
            cache.client(&home()),
            &challenge("n", "").replace("\"r\"", "\"files\""),
            true,
        );
        for n in 0..100 {
            let elsewhere = at(&format!("h{n}"));
            if floor > Strength::Nothing {
                cache.set_policy(&elsewhere, floored);
            }
            let client = cache.client(&elsewhere);
            accept(client, CHALLENGE, false);
        }
        let next = says(cache.client(&home()), r#"Basic realm="files""#);
        let skipped = GiveUp::NoUsableChallenge([SkipReason::BelowStrength].into());
        assert_eq!(next, Next::GiveUp(skipped));
        // Of another realm it is not required.
        let next = says(cache.client(&home()), r#"Basic realm="b""#);
        assert_eq!(
            ask_of(&next).is_some(),
            floor <= Strength::Basic,
            "{next:?}"
        );
    }
}

#[test]
fn as_many_proofs_are_kept_as_clients() {
    let name = |n: usize| at(&format!("h{n}"));
    for capacity in 1..4 {
        for host in 0..10 {
            let mut cache = cache(capacity);
            for n in 0..10 {
                accept(cache.client(&name(n)), CHALLENGE, true);
            }
            // The last ones are clients still, and those before them were evicted last.
            let is_kept = ask_of(&says(cache.client(&name(host)), r#"Basic realm="r""#)).is_none();
            assert_eq!(is_kept, host >= 10 - 2 * capacity, "{host} of {capacity}");
        }
    }
}

#[test]
fn the_least_recently_used_client_is_evicted_first() {
    for capacity in [0, 1, 2, 3] {
        let mut cache = cache(capacity);
        for host in ["a", "b", "c"] {
            accept(cache.client(&at(host)), CHALLENGE, false);
        }
        // Use.
        is_logged_in(&mut cache, &at("a"));
        let kept = ["a", "c", "b"].into_iter().take(capacity.max(1));
        // `a` is made anew if it was evicted.
        let kept = kept.filter(|host| capacity > 2 || *host != "a");
        for host in kept {
            assert!(is_logged_in(&mut cache, &at(host)), "{host} of {capacity}");
        }
    }
}

/// A redirect from place to place: what is sent at each stop.
#[test]
fn a_redirect_to_another_origin_carries_no_credentials() {
    let mut cache = cache(10);
    let client = cache.client(&home());
    let value = challenge("n", r#", domain="/in https://example.org/in""#);
    let next = says(client, &value);
    let account = Account::new(USER, PASSWORD);
    client.login(ask_of(&next).unwrap(), &account).unwrap();

    for (endpoint, target, sent) in [
        (home(), "/in/a", true),
        (home(), "/out", false),
        (home(), "/in/../out", false),
        (home(), "https://example.com/in", false),
        (home(), "https://example.org/in", false),
        // Though the domain names it: it is another origin's to ask.
        (at("example.org"), "/in", false),
        (at("example.com.evil.org"), "/in", false),
        (origin("example.com", 444), "/in", false),
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

/// As many origins at once as a crawler has, and a cache for fewer.
#[test]
fn a_client_with_a_login_under_way_is_not_evicted() {
    const CAPACITY: usize = 3;
    let mut cache = cache(CAPACITY);
    let hosts: Vec<_> = (0..10).map(|n| at(&format!("in-flight-{n}"))).collect();
    let target = Target::new("GET", "/");
    let mut under_way: Vec<_> = hosts.iter().map(|host| (host, Exchange::new())).collect();
    for (host, exchange) in &mut under_way {
        let next = cache
            .client(host)
            .challenged(exchange, challenges([CHALLENGE]));
        let Next::Login(ask) = next else {
            panic!("{next:?}")
        };
        cache
            .client(host)
            .login(&ask, &Account::new(USER, PASSWORD))
            .unwrap();
    }
    for (host, exchange) in &mut under_way {
        let field = cache.client(host).authorize(exchange, &target).unwrap();
        assert!(field.for_new_request().is_some(), "{host}");
    }
    // The first is done, and the last was given up.
    let (host, mut exchange) = under_way.remove(0);
    let none = std::iter::empty::<&str>();
    let done = cache
        .client(host)
        .completed(&mut exchange, 200, none, EntityBody::Unknown);
    assert_eq!(done, Ok(ServerProof::Absent));
    under_way.pop();
    visit_others(&mut cache, 1);
    let kept = |cache: &mut AuthCache| {
        hosts
            .iter()
            .filter(|host| is_logged_in(cache, host))
            .count()
    };
    assert_eq!(kept(&mut cache), under_way.len());
    // Without requests under way, the capacity holds again.
    drop(under_way);
    visit_others(&mut cache, 1);
    assert!(kept(&mut cache) < CAPACITY);
}

/// A `fork` copies a client and its generator.
#[test]
fn a_child_draws_other_cnonces_than_its_parent_once_it_has_a_seed_of_its_own() {
    let cnonce = |client: &mut Client| sent_unasked(client, "/").unwrap().get("cnonce").to_owned();
    let mut rng = Seeded(9);
    let [parent, child] = &mut [client(Policy::new()), client(Policy::new())];
    for client in [&mut *parent, &mut *child] {
        accept(client, CHALLENGE, false);
    }
    // Before `reseed` the child draws the same cnonce.
    assert_eq!(cnonce(parent), cnonce(child));
    child.reseed(&mut rng).unwrap();
    assert_ne!(cnonce(parent), cnonce(child));

    // Also of a client that the cache makes later.
    for is_made_before in [true, false] {
        let [mut parent, mut child] = [cache(1), cache(1)];
        for cache in [&mut parent, &mut child]
            .into_iter()
            .filter(|_| is_made_before)
        {
            accept(cache.client(&home()), CHALLENGE, false);
        }
        child.reseed(&mut rng).unwrap();
        for cache in [&mut parent, &mut child]
            .into_iter()
            .filter(|_| !is_made_before)
        {
            accept(cache.client(&home()), CHALLENGE, false);
        }
        let [parent, child] = [parent, child].map(|mut cache| cnonce(cache.client(&home())));
        assert_ne!(parent, child);
    }
}
