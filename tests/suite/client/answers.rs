//! Answers that have something in common with the one before.

use countersign::client::{Account, Client, Exchange, Field, Next, Policy};
use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::{Authorization, Challenge, EntityBody, Target, challenges, raw_challenges};

use crate::support::client::client;

/// Makes three answers, the first in this exchange, and checks that each is for this challenge, login
/// and request-target.
fn answers(client: &mut Client, first: Exchange, challenge: &str, password: &str, uri: &str) {
    let Some(Ok(Challenge::Digest(asked))) = challenges([challenge]).next() else {
        panic!("{challenge}");
    };
    for mut exchange in [first, Exchange::new(), Exchange::new()] {
        let target = Target::new("GET", uri);
        let Ok(Field::Set(value)) = client.authorize(&mut exchange, &target) else {
            panic!("no answer to {challenge}");
        };
        let Ok(Authorization::Digest(sent)) = Authorization::parse(value) else {
            panic!("{value:?}");
        };
        let same =
            (sent.realm, sent.nonce, sent.opaque) == (asked.realm, asked.nonce, asked.opaque);
        assert!(same, "{challenge}");
        let spelled = |header: &str| {
            let raw = raw_challenges([header]).next().unwrap().unwrap();
            raw.param("algorithm")
                .unwrap()
                .to_str()
                .unwrap()
                .into_owned()
        };
        assert_eq!(spelled(value.to_str().unwrap()), spelled(challenge));
        let hash = asked.algorithm().hash_function();
        let name = match asked.userhash {
            Some(true) => User::Hash(userhash(hash, "Mufasa", asked.realm)),
            _ => User::from("Mufasa"),
        };
        assert_eq!(sent.user(), name);
        let ha1 = Ha1::new(hash, "Mufasa", asked.realm, password);
        let expected = sent.expected_response(&ha1, &target);
        assert_eq!(expected, Some(sent.response), "{challenge}");
        assert_eq!(sent.to_field_value(), *value);
        let none = |_| std::iter::empty::<&str>();
        let done = client.received(&mut exchange, 200, none, EntityBody::Unknown);
        assert!(matches!(done, Ok(Next::Done(_))));
    }
}

fn challenged(client: &mut Client, challenge: &str, password: &str) -> Exchange {
    let mut exchange = Exchange::new();
    if let Next::Login(ask) = client.challenged(&mut exchange, challenges([challenge])) {
        client
            .login(&ask, &Account::new("Mufasa", password))
            .unwrap();
    }
    exchange
}

#[test]
fn nothing_of_an_answer_outlives_what_it_was_made_from() {
    const FIRST: &str = r#"Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth", opaque="o""#;
    let changes = [
        ("realm=\"r\"", "realm=\"q\""),
        ("realm=\"r\"", r#"realm="\"r\"""#),
        ("nonce=\"n\"", "nonce=\"m\""),
        ("opaque=\"o\"", "opaque=\"p\""),
        (", opaque=\"o\"", ""),
        ("nonce=\"n\", ", "nonce=\"no\", "),
        ("algorithm=SHA-256", "algorithm=sha-256"),
        ("algorithm=SHA-256", "algorithm=SHA-256-sess"),
        ("algorithm=SHA-256", "algorithm=SHA-512-256"),
        ("qop=\"auth\"", "qop=\"auth\", userhash=true"),
        ("", ""),
    ];
    for (from, to) in changes {
        let second = FIRST.replacen(from, to, 1);
        for password in ["Circle of Life", "Hakuna Matata"] {
            let client = &mut client(Policy::new());
            let mut first = challenged(client, FIRST, "Circle of Life");
            for uri in ["/", "/longer?a=b", "/a\"b\\", "/"] {
                answers(client, first, FIRST, "Circle of Life", uri);
                first = Exchange::new();
            }
            if password != "Circle of Life" {
                client.logout();
            }
            let first = challenged(client, &second, password);
            answers(client, first, &second, password, "/");
            // And back.
            let first = challenged(client, FIRST, password);
            answers(client, first, FIRST, password, "/a");
        }
    }
}

#[test]
fn an_answer_that_covers_its_body_has_no_form_of_one_that_does_not() {
    const BOTH: &str = r#"Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth,auth-int""#;
    let client = &mut client(Policy::new().prefer_auth_int());
    let mut exchange = challenged(client, BOTH, "Circle of Life");
    let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "r", "Circle of Life");
    for body in [EntityBody::Unknown, EntityBody::Bytes(b"b")].repeat(3) {
        let target = Target::new("PUT", "/").with_body(body);
        let Ok(Field::Set(value)) = client.authorize(&mut exchange, &target) else {
            panic!("no answer");
        };
        let Ok(Authorization::Digest(sent)) = Authorization::parse(value) else {
            panic!("{value:?}");
        };
        let expected = sent.expected_response(&ha1, &target);
        assert_eq!(expected, Some(sent.response), "{body:?}");
        let done = client.completed(&mut exchange, 200, [""; 0].iter(), EntityBody::Unknown);
        assert!(done.is_ok());
        exchange = Exchange::new();
    }
}
