//! Servers that start again, with the key they had or another.

use countersign::client::Policy;
use countersign::server::{Authenticator, Rejection};

use super::{FIRST, LIFETIME, NONE, browser, is_forgotten, realm, with_key};
use crate::support::pair::{Browser, Pair};
use crate::support::server::{nonce_key, saved};

#[test]
fn restart_with_a_new_key() {
    let mut pair = Pair::new(realm());
    let mut browsers = [browser(), Browser::of(1, Policy::new())];
    for browser in &mut browsers {
        assert_eq!(pair.get(browser, "/"), FIRST);
    }
    pair.auth = with_key(&pair.realm, 2);
    for browser in &mut browsers {
        assert_eq!(pair.get(browser, "/"), [Rejection::NonceForeign]);
        assert_eq!(pair.get(browser, "/"), NONE);
    }
}

#[test]
fn restart_with_the_same_key() {
    let restarted = |pair: &mut Pair| {
        let saved = saved(1, pair.now);
        pair.auth = Authenticator::from_saved(pair.realm.clone(), saved, 100);
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
    let rotate = |pair: &mut Pair, n| pair.auth.rotate(nonce_key(n));
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
fn switch_to_another_server() {
    let mut pairs = [1, 2].map(|n| {
        let mut pair = Pair::new(realm());
        pair.auth = with_key(&pair.realm, n);
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
