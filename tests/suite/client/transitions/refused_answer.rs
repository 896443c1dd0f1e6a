//! What follows a challenge that the credentials fit, by what the refused request carried.

use countersign::client::Policy;

use super::{BASIC, BOTH, State, ready, state, wrong};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge, sent_unasked};

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
        let next = match first.contains("qop") {
            true => wrong(),
            // Credentials that were sent with a count do not follow where there is none.
            false => Said::Login,
        };
        assert_eq!(dialog.challenged([&first]), next, "{first}");
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

/// Someone may have changed the password: that is found out at the second refusal of an exchange, and
/// not at the lock-out.
#[test]
fn an_accepted_secret_is_retried_once() {
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
    // The nonce may have come from someone else, who is gone in the next exchange.
    let mut dialog = accepted();
    assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
    dialog.next_exchange();
    dialog.send("/");
    assert_eq!(dialog.challenged([&challenge("n4", "")]), Said::Retry);
    dialog.send("/");
    assert_eq!(dialog.challenged([&challenge("n5", "")]), wrong());
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
fn the_second_stale_nonce_of_an_exchange_ends_it() {
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

/// A server that wants the counts of a nonce in order calls it stale for a request that another has
/// overtaken. That may happen to a request several times.
#[test]
fn a_nonce_that_other_requests_used_may_be_stale_again() {
    for (bound, expected) in [(1, 1), (2, 10), (3, 11)] {
        let mut dialog = Dialog::logged_in(Policy::new().with_max_answers(bound), CHALLENGE);
        let mut answers = 0;
        let said = loop {
            dialog.send("/");
            answers += 1;
            // Another request uses the nonce after this one, and arrives before it.
            assert!(sent_unasked(&mut dialog.client, "/").is_some());
            let stale = challenge(&format!("s{answers}"), ", stale=true");
            match dialog.challenged([&stale]) {
                Said::Retry => {}
                said => break said,
            }
        };
        assert_eq!((answers, said), (expected, Said::TooManyAnswers));
    }
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
fn a_second_basic_challenge_is_wrong_credentials() {
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
