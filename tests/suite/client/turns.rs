//! Realms of one origin that take turns, and name no `domain`: whose answer a request volunteers.

use std::collections::BTreeMap;

use countersign::client::{Account, Client, Policy};
use countersign::{Target, challenges};

use crate::support::client::{CHALLENGE, PASSWORD, Sent, USER, client};
use countersign::client::{Exchange, Next};

fn with_accounts(policy: Policy, realms: &[&str]) -> Client {
    let account = |realm: &&str| Account::new(USER, PASSWORD).for_realm(*realm);
    realms.iter().fold(client(policy), |client, realm| {
        client.with_account(account(realm)).unwrap()
    })
}

/// A server in which each path is of a realm, and the messages that a request takes.
fn messages(client: &mut Client, realm: &str, path: &str, nonces: &mut u32) -> u32 {
    let mut exchange = Exchange::new();
    for message in 1.. {
        let field = client.authorize(&mut exchange, &Target::new("GET", path));
        let sent = field.unwrap().for_new_request();
        let sent = sent.map(|it| Sent::read(it.as_bytes()));
        if sent.is_some_and(|sent| sent.get("realm") == realm) {
            let none = std::iter::empty::<&str>();
            let body = countersign::EntityBody::Unknown;
            let accepted = client.completed(&mut exchange, 200, none, body);
            assert!(accepted.is_ok());
            return message;
        }
        *nonces += 1;
        let value = CHALLENGE
            .replace("\"r\"", &format!("{realm:?}"))
            .replace("\"n1\"", &format!("\"{nonces}\""));
        let next = client.challenged(&mut exchange, challenges([&value]));
        assert_eq!(next, Next::Retry, "{path}");
    }
    unreachable!("it ends")
}

/// 100 requests to these by turns, each path in its realm.
fn by_turns(turns: &[(&str, &str)]) -> u32 {
    let realms: BTreeMap<_, _> = turns.iter().map(|(realm, _)| (*realm, ())).collect();
    let realms: Vec<_> = realms.into_keys().collect();
    let mut client = with_accounts(Policy::new(), &realms);
    let mut nonces = 0;
    let turns = turns.iter().cycle().take(100);
    let each = turns.map(|(realm, path)| messages(&mut client, realm, path, &mut nonces));
    each.sum()
}

/// An area inside a site took 151 messages for 100 requests, and two pages of one folder 200.
#[test]
fn each_realm_asks_a_few_times_and_then_none_does() {
    for turns in [
        &[("a", "/x"), ("b", "/admin/x")][..],
        &[("a", "/admin/x"), ("b", "/x")],
        &[("a", "/"), ("b", "/admin/")],
        &[("a", "/files"), ("b", "/files/")],
        &[("a", "/files/"), ("b", "/files/x")],
        &[("a", "/files"), ("b", "/files/x")],
        &[("a", "/files"), ("b", "/admin")],
        &[("a", "/files"), ("b", "/file")],
        &[("a", "/a/x"), ("b", "/b/x")],
        &[("a", "/x?a=1"), ("b", "/y?a=1")],
        &[("a", "/x/y/z"), ("b", "/x/y"), ("c", "/x"), ("d", "/")],
        // Several pages of each, also beside each other.
        &[
            ("a", "/index.html"),
            ("b", "/admin/1"),
            ("a", "/deep/er/page"),
            ("b", "/admin/sub/2"),
            ("a", "/deep/2"),
        ],
        &[("a", "/1"), ("b", "/2"), ("a", "/3"), ("b", "/4")],
        &[("a", "/api/1"), ("b", "/api/2"), ("a", "/api/3")],
        &[("a", "*"), ("b", "/x")],
    ] {
        let messages = by_turns(turns);
        println!("{turns:?}: {messages}");
        assert!(messages <= 110, "{turns:?}: {messages}");
    }
}

/// The realm has another name from now on, also where it named a `domain`.
#[test]
fn the_nonce_of_a_realm_that_is_gone_is_volunteered_twice_at_most() {
    for domain in ["", r#", domain="/""#] {
        let account = Account::new(USER, PASSWORD);
        let mut client = client(Policy::new()).with_account(account).unwrap();
        let mut exchange = Exchange::new();
        let next = client.challenged(&mut exchange, challenges([&format!("{CHALLENGE}{domain}")]));
        assert_eq!(next, Next::Retry);
        let mut nonces = 0;
        assert_eq!(messages(&mut client, "r", "/a/1", &mut nonces), 1);
        let pages = (0..100).map(|n| format!("/a/{n}"));
        let new = pages.map(|page| messages(&mut client, "new", &page, &mut nonces));
        assert!(new.sum::<u32>() <= 102);
    }
}
