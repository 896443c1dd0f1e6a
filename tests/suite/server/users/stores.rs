//! Where names are looked up: files, HA1s, accounts and passwords.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use countersign::digest::{Algorithm, Ha1, HashFunction, userhash};
use countersign::server::{Reason, Refusal, Verdict};
use countersign::{Authorization, InvalidText, Target};

use super::WRONG;
use crate::support::digest::hex_len;
use crate::support::server::{
    PASSWORD, REALM, Service, USER, Why, ha1, quoted, realm, response_by_digits,
};

/// Otherwise a map would compare a userhash with all others.
#[test]
fn different_userhashes_have_different_hashes_in_a_map() {
    let state = RandomState::new();
    let hashes: HashSet<u64> = (0..100)
        .map(|user| userhash(HashFunction::Sha256, user.to_string(), REALM))
        .map(|userhash| state.hash_one(userhash))
        .collect();
    assert_eq!(hashes.len(), 100);
}

/// An HA1 of another realm or name is a wrong one; one of another hash function is a fault of the
/// server, of which the client is told no more than of a wrong password.
#[test]
fn an_ha1_is_good_for_one_hash_one_realm_and_one_name() {
    for &algorithm in Algorithm::ALL {
        let service = Service::new(realm().with_algorithms(Algorithm::ALL));
        let mut answer = service.answer();
        answer.algorithm = algorithm;
        let header = answer.header();
        let verify = |ha1: &Ha1| {
            let attempt = service.begin(&header, &answer.target());
            let attempt = attempt.unwrap();
            assert_eq!(attempt.hash_function(), algorithm.hash_function());
            attempt.verify(Some(ha1)).map(|_| ()).why()
        };
        for other in Algorithm::ALL {
            let expected = match other.hash_function() == algorithm.hash_function() {
                true => Ok(()),
                false => Err(Reason::MissingHa1),
            };
            let ha1 = ha1(other.hash_function());
            assert_eq!(verify(&ha1), expected, "{algorithm} {other}");
            let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
                panic!("{header}");
            };
            let response = sent.expected_response(&ha1, &answer.target());
            assert_eq!(response.is_some(), expected.is_ok());
        }
        let hash = algorithm.hash_function();
        for (user, realm, password) in [
            (USER, "other", PASSWORD),
            ("mufasa", REALM, PASSWORD),
            (USER, REALM, "circle of life"),
        ] {
            assert_eq!(verify(&Ha1::new(hash, user, realm, password)), Err(WRONG));
        }
    }
}

/// A hash function that the account has no HA1 of. The response must not tell it from a wrong
/// password, whichever of the ways to say it the store takes, whatever the response and the nonce.
#[test]
fn a_missing_ha1_looks_like_a_wrong_password() {
    // A service each, so that the nonces of their challenges come out the same.
    let refuse = |by_nonce: &str, is_basic: bool, stored: Option<Option<Ha1>>, password: &str| {
        let mut service = Service::new(realm().with_basic());
        let mut answer = service.answer();
        answer.password = password.to_owned();
        match by_nonce {
            "old" => service.wait(301),
            "foreign" => answer.nonce = "foreign".to_owned(),
            _ => {}
        }
        let header = match is_basic {
            true => crate::support::basic_header(USER, password),
            false => answer.header(),
        };
        let target = answer.target();
        let attempt = service.begin(&header, &target).unwrap();
        let verified = attempt.verify_by(stored, |stored, _| stored.as_ref());
        let Refusal {
            status,
            field,
            challenges,
            reason,
            ..
        } = verified.unwrap_err();
        assert_eq!((service.len(), status), (0, 401));
        (reason, (field, challenges))
    };
    for by_nonce in ["ours", "old", "foreign"] {
        for is_basic in [true, false] {
            let right = Some(Some(ha1(HashFunction::Sha256)));
            let (why, seen) = refuse(by_nonce, is_basic, right, "another");
            assert_eq!(why, WRONG);
            for password in [PASSWORD, "wrong"] {
                for stored in [None, Some(None), Some(Some(ha1(HashFunction::Sha512_256)))] {
                    let expected = match stored {
                        None => WRONG,
                        Some(_) => Reason::MissingHa1,
                    };
                    let refused = refuse(by_nonce, is_basic, stored, password);
                    assert_eq!(refused, (expected, seen.clone()), "{by_nonce} {is_basic}");
                }
            }
        }
    }
}

/// What stands in for an HA1 that is missing is the same as for a user who does not exist, and
/// opens no door either.
#[test]
fn the_stand_in_for_a_missing_ha1_never_matches() {
    let service = Service::new(realm());
    for digits in ["0", "f"] {
        let answer = service.answer();
        let target = answer.target();
        let expected = response_by_digits(&digits.repeat(64), &answer);
        let header = answer
            .params()
            .with("response", quoted(&expected))
            .to_string();
        let attempt = service.begin(&header, &target).unwrap();
        let outcome = attempt.verify(Some(ha1(HashFunction::Sha512_256)));
        assert_eq!(outcome.why().unwrap_err(), Reason::MissingHa1);
    }
}

/// Whatever the caller found travels to the grant, by each of the four ways.
#[test]
fn the_account_is_passed_on_to_the_grant() {
    struct Account(u32, Ha1);
    impl AsRef<Ha1> for Account {
        fn as_ref(&self) -> &Ha1 {
            &self.1
        }
    }
    let account = |number| Account(number, ha1(HashFunction::Sha256));
    let service = Service::new(realm().with_basic());
    let basic = crate::support::basic_header(USER, PASSWORD);
    let target = Target::new("GET", "/a?b=c");
    for header in [service.answer().header(), basic.clone()] {
        let begin = || service.begin(&header, &target).unwrap();
        let ways = [
            begin().verify(Some(account(7))),
            begin().verify_by(Some(account(7)), |account, hash| {
                assert_eq!((account.0, hash), (7, HashFunction::Sha256));
                Some(&account.1)
            }),
            begin().verify_password(Some(account(7)), |account| {
                assert_eq!(account.0, 7);
                (USER, PASSWORD)
            }),
        ];
        // Only the first is no replay of a counted request.
        let granted = ways.map(|way| service.auth.admit(way.unwrap()));
        assert_eq!(granted[1].is_ok(), header == basic);
        let [Ok(grant), ..] = &granted else {
            panic!("refused")
        };
        assert_eq!(grant.account().0, 7);
    }
    let digest = service.answer().header();
    let attempt = service.begin(&basic, &target).unwrap();
    let verified = attempt.decide(Verdict::Right(7)).unwrap();
    assert_eq!(*service.auth.admit(verified).unwrap().account(), 7);
    // It may be a borrow, and the account is then that of the store.
    let stored = account(7);
    let attempt = service.begin(&digest, &target).unwrap();
    let verified = attempt.verify(Some(&stored)).unwrap();
    let grant = service.auth.admit(verified).unwrap();
    assert!(std::ptr::eq(*grant.account(), &stored));
}

/// A store of slow hashes decides itself. Only Basic has the password that this takes.
#[test]
fn password_checks_by_the_caller() {
    let service = Service::new(realm().with_basic());
    let target = Target::new("GET", "/a?b=c");
    for (user, password) in [(USER, PASSWORD), ("", ""), ("a", "b:c:")] {
        let header = crate::support::basic_header(user, password);
        let begin = || {
            let attempt = service.begin(&header, &target);
            attempt.unwrap()
        };
        let pair = begin().basic().cloned().unwrap();
        assert_eq!(pair.username(), user.as_bytes());
        assert_eq!(pair.password(), password.as_bytes());
        assert!(pair.matches(user, password));
        assert!(!pair.matches(user, "x") && !pair.matches("x", password));
        assert_eq!(begin().claimed_user().name(), Some(user));
        assert_eq!(begin().required_body_hash_function(), None);
        assert!(begin().decide(Verdict::Right(())).is_ok());
        assert_eq!(
            begin().decide(Verdict::<()>::Wrong).why().unwrap_err(),
            WRONG
        );
    }
    let header = service.answer().header();
    for verdict in [Verdict::Right(()), Verdict::Wrong] {
        let attempt = service.begin(&header, &target);
        let attempt = attempt.unwrap();
        assert!(attempt.basic().is_none());
        assert_eq!(attempt.decide(verdict).why().unwrap_err(), WRONG);
    }
}

/// Basic is compared by an HA1 of the first algorithm's hash, whatever that is.
#[test]
fn basic_verifies_against_a_digest_ha1() {
    for algorithms in Algorithm::ALL.iter().map(|it| vec![*it]).chain([vec![]]) {
        let server = realm().with_basic().with_algorithms(&algorithms);
        let service = Service::new(server);
        let expected = algorithms
            .first()
            .map_or(HashFunction::Sha256, |it| it.hash_function());
        let target = Target::new("GET", "/a?b=c");
        for (password, right) in [(PASSWORD, true), ("wrong", false), ("", false)] {
            let header = crate::support::basic_header(USER, password);
            let attempt = service.begin(&header, &target);
            assert_eq!(attempt.unwrap().hash_function(), expected);
            let grant = service.grant(&header, &target);
            assert_eq!(grant.is_ok(), right, "{password}");
            // As often as you like: nothing counts it.
            let again = service
                .grant(&header, &target)
                .map(|grant| {
                    assert!(grant.qop().is_none());
                    assert_eq!((grant.algorithm(), grant.qop()), (None, None));
                    grant.claimed_user().name() == Some(USER)
                })
                .why();
            assert_eq!(again, right.then_some(true).ok_or(WRONG));
        }
        let header = crate::support::basic_header("nobody", PASSWORD);
        let outcome = service.grant(&header, &target).map(|_| ()).why();
        assert_eq!(outcome, Err(WRONG));
    }
}

/// The default of a column is a secret that everybody knows.
#[test]
fn an_ha1_of_zeros_is_none() {
    for &hash in HashFunction::ALL {
        let zeros = "0".repeat(hex_len(hash));
        assert_eq!(Ha1::from_hex(hash, &zeros), Err(InvalidText::Zeros));
        assert!(Ha1::from_hex(hash, &zeros.replacen('0', "1", 1)).is_ok());
    }
}
