//! A client and a server against each other, with a clock that the test holds: every request is
//! granted, after at most one refusal for each nonce that grew old, and the server proves itself
//! each time.

mod support;

use countersign::client::{Exchange, GiveUp, Policy, ServerProof};
use countersign::digest::{Algorithm, QopSet};
use countersign::server::{BasicOffer, NextNonce, Nonces, Realm, Rejection, RejectionClass};
use countersign::{EntityBody, Target, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;
use support::client::{Sent, orders};
use support::generate::cases;
use support::pair::{Browser, Pair, Received, Reply, USERS};
use support::server::nonce_key;

const LIFETIME: u64 = 300;

fn realm() -> Realm {
    Realm::new("files")
        .unwrap()
        .with_nonce_lifetime(LIFETIME as u32)
}

fn browser() -> Browser {
    Browser::new(Policy::new())
}

/// The rejection of a request without credentials, as every first one is.
const FIRST: [Rejection; 1] = [Rejection::NoCredentials];
const NONE: [Rejection; 0] = [];

fn is_forgotten(rejections: &[Rejection]) -> bool {
    matches!(rejections, [Rejection::NonceForgotten { .. }])
}

/// Every algorithm, qop and form of the user name: one refusal, and none from then on.
#[test]
fn every_algorithm_qop_and_user_name() {
    let mut granted = 0;
    for &algorithm in Algorithm::ALL {
        for qop in [QopSet::AUTH, QopSet::AUTH_INT, QopSet::BOTH] {
            for policy in [
                Policy::new(),
                Policy::new().prefer_auth_int(),
                Policy::new().without_userhash(),
            ] {
                for user in 0..USERS.len() {
                    for hashed in [false, true] {
                        let server = realm().with_algorithms(&[algorithm]).with_qop(qop);
                        let server = match hashed {
                            true => server.with_userhash(true),
                            false => server,
                        };
                        let mut pair = Pair::new(server);
                        let mut browser = Browser::of(user, policy);
                        for request in 0..4 {
                            let body = EntityBody::Bytes(b"a=1");
                            let target = Target::new("POST", "/form?x").with_body(body);
                            let trip = pair.drive(&mut browser, &target);
                            let expected = &FIRST[..usize::from(request == 0)];
                            assert_eq!(trip.rejections, expected, "{algorithm} {qop:?}");
                            assert_eq!(trip.granted, Some(ServerProof::Valid));
                            granted += 1;
                            pair.wait(10);
                        }
                    }
                }
            }
        }
    }
    println!("granted, and proved by the server: {granted}");
}

#[test]
fn the_strongest_algorithm_of_several() {
    let mut pair = Pair::new(
        realm()
            .with_algorithms(Algorithm::ALL)
            .with_basic(BasicOffer::Encrypted),
    );
    let mut browser = browser();
    assert_eq!(pair.get(&mut browser, "/"), FIRST);
    let target = Target::new("GET", "/");
    let value = browser.send(&mut Exchange::new(), &target).unwrap();
    assert_eq!(Sent::read(&value).get("algorithm"), "SHA-512-256");
    // Each client has its own floor and likes.
    for (policy, algorithm) in [
        (Policy::new().without_sess_algorithms(), "SHA-512-256"),
        (
            Policy::new().with_floor(countersign::digest::HashFunction::Sha512_256),
            "SHA-512-256",
        ),
    ] {
        let mut browser = Browser::new(policy);
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        let value = browser.send(&mut Exchange::new(), &target).unwrap();
        assert_eq!(Sent::read(&value).get("algorithm"), algorithm);
    }
}

#[test]
fn basic() {
    let mut pair = Pair::new(
        realm()
            .with_algorithms(&[])
            .with_basic(BasicOffer::Encrypted),
    );
    for user in 0..USERS.len() {
        let mut browser = Browser::of(user, Policy::new());
        assert_eq!(pair.get(&mut browser, "/a/b"), FIRST);
        assert_eq!(pair.get(&mut browser, "/a/c/d"), NONE);
        // Outside of its space it waits to be asked.
        assert_eq!(pair.get(&mut browser, "/e"), FIRST);
        assert_eq!(pair.get(&mut browser, "/f"), NONE);
    }
}

/// The forms without a count: their nonces are good for one request, unless the server says
/// otherwise.
#[test]
fn forms_without_a_count() {
    let rfc2069 = |server: Realm| server.with_qop(QopSet::LEGACY);
    let uncounted = |server: Realm| server.with_uncounted_form(true);
    for (policy, server) in [
        (Policy::new().with_rfc2069(), rfc2069(realm())),
        (Policy::new().with_uncounted_form(), uncounted(realm())),
    ] {
        let never = server.clone().with_next_nonce(NextNonce::Never);
        let mut pair = Pair::new(never);
        let mut browser = Browser::new(policy);
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for _ in 0..5 {
            assert_eq!(pair.get(&mut browser, "/"), [Rejection::Replayed]);
        }
        // With the next nonce in each response, as is usual for them, there is nothing to refuse.
        let always = server.clone().with_next_nonce(NextNonce::Always);
        let reusable = server.clone().with_reusable_nonces(true);
        let reusable = reusable.with_next_nonce(NextNonce::Never);
        for server in [server, always, reusable] {
            let mut pair = Pair::new(server);
            let mut browser = Browser::new(policy);
            assert_eq!(pair.get(&mut browser, "/"), FIRST);
            for _ in 0..5 {
                assert_eq!(pair.get(&mut browser, "/"), NONE);
            }
        }
    }
}

mod nonces {
    use super::*;

    #[test]
    fn one_request_each() {
        for algorithm in [Algorithm::SHA_256, Algorithm::SHA_256_SESS] {
            let server = realm()
                .with_algorithms(&[algorithm])
                .with_one_time_nonces(true);
            let mut pair = Pair::new(server);
            let mut browser = browser();
            assert_eq!(pair.get(&mut browser, "/"), FIRST);
            for _ in 0..10 {
                assert_eq!(pair.get(&mut browser, "/"), NONE);
            }
            // The next one grows old, too.
            pair.wait(LIFETIME + 1);
            assert_eq!(pair.get(&mut browser, "/"), [Rejection::NonceExpired]);
        }
    }

    /// Whoever comes back before half of the lifetime is over never sees a refusal.
    #[test]
    fn the_next_one_comes_in_time() {
        for algorithm in [Algorithm::SHA_256, Algorithm::SHA_512_256_SESS] {
            let mut pair = Pair::new(realm().with_algorithms(&[algorithm]));
            let mut browser = browser();
            assert_eq!(pair.get(&mut browser, "/"), FIRST);
            for secs in (1..LIFETIME / 2).step_by(7).chain([LIFETIME / 2]) {
                pair.wait(secs);
                assert_eq!(pair.get(&mut browser, "/"), NONE, "{secs}");
            }
        }
        let mut pair = Pair::new(realm().with_next_nonce(NextNonce::Always));
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for _ in 0..10 {
            pair.wait(LIFETIME);
            assert_eq!(pair.get(&mut browser, "/"), NONE);
        }
    }

    #[test]
    fn one_refusal_a_lifetime_without_it() {
        let mut pair = Pair::new(realm().with_next_nonce(NextNonce::Never));
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for _ in 0..5 {
            pair.wait(LIFETIME);
            assert_eq!(pair.get(&mut browser, "/"), NONE, "its last moment");
            pair.wait(1);
            assert_eq!(pair.get(&mut browser, "/"), [Rejection::NonceExpired]);
        }
    }

    /// The nonce grows old while the request that uses it is on its way.
    #[test]
    fn expired_on_the_way() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        pair.get(&mut browser, "/");
        let target = Target::new("GET", "/slow");
        let mut exchange = Exchange::new();
        let value = browser.send(&mut exchange, &target);
        pair.wait(LIFETIME + 1);
        let reply = pair.serve(&target, value.as_deref());
        assert_eq!(reply.rejection, Some(Rejection::NonceExpired));
        assert_eq!(browser.receive(&mut exchange, &reply), Received::Again);
        let value = browser.send(&mut exchange, &target);
        let reply = pair.serve(&target, value.as_deref());
        let received = browser.receive(&mut exchange, &reply);
        assert_eq!(received, Received::Granted(ServerProof::Valid));
    }

    /// Not even a client whose nonces all grow old on the way asks for ever.
    #[test]
    fn expired_on_the_way_each_time() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        pair.get(&mut browser, "/");
        let target = Target::new("GET", "/");
        let mut exchange = Exchange::new();
        for expected in [Received::Again, Received::Refused(GiveUp::StaleAgain)] {
            let value = browser.send(&mut exchange, &target);
            pair.wait(LIFETIME + 1);
            let reply = pair.serve(&target, value.as_deref());
            assert_eq!(browser.receive(&mut exchange, &reply), expected);
        }
        // Its login is still good.
        assert_eq!(pair.get(&mut browser, "/"), NONE);
    }

    #[test]
    fn bound_to_an_address() {
        let mut pair = Pair::new(realm());
        pair.binding = b"192.0.2.7";
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        pair.binding = b"192.0.2.8";
        assert_eq!(pair.get(&mut browser, "/"), [Rejection::NonceForeign]);
        assert_eq!(pair.get(&mut browser, "/"), NONE);
    }
}

/// The nonces of a new start, with one of the keys of the tests.
fn with_key(realm: &Realm, n: u8) -> Nonces {
    Nonces::new(realm, nonce_key(n), Timestamp::EPOCH, 100, 0)
}

mod restarts {
    use super::*;

    #[test]
    fn with_a_new_key() {
        let mut pair = Pair::new(realm());
        let mut browsers = [browser(), Browser::of(1, Policy::new())];
        for browser in &mut browsers {
            assert_eq!(pair.get(browser, "/"), FIRST);
        }
        pair.nonces = with_key(&pair.realm, 2);
        for browser in &mut browsers {
            assert_eq!(pair.get(browser, "/"), [Rejection::NonceForeign]);
            assert_eq!(pair.get(browser, "/"), NONE);
        }
    }

    #[test]
    fn with_the_key_it_had() {
        let restarted = |pair: &mut Pair| {
            let until = pair.now;
            pair.nonces = Nonces::new(&pair.realm, nonce_key(1), until, 100, 1);
        };
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        pair.wait(1);
        restarted(&mut pair);
        assert!(is_forgotten(&pair.get(&mut browser, "/")));
        assert_eq!(pair.get(&mut browser, "/"), NONE);
        // Within the same millisecond a new client gets in at once.
        restarted(&mut pair);
        assert_eq!(pair.get(&mut Browser::of(1, Policy::new()), "/"), FIRST);
    }

    /// Nobody notices, as long as a lifetime lies between two changes.
    #[test]
    fn key_rotation() {
        let mut pair = Pair::new(realm());
        let rotate = |pair: &mut Pair, n| pair.nonces.rotate(&pair.realm, nonce_key(n));
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for n in 2..10 {
            rotate(&mut pair, n);
            // Once with the old nonce, which is past half of its life then, and gets another.
            pair.wait(LIFETIME / 2);
            assert_eq!(pair.get(&mut browser, "/"), NONE);
            assert_eq!(pair.get(&mut browser, "/"), NONE);
        }
        // Two keys on, it costs a refusal.
        rotate(&mut pair, 10);
        rotate(&mut pair, 11);
        assert_eq!(pair.get(&mut browser, "/"), [Rejection::NonceForeign]);
        assert_eq!(pair.get(&mut browser, "/"), NONE);
    }

    /// Several servers with a key each: moving costs a refusal.
    #[test]
    fn from_one_server_to_another() {
        let mut pairs = [1, 2].map(|n| {
            let mut pair = Pair::new(realm());
            pair.nonces = with_key(&pair.realm, n);
            pair
        });
        let mut browser = browser();
        assert_eq!(pairs[0].get(&mut browser, "/"), FIRST);
        for n in 1..10 {
            let rejections = pairs[n % 2].get(&mut browser, "/");
            assert_eq!(rejections, [Rejection::NonceForeign]);
            assert_eq!(pairs[n % 2].get(&mut browser, "/"), NONE);
        }
    }
}

mod clocks {
    use super::*;

    #[test]
    fn set_back() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for _ in 0..3 {
            pair.set_clock_back(3600);
            assert_eq!(pair.get(&mut browser, "/"), NONE);
            let mut other = Browser::of(1, Policy::new());
            assert_eq!(pair.get(&mut other, "/"), FIRST);
        }
    }

    #[test]
    fn set_forward() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for _ in 0..3 {
            pair.wait(1_000_000);
            assert_eq!(pair.get(&mut browser, "/"), [Rejection::NonceExpired]);
            assert_eq!(pair.get(&mut browser, "/"), NONE);
        }
    }

    /// The table has forgotten nonces that the clock has yet to come to.
    #[test]
    fn set_back_with_a_full_table() {
        let mut pair = Pair::with_capacity(realm(), 1);
        let mut browsers = [browser(), Browser::of(1, Policy::new())];
        for browser in &mut browsers {
            assert_eq!(pair.get(browser, "/"), FIRST);
            pair.wait(1);
        }
        pair.set_clock_back(3600);
        for _ in 0..3 {
            for browser in &mut browsers {
                assert!(is_forgotten(&pair.get(browser, "/")));
            }
        }
    }

    /// The server once said `stale` and gave a nonce that its table had forgotten already, because
    /// others had filled it within the same millisecond, or before the clock was set back: two
    /// stale nonces in a row, after which a client gives up.
    #[test]
    fn what_follows_an_old_or_a_foreign_nonce_is_good() {
        for capacity in 1..4 {
            for back in [0, 60] {
                for (age, binding, expected) in [
                    (LIFETIME + 1, &b""[..], Rejection::NonceExpired),
                    (1, b"192.0.2.8", Rejection::NonceForeign),
                ] {
                    let mut pair = Pair::with_capacity(realm(), capacity);
                    let mut browser = browser();
                    assert_eq!(pair.get(&mut browser, "/"), FIRST);
                    pair.wait(age + back);
                    pair.binding = binding;
                    for _ in 0..=capacity {
                        let mut other = Browser::of(1, Policy::new());
                        assert_eq!(pair.get(&mut other, "/"), FIRST);
                    }
                    pair.set_clock_back(back);
                    let trip = pair.drive(&mut browser, &Target::new("GET", "/"));
                    assert_eq!(trip.rejections, [expected]);
                    assert_eq!(trip.granted, Some(ServerProof::Valid));
                }
            }
        }
    }

    /// Were each nonce made later than the one before, a thousand first requests a second would take
    /// them ahead of the clock: they would live longer, and outlast a restart.
    #[test]
    fn nonces_do_not_run_ahead_of_the_clock() {
        let mut pair = Pair::with_capacity(realm(), 100);
        for user in 0..100 {
            assert_eq!(
                pair.get(&mut Browser::of(user % 3, Policy::new()), "/"),
                FIRST
            );
        }
        assert_eq!(pair.nonces.horizon(), pair.now);
        assert_eq!(pair.nonces.len(), 100);
    }

    /// What follows an old nonce is good for one that was in use, too.
    #[test]
    fn what_follows_a_replay_is_good() {
        let mut pair = Pair::with_capacity(realm(), 1);
        pair.get(&mut Browser::of(1, Policy::new()), "/");
        pair.set_clock_back(60);
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        let target = Target::new("GET", "/");
        let mut exchange = Exchange::new();
        let value = browser.send(&mut exchange, &target);
        assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
        let reply = pair.serve(&target, value.as_deref());
        assert_eq!(reply.rejection, Some(Rejection::Replayed));
        assert_eq!(browser.receive(&mut exchange, &reply), Received::Again);
        let value = browser.send(&mut exchange, &target);
        assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
    }
}

/// A table too small for its clients: each pays a round trip when another has pushed it out, and
/// every request is granted.
#[test]
fn small_tables() {
    for (capacity, clients) in [(1, 1), (1, 2), (1, 5), (2, 2), (2, 3), (2, 7)] {
        // With a clock that stands still all the while, too.
        for millis in [0, 1, 1000] {
            let mut pair = Pair::with_capacity(realm(), capacity);
            let mut browsers: Vec<_> = (0..clients)
                .map(|n| Browser::of(n % USERS.len(), Policy::new()))
                .collect();
            let mut refused = 0;
            for round in 0..6 {
                for browser in &mut browsers {
                    let rejections = pair.get(browser, "/");
                    assert!(round > 0 || rejections == FIRST, "{rejections:?}");
                    let (first, rest) = match round {
                        0 => rejections.split_at(1),
                        _ => rejections.split_at(0),
                    };
                    assert_eq!(first, &FIRST[..first.len()]);
                    assert!(rest.is_empty() || is_forgotten(rest), "{rejections:?}");
                    refused += rest.len();
                    // Again at once, with nobody in between.
                    assert_eq!(pair.get(browser, "/"), NONE);
                    pair.now = pair.now.plus_millis(millis);
                }
            }
            assert_eq!(pair.nonces.len(), capacity.min(clients));
            // Who fits is not refused.
            assert_eq!(refused == 0, clients <= capacity, "{capacity} {clients}");
        }
    }
}

/// Several requests under way at once, all on one nonce.
mod parallel {
    use super::*;

    const URIS: [&str; 3] = ["/0", "/1", "/2"];

    /// A request under way.
    struct Flight {
        uri: &'static str,
        exchange: Exchange,
        value: Option<Vec<u8>>,
        rejections: usize,
        landed: bool,
    }

    fn take_off(browser: &mut Browser) -> [Flight; 3] {
        URIS.map(|uri| {
            let mut exchange = Exchange::new();
            let value = browser.send(&mut exchange, &Target::new("GET", uri));
            Flight {
                uri,
                exchange,
                value,
                rejections: 0,
                landed: false,
            }
        })
    }

    /// Serves them in one order and lets the replies come in in another.
    fn round(
        pair: &mut Pair,
        browser: &mut Browser,
        flights: &mut [Flight; 3],
        (served, received): (&[usize], &[usize]),
    ) {
        let mut replies: [Option<Reply>; 3] = [const { None }; 3];
        for &at in served.iter().filter(|&&at| !flights[at].landed) {
            let target = Target::new("GET", flights[at].uri);
            replies[at] = Some(pair.serve(&target, flights[at].value.as_deref()));
        }
        for &at in received {
            let (Some(reply), flight) = (&replies[at], &mut flights[at]) else {
                continue;
            };
            flight.rejections += usize::from(reply.rejection.is_some());
            match browser.receive(&mut flight.exchange, reply) {
                Received::Granted(proof) => {
                    assert_eq!(proof, ServerProof::Valid);
                    flight.landed = true;
                }
                Received::Again => {
                    let target = Target::new("GET", flight.uri);
                    flight.value = browser.send(&mut flight.exchange, &target);
                }
                Received::Refused(why) => panic!("{why}"),
            }
        }
    }

    /// Goes on until all have landed; how many rejections each saw.
    fn land(
        pair: &mut Pair,
        browser: &mut Browser,
        mut flights: [Flight; 3],
        orders: (&[usize], &[usize]),
    ) -> [usize; 3] {
        while flights.iter().any(|flight| !flight.landed) {
            round(pair, browser, &mut flights, orders);
        }
        flights.map(|flight| flight.rejections)
    }

    /// Runs `check` with every order of serving and every order of receiving.
    fn in_every_order(check: impl Fn((&[usize], &[usize]))) {
        for served in orders(&[0, 1, 2]) {
            for received in orders(&[0, 1, 2]) {
                check((&served, &received));
            }
        }
    }

    #[test]
    fn on_a_nonce_in_use_none_is_refused() {
        in_every_order(|orders| {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            pair.get(&mut browser, "/");
            let flights = take_off(&mut browser);
            let rejections = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(rejections, [0; 3]);
        });
    }

    /// None has credentials yet. One login serves all, and each answers the challenge it was sent:
    /// whose nonce another exchange was sent is no concern of it.
    #[test]
    fn at_the_start_each_is_refused_once() {
        in_every_order(|orders| {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            let flights = take_off(&mut browser);
            assert!(flights.iter().all(|flight| flight.value.is_none()));
            let rejections = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(rejections, [1; 3]);
            assert_eq!(pair.nonces.len(), 3);
            // From then on one nonce serves all.
            let flights = take_off(&mut browser);
            let rejections = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(rejections, [0; 3]);
            assert_eq!(pair.nonces.len(), 3);
        });
    }

    /// The first nonce is too old before it has been accepted once.
    #[test]
    fn at_the_start_on_a_nonce_that_grew_old_each_is_refused_once_more() {
        in_every_order(|orders| {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            let mut flights = take_off(&mut browser);
            round(&mut pair, &mut browser, &mut flights, orders);
            pair.wait(LIFETIME + 1);
            let rejections = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(rejections, [2; 3]);
        });
    }

    #[test]
    fn on_a_nonce_that_grew_old_each_is_refused_once() {
        in_every_order(|orders| {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            pair.get(&mut browser, "/");
            let flights = take_off(&mut browser);
            pair.wait(LIFETIME + 1);
            let rejections = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(rejections, [1; 3]);
        });
    }

    #[test]
    fn over_a_restart_each_is_refused_once() {
        in_every_order(|orders| {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            pair.get(&mut browser, "/");
            let flights = take_off(&mut browser);
            pair.nonces = with_key(&pair.realm, 2);
            let rejections = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(rejections, [1; 3]);
        });
    }

    /// The next nonce comes with a response while others are under way on the one before.
    #[test]
    fn over_a_next_nonce_none_is_refused() {
        in_every_order(|orders| {
            let mut pair = Pair::new(realm().with_next_nonce(NextNonce::Always));
            let mut browser = browser();
            pair.get(&mut browser, "/");
            for _ in 0..2 {
                let flights = take_off(&mut browser);
                let rejections = land(&mut pair, &mut browser, flights, orders);
                assert_eq!(rejections, [0; 3]);
            }
        });
    }

    /// As far as the server's window goes, and one further.
    #[test]
    fn in_reverse_order() {
        let target = Target::new("GET", "/");
        for (number, refused) in [(64, 0), (65, 1), (70, 6)] {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            pair.get(&mut browser, "/");
            let mut flights = Vec::new();
            for _ in 0..number {
                let mut exchange = Exchange::new();
                let value = browser.send(&mut exchange, &target);
                flights.push((exchange, value));
            }
            let mut late = Vec::new();
            for (mut exchange, value) in flights.into_iter().rev() {
                let reply = pair.serve(&target, value.as_deref());
                if browser.receive(&mut exchange, &reply) == Received::Again {
                    assert_eq!(reply.rejection, Some(Rejection::Replayed));
                    late.push(exchange);
                }
            }
            assert_eq!(late.len(), refused);
            for mut exchange in late {
                let value = browser.send(&mut exchange, &target);
                let reply = pair.serve(&target, value.as_deref());
                let received = browser.receive(&mut exchange, &reply);
                assert_eq!(received, Received::Granted(ServerProof::Valid));
            }
        }
    }
}

mod losses {
    use super::*;

    /// A request or a response that is lost is a gap in the count, and no more.
    #[test]
    fn of_requests_and_responses() {
        let target = Target::new("GET", "/");
        for lost in [1, 2, 63, 64, 65, 1000] {
            for arrives in [true, false] {
                let mut pair = Pair::new(realm());
                let mut browser = browser();
                pair.get(&mut browser, "/");
                for _ in 0..lost {
                    let value = browser.send(&mut Exchange::new(), &target);
                    if arrives {
                        assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
                    }
                }
                assert_eq!(pair.get(&mut browser, "/"), NONE);
            }
        }
    }

    /// An HTTP library that sends the same bytes again, because the first response was lost.
    #[test]
    fn a_request_sent_again_byte_for_byte_is_answered_anew() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        pair.get(&mut browser, "/");
        let target = Target::new("GET", "/");
        let mut exchange = Exchange::new();
        let value = browser.send(&mut exchange, &target);
        assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
        let reply = pair.serve(&target, value.as_deref());
        assert_eq!(reply.rejection, Some(Rejection::Replayed));
        assert_eq!(browser.receive(&mut exchange, &reply), Received::Again);
        let value = browser.send(&mut exchange, &target);
        let reply = pair.serve(&target, value.as_deref());
        let received = browser.receive(&mut exchange, &reply);
        assert_eq!(received, Received::Granted(ServerProof::Valid));
    }

    /// With one-time nonces a lost response takes the next nonce with it.
    #[test]
    fn of_a_next_nonce() {
        let mut pair = Pair::new(realm().with_one_time_nonces(true));
        let mut browser = browser();
        pair.get(&mut browser, "/");
        let target = Target::new("GET", "/");
        for _ in 0..5 {
            let value = browser.send(&mut Exchange::new(), &target);
            assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
            assert_eq!(pair.get(&mut browser, "/"), [Rejection::Replayed]);
        }
    }
}

mod users {
    use super::*;

    #[test]
    fn a_wrong_password_is_one_refusal_more() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        browser.password = "wrong";
        let trip = pair.drive(&mut browser, &Target::new("GET", "/"));
        assert_eq!(trip.rejections, [FIRST[0], Rejection::WrongCredentials]);
        assert!(matches!(trip.refused, Some(GiveUp::WrongCredentials(_))));
        // The next exchange asks the user again.
        browser.password = USERS[0].1;
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        assert_eq!(pair.get(&mut browser, "/"), NONE);
    }

    #[test]
    fn another_user_on_one_client() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        for (name, password) in USERS {
            (browser.user, browser.password) = (name, password);
            browser.client.logout();
            // Its nonce is gone with the user it was for.
            assert_eq!(pair.get(&mut browser, "/"), FIRST);
            assert_eq!(pair.get(&mut browser, "/"), NONE);
        }
    }

    #[test]
    fn another_realm_wants_another_login() {
        let mut pair = Pair::new(realm());
        let mut browser = browser();
        pair.get(&mut browser, "/");
        pair.realm = Realm::new("other files").unwrap();
        pair.nonces = with_key(&pair.realm, 1);
        assert_eq!(pair.get(&mut browser, "/"), [Rejection::RealmMismatch]);
        assert_eq!(pair.get(&mut browser, "/"), NONE);
    }
}

#[test]
fn domain() {
    let mut pair = Pair::new(realm().with_domain("/a /b").unwrap());
    let mut browser = browser();
    assert_eq!(pair.get(&mut browser, "/a/x"), FIRST);
    for (uri, first) in [
        ("/a/y", false),
        ("/b", false),
        ("/c", true),
        ("/c", true),
        ("/a", false),
    ] {
        let rejections = pair.get(&mut browser, uri);
        assert_eq!(rejections, &FIRST[..usize::from(first)], "{uri}");
    }
}

/// What may happen between two requests.
#[derive(Clone, Copy, Debug)]
enum Event {
    Get(usize),
    /// The response to one is lost.
    Lose(usize),
    Wait(u64),
    ClockBack(u64),
    NewKey,
    Rotate,
    NewTable,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        8 => (0..4_usize).prop_map(Event::Get),
        1 => (0..4_usize).prop_map(Event::Lose),
        2 => (0..LIFETIME * 2).prop_map(Event::Wait),
        2 => (0..LIFETIME * 2).prop_map(Event::ClockBack),
        1 => Just(Event::NewKey),
        1 => Just(Event::Rotate),
        1 => Just(Event::NewTable),
    ];
    prop::collection::vec(event, 1..60)
}

proptest! {
    #![proptest_config(cases(200))]

    /// Whatever happens between them, each request is granted after at most one refusal of the
    /// nonce it used, and the server proves itself.
    #[test]
    fn anything_may_happen_between_requests(
        capacity in prop_oneof![3 => 1..4_usize, 1 => Just(1000)],
        events in events(),
        pace in 0..2_u64,
        next_nonce in select(vec![NextNonce::Never, NextNonce::WhenOld, NextNonce::Always]),
        one_time in any::<bool>(),
        algorithm in select(vec![Algorithm::SHA_256, Algorithm::SHA_256_SESS]),
    ) {
        let realm = Realm::new("files")
            .unwrap()
            .with_algorithms(&[algorithm])
            .with_next_nonce(next_nonce)
            .with_one_time_nonces(one_time);
        let mut keys = 1;
        let mut pair = Pair::with_capacity(realm, capacity);
        let mut browsers = [0, 1, 2, 0].map(|user| Browser::of(user, Policy::new()));
        let mut known = [false; 4];
        for event in events {
            // The clock may stand still.
            pair.now = pair.now.plus_millis(pace);
            match event {
                Event::Get(n) => {
                    let rejections = pair.get(&mut browsers[n], "/");
                    let first = usize::from(!known[n]);
                    prop_assert_eq!(&rejections[..first], &FIRST[..first]);
                    prop_assert!(rejections.len() <= first + 1, "{:?}", rejections);
                    let is_stale = |why: &Rejection| match why {
                        Rejection::Replayed => true,
                        why => why.class() == RejectionClass::Stale,
                    };
                    prop_assert!(rejections[first..].iter().all(is_stale));
                    known[n] = true;
                }
                Event::Lose(n) => {
                    let target = Target::new("GET", "/");
                    let value = browsers[n].send(&mut Exchange::new(), &target);
                    pair.serve(&target, value.as_deref());
                }
                Event::Wait(secs) => pair.wait(secs),
                Event::ClockBack(secs) => pair.set_clock_back(secs),
                Event::NewKey => {
                    keys += 1;
                    let (realm, key) = (&pair.realm, nonce_key(keys));
                    pair.nonces = Nonces::new(realm, key, Timestamp::EPOCH, capacity, 0);
                }
                Event::Rotate => {
                    keys += 1;
                    pair.nonces.rotate(&pair.realm, nonce_key(keys));
                }
                Event::NewTable => {
                    let (realm, key) = (&pair.realm, nonce_key(keys));
                    let horizon = pair.nonces.horizon();
                    pair.nonces = Nonces::new(realm, key, horizon, capacity, 0);
                }
            }
        }
    }
}
