//! Accounts with several passwords.

use countersign::digest::{Ha1, HashFunction};
use countersign::server::Reason;

use super::WRONG;
use crate::support::basic_header;
use crate::support::server::{REALM, Service, USER, Why, ha1, realm};

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
