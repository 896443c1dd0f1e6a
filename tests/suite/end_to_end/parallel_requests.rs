//! Requests that are under way at the same time.

use countersign::Target;
use countersign::client::{Exchange, ServerProof};

use super::{LIFETIME, browser, realm, with_key};
use crate::support::client::orders;
use crate::support::pair::{Browser, Pair, Received, Reply};

const URIS: [&str; 3] = ["/0", "/1", "/2"];

/// A request under way.
struct Flight {
    uri: &'static str,
    exchange: Exchange,
    value: Option<Vec<u8>>,
    reasons: usize,
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
            reasons: 0,
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
        flight.reasons += usize::from(reply.reason.is_some());
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

/// Goes on until all have landed; how many reasons each saw.
fn land(
    pair: &mut Pair,
    browser: &mut Browser,
    mut flights: [Flight; 3],
    orders: (&[usize], &[usize]),
) -> [usize; 3] {
    while flights.iter().any(|flight| !flight.landed) {
        round(pair, browser, &mut flights, orders);
    }
    flights.map(|flight| flight.reasons)
}

/// Runs `check` with every order of serving and every order of receiving.
fn in_every_order(check: impl Fn(Pair, Browser, (&[usize], &[usize]))) {
    for served in orders(&[0, 1, 2]) {
        for received in orders(&[0, 1, 2]) {
            check(Pair::new(realm()), browser(), (&served, &received));
        }
    }
}

#[test]
fn on_a_nonce_in_use_none_is_refused() {
    in_every_order(|mut pair, mut browser, orders| {
        pair.get(&mut browser, "/");
        let flights = take_off(&mut browser);
        let reasons = land(&mut pair, &mut browser, flights, orders);
        assert_eq!(reasons, [0; 3]);
    });
}

/// None has credentials yet. One login serves all, and each answers the challenge it was sent:
/// whose nonce another exchange was sent is no concern of it.
#[test]
fn at_the_start_each_is_refused_once() {
    in_every_order(|mut pair, mut browser, orders| {
        let flights = take_off(&mut browser);
        assert!(flights.iter().all(|flight| flight.value.is_none()));
        let reasons = land(&mut pair, &mut browser, flights, orders);
        assert_eq!(reasons, [1; 3]);
        assert_eq!(pair.auth.len(), 3);
        // From then on one nonce serves all.
        let flights = take_off(&mut browser);
        let reasons = land(&mut pair, &mut browser, flights, orders);
        assert_eq!(reasons, [0; 3]);
        assert_eq!(pair.auth.len(), 3);
    });
}

/// The first nonce is too old before it has been accepted once.
#[test]
fn at_the_start_on_an_expired_nonce_each_is_refused_once_more() {
    in_every_order(|mut pair, mut browser, orders| {
        let mut flights = take_off(&mut browser);
        round(&mut pair, &mut browser, &mut flights, orders);
        pair.wait(LIFETIME + 1);
        let reasons = land(&mut pair, &mut browser, flights, orders);
        assert_eq!(reasons, [2; 3]);
    });
}

#[test]
fn on_an_expired_nonce_or_across_a_restart_each_is_refused_once() {
    for is_restarted in [false, true] {
        in_every_order(|mut pair, mut browser, orders| {
            pair.get(&mut browser, "/");
            let flights = take_off(&mut browser);
            match is_restarted {
                true => pair.auth = with_key(&pair.realm, 2),
                false => pair.wait(LIFETIME + 1),
            }
            let reasons = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(reasons, [1; 3]);
        });
    }
}

/// The next nonce comes with a response while others are under way on the one before.
#[test]
fn across_a_next_nonce_none_is_refused() {
    in_every_order(|mut pair, mut browser, orders| {
        pair.get(&mut browser, "/");
        pair.now = pair.now.plus_millis(200_000);
        for _ in 0..2 {
            let flights = take_off(&mut browser);
            let reasons = land(&mut pair, &mut browser, flights, orders);
            assert_eq!(reasons, [0; 3]);
        }
    });
}
