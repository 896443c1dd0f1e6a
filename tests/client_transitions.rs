//! The tables in the documentation of `countersign::client::states`, each cell once.

mod support;

use countersign::client::{
    Client, Endpoint, LoginError, Policy, Readiness, ServerProof, ServerProofError, SkipReason,
};
use countersign::digest::{Ha1, HashFunction, QopParams, rspauth};
use support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge, home};

const BASIC: &str = r#"Basic realm="r""#;
const BOTH: [&str; 2] = [CHALLENGE, BASIC];
/// Nothing a client could use; it may still take it for being asked.
const UNUSABLE: &str = "Newauth";

fn idle() -> Dialog {
    Dialog::new(Policy::new())
}

fn chosen(by: &str) -> Dialog {
    let mut dialog = idle();
    assert_eq!(dialog.challenged([by]), Said::Login);
    dialog
}

/// In an exchange that has not been answered yet.
fn ready(by: &str) -> Dialog {
    Dialog::logged_in(Policy::new(), by)
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Chosen,
    Ready,
}

/// Finds the state out by trying: only `Ready` has credentials that fit.
fn state(dialog: &Dialog, fitting: &str) -> State {
    let mut dialog = dialog.clone();
    dialog.next_exchange();
    match dialog.challenged([fitting]) {
        Said::Login => State::Chosen,
        Said::Retry => State::Ready,
        other => panic!("{other:?}"),
    }
}

fn wrong() -> Said {
    Said::WrongCredentials
}

mod not_there {
    use super::*;

    #[test]
    fn challenged_is_chosen() {
        for by in BOTH {
            let mut dialog = idle();
            assert_eq!(dialog.challenged([by]), Said::Login);
            assert_eq!(state(&dialog, by), State::Chosen);
            assert_eq!(dialog.ask().realm(), b"r");
        }
    }

    /// It was there, and the login was not for another.
    #[test]
    fn login_is_superseded() {
        for (by, then) in [
            (CHALLENGE, None),
            (CHALLENGE, Some(BASIC)),
            (BASIC, Some(CHALLENGE)),
            (CHALLENGE, Some(&*CHALLENGE.replace("256", "512-256"))),
        ] {
            let mut dialog = chosen(by);
            let ask = dialog.ask().clone();
            match then {
                Some(then) => assert_eq!(dialog.challenged([then]), Said::Login),
                None => dialog.logout(),
            }
            assert!(!dialog.client.wants(&ask));
            let login = dialog.client.login(&ask, USER, PASSWORD);
            assert_eq!(login, Err(LoginError::Superseded));
            assert_eq!(state(&dialog, then.unwrap_or(by)), State::Chosen);
        }
    }

    /// Its own client alone has been asked.
    #[test]
    fn the_ask_of_another_client_is_superseded() {
        let ask = chosen(CHALLENGE).ask().clone();
        let proxy = Endpoint::proxy("https", "example.com", 443);
        for mut other in [
            Client::from_seed(home(), Policy::new(), [8; 32]),
            Client::from_seed(proxy, Policy::new(), [7; 32]),
        ] {
            let mut exchange = countersign::client::Exchange::new();
            let _ = other.challenged(&mut exchange, [CHALLENGE]);
            let login = other.login(&ask, USER, PASSWORD);
            assert_eq!(login, Err(LoginError::Superseded));
        }
    }

    /// Eight are kept.
    #[test]
    fn the_space_unused_longest_goes_first() {
        let of = |n: usize| CHALLENGE.replace("\"r\"", &format!("\"{n}\""));
        let mut dialog = idle();
        for n in 0..8 {
            dialog.next_exchange();
            assert_eq!(dialog.challenged([&of(n)]), Said::Login);
            dialog.login();
        }
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&of(0)]), Said::Retry);
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&of(8)]), Said::Login);
        for (n, state_then) in [(1, State::Chosen), (0, State::Ready), (2, State::Ready)] {
            assert_eq!(state(&dialog, &of(n)), state_then, "{n}");
        }
    }

    #[test]
    fn authorize_is_none() {
        assert_eq!(idle().send("/"), None);
    }

    #[test]
    fn accepted_has_nothing_to_check() {
        let mut dialog = idle();
        dialog.send("/");
        let rspauth = format!("rspauth=\"{}\"", "0".repeat(64));
        assert_eq!(dialog.accepted(&rspauth), Ok(ServerProof::Absent));
        assert_eq!(state(&dialog, CHALLENGE), State::Chosen);
    }
}

mod chosen {
    use super::*;

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
    fn every_exchange_whose_answer_was_refused_hears_of_it() {
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
}

mod ready {
    use super::*;

    #[test]
    fn challenged_by_another_scheme_is_chosen() {
        for (first, second) in [(CHALLENGE, BASIC), (BASIC, CHALLENGE)] {
            let mut dialog = ready(first);
            assert_eq!(dialog.challenged([second]), Said::Login);
            assert_eq!(state(&dialog, second), State::Chosen);
        }
    }

    #[test]
    fn challenged_by_another_realm_is_chosen() {
        for (first, second) in [
            (CHALLENGE, CHALLENGE.replace("\"r\"", "\"R\"")),
            (BASIC, BASIC.replace("\"r\"", "\"R\"")),
        ] {
            let mut dialog = ready(first);
            assert_eq!(dialog.challenged([&second]), Said::Login);
            assert_eq!(state(&dialog, &second), State::Chosen);
        }
    }

    #[test]
    fn challenged_by_another_hash_is_chosen() {
        let other = CHALLENGE.replace("SHA-256", "SHA-512-256");
        let mut dialog = ready(CHALLENGE);
        assert_eq!(dialog.challenged([&other]), Said::Login);
        assert_eq!(state(&dialog, &other), State::Chosen);
    }

    /// The same hash is the same secret.
    #[test]
    fn challenged_by_the_session_algorithm_of_the_hash_is_ready() {
        let other = CHALLENGE
            .replace("SHA-256", "SHA-256-sess")
            .replace("n1", "n2");
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(dialog.challenged([&other]), Said::Retry);
        assert_eq!(dialog.send("/").unwrap().get("algorithm"), "SHA-256-sess");
    }

    /// Ten tasks that log in with one password cost no more requests than one.
    #[test]
    fn login_with_the_same_is_ready_as_before() {
        for by in BOTH {
            let mut dialog = ready(by);
            assert!(!dialog.client.wants(dialog.ask()));
            for count in 1..4 {
                dialog.login();
                let sent = dialog.send("/").unwrap();
                if by == CHALLENGE {
                    assert_eq!(sent.get("nc"), format!("{count:08x}"));
                }
                dialog.next_exchange();
            }
        }
    }

    /// A form or a path that a challenge adds is no other login.
    #[test]
    fn a_realm_that_is_logged_in_to_is_answered_before_others() {
        let other = CHALLENGE.replace("\"r\"", "\"s\"");
        let stronger = other.replace("256", "512-256");
        for others in [
            [&*other, CHALLENGE],
            [CHALLENGE, &*other],
            [&*stronger, CHALLENGE],
        ] {
            let mut dialog = ready(CHALLENGE);
            dialog.next_exchange();
            assert_eq!(dialog.challenged(others), Said::Retry);
            assert_eq!(dialog.send("/").unwrap().get("realm"), "r");
        }
    }

    #[test]
    fn login_is_ready_without_a_nonce() {
        let mut dialog = ready(CHALLENGE);
        assert!(dialog.would_send("/").is_some());
        dialog.login_as("Scar", "Be prepared").unwrap();
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("username"), sent.get("nc")), ("Scar", "00000001"));
    }

    /// Basic has no nonce.
    #[test]
    fn login_to_basic_is_ready_for_the_same_space() {
        let mut dialog = ready(BASIC);
        assert!(dialog.send("/a/b").is_some());
        dialog.login_as("Scar", "Be prepared").unwrap();
        dialog.next_exchange();
        let sent = dialog.send("/a/c").unwrap();
        assert_eq!(sent.token68.as_deref(), Some("U2NhcjpCZSBwcmVwYXJlZA=="));
        assert_eq!(dialog.would_send_unasked("/d"), None);
    }

    #[test]
    fn authorize_is_an_answer_and_counts() {
        let mut dialog = ready(CHALLENGE);
        for count in ["00000001", "00000002", "00000003"] {
            let sent = dialog.send("/").unwrap();
            assert_eq!((sent.get("nonce"), sent.get("nc")), ("n1", count));
            dialog.next_exchange();
        }
    }

    #[test]
    fn authorize_without_a_nonce_is_none() {
        let mut dialog = ready(CHALLENGE);
        dialog.login_as("Scar", "Be prepared").unwrap();
        // Asked or not.
        assert_eq!(dialog.would_send_unasked("/"), None);
        let _ = dialog.challenged([UNUSABLE]);
        assert_eq!(dialog.send("/"), None);
    }

    #[test]
    fn authorize_outside_of_the_protection_space_is_none() {
        let mut dialog = ready(&challenge("n1", r#", domain="/in""#));
        assert!(dialog.send("/asked/here").is_some());
        dialog.next_exchange();
        assert_eq!(dialog.send("/out"), None);
        // What was not sent does not count.
        assert_eq!(dialog.send("/in/side").unwrap().get("nc"), "00000002");
    }

    #[test]
    fn accepted_checks_the_proof() {
        let right = |uri| {
            let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
            let protection = QopParams::new("auth", "00000001", "c1").unwrap();
            let proof = rspauth(&ha1, "n1", Some(&protection), uri, None);
            format!("rspauth=\"{}\"", proof.as_str())
        };
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        assert_eq!(dialog.clone().accepted(&right("/")), Ok(ServerProof::Valid));
        assert_eq!(
            dialog.clone().accepted(&right("/other")),
            Err(ServerProofError::Wrong)
        );
        assert_eq!(
            dialog.clone().accepted("rspauth"),
            Ok(ServerProof::Unreadable)
        );
        assert_eq!(dialog.accepted(""), Ok(ServerProof::Absent));
        assert_eq!(state(&dialog, CHALLENGE), State::Ready);
    }

    /// RFC 7615, section 3, gives the field no meaning for Basic.
    #[test]
    fn accepted_does_not_read_what_follows_a_basic_answer() {
        let rspauth = format!("rspauth=\"{}\"", "0".repeat(64));
        for info in [&*rspauth, "rspauth", "nextnonce=a, nextnonce=b", "=", "\""] {
            let mut dialog = ready(BASIC);
            assert!(dialog.send("/").is_some());
            assert_eq!(dialog.accepted(info), Ok(ServerProof::Absent), "{info}");
            assert_eq!(state(&dialog, BASIC), State::Ready);
        }
    }

    #[test]
    fn accepted_takes_a_next_nonce_and_counts_anew() {
        let mut dialog = ready(CHALLENGE);
        for count in ["00000001", "00000002"] {
            assert_eq!(dialog.send("/").unwrap().get("nc"), count);
        }
        assert!(dialog.accepted(r#"nextnonce="n2""#).is_ok());
        dialog.next_exchange();
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
    }
}

/// What came before is answered after it.
mod late {
    use super::*;

    #[test]
    fn the_next_nonce_of_a_nonce_before_is_not_taken() {
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
    fn an_accepted_answer_to_a_nonce_before_speaks_for_the_secret() {
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
    fn an_accepted_answer_of_another_login_speaks_for_nothing() {
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

    /// An exchange of its own for each client is what is asked for; here they share one.
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
}

/// What follows a challenge that the credentials fit, by what the refused request carried.
mod fits {
    use super::*;

    #[test]
    fn no_answer_is_retried_with_this_nonce() {
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
        // Those that were sent with the nonce before are not forgotten.
        dialog.next_exchange();
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n1", "00000002"));
    }

    /// Nothing that was refused speaks against the secret.
    #[test]
    fn no_answer_leaves_an_accepted_secret_accepted() {
        for same in [false, true] {
            let mut dialog = ready(CHALLENGE);
            dialog.send("/");
            dialog.accepted("").unwrap();
            dialog.next_exchange();
            let nonce = if same { "n1" } else { "n2" };
            assert_eq!(dialog.challenged([&challenge(nonce, "")]), Said::Retry);
            dialog.send("/");
            assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
            dialog.send("/");
            assert_eq!(dialog.challenged([&challenge("n4", "")]), wrong());
        }
    }

    /// The nonce at hand was none of this exchange, so its end is no end of patience.
    #[test]
    fn no_answer_leaves_the_exchange_its_stale_nonce() {
        let mut dialog = Dialog::logged_in(Policy::new().with_max_answers(9), CHALLENGE);
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
        dialog.send("/");
        let stale = challenge("n3", ", stale=true");
        assert_eq!(dialog.challenged([&stale]), Said::Retry);
        assert_eq!(dialog.send("/").unwrap().get("nonce"), "n3");
    }

    #[test]
    fn no_answer_is_retried_with_this_nonce_if_there_is_none() {
        let mut dialog = ready(CHALLENGE);
        dialog.login_as("Scar", "Be prepared").unwrap();
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
    }

    /// The user has logged in anew since: nothing is known against that yet.
    #[test]
    fn the_answer_of_another_login_is_retried_with_this_nonce() {
        for by in BOTH {
            let mut dialog = ready(by);
            dialog.send("/");
            let late = dialog.keep();
            assert_eq!(dialog.challenged([by]), wrong());
            dialog.login_as("Scar", "Be prepared").unwrap();
            dialog.resume(late);
            let newest = by.replace("n1", "n2");
            assert_eq!(dialog.challenged([&newest]), Said::Retry);
            let sent = dialog.send("/").unwrap();
            match by {
                BASIC => assert_eq!(sent.token68.as_deref(), Some("U2NhcjpCZSBwcmVwYXJlZA==")),
                _ => assert_eq!((sent.get("username"), sent.get("nonce")), ("Scar", "n2")),
            }
        }
    }

    #[test]
    fn the_answer_of_another_scheme_is_retried() {
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        let late = dialog.keep();
        assert_eq!(dialog.challenged([BASIC]), Said::Login);
        dialog.login();
        dialog.resume(late);
        assert_eq!(dialog.challenged([BASIC]), Said::Retry);
        assert_eq!(dialog.send("/").unwrap().scheme, "Basic");
    }

    /// Whether it is `stale` does not matter.
    #[test]
    fn a_nonce_that_is_not_the_present_one_is_retried_with_this_one() {
        for more in ["", ", stale=true"] {
            let mut dialog = Dialog::logged_in(Policy::new().with_max_answers(9), CHALLENGE);
            dialog.send("/");
            let late = dialog.keep();
            dialog.accepted(r#"nextnonce="n2""#).unwrap();
            dialog.resume(late);
            let next = dialog.challenged([&challenge("n3", more)]);
            assert_eq!(next, Said::Retry, "{more}");
            let sent = dialog.send("/").unwrap();
            assert_eq!((sent.get("nonce"), sent.get("nc")), ("n3", "00000001"));
            // Nothing was found out about the secret.
            assert_eq!(dialog.challenged([&challenge("n4", "")]), Said::Retry);
        }
    }

    /// Nobody has shown that the secret is right, and the server did not say that it is.
    #[test]
    fn a_nonce_that_is_not_the_present_one_with_a_secret_never_accepted_is_wrong_credentials() {
        for (more, then) in [("", wrong()), (", stale=true", Said::Retry)] {
            let mut dialog = ready(CHALLENGE);
            dialog.send("/");
            let late = dialog.keep();
            dialog.next_exchange();
            assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
            dialog.resume(late);
            assert_eq!(dialog.challenged([&challenge("n3", more)]), then);
        }
    }

    /// What goes unasked is a guess.
    #[test]
    fn an_answer_for_another_realm_does_not_count_as_refused() {
        let other = CHALLENGE.replace("\"r\"", "\"s\"");
        let mut dialog = Dialog::logged_in(Policy::new().with_max_answers(1), CHALLENGE);
        dialog.next_exchange();
        assert!(dialog.send("/s/").is_some());
        assert_eq!(dialog.challenged([&other]), Said::Login);
        dialog.login();
        assert_eq!(dialog.send("/s/").unwrap().get("realm"), "s");
        assert_eq!(state(&dialog, CHALLENGE), State::Ready);
    }

    #[test]
    fn a_nonce_that_is_not_the_present_one_and_comes_back_is_retried_with_the_present_one() {
        for more in ["", ", stale=true"] {
            let mut dialog = ready(CHALLENGE);
            dialog.send("/");
            let late = dialog.keep();
            dialog.accepted(r#"nextnonce="n2""#).unwrap();
            dialog.resume(late);
            let next = dialog.challenged([&challenge("n1", more)]);
            assert_eq!(next, Said::Retry, "{more}");
            let sent = dialog.send("/").unwrap();
            assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
        }
    }

    /// Servers look at the form first. Someone on the way who had asked for a form that the server
    /// does not take once made a right password look like a wrong one.
    #[test]
    fn a_form_that_is_not_offered_is_retried_in_one_that_is() {
        let plain = |nonce| challenge(nonce, "");
        for (first, second) in [
            (plain("n1").replace("SHA-256", "SHA-256-sess"), plain("n2")),
            (plain("n1"), plain("n2").replace("SHA-256", "SHA-256-sess")),
            (plain("n1").replace("auth", "auth-int"), plain("n2")),
            (plain("n1"), plain("n2").replace("auth", "auth-int")),
            (plain("n1").replace(r#", qop="auth""#, ""), plain("n2")),
            (challenge("n1", ", userhash=true"), plain("n2")),
            (
                challenge("n1", ", userhash=true"),
                challenge("n2", ", userhash=false"),
            ),
            // Some servers have one nonce for all.
            (plain("n1").replace("auth", "auth-int"), plain("n1")),
        ] {
            let policy = Policy::new().with_max_answers(9).with_rfc2069();
            let mut dialog = Dialog::logged_in(policy, &first);
            let before = dialog.send("/").unwrap();
            assert_eq!(dialog.challenged([&second]), Said::Retry, "{first}");
            let after = dialog.send("/").unwrap();
            assert_ne!(before.text(), after.text());
            // The secret is doubted all the same if that is refused, too, in whatever form.
            let last = second.replace("n2", "n3");
            assert_eq!(dialog.clone().challenged([&last]), wrong(), "{first}");
            let first = first.replace("n1", "n3");
            assert_eq!(dialog.challenged([&first]), wrong(), "{first}");
        }
    }

    /// What is offered beside it makes no other form of it.
    #[test]
    fn a_form_that_is_offered_among_others_is_wrong_credentials() {
        for (first, second) in [
            (
                challenge("n1", ""),
                challenge("n2", "").replace("auth", "auth,auth-int"),
            ),
            (
                challenge("n1", "").replace("auth", "auth,auth-int"),
                challenge("n2", ""),
            ),
            (challenge("n1", ""), challenge("n2", ", userhash=true")),
        ] {
            let mut dialog = ready(&first);
            dialog.send("/");
            assert_eq!(dialog.challenged([&second]), wrong(), "{first}");
        }
    }

    #[test]
    fn the_same_nonce_again_is_wrong_credentials() {
        for (accepted, more) in [
            (false, ""),
            (false, ", stale=true"),
            (true, ""),
            (true, ", stale=true"),
        ] {
            let mut dialog = ready(CHALLENGE);
            dialog.send("/");
            if accepted {
                dialog.accepted("").unwrap();
                dialog.next_exchange();
                dialog.send("/");
            }
            assert_eq!(dialog.challenged([&challenge("n1", more)]), wrong());
            assert_eq!(state(&dialog, CHALLENGE), State::Chosen);
        }
    }

    #[test]
    fn a_nonce_that_was_accepted_is_retried_with_the_other_though_not_stale() {
        for more in ["", ", stale=false", ", stale=true"] {
            let mut dialog = ready(CHALLENGE);
            dialog.send("/");
            dialog.accepted("").unwrap();
            dialog.next_exchange();
            dialog.send("/");
            assert_eq!(dialog.challenged([&challenge("n2", more)]), Said::Retry);
            let sent = dialog.send("/").unwrap();
            assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
        }
    }

    /// A secret that was accepted once counted as never accepted when the next nonce had come:
    /// where a server forgets to say `stale` of that, its user was asked for a password that was
    /// right.
    #[test]
    fn a_secret_that_was_accepted_is_right_with_the_next_nonce_too() {
        for by in ["a next nonce", "a refusal"] {
            for more in ["", ", stale=false"] {
                let mut dialog = ready(CHALLENGE);
                dialog.send("/");
                match by {
                    "a refusal" => {
                        dialog.accepted("").unwrap();
                        dialog.next_exchange();
                        dialog.send("/");
                        let stale = challenge("n2", ", stale=true");
                        assert_eq!(dialog.challenged([&stale]), Said::Retry);
                    }
                    _ => assert!(dialog.accepted(r#"nextnonce="n2""#).is_ok()),
                }
                dialog.next_exchange();
                assert_eq!(dialog.send("/").unwrap().get("nonce"), "n2");
                let next = dialog.challenged([&challenge("n3", more)]);
                assert_eq!(next, Said::Retry, "{by}{more}");
                assert_eq!(dialog.send("/").unwrap().get("nonce"), "n3");
            }
        }
    }

    /// Someone may have changed the password: that is found out at the second refusal, in this
    /// exchange or in the next, and not at the lock-out.
    #[test]
    fn a_secret_that_was_accepted_is_doubted_once() {
        let accepted = || {
            let policy = Policy::new().with_max_answers(9);
            let mut dialog = Dialog::logged_in(policy, CHALLENGE);
            dialog.send("/");
            dialog.accepted(r#"nextnonce="n2""#).unwrap();
            dialog.next_exchange();
            dialog.send("/");
            dialog
        };
        for more in ["", ", stale=true"] {
            let mut dialog = accepted();
            assert_eq!(dialog.challenged([&challenge("n3", more)]), Said::Retry);
            dialog.send("/");
            assert_eq!(dialog.challenged([&challenge("n4", "")]), wrong());
        }
        let mut dialog = accepted();
        assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(dialog.challenged([&challenge("n4", "")]), wrong());
        // What is taken again is as good as ever.
        let mut dialog = accepted();
        assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
        dialog.send("/");
        dialog.accepted(r#"nextnonce="n4""#).unwrap();
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(dialog.challenged([&challenge("n5", "")]), Said::Retry);
    }

    #[test]
    fn the_present_nonce_that_is_stale_is_retried_with_the_other() {
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        let stale = challenge("n2", ", stale=true");
        assert_eq!(dialog.challenged([&stale]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
    }

    #[test]
    fn the_second_stale_nonce_of_an_exchange_is_the_end() {
        let mut dialog = Dialog::logged_in(Policy::new().with_max_answers(9), CHALLENGE);
        dialog.send("/");
        let stale = |nonce| challenge(nonce, ", stale=true");
        assert_eq!(dialog.challenged([&stale("n2")]), Said::Retry);
        dialog.send("/");
        assert_eq!(dialog.challenged([&stale("n3")]), Said::StaleAgain);
        // The nonce is kept for the next exchange.
        assert_eq!(state(&dialog, CHALLENGE), State::Ready);
        let sent = dialog.would_send_unasked("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n3", "00000001"));
        // There it may be stale once more.
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(dialog.challenged([&stale("n4")]), Said::Retry);
    }

    #[test]
    fn a_nonce_never_accepted_and_not_stale_is_wrong_credentials() {
        for more in ["", ", stale=false"] {
            let mut dialog = ready(CHALLENGE);
            dialog.send("/");
            let other = challenge("n2", more);
            assert_eq!(dialog.challenged([&other]), wrong());
            assert_eq!(state(&dialog, CHALLENGE), State::Chosen);
        }
        // The same for one that came by a refusal itself.
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        let stale = challenge("n2", ", stale=true");
        assert_eq!(dialog.challenged([&stale]), Said::Retry);
        dialog.send("/");
        assert_eq!(dialog.challenged([&challenge("n3", "")]), wrong());
    }

    #[test]
    fn basic_again_is_wrong_credentials() {
        let mut dialog = ready(BASIC);
        dialog.send("/");
        assert_eq!(dialog.challenged([BASIC]), wrong());
        assert_eq!(state(&dialog, BASIC), State::Chosen);
    }

    #[test]
    fn basic_that_was_not_sent_is_sent() {
        let mut dialog = ready(BASIC);
        dialog.send("/a/b");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        assert_eq!(dialog.send("/c"), None);
        assert_eq!(dialog.challenged([BASIC]), Said::Retry);
        assert!(dialog.send("/c").is_some());
    }
}

/// What is said beside the tables.
mod beside_the_tables {
    use super::*;

    #[test]
    fn login_after_a_refusal_goes_on_with_the_last_challenge() {
        let mut dialog = ready(CHALLENGE);
        dialog.send("/");
        assert_eq!(dialog.challenged([&challenge("n2", "")]), wrong());
        dialog.login_as("Scar", "Be prepared").unwrap();
        assert!(dialog.send("/").is_none(), "the exchange is over");
        dialog.next_exchange();
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("username"), sent.get("nonce")), ("Scar", "n2"));

        let mut dialog = ready(BASIC);
        dialog.send("/");
        assert_eq!(dialog.challenged([BASIC]), wrong());
        dialog.login_as("Scar", "Be prepared").unwrap();
        dialog.next_exchange();
        let sent = dialog.send("/").unwrap();
        assert_eq!(sent.token68.as_deref(), Some("U2NhcjpCZSBwcmVwYXJlZA=="));
    }

    #[test]
    fn a_refused_exchange_is_given_no_more_answers() {
        for by in BOTH {
            let mut dialog = Dialog::logged_in(Policy::new().with_max_answers(9), by);
            dialog.send("/");
            assert_eq!(dialog.challenged([by]), wrong());
            dialog.login_as("Scar", "Be prepared").unwrap();
            assert_eq!(dialog.send("/"), None);
            // Whatever is asked.
            let next = dialog.challenged([by]);
            assert_eq!(next, Said::TooManyAnswers);
            assert_eq!(dialog.send("/"), None);
            // Others are.
            dialog.next_exchange();
            assert_eq!(dialog.challenged([by]), Said::Retry);
            assert!(dialog.send("/").is_some());
        }
    }

    #[test]
    fn an_exchange_without_a_usable_challenge_stays_as_it_was() {
        let none = Said::NoUsableChallenge([SkipReason::UnknownScheme].into());
        let stale = challenge("n2", ", stale=true");
        // One that is open may find another in the same response, which counts as one,
        let mut dialog = ready(CHALLENGE);
        assert!(dialog.send("/").is_some());
        assert_eq!(dialog.challenged([UNUSABLE]), none);
        assert_eq!(dialog.challenged([&stale]), Said::Retry);
        assert!(dialog.send("/").is_some());
        // and no more of them than without it.
        assert_eq!(dialog.challenged([UNUSABLE]), none);
        assert_eq!(dialog.challenged([&stale]), wrong());
        // One that is closed is not opened by it.
        assert_eq!(dialog.challenged([UNUSABLE]), none);
        assert_eq!(dialog.send("/"), None);
    }

    /// Some servers have one nonce for all.
    #[test]
    fn no_count_of_a_nonce_is_sent_twice() {
        let mut dialog = ready(CHALLENGE);
        assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
        assert_eq!(dialog.challenged([CHALLENGE]), wrong());
        dialog.login_as("Scar", "Be prepared").unwrap();
        dialog.next_exchange();
        assert_eq!(dialog.send("/").unwrap().get("nc"), "00000002");
        dialog.accepted(r#"nextnonce="n1""#).unwrap();
        dialog.next_exchange();
        assert_eq!(dialog.send("/").unwrap().get("nc"), "00000003");
        let other = CHALLENGE.replace("\"r\"", "\"s\"");
        assert_eq!(dialog.challenged([&other]), Said::Login);
        dialog.login();
        assert_eq!(dialog.send("/").unwrap().get("nc"), "00000004");
    }

    /// The nonce is dropped at a login, and its count was once dropped with it: a server that has
    /// one nonce for all took the first request of the next user for a replay.
    #[test]
    fn a_nonce_that_comes_back_after_a_login_goes_on_counting() {
        for out in [false, true] {
            let mut dialog = ready(CHALLENGE);
            assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
            dialog.next_exchange();
            if out {
                dialog.logout();
            } else {
                dialog.login_as("Scar", "Be prepared").unwrap();
            }
            assert_eq!(dialog.send("/"), None);
            match dialog.challenged([CHALLENGE]) {
                Said::Login if out => dialog.login(),
                next => assert_eq!(next, Said::Retry),
            }
            assert_eq!(dialog.send("/").unwrap().get("nc"), "00000002");
        }
    }

    /// A server may go round among a few nonces.
    #[test]
    fn a_nonce_that_comes_back_after_others_goes_on_counting() {
        let others = |number: u32| (0..number).map(|n| format!("other {n}"));
        for (between, count) in [(1, 2), (2, 2), (16, 2), (17, 1)] {
            let mut dialog = ready(&CHALLENGE.replace("SHA-256", "SHA-256-sess"));
            let first = dialog.send("/").unwrap();
            for nonce in others(between).chain(["n1".to_owned()]) {
                let next = format!(r#"nextnonce="{nonce}""#);
                dialog.accepted(&next).unwrap();
                dialog.next_exchange();
                let sent = dialog.send("/").unwrap();
                assert_eq!(sent.get("nonce"), nonce);
                let again = nonce == "n1";
                let count = if again { count } else { 1 };
                assert_eq!(sent.get("nc"), format!("{count:08x}"), "{between} between");
                // One nonce, one cnonce: with another the session key would be another.
                let same = sent.get("cnonce") == first.get("cnonce");
                assert_eq!(same, again && count == 2, "{between} between");
            }
        }
    }

    /// What is refused as stale may be offered again.
    #[test]
    fn a_nonce_that_comes_back_by_a_refusal_goes_on_counting() {
        let mut dialog = ready(CHALLENGE);
        for (nonce, count) in [("n2", 1), ("n1", 2), ("n2", 2), ("n1", 3)] {
            dialog.send("/").unwrap();
            let stale = challenge(nonce, ", stale=true");
            assert_eq!(dialog.challenged([&stale]), Said::Retry);
            dialog.next_exchange();
            let sent = dialog.would_send("/").unwrap();
            assert_eq!(sent.get("nonce"), nonce);
            assert_eq!(sent.get("nc"), format!("{count:08x}"));
        }
    }

    #[test]
    fn what_cannot_be_used_changes_nothing() {
        let none = |next| matches!(next, Said::NoUsableChallenge(_));
        for by in BOTH {
            let mut dialog = chosen(by);
            assert!(none(dialog.challenged([UNUSABLE])));
            assert_eq!(state(&dialog, by), State::Chosen);

            let mut dialog = ready(by);
            let before = dialog.send("/").unwrap();
            assert!(none(dialog.challenged([UNUSABLE])));
            assert_eq!(state(&dialog, by), State::Ready);
            let after = dialog.would_send_unasked("/").unwrap();
            assert_eq!(after.param("nonce"), before.param("nonce"));
            assert_eq!(after.token68, before.token68);
        }
        let mut dialog = idle();
        assert!(none(dialog.challenged([UNUSABLE])));
        assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
        assert_eq!(state(&dialog, CHALLENGE), State::Chosen);
    }

    /// Nor does an exchange go on for ever in which no answer is ever given: with the largest bound,
    /// the count of its challenges once stood still at the bound and never passed it, and a caller
    /// who asked for a target elsewhere went round for ever.
    #[test]
    fn an_exchange_without_answers_ends_at_every_bound() {
        let home = Endpoint::origin("http", "a", None).unwrap();
        for bound in [1, 2, 254, 255] {
            let policy = Policy::new().with_max_answers(bound);
            let mut dialog = Dialog::at(&home, policy);
            let mut requests = 0;
            let refusal = loop {
                requests += 1;
                assert!(requests <= 1 + u32::from(bound));
                assert_eq!(dialog.send("http://b/"), None);
                match dialog.challenged([CHALLENGE]) {
                    Said::Login => dialog.login(),
                    Said::Retry => {}
                    other => break other,
                }
            };
            assert_eq!(refusal, Said::TooManyAnswers);
            assert_eq!(requests, 1 + u32::from(bound));
        }
    }

    /// Each realm asks for another login, and each login is refused.
    #[test]
    fn every_exchange_ends() {
        for bound in [1, 2, 3, 5, 255] {
            let policy = Policy::new().with_max_answers(bound);
            let mut dialog = Dialog::new(policy);
            let mut answers = 0;
            let refusal = loop {
                answers += u32::from(dialog.send("/").is_some());
                let realm =
                    format!(r#"Digest realm="{answers}", nonce="n", qop=auth, algorithm=SHA-256"#);
                match dialog.challenged([&realm]) {
                    Said::Login => dialog.login(),
                    Said::Retry => panic!("not its realm"),
                    other => break other,
                }
            };
            assert_eq!(refusal, Said::TooManyAnswers);
            assert_eq!(answers, u32::from(bound));
        }
    }
}
