//! Algorithms, qop values, user names and realms of every kind.

use countersign::client::{Exchange, Policy};
use countersign::digest::{Algorithm, QopSet};
use countersign::{EntityBody, Target};

use super::{FIRST, browser, realm};
use crate::support::client::Sent;
use crate::support::pair::{Browser, Pair, USERS};

/// Every algorithm, qop and form of the user name: one refusal, and none from then on.
#[test]
fn every_algorithm_qop_and_user_name() {
    let mut granted = 0;
    for &algorithm in Algorithm::ALL {
        for qop in [QopSet::AUTH, QopSet::AUTH_INT, QopSet::BOTH] {
            for policy in [
                Policy::new(),
                Policy::new().prefer_auth_int(),
                Policy::new().with_quirk(countersign::client::Quirk::NoUserhash),
            ] {
                for user in 0..USERS.len() {
                    for hashed in [false, true] {
                        if qop == QopSet::AUTH_INT && algorithm.to_string().starts_with("MD5") {
                            continue;
                        }
                        let server = realm().with_algorithms(&[algorithm]).with_qop(qop);
                        let mut pair = Pair::new(server.with_userhash(hashed));
                        let mut browser = Browser::of(user, policy);
                        for request in 0..4 {
                            let body = EntityBody::Bytes(b"a=1");
                            let target = Target::new("POST", "/form?x").with_body(body);
                            let reasons = pair.drive(&mut browser, &target);
                            let expected = &FIRST[..usize::from(request == 0)];
                            assert_eq!(reasons, expected, "{algorithm} {qop:?}");
                            granted += 1;
                            pair.wait(10);
                        }
                    }
                }
            }
        }
    }
    println!("granted, and proved by the server: {granted}");
}

#[test]
fn the_strongest_algorithm_of_several() {
    let realm = realm().with_algorithms(Algorithm::ALL);
    let pair = Pair::new(realm.with_basic());
    let mut browser = browser();
    assert_eq!(pair.get(&mut browser, "/"), FIRST);
    let target = Target::new("GET", "/");
    let value = browser.send(&mut Exchange::new(), &target).unwrap();
    assert_eq!(Sent::read(&value).get("algorithm"), "SHA-512-256");
}
