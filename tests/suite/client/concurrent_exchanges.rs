//! Several requests of one client, or of one program, at a time.

use std::collections::BTreeMap;
use std::mem;

use countersign::client::{
    Account, AuthCache, Client, Endpoint, Exchange, Next, Policy, ServerProof,
};
use countersign::{Challenge, EntityBody, FieldValue, Target, challenges};
use proptest::prelude::*;

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, Sends, Sent, USER, ask_of, challenge, client, skipped,
};
use crate::support::effort::cases;

#[test]
fn clients_and_exchanges_are_send_and_sync() {
    fn send_sync<T: Send + Sync + 'static>() {}
    send_sync::<Client>();
    send_sync::<Exchange>();
    send_sync::<AuthCache>();
    send_sync::<Next>();
    send_sync::<FieldValue>();
}

/// A program can keep the asks that its user declined, and not prompt for them again.
#[test]
fn asks_are_equal_if_they_are_for_the_same_login() {
    let ask = |client: &mut Client, challenge: &str| {
        let mut exchange = Exchange::new();
        client.sends(&mut exchange, &Target::new("GET", "/"));
        let next = client.challenged(&mut exchange, challenges([challenge]));
        ask_of(&next).expect("a login is asked for").clone()
    };
    let mut here = client(Policy::new());
    let first = ask(&mut here, CHALLENGE);
    assert_eq!(first, ask(&mut here, CHALLENGE));
    assert_ne!(first, ask(&mut here, &CHALLENGE.replace("\"r\"", "\"x\"")));
    assert_eq!(first, ask(&mut here, CHALLENGE));
    here.login(&first, &Account::new(USER, "wrong")).unwrap();
    let again = ask(&mut here, CHALLENGE);
    assert_ne!(first, again);
    here.login(&again, &Account::new(USER, "also wrong"))
        .unwrap();
    // Both are for the user's second thought, but of different passwords.
    assert_ne!(again, ask(&mut here, CHALLENGE));
    let other_hash = CHALLENGE.replace("SHA-256", "SHA-512-256");
    let mut elsewhere = client(Policy::new());
    for other in [other_hash.as_str(), r#"Basic realm="r""#] {
        assert_ne!(ask(&mut elsewhere, CHALLENGE), ask(&mut elsewhere, other));
    }
}

/// The password of one realm, typed while another was challenged, goes to its own.
#[test]
fn a_password_goes_to_the_challenge_that_it_was_asked_for() {
    let mut client = client(Policy::new());
    let (mut a, mut b) = (Exchange::new(), Exchange::new());
    let (at_a, at_b) = (Target::new("GET", "/a"), Target::new("GET", "/b"));
    assert_eq!(client.sends(&mut a, &at_a), None);
    assert_eq!(client.sends(&mut b, &at_b), None);
    let asked = client.challenged(&mut a, challenges([CHALLENGE]));
    let _ = client.challenged(&mut b, challenges([r#"Basic realm="b""#]));
    let account = Account::new(USER, PASSWORD).with_basic();
    client.login(ask_of(&asked).unwrap(), &account).unwrap();
    assert_eq!(client.sends(&mut b, &at_b), None);
    let sent = client.sends(&mut a, &at_a).expect("an answer");
    assert_eq!(Sent::read(sent.as_bytes()).get("realm"), "r");
}

/// Two SIP proxies ask in one field, and one of them again.
#[test]
fn each_client_hears_its_own_proxy() {
    let of =
        |realm: &str, nonce: &str| challenge(nonce, "").replace("\"r\"", &format!("{realm:?}"));
    let endpoint = Endpoint::proxy("sips", "example.org", 5061);
    let register = Target::new("REGISTER", "sip:example.org");
    let mut parties = ["p1", "p2"].map(|realm| {
        let client = Client::from_seed(endpoint.clone(), Policy::new(), [7; 32]);
        (realm, client, Exchange::new())
    });
    for nonce in ["n", "m"] {
        let field = [format!(
            "{}, {}, stale=true",
            of("p1", "n"),
            of("p2", nonce)
        )];
        for (realm, client, exchange) in &mut parties {
            let own = |challenge: &Challenge<'_>| match challenge {
                Challenge::Digest(digest) => digest.realm == *realm,
                _ => false,
            };
            let own = challenges(&field).flatten().filter(own).map(Ok);
            let next = client.challenged(exchange, own);
            // The nonce of the first was refused, and is no other.
            let expected = match (*realm, nonce) {
                (_, "n") => Said::Login,
                ("p2", _) => Said::Retry,
                _ => Said::WrongCredentials,
            };
            assert_eq!(Said::from(&next), expected);
            if let Next::Login(ask) = &next {
                client.login(ask, &Account::new(USER, PASSWORD)).unwrap();
            }
            if expected != Said::WrongCredentials {
                let sent = client.sends(exchange, &register).expect("an answer");
                let sent = Sent::read(sent.as_bytes());
                assert_eq!(sent.get("realm"), *realm);
                assert!(sent.is_right(USER, PASSWORD, &register));
            }
        }
    }
}

/// Without a challenge of its own nothing changes, and the exchange goes on.
#[test]
fn no_challenge_of_its_own_changes_nothing() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let none: [&str; 0] = [];
    assert!(skipped(&dialog.challenged(none)).is_empty());
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000002");
}

proptest! {
    #![proptest_config(cases(100))]

    /// A server that wants the counts of each nonce in order, as Squid does, and forty requests at
    /// once, of which one in eight is overtaken by the next. Those refused are sent again together,
    /// and are overtaken again.
    #[test]
    fn requests_that_overtake_each_other_all_get_through(
        overtaken in prop::collection::vec(prop::bool::weighted(0.125), 200),
    ) {
        let Dialog { mut client, .. } = Dialog::logged_in(Policy::new(), CHALLENGE);
        let mut exchanges = vec![Exchange::new(); 40];
        let mut to_send: Vec<_> = (0..exchanges.len()).collect();
        let mut highest = BTreeMap::from([("n1".to_owned(), 0)]);
        let mut overtaken = overtaken.into_iter().cycle();
        while !to_send.is_empty() {
            for &request in &to_send {
                client.sends(&mut exchanges[request], &Target::new("GET", "/"));
            }
            let mut under_way = mem::take(&mut to_send);
            while !under_way.is_empty() {
                let is_overtaken = under_way.len() > 1 && overtaken.next() == Some(true);
                let request = under_way.remove(usize::from(is_overtaken));
                let exchange = &mut exchanges[request];
                let sent = Sent::read(exchange.answer().unwrap().as_bytes());
                let count = u32::from_str_radix(sent.get("nc"), 16).unwrap();
                let highest_count = highest.get_mut(sent.get("nonce")).unwrap();
                if count > *highest_count {
                    *highest_count = count;
                    let none = core::iter::empty::<&str>();
                    let proof = client.completed(exchange, 200, none, EntityBody::Unknown);
                    prop_assert_eq!(proof, Ok(ServerProof::Absent));
                } else {
                    let nonce = format!("n{}", highest.len() + 1);
                    let stale = challenge(&nonce, ", stale=true");
                    highest.insert(nonce, 0);
                    prop_assert_eq!(client.challenged(exchange, challenges([&stale])), Next::Retry);
                    to_send.push(request);
                }
            }
        }
    }
}
