//! Clocks that are set back or forward.

use countersign::Target;
use countersign::client::{Exchange, Policy, ServerProof};
use countersign::server::Rejection;

use super::{FIRST, LIFETIME, NONE, browser, is_forgotten, realm};
use crate::support::pair::{Browser, Pair, Received};
use crate::support::server::issue_floor;

#[test]
fn clock_set_back() {
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
fn clock_set_forward() {
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
fn clock_set_back_with_a_full_table() {
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
fn the_nonce_sent_with_a_stale_or_foreign_refusal_is_good() {
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
    assert_eq!(issue_floor(&pair.auth), pair.now);
    assert_eq!(pair.auth.len(), 100);
}

/// What follows an old nonce is good for one that was in use, too.
#[test]
fn the_nonce_sent_with_a_replay_refusal_is_good() {
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
