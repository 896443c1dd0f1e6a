//! The state `chosen`: a challenge waits for a login.

use countersign::Target;
use countersign::client::{Client, Exchange, GiveUp, LoginError, Next, Policy, ServerProof};

use super::{BASIC, BOTH, State, chosen, ready, state, wrong};
use crate::support::client::{Dialog, PASSWORD, Said, USER, client};

#[test]
fn challenged_is_chosen_by_the_new_challenge() {
    for first in BOTH {
        for second in [
            r#"Digest realm="s", nonce="n2", qop=auth, algorithm=SHA-256"#,
            r#"Basic realm="s""#,
        ] {
            let mut dialog = chosen(first);
            dialog.next_exchange();
            assert_eq!(dialog.challenged([second]), Said::Login);
            assert_eq!(state(&dialog, second), State::Chosen);
            assert_eq!(dialog.ask().realm(), b"s");
        }
    }
}

#[test]
fn login_is_ready() {
    for by in BOTH {
        let mut dialog = chosen(by);
        assert_eq!(dialog.login_as(USER, PASSWORD), Ok(()));
        assert_eq!(state(&dialog, by), State::Ready);
        assert!(dialog.send("/").is_some());
    }
}

#[test]
fn login_with_what_was_refused_is_an_error() {
    for by in BOTH {
        let mut dialog = ready(by);
        dialog.send("/");
        assert_eq!(dialog.challenged([by]), wrong());
        assert!(dialog.ask().is_again());
        let refused = Err(LoginError::AlreadyRefused);
        assert_eq!(dialog.login_as(USER, PASSWORD), refused);
        assert_eq!(state(&dialog, by), State::Chosen);
        // Three more, and it is still known.
        for n in 0..4 {
            dialog.next_exchange();
            assert_eq!(dialog.login_as(USER, PASSWORD), refused, "{n} more");
            if n < 3 {
                dialog.login_as(USER, &n.to_string()).unwrap();
                assert!(dialog.send("/").is_some());
                assert_eq!(dialog.challenged([by]), wrong());
            }
        }
        // Someone who insists is let through.
        dialog.logout();
        dialog.next_exchange();
        assert_eq!(dialog.challenged([by]), Said::Login);
        assert!(!dialog.ask().is_again());
        assert_eq!(dialog.login_as(USER, PASSWORD), Ok(()));
    }
}

/// The refusal was not the server's.
#[test]
fn an_answer_that_is_accepted_after_all_may_be_given_again() {
    for by in BOTH {
        let mut dialog = ready(by);
        dialog.send("/");
        let late = dialog.keep();
        assert_eq!(dialog.challenged([by]), wrong());
        dialog.resume(late);
        dialog.accepted("").unwrap();
        assert_eq!(dialog.login_as(USER, PASSWORD), Ok(()));
    }
}

/// Each hears of its own answer; who has sent none is asked.
#[test]
fn every_exchange_with_a_refused_answer_is_told() {
    for by in BOTH {
        let mut dialog = ready(by);
        let mut sent = Vec::new();
        for _ in 0..5 {
            dialog.next_exchange();
            assert!(dialog.send("/").is_some() || by == BASIC);
            if dialog.exchange.answer().is_none() {
                assert_eq!(dialog.challenged([by]), Said::Retry);
                assert!(dialog.send("/").is_some());
            }
            sent.push(dialog.keep());
        }
        for (n, sent) in sent.into_iter().enumerate() {
            dialog.resume(sent);
            let fresh = by.replace("n1", &format!("n{n}"));
            assert_eq!(dialog.challenged([&fresh]), wrong());
        }
        dialog.next_exchange();
        assert_eq!(dialog.challenged([by]), Said::Login);
    }
}

#[test]
fn authorize_is_none() {
    for by in BOTH {
        let mut dialog = chosen(by);
        assert_eq!(dialog.send("/"), None);
        assert_eq!(state(&dialog, by), State::Chosen);
    }
}

#[test]
fn accepted_has_nothing_to_check() {
    for by in BOTH {
        let mut dialog = chosen(by);
        dialog.send("/");
        let rspauth = format!("rspauth=\"{}\"", "0".repeat(64));
        assert_eq!(dialog.accepted(&rspauth), Ok(ServerProof::Absent));
        assert_eq!(state(&dialog, by), State::Chosen);
    }
}

/// Not for the ask of the refusal: see `client::states`, "Refused secrets".
#[test]
fn the_last_four_refused_secrets_are_remembered() {
    for by in BOTH {
        let mut dialog = chosen(by);
        let secret = |n: usize| format!("wrong {n}");
        for n in 0..6 {
            dialog.login_as(USER, &secret(n)).expect("not refused yet");
            assert!(dialog.send("/").is_some());
            assert_eq!(dialog.challenged([by]), Said::WrongCredentials);
            for earlier in 0..=n {
                let outcome = dialog.clone().login_as(USER, &secret(earlier));
                let is_remembered = n - earlier < 4;
                let refused = outcome == Err(LoginError::AlreadyRefused);
                assert_eq!(refused, is_remembered, "{earlier} after {n}");
            }
            dialog.next_exchange();
            assert_eq!(dialog.send("/"), None);
            assert_eq!(dialog.challenged([by]), Said::Login);
        }
    }
}

/// Each refusal of a secret that was accepted in between once took another place of the four.
#[test]
fn a_secret_that_is_refused_again_and_again_displaces_no_other() {
    for by in BOTH {
        let mut dialog = chosen(by);
        dialog.login_as(USER, "wrong").expect("not refused yet");
        assert!(dialog.send("/").is_some());
        assert_eq!(dialog.challenged([by]), Said::WrongCredentials);
        for _ in 0..5 {
            dialog.next_exchange();
            assert_eq!(dialog.send("/"), None);
            assert_eq!(dialog.challenged([by]), Said::Login);
            dialog.login();
            assert!(dialog.send("/").is_some());
            dialog.accepted("").expect("no proof is no error");
            dialog.next_exchange();
            assert!(dialog.send("/").is_some());
            assert_eq!(dialog.challenged([by]), Said::WrongCredentials);
            let outcome = dialog.login_as(USER, "wrong");
            assert_eq!(outcome, Err(LoginError::AlreadyRefused));
        }
    }
}

/// A challenge that ends its exchange asks nobody for a login.
#[test]
fn only_an_ask_that_is_made_counts() {
    for by in BOTH {
        let mut dialog = chosen(by);
        let refused = |dialog: &mut Dialog| {
            dialog.login_as(USER, "wrong").expect("a fresh ask");
            assert!(dialog.send("/").is_some());
            assert_eq!(dialog.challenged([by]), Said::WrongCredentials);
        };
        refused(&mut dialog);
        dialog.next_exchange();
        assert_eq!(dialog.challenged([by]), Said::Login);
        refused(&mut dialog);
        assert_eq!(dialog.send("/"), None);
        for _ in 0..3 {
            assert_eq!(dialog.challenged([by]), Said::TooManyAnswers);
        }
        // Refused twice: the second ask takes it.
        dialog.next_exchange();
        for expected in [Err(LoginError::AlreadyRefused), Ok(())] {
            assert_eq!(dialog.challenged([by]), Said::Login);
            assert_eq!(dialog.login_as(USER, "wrong"), expected);
        }
    }
}

/// The user was asked before another exchange learned that the secret is wrong.
#[test]
fn an_ask_older_than_the_refusal_takes_no_secret_that_was_refused() {
    for by in BOTH {
        let mut client = client(Policy::new());
        let asked = |client: &mut Client, exchange: &mut Exchange| match client
            .challenged(exchange, [by])
        {
            Next::Login(ask) => ask,
            other => panic!("{other:?}"),
        };
        let old = asked(&mut client, &mut Exchange::new());
        let mut exchange = Exchange::new();
        let ask = asked(&mut client, &mut exchange);
        client.login(&ask, USER, "wrong").expect("a login");
        let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
        assert!(answer.expect("a plain request").is_some());
        let next = client.challenged(&mut exchange, [by]);
        assert!(matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_))));
        // The next ask may use it again.
        let fresh = asked(&mut client, &mut Exchange::new());
        let outcome = client.login(&old, USER, "wrong");
        assert_eq!(outcome, Err(LoginError::AlreadyRefused));
        assert_eq!(client.login(&fresh, USER, "wrong"), Ok(()));
    }
}
