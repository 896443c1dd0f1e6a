//! User names, several passwords, and the stores that accounts are looked up in. Every way to write a name
//! of each kind of store is in `server::model`.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use countersign::digest::{Algorithm, Ha1, HashFunction, User, userhash};
use countersign::server::{Reason, Verdict};
use countersign::{Authorization, InvalidText, Target};

use crate::support::basic_header;
use crate::support::digest::hex_len;
use crate::support::server::{
    PASSWORD, REALM, Service, USER, Why, ha1, octets_with_response, quoted, realm,
    response_by_digits,
};

const WRONG: Reason = Reason::WrongCredentials;

/// Clients that know nothing of UTF-8 send the name in ISO-8859-1, and hash it so.
#[test]
fn names_not_in_utf_8() {
    let service = Service::new(realm().with_basic());
    let answer = service.answer();
    let octets = b"J\xe4s\xf8n".as_slice();
    let stored = Ha1::new(HashFunction::Sha256, octets, REALM, PASSWORD);
    let utf_8 = Ha1::new(HashFunction::Sha256, "Jäsøn", REALM, PASSWORD);
    let params = answer.params().with("username", "\"J\u{e4}s\u{f8}n\"");
    let digest = octets_with_response(params, &stored, &answer.target());
    let basic = basic_header(octets, PASSWORD);
    for header in [&digest, basic.as_bytes()] {
        let begin = || service.begin(header, &answer.target()).unwrap();
        let user = begin().claimed_user();
        assert_eq!(user, User::Octets(octets.into()));
        assert_eq!(user.name(), None);
        assert!(begin().verify(Some(&stored)).is_ok());
        // The same name in UTF-8 is another.
        assert_eq!(begin().verify(Some(&utf_8)).why().unwrap_err(), WRONG);
    }
}

/// In a log: one line, quoted, so that a name can be told from a hash and from what follows.
#[test]
fn users_are_written_on_one_line() {
    let hashed = userhash(HashFunction::Sha256, USER, REALM);
    let hash = format!("userhash:{hashed}");
    for (user, expected) in [
        (User::Name("Mufasa".into()), r#""Mufasa""#),
        (User::Name("O'Brien ÄÖ😀".into()), r#""O'Brien ÄÖ😀""#),
        (User::Name("".into()), r#""""#),
        (
            User::Name("a\r\nb\t\0\x1b[31m".into()),
            r#""a\r\nb\t\0\u{1b}[31m""#,
        ),
        (User::Name("\" \\ userhash:".into()), r#""\" \\ userhash:""#),
        // A next line, a line separator, and one that turns what follows around.
        (
            User::Name("\u{85}\u{2028}\u{202e}".into()),
            r#""\u{85}\u{2028}\u{202e}""#,
        ),
        (User::Octets(b"J\xe4\n\"".into()), r#"b"J\xe4\n\"""#),
        (User::Hash(hashed), &*hash),
    ] {
        assert_eq!(user.to_string(), expected);
    }
}

/// One of several passwords gets in, and where it stands changes nothing: a right response with an
/// old nonce is refused as stale, also if wrong passwords come after it.
#[test]
fn one_of_several_passwords() {
    let of = |password| Ha1::new(HashFunction::Sha256, USER, REALM, password);
    let secrets = ["first", "second", "third"].map(of);
    for typed in ["first", "second", "third", "fourth"] {
        let right = secrets
            .iter()
            .find(|secret| **secret == of(typed))
            .ok_or(WRONG);
        for age in [0, 301] {
            let mut service = Service::new(realm().with_basic());
            let mut answer = service.answer();
            answer.password = typed.to_owned();
            service.wait(age);
            let by_nonce = if age == 0 {
                Ok(())
            } else {
                Err(Reason::NonceExpired)
            };
            let basic = basic_header(USER, typed);
            for (header, by_nonce) in [(answer.header(), by_nonce), (basic, Ok(()))] {
                let attempt = service.begin(&header, &answer.target()).unwrap();
                let verified = attempt.verify(&secrets);
                let granted = verified.and_then(|verified| service.auth.admit(verified));
                let account = granted.map(|grant| *grant.account()).why();
                let expected = right.and_then(|right| by_nonce.map(|()| right));
                assert!(account == expected, "{typed} {age}");
            }
        }
    }
}

#[test]
fn the_reason_when_none_of_several_passwords_is_right() {
    let service = Service::new(realm().with_basic());
    let mut answer = service.answer();
    answer.password = "wrong".to_owned();
    let (digest, target) = (answer.header(), answer.target());
    let basic = basic_header(USER, "wrong");
    let (usable, other) = (ha1(HashFunction::Sha256), ha1(HashFunction::Sha512_256));
    let cases: [(&[_], _); 6] = [
        (&[], WRONG),
        (&[&usable], WRONG),
        (&[&other], Reason::MissingHa1),
        (&[&other, &other], Reason::MissingHa1),
        (&[&usable, &other], WRONG),
        (&[&other, &usable], WRONG),
    ];
    for header in [&digest, &basic] {
        for (secrets, expected) in cases {
            let attempt = service.begin(header, &target).unwrap();
            let rejected = attempt.verify(secrets.iter().copied()).unwrap_err();
            assert_eq!(rejected.reason, expected);
        }
    }
}

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
        let hash = algorithm.hash_function();
        let verify = |ha1: &Ha1| {
            let attempt = service.begin(&header, &answer.target()).unwrap();
            assert_eq!(attempt.hash_function(), hash);
            attempt.verify(Some(ha1)).map(drop).why()
        };
        for &other in HashFunction::ALL {
            let is_it = other == hash;
            let expected = is_it.then_some(()).ok_or(Reason::MissingHa1);
            assert_eq!(verify(&ha1(other)), expected, "{algorithm} {other}");
            let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
                panic!("{header}");
            };
            let response = sent.expected_response(&ha1(other), &answer.target());
            assert_eq!(response.is_some(), is_it);
        }
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
            true => basic_header(USER, password),
            false => answer.header(),
        };
        let attempt = service.begin(&header, &answer.target()).unwrap();
        let verified = attempt.verify_by(stored, |stored, _| stored.as_ref());
        let refusal = verified.unwrap_err();
        assert_eq!(service.len(), 0);
        (
            refusal.reason,
            (refusal.status, refusal.field, refusal.challenges),
        )
    };
    let right = || Some(Some(ha1(HashFunction::Sha256)));
    let other = || Some(Some(ha1(HashFunction::Sha512_256)));
    for by_nonce in ["ours", "old", "foreign"] {
        for is_basic in [true, false] {
            let (why, seen) = refuse(by_nonce, is_basic, right(), "another");
            assert_eq!(why, WRONG);
            for password in [PASSWORD, "wrong"] {
                for (stored, why) in [
                    (None, WRONG),
                    (Some(None), Reason::MissingHa1),
                    (other(), Reason::MissingHa1),
                ] {
                    let refused = refuse(by_nonce, is_basic, stored, password);
                    assert_eq!(refused, (why, seen.clone()), "{by_nonce} {is_basic}");
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

/// Whatever the caller found travels to the grant, by each of the ways, of which Basic has one more.
#[test]
fn the_account_is_passed_on_to_the_grant() {
    struct Account(u32, Ha1);
    impl AsRef<Ha1> for Account {
        fn as_ref(&self) -> &Ha1 {
            &self.1
        }
    }
    let account = || Account(7, ha1(HashFunction::Sha256));
    let target = Target::new("GET", "/a?b=c");
    for (is_basic, way) in [false, true]
        .into_iter()
        .flat_map(|it| (0..4).map(move |way| (it, way)))
    {
        let service = Service::new(realm().with_basic());
        let header = match is_basic {
            true => basic_header(USER, PASSWORD),
            false => service.answer().header(),
        };
        let attempt = service.begin(&header, &target).unwrap();
        let verified = match way {
            0 => attempt.verify(Some(account())),
            1 => attempt.verify_by(Some(account()), |account, hash| {
                assert_eq!((account.0, hash), (7, HashFunction::Sha256));
                Some(&account.1)
            }),
            2 => attempt.verify_password(Some(account()), |account| {
                assert_eq!(account.0, 7);
                (USER, PASSWORD)
            }),
            _ => attempt.decide(Verdict::Right(account())),
        };
        let granted = verified.and_then(|verified| service.auth.admit(verified));
        let number = granted.map(|grant| grant.account().0).why();
        let is_taken = is_basic || way < 3;
        assert_eq!(
            number,
            is_taken.then_some(7).ok_or(WRONG),
            "{is_basic} {way}"
        );
    }
    // It may be a borrow, and the account is then the store's.
    let (service, stored) = (Service::new(realm()), account());
    let header = service.answer().header();
    let attempt = service.begin(&header, &target).unwrap();
    let grant = service.auth.admit(attempt.verify(Some(&stored)).unwrap());
    assert!(std::ptr::eq(*grant.unwrap().account(), &stored));
}

/// A store of slow hashes decides itself. Only Basic has the password that this takes.
#[test]
fn password_checks_by_the_caller() {
    let service = Service::new(realm().with_basic());
    let target = Target::new("GET", "/a?b=c");
    for (user, password) in [(USER, PASSWORD), ("", ""), ("a", "b:c:")] {
        let header = basic_header(user, password);
        let attempt = service.begin(&header, &target).unwrap();
        let pair = attempt.basic().cloned().unwrap();
        assert_eq!(pair.username(), user.as_bytes());
        assert_eq!(pair.password(), password.as_bytes());
        assert_eq!(attempt.claimed_user().name(), Some(user));
        assert_eq!(attempt.required_body_hash_function(), None);
        let refused = attempt.decide(Verdict::<()>::Wrong);
        assert_eq!(refused.why().unwrap_err(), WRONG);
    }
    let header = service.answer().header();
    assert!(service.begin(&header, &target).unwrap().basic().is_none());
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
        for (user, password) in [
            (USER, PASSWORD),
            (USER, "wrong"),
            (USER, ""),
            ("nobody", PASSWORD),
        ] {
            let header = basic_header(user, password);
            let attempt = service.begin(&header, &target);
            assert_eq!(attempt.unwrap().hash_function(), expected);
            // As often as you like: nothing counts it.
            for _ in 0..2 {
                let granted = service.grant(&header, &target).map(|grant| {
                    assert!(grant.qop().is_none());
                    assert_eq!((grant.algorithm(), grant.qop()), (None, None));
                });
                let is_right = (user, password) == (USER, PASSWORD);
                assert_eq!(granted.why(), is_right.then_some(()).ok_or(WRONG));
            }
        }
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
