//! Several requests of one client, or of one program, at a time.

use std::collections::BTreeMap;
use std::mem;

use countersign::client::{Account, Client, Exchange, Next, Policy, ServerProof};
use countersign::{EntityBody, Target, challenges};
use proptest::prelude::*;

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Sends, Sent, USER, ask_of, challenge, client,
};
use crate::support::effort::cases;

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
