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
    for (typed, is_right) in [
        ("first", true),
        ("second", true),
        ("third", true),
        ("fourth", false),
    ] {
        for age in [0, 301] {
            let mut service = Service::new(realm().with_basic());
            let mut answer = service.answer();
            answer.password = typed.to_owned();
            let target = answer.target();
            service.wait(age);
            let basic = basic_header(USER, typed);
            for (header, is_old) in [(answer.header(), age > 0), (basic, false)] {
                let attempt = service.begin(&header, &target).unwrap();
                let verified = attempt.verify(&secrets);
                let granted = verified.and_then(|verified| service.auth.admit(verified));
                let account = granted.map(|grant| grant.account().as_hex()).why();
                let expected = match (is_right, is_old) {
                    (true, false) => Ok(of(typed)),
                    (true, true) => Err(Reason::NonceExpired),
                    (false, _) => Err(WRONG),
                };
                assert_eq!(
                    account,
                    expected.as_ref().map(Ha1::as_hex).map_err(|it| *it)
                );
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
