//! Nonces that were foreign, old, malformed or forgotten, and the keys behind them.

use std::collections::HashSet;

use countersign::server::{NonceKey, Quirk, Realm, Rejection};

use super::{FOREIGN, REPLAYED, is_forgotten, service};
use crate::support::server::{Answer, Seeded, Service, nonce_key, realm, texts};

/// httpd: a nonce good for one use was good again when its entry had made room for others.
#[test]
fn cve_2026_73636_what_is_forgotten_is_not_fresh() {
    for (server, qop) in [
        (realm(), Some("auth")),
        (realm().with_one_time_nonces(true), Some("auth")),
        (realm().with_quirks(&[Quirk::Rfc2069]), None),
    ] {
        let mut service = Service::new(server).with_capacity(4);
        let mut answer = service.answer();
        answer.qop = qop;
        assert_eq!(service.take(&answer), Ok(()));
        for _ in 0..4 {
            assert_eq!(service.take(&answer), REPLAYED);
            service.now = service.now.plus_millis(1);
            let other = service.answer();
            assert_eq!(service.take(&other), Ok(()));
        }
        for nc in [1, 2, 100, u32::MAX] {
            let again = answer.counted(nc);
            let refused = service.respond(again.header(), &again).unwrap_err();
            assert!(is_forgotten(Err(refused.why)), "{refused:?}");
            assert!(refused.is_stale());
        }
    }
}

/// httpd: nonces were made without a secret in some configurations, so those of one server were
/// good on another. Here a key must be given.
#[test]
fn cve_2018_1312_two_servers_two_keys() {
    let one = service();
    let other = service().with_seed([2; 32]);
    let answer = one.answer();
    assert_eq!(other.take(&answer), FOREIGN);
    assert_eq!(one.take(&answer), Ok(()));

    // Nor does one key make the same nonces for two realms.
    let another_realm = Service::new(Realm::new("other").unwrap());
    let answer = another_realm.answer();
    assert_eq!(one.take(&answer), FOREIGN);
}

/// lighttpd: the check of the nonce was no check until 2024, which no test with the right key
/// could see.
#[test]
fn lighttpd_3bc0bc2f_a_nonce_fails_under_any_different_key() {
    let service = service();
    let answer = service.answer();
    for bit in 0..256 {
        let mut key = [1; 32];
        key[bit / 8] ^= 1 << (bit % 8);
        let other = self::service().with_seed(key);
        assert_eq!(other.take(&answer), FOREIGN, "bit {bit}");
        // Not even as the previous one, which is for nonces of its own.
        other.auth.rotate(nonce_key(2));
        assert_eq!(other.take(&answer), FOREIGN, "bit {bit}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// httpd: when its shared memory was full, a null pointer was followed.
#[test]
fn cve_2016_2161_no_room_is_an_outcome() {
    let service = service().with_capacity(0);
    for _ in 0..3 {
        let answer = service.answer();
        assert!(is_forgotten(service.take(&answer)));
    }
    assert!(service.len() == 0);

    let mut service = service.with_capacity(1);
    let first = service.answer();
    assert_eq!(service.take(&first), Ok(()));
    service.now = service.now.plus_millis(1);
    let second = service.answer();
    assert_eq!(service.take(&second), Ok(()));
    let first = first.counted(2);
    let forgotten = service.respond(first.header(), &first).unwrap_err();
    assert!(is_forgotten(Err(forgotten.why)));
    assert!(forgotten.is_stale());
    let again = Answer::to(&forgotten.nonce());
    assert_eq!(service.take(&again), Ok(()));
    assert_eq!(service.len(), 1);
}

/// httpd: one NUL was written past the end of a buffer when a nonce was decoded.
#[test]
fn cve_2020_35452_nonces_of_every_length() {
    let service = service();
    let nonce = service.nonce();
    let longer = nonce.repeat(3);
    for length in 0..=longer.len() {
        let cut = Answer::to(&longer[..length]);
        let expected = if length == nonce.len() {
            Ok(())
        } else {
            FOREIGN
        };
        assert_eq!(service.take(&cut), expected, "{length}");
        for filler in ["A", "=", "!", " "] {
            let filled = Answer::to(&filler.repeat(length));
            assert_eq!(service.take(&filled), FOREIGN, "{length} of {filler}");
        }
        let padded = Answer::to(&format!("{nonce}{}", "=".repeat(length + 1)));
        assert_eq!(service.take(&padded), FOREIGN, "{length}");
    }
}

/// Tomcat: the key of the nonces stood in the source, so anyone could make them.
#[test]
fn cve_2011_5064_no_key_is_known_beforehand() {
    let service = service().with_seed(NonceKey::random(&mut Seeded(3)).unwrap().to_bytes());
    for key in [[0; 32], [0xff; 32]] {
        let maker = self::service().with_seed(key);
        let answer = maker.answer();
        assert_eq!(service.take(&answer), FOREIGN);
    }
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
}

/// Tomcat: a nonce that was too old was let pass.
#[test]
fn cve_2012_5887_an_old_nonce_is_stale() {
    let mut service = service();
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
    service.wait(300);
    assert_eq!(service.take(&answer.counted(2)), Ok(()));
    service.now = service.now.plus_millis(1);
    let old = answer.counted(3);
    let refused = service.respond(old.header(), &old).unwrap_err();
    assert_eq!(refused.why, Rejection::NonceExpired);
    let values = texts(&refused.refusal);
    assert!(!values.is_empty());
    assert!(values.iter().all(|value| value.contains(", stale=true")));
}

/// libsoup: the nonce was not looked at, only that the count was not zero.
#[test]
fn cve_2026_3099_a_nonce_must_be_authentic_and_fresh() {
    let mut service = service();
    let old = service.answer();
    service.wait(301);
    for nc in [1, 2, u32::MAX] {
        assert_eq!(service.take(&old.counted(nc)), Err(Rejection::NonceExpired));
        for nonce in ["", "1700000000", "0000018bcfe56800:", "dcd98b7102dd2f0e"] {
            assert_eq!(service.take(&Answer::to(nonce).counted(nc)), FOREIGN);
        }
    }
    assert!(service.len() == 0);
}

/// Squid: a nonce was an address in memory. Here it is made of the key, the time and what the
/// generator gives, and of nothing else.
#[test]
fn cve_2019_18679_a_nonce_shows_nothing_of_the_process() {
    let elsewhere = service();
    let service = service();
    assert_eq!(service.nonce(), elsewhere.nonce());
    let nonces: HashSet<String> = (0..1000).map(|_| service.nonce()).collect();
    assert_eq!(nonces.len(), 1000, "in one millisecond");
}
