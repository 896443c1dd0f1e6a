//! Wrong passwords, other users and other realms.

use countersign::Target;
use countersign::client::GiveUp;
use countersign::server::{Realm, Rejection};

use super::{FIRST, NONE, browser, realm, with_key};
use crate::support::pair::{Pair, USERS};

#[test]
fn a_wrong_password_costs_one_more_refusal() {
    let mut pair = Pair::new(realm());
    let mut browser = browser();
    browser.password = "wrong";
    let trip = pair.drive(&mut browser, &Target::new("GET", "/"));
    assert_eq!(trip.rejections, [FIRST[0], Rejection::WrongCredentials]);
    assert!(matches!(trip.refused, Some(GiveUp::WrongCredentials(_))));
    // The next exchange asks the user again.
    browser.password = USERS[0].1;
    assert_eq!(pair.get(&mut browser, "/"), FIRST);
    assert_eq!(pair.get(&mut browser, "/"), NONE);
}

#[test]
fn another_user_on_one_client() {
    let mut pair = Pair::new(realm());
    let mut browser = browser();
    assert_eq!(pair.get(&mut browser, "/"), FIRST);
    for (name, password) in USERS {
        (browser.user, browser.password) = (name, password);
        browser.client.logout();
        // Its nonce is gone with the user it was for.
        assert_eq!(pair.get(&mut browser, "/"), FIRST);
        assert_eq!(pair.get(&mut browser, "/"), NONE);
    }
}

#[test]
fn another_realm_needs_another_login() {
    let mut pair = Pair::new(realm());
    let mut browser = browser();
    pair.get(&mut browser, "/");
    pair.realm = Realm::new("other files").unwrap();
    pair.auth = with_key(&pair.realm, 1);
    assert_eq!(pair.get(&mut browser, "/"), [Rejection::RealmMismatch]);
    assert_eq!(pair.get(&mut browser, "/"), NONE);
}
