//! Answers whose exchange ends before the client can tell what a refusal meant: how often a wrong
//! secret is sent then, and that a right one is kept.

use countersign::client::{Account, Exchange, Field, GiveUp, Next, Policy};
use countersign::{Target, challenges};

use super::steps::{accepted_once, responds, sends};
use crate::support::client::{PASSWORD, USER, challenge, client};

const BASIC: &str = r#"Basic realm="r""#;

/// What becomes of a request that the client would send again.
#[derive(Clone, Copy, Debug)]
enum Second {
    /// The program cannot send it again.
    NotSent,
    /// Its response does not come in time.
    TimedOut,
    Response(u16),
}

/// The password was changed at the server, and no exchange sees a second refusal.
#[test]
fn a_changed_password_is_told() {
    for second in [
        Second::NotSent,
        Second::TimedOut,
        Second::Response(403),
        Second::Response(429),
        Second::Response(503),
        Second::Response(520),
    ] {
        for max_answers in 1..=5 {
            let policy = Policy::new().with_max_answers(max_answers);
            let mut client = accepted_once(policy, &challenge("n", ""));
            let mut sent = 0;
            let told = (0..100).find(|n| {
                let mut exchange = Exchange::new();
                let other = challenge(&format!("m{n}"), "");
                if !sends(&mut client, &mut exchange, "/") {
                    assert_eq!(
                        client.challenged(&mut exchange, challenges([&other])),
                        Next::Retry
                    );
                    assert!(sends(&mut client, &mut exchange, "/"));
                }
                sent += 1;
                let other = challenge(&format!("o{n}"), "");
                let next = client.challenged(&mut exchange, challenges([&other]));
                if next == Next::Retry && !matches!(second, Second::NotSent) {
                    sent += u32::from(sends(&mut client, &mut exchange, "/"));
                    if let Second::Response(status) = second {
                        responds(&mut client, &mut exchange, status);
                    }
                }
                matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_)))
            });
            assert!(told.is_some(), "{second:?}, {max_answers}");
            // A second answer uses the nonce that the next request begins with.
            let most = if let Second::NotSent = second { 5 } else { 32 };
            assert!(sent <= most, "{second:?}, {max_answers}: {sent}");
        }
    }
}

/// The password is right, the server says no `stale`, and the program cannot send a request again.
#[test]
fn a_right_password_is_kept() {
    for max_answers in 1..=3 {
        let mut client = accepted_once(
            Policy::new().with_max_answers(max_answers),
            &challenge("n", ""),
        );
        for n in 0..50 {
            let mut exchange = Exchange::new();
            assert!(sends(&mut client, &mut exchange, "/"), "{n}");
            let next = client.challenged(
                &mut exchange,
                challenges([&challenge(&format!("m{n}"), "")]),
            );
            let expected = match max_answers {
                1 => Next::GiveUp(GiveUp::TooManyAnswers),
                _ => Next::Retry,
            };
            assert_eq!(next, expected, "{n}");
            for _ in 0..3 {
                let mut exchange = Exchange::new();
                assert!(sends(&mut client, &mut exchange, "/"), "{n}");
                responds(&mut client, &mut exchange, 200);
            }
        }
    }
}

/// The server refuses the `qop` that it has just asked for, and wants one for which the program does
/// not have the body.
#[test]
fn refused_parameters_do_not_hide_a_wrong_password() {
    let auth_int = r#"Digest realm="r", nonce="m", qop="auth-int", algorithm=SHA-256"#;
    let mut client = client(Policy::new());
    let (mut sent, mut told) = (0, 0);
    for n in 0..300 {
        let mut exchange = Exchange::new();
        let fresh = challenge(&format!("n{n}"), "");
        match client.challenged(&mut exchange, challenges([&fresh])) {
            Next::Login(ask)
                if client
                    .login(&ask, &Account::new(USER, PASSWORD).with_basic())
                    .is_err() =>
            {
                continue;
            }
            _ => {}
        }
        sent += u32::from(sends(&mut client, &mut exchange, "/"));
        let next = client.challenged(&mut exchange, challenges([auth_int]));
        told += u32::from(matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_))));
        let answer = client
            .authorize(&mut exchange, &Target::new("GET", "/"))
            .map(Field::for_new_request);
        assert_eq!(answer.is_err(), next == Next::Retry, "{answer:?}");
    }
    assert!(told > 0 && sent <= 40, "{sent}, {told}");
}

/// An application behind the server says 401 in its own name, and the program cannot send the other
/// requests again.
#[test]
fn refusals_without_a_challenge_between_accepted_answers_change_nothing() {
    for basic_or_digest in [BASIC.to_owned(), challenge("n", "")] {
        let mut client = accepted_once(Policy::new(), &basic_or_digest);
        for n in 0..100 {
            let mut exchange = Exchange::new();
            assert!(sends(&mut client, &mut exchange, "/"), "{n}");
            let next = client.challenged(&mut exchange, challenges([r#"Bearer realm="api""#]));
            assert!(matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_))));
            let mut exchange = Exchange::new();
            assert!(sends(&mut client, &mut exchange, "/"), "{n}");
            responds(&mut client, &mut exchange, 200);
        }
    }
}

/// Refusals of answers that are older than an acceptance or than another refusal that counted say
/// nothing more.
#[test]
fn old_answers_make_no_right_password_wrong() {
    let mut client = accepted_once(Policy::new(), &challenge("n", ""));
    let mut under_way: Vec<_> = (0..20).map(|_| Exchange::new()).collect();
    for exchange in &mut under_way {
        assert!(sends(&mut client, exchange, "/"));
    }
    for (n, exchange) in under_way.iter_mut().enumerate() {
        let other = challenge(&format!("m{n}"), "");
        assert_eq!(
            client.challenged(exchange, challenges([&other])),
            Next::Retry
        );
        assert!(sends(&mut client, exchange, "/"));
        responds(&mut client, exchange, 200);
    }
}
