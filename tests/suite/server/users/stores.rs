//! Where names are looked up: files, HA1s, accounts and passwords.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use countersign::digest::{Algorithm, Ha1, HashFunction, userhash};
use countersign::server::{BasicOffer, Rejection, Verdict};
use countersign::{InvalidText, Target};

use super::WRONG;
use crate::support::digest::hex_len;
use crate::support::server::{
    Answer, PASSWORD, REALM, Service, USER, Why, ha1, quoted, realm, response_by_digits,
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
            assert_eq!(attempt.algorithm(), Some(algorithm));
            attempt.verify(Some(ha1)).map(|_| ()).why()
        };
        for other in Algorithm::ALL {
            let expected = match other.hash_function() == algorithm.hash_function() {
                true => Ok(()),
                false => Err(Rejection::MissingHa1),
            };
            assert_eq!(
                verify(&ha1(other.hash_function())),
                expected,
                "{algorithm} {other}"
            );
        }
        let hash = algorithm.hash_function();
        assert_eq!(verify(&Ha1::new(hash, USER, "other", PASSWORD)), Err(WRONG));
        assert_eq!(
            verify(&Ha1::new(hash, "mufasa", REALM, PASSWORD)),
            Err(WRONG)
        );
        assert_eq!(
            verify(&Ha1::new(hash, USER, REALM, "circle of life")),
            Err(WRONG)
        );
    }
}

/// A hash function that the account has no HA1 of. The response must not tell it from a wrong
/// password, whichever of the ways to say it the store takes, whatever the response and the nonce.
#[test]
fn a_missing_ha1_looks_like_a_wrong_password() {
    type Stored = Option<Option<Ha1>>;
    let missing: [Stored; 2] = [Some(None), Some(Some(ha1(HashFunction::Sha512_256)))];
    let mut compared = 0;
    for by_nonce in ["ours", "old", "foreign"] {
        for (scheme, password) in [
            ("Digest", PASSWORD),
            ("Digest", "wrong"),
            ("Basic", PASSWORD),
            ("Basic", "wrong"),
        ] {
            // A service each, so that the nonces of their challenges come out the same.
            let refuse = |stored: &Stored, password: &str| {
                let basic = BasicOffer::Encrypted;
                let mut service = Service::new(realm().with_basic(basic));
                let mut answer = service.answer();
                answer.password = password.to_owned();
                match by_nonce {
                    "old" => service.wait(301),
                    "foreign" => answer.nonce = "foreign".to_owned(),
                    _ => {}
                }
                let header = match scheme {
                    "Basic" => crate::support::basic_header(USER, password),
                    _ => answer.header(),
                };
                let target = answer.target();
                let attempt = service.begin(&header, &target).unwrap();
                let verified = attempt.verify_by(stored.as_ref(), |stored, _| stored.as_ref());
                let rejected = verified.unwrap_err();
                let refusal = service.refusal(&rejected);
                assert_eq!(service.len(), 0);
                (rejected.rejection(), refusal)
            };
            let (why, wrong) = refuse(&Some(Some(ha1(HashFunction::Sha256))), "another");
            assert_eq!(why, WRONG);
            let (why, unknown) = refuse(&None, password);
            assert_eq!(why, WRONG);
            for stored in &missing {
                let (why, refusal) = refuse(stored, password);
                assert_eq!(why, Rejection::MissingHa1, "{scheme} {by_nonce}");
                assert!(why.is_server_fault() && why.is_guess());
                for other in [&wrong, &unknown] {
                    assert_eq!(refusal.status, other.status);
                    assert_eq!(refusal.field, other.field);
                    assert_eq!(refusal.challenges, other.challenges);
                    compared += 1;
                }
                assert_eq!(refusal.status, 401);
                assert!(!refusal.challenges.is_empty());
            }
        }
    }
    assert_eq!(compared, 3 * 4 * 2 * 2);
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
        assert_eq!(outcome.why().unwrap_err(), Rejection::MissingHa1);
    }
}

/// Whatever the caller found travels to the grant, by each of the four ways.
#[test]
fn the_account_is_passed_on_to_the_grant() {
    #[derive(Debug)]
    struct Account {
        number: u32,
        ha1: Ha1,
    }
    impl AsRef<Ha1> for Account {
        fn as_ref(&self) -> &Ha1 {
            &self.ha1
        }
    }
    let account = |number| Account {
        number,
        ha1: ha1(HashFunction::Sha256),
    };
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    let basic = crate::support::basic_header(USER, PASSWORD);
    for number in 0..3 {
        let digest = service.answer().header();
        let target = Target::new("GET", "/a?b=c");
        for header in [&digest, &basic] {
            let begin = || service.begin(header, &target).unwrap();
            let ways = [
                begin().verify(Some(account(number))),
                begin().verify_by(Some(account(number)), |account, hash| {
                    assert_eq!(hash, HashFunction::Sha256);
                    Some(&account.ha1)
                }),
                begin().verify_password(Some(account(number)), |account| {
                    assert_eq!(account.number, number);
                    (USER, PASSWORD)
                }),
            ];
            for way in ways {
                let grant = way.unwrap().dangerous_skip_replay_check();
                assert_eq!(grant.account().number, number);
                let (account, _) = grant.into_parts();
                assert_eq!(account.number, number);
            }
        }
        let attempt = service.begin(&basic, &target).unwrap();
        let verified = attempt.decide(Verdict::Right(number)).unwrap();
        let grant = service.auth.admit(verified).unwrap();
        assert_eq!(*grant.account(), number);
    }
    // It may be a borrow, and the account is then that of the store.
    let stored = account(7);
    let answer = Answer::to(&service.nonce());
    let header = answer.header();
    let attempt = service.begin(&header, &answer.target()).unwrap();
    let verified = attempt.verify(Some(&stored)).unwrap();
    let grant = service.auth.admit(verified).unwrap();
    assert!(std::ptr::eq(*grant.account(), &stored));
}

/// A store of slow hashes decides itself. Only Basic has the password that this takes.
#[test]
fn password_checks_by_the_caller() {
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
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
        assert_eq!(begin().claimed_user().name(), Some(user));
        assert_eq!(begin().algorithm(), None);
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
        let server = realm()
            .with_basic(BasicOffer::Encrypted)
            .with_algorithms(&algorithms);
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
                    assert!(!grant.is_counted());
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
