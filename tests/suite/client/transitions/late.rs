//! What came before is answered after it.

use countersign::client::{Endpoint, Policy};

use super::{BASIC, chosen, ready, wrong};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge};

#[test]
fn the_next_nonce_of_an_earlier_nonce_is_ignored() {
    let mut dialog = ready(CHALLENGE);
    dialog.send("/");
    let late = dialog.keep();
    dialog.accepted(r#"nextnonce="n2""#).unwrap();
    dialog.resume(late);
    dialog.accepted(r#"nextnonce="n9""#).unwrap();
    dialog.next_exchange();
    assert_eq!(dialog.send("/").unwrap().get("nonce"), "n2");
}

/// The secret is right, whichever nonce it was that showed it.
#[test]
fn an_accepted_answer_to_an_earlier_nonce_proves_the_secret() {
    let mut dialog = ready(CHALLENGE);
    dialog.send("/");
    let late = dialog.keep();
    dialog.next_exchange();
    dialog.send("/");
    let stale = challenge("n2", ", stale=true");
    assert_eq!(dialog.challenged([&stale]), Said::Retry);
    dialog.resume(late);
    dialog.accepted("").unwrap();
    dialog.next_exchange();
    dialog.send("/");
    assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
}

/// But not for the secret of another login, which took its place.
#[test]
fn an_accepted_answer_of_another_login_proves_nothing() {
    let mut dialog = ready(CHALLENGE);
    dialog.send("/");
    let late = dialog.keep();
    dialog.login_as("Scar", "wrong").unwrap();
    dialog.next_exchange();
    assert_eq!(dialog.send("/"), None);
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
    let now = dialog.keep();
    dialog.resume(late);
    dialog.accepted(r#"nextnonce="n9""#).unwrap();
    dialog.resume(now);
    assert_eq!(dialog.send("/").unwrap().get("nonce"), "n1");
    assert_eq!(dialog.challenged([&challenge("n2", "")]), wrong());
}

/// What was asked for was something else.
#[test]
fn credentials_for_another_realm_are_not_sent_where_they_were_not_asked_for() {
    let inside = |realm: &str| {
        let value = challenge("n", r#", domain="/in""#);
        value.replace("\"r\"", &format!("\"{realm}\""))
    };
    let mut dialog = ready(&inside("r"));
    let asked = dialog.keep();
    dialog.next_exchange();
    assert_eq!(dialog.challenged([&inside("s")]), Said::Login);
    dialog.login();
    assert_eq!(dialog.would_send("/out").unwrap().get("realm"), "s");
    // Each exchange is given what it was asked for, wherever that was.
    dialog.resume(asked);
    assert_eq!(dialog.would_send("/out").unwrap().get("realm"), "r");
    assert_eq!(dialog.would_send_unasked("/out"), None);
}

/// The login was given for Digest, and the realm wants Basic by now.
#[test]
fn what_was_asked_for_digest_is_not_answered_by_basic() {
    let mut dialog = chosen(CHALLENGE);
    let asked = dialog.keep();
    dialog.next_exchange();
    assert!(dialog.send("/basic/only").is_none());
    assert_eq!(dialog.challenged([BASIC]), Said::Login);
    dialog.login();
    assert_eq!(dialog.would_send("/basic/only").unwrap().scheme, "Basic");
    dialog.resume(asked);
    assert_eq!(dialog.send("/elsewhere"), None);
}

/// The documentation asks for a separate exchange for each client; here they share one.
#[test]
fn what_a_proxy_asked_for_is_not_sent_to_the_origin() {
    let value = challenge("n", r#", domain="/in""#);
    let mut origin = ready(&value);
    let endpoint = Endpoint::proxy("https", "example.com", 443);
    let mut proxy = Dialog::at(&endpoint, Policy::new());
    assert_eq!(proxy.challenged([&value]), Said::Login);
    origin.exchange = proxy.exchange;
    assert_eq!(origin.send("/out"), None);
}

#[test]
fn a_basic_space_is_that_of_its_realm() {
    let mut dialog = ready(BASIC);
    dialog.send("/a/b").unwrap();
    dialog.accepted("").unwrap();
    // The same realm, another password: the same space.
    dialog.next_exchange();
    dialog.send("/a/b");
    assert_eq!(dialog.challenged([BASIC]), wrong());
    dialog.login_as("Scar", "Be prepared").unwrap();
    assert!(dialog.would_send_unasked("/a/c").is_some());
    // Another realm has a space of its own.
    dialog.next_exchange();
    dialog.send("/b/c");
    assert_eq!(dialog.challenged([r#"Basic realm="s""#]), Said::Login);
    dialog.login();
    let of_scar = dialog.would_send_unasked("/a/c").unwrap();
    assert_ne!(dialog.would_send_unasked("/b/d").unwrap(), of_scar);
    assert_eq!(dialog.would_send_unasked("/c/d"), None);
}
