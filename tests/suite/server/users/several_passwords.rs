//! Accounts with several passwords.

use countersign::digest::{Ha1, HashFunction};
use countersign::server::Reason;

use super::WRONG;
use crate::support::server::{REALM, Service, USER, ha1, realm};

/// One of several passwords gets in, and where it stands changes nothing: a right response with an
/// old nonce is refused as stale, also if wrong passwords come after it.
#[test]
fn one_of_several_passwords() {
    let of = |password| Ha1::new(HashFunction::Sha256, USER, REALM, password);
    let passwords = ["first", "second", "third"];
    let secrets = passwords.map(of);
    for typed in ["first", "second", "third", "fourth"] {
        for (age, by_nonce) in [(0, Ok(())), (301, Err(Reason::NonceExpired))] {
            let mut service = Service::new(realm().with_basic());
            let mut answer = service.answer();
            answer.password = typed.to_owned();
            let target = answer.target();
            service.wait(age);
            let basic = crate::support::basic_header(USER, typed);
            for (header, otherwise) in [(answer.header(), by_nonce), (basic, Ok(()))] {
                let attempt = service.begin(&header, &target).unwrap();
                let outcome = attempt.verify(&secrets);
                let expected = match passwords.contains(&typed) {
                    true => otherwise,
                    false => Err(WRONG),
                };
                match outcome {
                    Ok(verified) => {
                        let grant = service.auth.admit(verified).unwrap();
                        assert_eq!(**grant.account(), of(typed));
                        assert_eq!(expected, Ok(()));
                    }
                    Err(rejected) => assert_eq!(Err(rejected.reason), expected, "{typed}"),
                }
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
    let basic = crate::support::basic_header(USER, "wrong");
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
