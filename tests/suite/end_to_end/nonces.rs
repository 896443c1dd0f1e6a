//! How often a nonce is good, and what a new one costs.

use countersign::Target;
use countersign::client::{Exchange, GiveUp, ServerProof};
use countersign::digest::Algorithm;
use countersign::server::{NextNonce, Rejection};

use super::{FIRST, LIFETIME, NONE, browser, realm};
use crate::support::pair::{Pair, Received};

#[test]
fn one_time_nonces() {
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
fn the_next_nonce_comes_in_time() {
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
fn one_refusal_per_lifetime_without_next_nonces() {
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
fn expired_in_transit() {
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
fn expired_in_transit_each_time() {
    let mut pair = Pair::new(realm());
    let mut browser = browser();
    pair.get(&mut browser, "/");
    let target = Target::new("GET", "/");
    let mut exchange = Exchange::new();
    for expected in [
        Received::Again,
        Received::Again,
        Received::Refused(GiveUp::TooManyAnswers),
    ] {
        let value = browser.send(&mut exchange, &target);
        pair.wait(LIFETIME + 1);
        let reply = pair.serve(&target, value.as_deref());
        assert_eq!(browser.receive(&mut exchange, &reply), expected);
    }
    // Its login is still good.
    assert_eq!(pair.get(&mut browser, "/"), NONE);
}

#[test]
fn nonces_bound_to_an_address() {
    let mut pair = Pair::new(realm());
    pair.binding = b"192.0.2.7";
    let mut browser = browser();
    assert_eq!(pair.get(&mut browser, "/"), FIRST);
    pair.binding = b"192.0.2.8";
    assert_eq!(pair.get(&mut browser, "/"), [Rejection::NonceForeign]);
    assert_eq!(pair.get(&mut browser, "/"), NONE);
}
