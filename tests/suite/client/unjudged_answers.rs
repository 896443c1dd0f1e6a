//! Answers whose exchange ends before the client can tell what a refusal meant: how often a wrong
//! secret is sent then, and that a right one is kept.

use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy, Readiness};
use countersign::{EntityBody, Target};

use crate::support::client::{PASSWORD, USER, challenge, client};

const NONE: [&str; 0] = [];
const BASIC: &str = r#"Basic realm="r""#;

fn authorize(client: &mut Client, exchange: &mut Exchange) -> bool {
    let answer = client.authorize(exchange, &Target::new("GET", "/"));
    answer.is_ok_and(|answer| answer.is_some())
}

fn responds(client: &mut Client, exchange: &mut Exchange, status: u16) {
    let done = client.completed(exchange, status, None::<&str>, EntityBody::Unknown);
    done.unwrap();
}

fn log_in(client: &mut Client, exchange: &mut Exchange, challenge: &str) {
    let Next::Login(ask) = client.challenged(exchange, [challenge]) else {
        panic!("nobody has logged in")
    };
    client.login(&ask, USER, PASSWORD).unwrap();
}

/// A client whose password was accepted where the server had asked.
fn accepted(policy: Policy, challenge: &str) -> Client {
    let (mut client, mut exchange) = (client(policy), Exchange::new());
    log_in(&mut client, &mut exchange, challenge);
    assert!(authorize(&mut client, &mut exchange));
    responds(&mut client, &mut exchange, 200);
    client
}

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
    ] {
        for max_answers in 1..=5 {
            let policy = Policy::new().with_max_answers(max_answers);
            let mut client = accepted(policy, &challenge("n", ""));
            let mut sent = 0;
            let told = (0..100).find(|n| {
                let mut exchange = Exchange::new();
                let other = challenge(&format!("m{n}"), "");
                if !authorize(&mut client, &mut exchange) {
                    assert_eq!(client.challenged(&mut exchange, [&other]), Next::Retry);
                    assert!(authorize(&mut client, &mut exchange));
                }
                sent += 1;
                let other = challenge(&format!("o{n}"), "");
                let next = client.challenged(&mut exchange, [&other]);
                if next == Next::Retry && !matches!(second, Second::NotSent) {
                    sent += u32::from(authorize(&mut client, &mut exchange));
                    if let Second::Response(status) = second {
                        responds(&mut client, &mut exchange, status);
                    }
                }
                matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_)))
            });
            assert!(told.is_some(), "{second:?}, {max_answers}");
            assert!(sent <= 8, "{second:?}, {max_answers}: {sent}");
        }
    }
}

/// The password is right, the server says no `stale`, and the program cannot send a request again.
#[test]
fn a_right_password_is_kept() {
    for max_answers in 1..=3 {
        let mut client = accepted(
            Policy::new().with_max_answers(max_answers),
            &challenge("n", ""),
        );
        for n in 0..50 {
            let mut exchange = Exchange::new();
            assert!(authorize(&mut client, &mut exchange), "{n}");
            let next = client.challenged(&mut exchange, [&challenge(&format!("m{n}"), "")]);
            let expected = match max_answers {
                1 => Next::GiveUp(GiveUp::TooManyAnswers),
                _ => Next::Retry,
            };
            assert_eq!(next, expected, "{n}");
            for _ in 0..3 {
                let mut exchange = Exchange::new();
                assert!(authorize(&mut client, &mut exchange), "{n}");
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
        match client.challenged(&mut exchange, [&fresh]) {
            Next::Login(ask) if client.login(&ask, USER, PASSWORD).is_err() => continue,
            _ => {}
        }
        sent += u32::from(authorize(&mut client, &mut exchange));
        let next = client.challenged(&mut exchange, [auth_int]);
        told += u32::from(matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_))));
        authorize(&mut client, &mut exchange);
    }
    assert!(told > 0 && sent <= 40, "{sent}, {told}");
}

/// A 401 that has no challenge, or one of another scheme, says nothing about the reason.
#[test]
fn refusals_without_a_challenge_drop_the_login_after_a_few() {
    for (first, policy) in [
        (challenge("n", ""), Policy::new()),
        (BASIC.to_owned(), Policy::new()),
    ] {
        for is_accepted in [true, false] {
            let mut client = match is_accepted {
                true => accepted(policy, &first),
                false => client(policy),
            };
            let mut asked = 0;
            let mut sent = 0;
            for _ in 0..100 {
                let mut exchange = Exchange::new();
                if !authorize(&mut client, &mut exchange) {
                    match client.challenged(&mut exchange, [&first]) {
                        Next::Login(ask) => {
                            asked += 1;
                            if client.login(&ask, USER, PASSWORD).is_err() {
                                continue;
                            }
                        }
                        next => assert_eq!(next, Next::Retry),
                    }
                    assert!(authorize(&mut client, &mut exchange));
                }
                sent += 1;
                let next = client.challenged(&mut exchange, NONE);
                assert!(matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_))));
            }
            assert!(asked > 0 && sent <= 40, "{first}: {sent}, {asked}");
        }
    }
}

/// Preemptive credentials that a server refuses without a challenge are not sent for ever.
#[test]
fn refusals_without_a_challenge_drop_preemptive_credentials() {
    let mut client = client(Policy::new())
        .with_preemptive_basic(USER, PASSWORD)
        .unwrap();
    let mut send = |is_accepted: bool| {
        let mut exchange = Exchange::new();
        let is_sent = authorize(&mut client, &mut exchange);
        match is_accepted {
            true => responds(&mut client, &mut exchange, 200),
            false => drop(client.challenged(&mut exchange, [r#"Bearer realm="r""#])),
        }
        is_sent
    };
    // A server that refuses them now and then.
    for _ in 0..20 {
        assert!(
            [false, false, false, true]
                .map(&mut send)
                .into_iter()
                .all(|is_sent| is_sent)
        );
    }
    let sent = (0..100).filter(|_| send(false)).count();
    assert_eq!(sent, 4);
}

/// The nonce is used up, and the server says only 401.
#[test]
fn a_refusal_without_a_challenge_puts_the_nonce_in_doubt() {
    let mut client = accepted(Policy::new(), &challenge("n", ""));
    for n in 0..20 {
        let mut exchange = Exchange::new();
        assert!(authorize(&mut client, &mut exchange));
        let next = client.challenged(&mut exchange, NONE);
        assert!(matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_))));
        assert_eq!(client.readiness("/"), Readiness::NoNonce);
        // The next request asks for another nonce, and gets in.
        let mut exchange = Exchange::new();
        assert!(!authorize(&mut client, &mut exchange));
        let next = client.challenged(&mut exchange, [&challenge(&format!("m{n}"), "")]);
        assert_eq!(next, Next::Retry);
        assert!(authorize(&mut client, &mut exchange));
        responds(&mut client, &mut exchange, 200);
    }
}

/// A proxy is asked for every request, also after such refusals.
#[test]
fn a_proxy_that_refuses_without_a_challenge_is_one_space() {
    let endpoint = Endpoint::proxy("https", "proxy", 3128);
    let mut client = Client::from_seed(endpoint, Policy::new(), [1; 32]);
    let target = Target::new("GET", "http://example.com/");
    log_in(&mut client, &mut Exchange::new(), BASIC);
    while client
        .authorize(&mut Exchange::new(), &target)
        .unwrap()
        .is_some()
    {
        let mut exchange = Exchange::new();
        client.authorize(&mut exchange, &target).unwrap();
        drop(client.challenged(&mut exchange, NONE));
    }
    assert_eq!(
        client.readiness("http://example.org/"),
        Readiness::NotLoggedIn
    );
    assert!(client.covers("http://example.org/"));
}
