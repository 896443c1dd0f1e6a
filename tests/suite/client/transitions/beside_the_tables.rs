//! What is said beside the tables.

use countersign::client::{Endpoint, Policy, Readiness, ServerProof, SkipReason};

use super::{BASIC, BOTH, State, UNUSABLE, chosen, idle, ready, state, wrong};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge};

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
fn unusable_challenges_change_nothing() {
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

/// Nor does an exchange go on for ever in which no answer is ever given, such as for a caller who asks
/// for a target elsewhere.
#[test]
fn an_exchange_without_answers_ends_at_every_bound() {
    let home = Endpoint::origin("http", "a", None).unwrap();
    for bound in [1, 2, 254, 255] {
        let policy = Policy::new().with_max_answers(bound);
        let mut dialog = Dialog::at(&home, policy);
        let mut requests = 0;
        let refusal = loop {
            requests += 1;
            assert!(requests <= 9);
            assert_eq!(dialog.send("http://b/"), None);
            match dialog.challenged([CHALLENGE]) {
                Said::Login => dialog.login(),
                Said::Retry => {}
                other => break other,
            }
        };
        assert_eq!(refusal, Said::NeverAnswered);
        assert_eq!(requests, 9);
        // The reason stays the same.
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::NeverAnswered);
    }
}

/// Requests without an answer take nothing from those with one: a task that waited behind prompts
/// still has its retry.
#[test]
fn requests_without_an_answer_do_not_use_up_answers() {
    for bare in 0..8 {
        let mut dialog = Dialog::new(Policy::new());
        for _ in 0..=bare {
            assert_eq!(dialog.send("/"), None);
            assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        }
        dialog.login();
        assert!(dialog.send("/").is_some());
        let stale = challenge("n2", ", stale=true");
        assert_eq!(dialog.challenged([&stale]), Said::Retry, "{bare}");
        assert!(dialog.send("/").is_some());
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

/// Only an answer that was accepted starts the numbers again: a response to a request without an
/// answer accepts none.
#[test]
fn a_response_to_a_request_without_an_answer_starts_no_number_again() {
    let mut dialog = Dialog::new(Policy::new());
    for n in 0..=8 {
        let said = match n {
            8 => Said::NeverAnswered,
            _ => Said::Login,
        };
        assert!(dialog.send("/").is_none());
        assert_eq!(dialog.challenged([CHALLENGE]), said, "{n}");
        assert!(dialog.send("/").is_none());
        let proof = dialog.accepted("");
        assert_eq!(proof, Ok(ServerProof::Absent));
    }
}
