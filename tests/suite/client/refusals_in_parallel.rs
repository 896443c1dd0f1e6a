//! How often a client sends a secret that is refused, while other requests are under way.

use countersign::challenges;
use std::collections::VecDeque;

use countersign::client::{Account, Client, Exchange, GiveUp, Next, Policy, Readiness};
use proptest::prelude::*;

use super::steps::{self, log_in, responds, sends};
use crate::support::client::{PASSWORD, USER, challenge, client};
use crate::support::effort::cases;

/// The login is there, and gets in.
fn is_logged_in(client: &mut Client) {
    assert_eq!(client.readiness("/"), Readiness::Answer);
    let mut exchange = Exchange::new();
    let next = client.challenged(&mut exchange, challenges([&challenge("asked", "")]));
    assert_eq!(next, Next::Retry);
    assert!(sends(client, &mut exchange, "/"));
    responds(client, &mut exchange, 200);
}

/// A client that was given this password.
fn logged_in(challenge: &str, password: &str) -> Client {
    let mut client = client(Policy::new());
    log_in(&mut client, &mut Exchange::new(), challenge, password);
    client
}

/// A client whose password was accepted where the server had asked.
fn accepted_once(policy: Policy) -> Client {
    steps::accepted_once(policy, &challenge("n0", ""))
}

proptest! {
    #![proptest_config(cases(200))]

    /// The password was changed at the server, which refuses the old one with another nonce each
    /// time. A refusal without `stale` may be about the secret, so few of them are forgiven.
    #[test]
    fn a_changed_password_is_sent_twice_by_each_request(
        count in 1..20_usize,
        places in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let mut client = accepted_once(Policy::new());
        let mut under_way: Vec<_> = (0..count).map(|_| (Exchange::new(), 0)).collect();
        let (mut nonces, mut places) = (0, places.iter().cycle());
        while !under_way.is_empty() {
            for (exchange, answers) in &mut under_way {
                *answers += u32::from(sends(&mut client, exchange, "/"));
                prop_assert!(*answers <= 2);
            }
            let mut refused = Vec::new();
            while !under_way.is_empty() {
                let at = places.next().unwrap().index(under_way.len());
                let (mut exchange, answers) = under_way.swap_remove(at);
                nonces += 1;
                let other = challenge(&format!("n{nonces}"), "");
                if client.challenged(&mut exchange, challenges([&other])) == Next::Retry {
                    refused.push((exchange, answers));
                }
            }
            under_way = refused;
        }
    }
}

/// Two requests are under way at any time, so each refusal is late: another one has replaced the
/// nonce. That must not keep the client from telling that the password was changed.
#[test]
fn a_changed_password_is_told() {
    for under_way in [2, 3, 10] {
        let mut client = accepted_once(Policy::new());
        let mut requests: VecDeque<_> = (0..under_way).map(|_| Exchange::new()).collect();
        for exchange in &mut requests {
            assert!(sends(&mut client, exchange, "/"));
        }
        let mut sent = under_way;
        let told = (0..1000).find(|n| {
            let mut exchange = requests.pop_front().unwrap();
            let other = challenge(&format!("m{n}"), "");
            let next = client.challenged(&mut exchange, challenges([&other]));
            if next != Next::Retry {
                exchange = Exchange::new();
            }
            sent += u32::from(sends(&mut client, &mut exchange, "/"));
            requests.push_back(exchange);
            matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_)))
        });
        assert!(told.is_some());
        assert!(sent <= 6 * under_way, "{sent}");
    }
}

/// A server that forgets its nonces and does not say `stale` refuses all requests under way. That is
/// one event, and says little about the secret.
#[test]
fn a_restart_drops_no_right_password() {
    for max_answers in [1, 2] {
        let policy = Policy::new().with_max_answers(max_answers);
        let mut client = accepted_once(policy);
        let mut under_way: Vec<_> = (0..20).map(|_| Exchange::new()).collect();
        for exchange in &mut under_way {
            assert!(sends(&mut client, exchange, "/"));
        }
        for (n, exchange) in under_way.iter_mut().enumerate() {
            let next = client.challenged(exchange, challenges([&challenge(&format!("m{n}"), "")]));
            let expected = match max_answers {
                1 => Next::GiveUp(GiveUp::TooManyAnswers),
                _ => Next::Retry,
            };
            assert_eq!(next, expected);
        }
        is_logged_in(&mut client);
    }
}

/// The parameters of an answer are refused after a challenge to a request without an answer has
/// brought another nonce. That says nothing about the secret, which nobody has accepted yet.
#[test]
fn late_refusals_of_parameters_say_nothing_about_the_secret() {
    let auth_int = r#"Digest realm="r", nonce="n1", qop="auth-int", algorithm=SHA-256"#;
    let mut client = logged_in(&challenge("n0", ""), PASSWORD);
    let mut exchange = Exchange::new();
    assert!(sends(&mut client, &mut exchange, "/"));
    let next = client.challenged(&mut Exchange::new(), challenges([auth_int]));
    assert_eq!(next, Next::Retry);
    assert_eq!(
        client.challenged(&mut exchange, challenges([auth_int])),
        Next::Retry
    );
}

/// An exchange that goes on after an accepted answer, as one with a proxy does while the origin asks.
#[test]
fn an_accepted_answer_starts_the_counts_of_an_exchange_again() {
    let mut client = accepted_once(Policy::new());
    let mut exchange = Exchange::new();
    for n in 0..10 {
        assert!(sends(&mut client, &mut exchange, "/"));
        let stale = challenge(&format!("s{n}"), ", stale=true");
        assert_eq!(
            client.challenged(&mut exchange, challenges([&stale])),
            Next::Retry,
            "{n}"
        );
        assert!(sends(&mut client, &mut exchange, "/"));
        responds(&mut client, &mut exchange, 200);
    }
}

/// A server that limits requests and does not look at their passwords says nothing about them.
#[test]
fn a_limit_of_requests_does_not_hide_a_wrong_password() {
    let (mut client, mut nonces) = (client(Policy::new()), 0);
    let [mut judged, mut limited] = [0; 2];
    for _ in 0..1000 {
        let mut exchange = Exchange::new();
        loop {
            let is_sent = sends(&mut client, &mut exchange, "/");
            // Every second answer exceeds the limit.
            if is_sent && judged > limited {
                limited += 1;
                responds(&mut client, &mut exchange, 429);
                break;
            }
            judged += u32::from(is_sent);
            nonces += 1;
            match client.challenged(
                &mut exchange,
                challenges([&challenge(&format!("n{nonces}"), "")]),
            ) {
                Next::Login(ask)
                    if client
                        .login(&ask, &Account::new(USER, "wrong").with_basic())
                        .is_ok() => {}
                Next::Retry => {}
                _ => break,
            }
        }
    }
    assert_eq!((judged, limited), (21, 20));
}

/// One realm accepts a pair of name and password again and again, and another refuses it.
#[test]
fn acceptances_in_another_realm_do_not_hide_wrong_basic_credentials() {
    let mut client = client(Policy::new());
    let mut refused = 0;
    for _ in 0..1000 {
        for (realm, path) in [("a", "/a/"), ("b", "/b/")] {
            let mut exchange = Exchange::new();
            loop {
                let is_sent = sends(&mut client, &mut exchange, path);
                if is_sent && realm == "a" {
                    responds(&mut client, &mut exchange, 200);
                    break;
                }
                refused += u32::from(is_sent);
                let challenge = format!("Basic realm=\"{realm}\"");
                match client.challenged(&mut exchange, challenges([&challenge])) {
                    Next::Login(ask)
                        if client
                            .login(&ask, &Account::new(USER, "of a").with_basic())
                            .is_ok() => {}
                    Next::Retry => {}
                    _ => break,
                }
            }
        }
    }
    assert_eq!(refused, 21);
}

/// The realm that a request guesses refuses nothing: another realm does, and vanishes each time
/// before the request is sent again, because others change its hash function.
#[test]
fn guesses_of_the_realm_end() {
    let of_b =
        |algorithm| format!(r#"Digest realm="b", nonce="b", qop="auth", algorithm={algorithm}"#);
    let mut client = logged_in(&challenge("n", ""), PASSWORD);
    let mut first = Exchange::new();
    assert!(sends(&mut client, &mut first, "/"));
    responds(&mut client, &mut first, 200);
    let mut exchange = Exchange::new();
    let mut answers = 0;
    let end = loop {
        answers += u32::from(sends(&mut client, &mut exchange, "/"));
        assert!(answers <= 3);
        let mut logs_in = Exchange::new();
        if let Next::Login(ask) = client.challenged(&mut logs_in, challenges([&of_b("SHA-256")])) {
            client
                .login(&ask, &Account::new(USER, "Hakuna Matata").with_basic())
                .unwrap();
        }
        match client.challenged(&mut exchange, challenges([&of_b("SHA-256")])) {
            Next::Retry => {}
            end => break end,
        }
        let replaced = client.challenged(&mut Exchange::new(), challenges([&of_b("SHA-512-256")]));
        assert!(matches!(replaced, Next::Login(_)));
    };
    assert_eq!((answers, end), (3, Next::GiveUp(GiveUp::TooManyAnswers)));
}
