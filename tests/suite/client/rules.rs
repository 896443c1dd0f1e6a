//! The rows of `client::states`, one test each, and the situations that they are for.

use countersign::client::{LoginError, Policy, ServerProof};
use countersign::{EntityBody, Target};

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge};

const BASIC: &str = r#"Basic realm="r""#;

fn new(nonce: &str) -> String {
    challenge(nonce, "")
}

fn stale(nonce: &str) -> String {
    challenge(nonce, ", stale=true")
}

/// One that has answered its first challenge and was accepted, in a new exchange.
fn accepted() -> Dialog {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    assert!(dialog.send("/").is_some());
    dialog.accepted("").unwrap();
    dialog.next_exchange();
    dialog
}

/// The nonce and the count of the next answer.
fn sends(dialog: &mut Dialog) -> Option<(String, String)> {
    let sent = dialog.send("/")?;
    assert!(sent.is_right(
        USER,
        PASSWORD,
        &Target::new("GET", "/").with_body(EntityBody::Bytes(b""))
    ));
    Some((sent.get("nonce").to_owned(), sent.get("nc").to_owned()))
}

fn sent(nonce: &str, count: u32) -> Option<(String, String)> {
    Some((nonce.to_owned(), format!("{count:08x}")))
}

#[test]
fn an_answer_is_volunteered_and_counted() {
    let mut dialog = accepted();
    for count in 2..20 {
        assert_eq!(sends(&mut dialog), sent("n1", count));
        dialog.accepted("").unwrap();
        dialog.next_exchange();
    }
}

#[test]
fn row_1_no_answer_or_one_of_another_login() {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(sends(&mut dialog), None);
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login();
    dialog.next_exchange();
    assert_eq!(dialog.challenged([&new("n2")]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("n2", 1));
    dialog.login_as("Simba", PASSWORD).unwrap();
    assert_eq!(dialog.challenged([&new("n3")]), Said::Retry);
}

#[test]
fn row_2_basic() {
    for is_asked in [true, false] {
        let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
        dialog.send("/");
        if !is_asked {
            dialog.accepted("").unwrap();
            dialog.next_exchange();
            assert!(dialog.send("/").is_some());
        }
        assert_eq!(dialog.challenged([BASIC]), Said::WrongCredentials);
    }
}

#[test]
fn row_3_stale_and_another_nonce() {
    for is_asked in [true, false] {
        let mut dialog = match is_asked {
            true => Dialog::logged_in(Policy::new(), CHALLENGE),
            false => accepted(),
        };
        assert!(sends(&mut dialog).is_some());
        assert_eq!(dialog.challenged([&stale("n2")]), Said::Retry);
        assert_eq!(sends(&mut dialog), sent("n2", 1));
    }
    // A nonce that is stale and comes back is none.
    let mut dialog = accepted();
    assert!(sends(&mut dialog).is_some());
    assert_eq!(dialog.challenged([&stale("n1")]), Said::WrongCredentials);
}

/// Forty requests are in flight, and one of them gets in: the password is right.
#[test]
fn row_4_another_answer_was_accepted_since() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    assert!(sends(&mut dialog).is_some());
    let late = dialog.keep();
    dialog.next_exchange();
    assert_eq!(dialog.challenged([&new("n2")]), Said::Retry);
    assert!(sends(&mut dialog).is_some());
    dialog.accepted("").unwrap();
    dialog.resume(late);
    assert_eq!(dialog.challenged([&new("n3")]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("n3", 1));
    assert_eq!(dialog.challenged([&new("n4")]), Said::WrongCredentials);
}

#[test]
fn row_5_an_answer_that_was_asked_for_or_whose_nonce_comes_back() {
    let mut dialog = accepted();
    assert!(sends(&mut dialog).is_some());
    assert_eq!(dialog.challenged([&new("n2")]), Said::Retry);
    assert!(sends(&mut dialog).is_some());
    assert_eq!(dialog.challenged([&new("n3")]), Said::WrongCredentials);

    let mut dialog = accepted();
    assert!(sends(&mut dialog).is_some());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::WrongCredentials);
    // The login is gone, and its secret is not taken for this ask.
    assert_eq!(
        dialog.login_as(USER, PASSWORD),
        Err(LoginError::AlreadyRefused)
    );
    assert_eq!(dialog.login_as(USER, "another"), Ok(()));
}

/// The program cannot send a request again, and its password never worked.
#[test]
fn row_6_the_first_use_of_a_nonce_by_a_secret_that_never_worked() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), sent("n1", 1));
    assert_eq!(dialog.challenged([&new("n2")]), Said::WrongCredentials);
    // But not if the challenge does not offer what the answer used: nobody has looked at it then.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.next_exchange();
    assert!(sends(&mut dialog).is_some());
    let auth_int = new("n2").replace("\"auth\"", "\"auth-int\"");
    assert_eq!(dialog.challenged([&auth_int]), Said::Retry);
}

/// The program cannot send a request again, and the password was changed: it is sent four times.
#[test]
fn rows_7_and_8_the_fourth_volunteered_answer_in_a_row() {
    let mut dialog = accepted();
    for (refusal, said) in [
        (2, Said::Retry),
        (3, Said::Retry),
        (4, Said::Retry),
        (5, Said::WrongCredentials),
    ] {
        assert!(sends(&mut dialog).is_some());
        assert_eq!(dialog.challenged([&new(&format!("n{refusal}"))]), said);
        dialog.next_exchange();
    }
    assert_eq!(sends(&mut dialog), None);
}

/// A restart of the server refuses all that is in flight: one event.
#[test]
fn a_restart_counts_once() {
    let mut dialog = accepted();
    let in_flight: Vec<_> = (0..40)
        .map(|_| {
            dialog.next_exchange();
            assert!(sends(&mut dialog).is_some());
            dialog.keep()
        })
        .collect();
    for (at, kept) in in_flight.into_iter().enumerate() {
        dialog.resume(kept);
        let nonce = format!("m{at}");
        assert_eq!(dialog.challenged([&new(&nonce)]), Said::Retry);
        assert_eq!(sends(&mut dialog), sent(&nonce, 1));
    }
}

/// Two realms of one origin take turns, and each keeps its login.
#[test]
fn two_realms_by_turns() {
    let of = |realm: &str, nonce: usize| {
        new(&format!("{realm}{nonce}")).replace("realm=\"r\"", &format!("realm={realm:?}"))
    };
    let mut dialog = Dialog::new(Policy::new());
    for (realm, path) in [("a", "/a/x"), ("b", "/b/x")] {
        dialog.next_exchange();
        let volunteered = dialog.send(path);
        assert_eq!(
            volunteered.is_some(),
            realm == "b",
            "the guess is the other realm"
        );
        assert_eq!(dialog.challenged([&of(realm, 0)]), Said::Login);
        dialog.login();
        assert_eq!(dialog.send(path).unwrap().get("realm"), realm);
        dialog.accepted("").unwrap();
    }
    for _ in 0..10 {
        for (realm, path) in [("a", "/a/x"), ("b", "/b/x")] {
            dialog.next_exchange();
            assert_eq!(dialog.send(path).unwrap().get("realm"), realm);
            dialog.accepted("").unwrap();
        }
    }
    // A realm that has a login is answered before others.
    dialog.next_exchange();
    let other = of("c", 0).replace("SHA-256", "SHA-512-256");
    assert_eq!(dialog.challenged([&other, &of("a", 1)]), Said::Retry);
    assert_eq!(dialog.send("/a/x").unwrap().get("realm"), "a");
    // Realms have case.
    dialog.next_exchange();
    assert_eq!(dialog.challenged([&of("A", 0)]), Said::Login);
}

/// A forged refusal of an answer that was asked for costs a prompt, and of another one a request.
#[test]
fn a_forged_refusal() {
    let mut dialog = accepted();
    assert!(sends(&mut dialog).is_some());
    assert_eq!(dialog.challenged([&new("forged")]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("forged", 1));
    assert_eq!(dialog.challenged([&new("forged2")]), Said::WrongCredentials);
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), None);
    assert_eq!(dialog.challenged([&new("n2")]), Said::Login);
    dialog.login();
    assert_eq!(sends(&mut dialog), sent("n2", 1));
    dialog.accepted("").unwrap();
}

/// `Ask::is_again` tells that the last login failed, until one is accepted.
#[test]
fn an_ask_tells_whether_a_login_failed() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    // Wrong, so the next ask says so; right, and another realm form makes it anew.
    assert!(dialog.send("/").is_some());
    assert_eq!(dialog.challenged([&new("n2")]), Said::WrongCredentials);
    assert!(dialog.ask().is_again());
    dialog.next_exchange();
    assert_eq!(dialog.challenged([&new("n3")]), Said::Login);
    assert!(dialog.ask().is_again());
    dialog.login_as(USER, "another").unwrap();
    assert!(dialog.send("/").is_some());
    dialog.accepted("").unwrap();
    // The password is changed: the next ask is of another kind.
    for _ in 0..2 {
        assert!(dialog.send("/").is_some());
        dialog.challenged([&new("n4")]);
    }
    assert!(dialog.ask().is_again());
    dialog.logout();
    dialog.next_exchange();
    assert_eq!(dialog.challenged([&new("n5")]), Said::Login);
    assert!(!dialog.ask().is_again());
}

/// What the response to Basic, or to no answer at all, says about nonces and proofs is not read.
#[test]
fn the_field_means_nothing_after_basic() {
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    dialog.send("/");
    let proof = dialog.accepted(r#"nextnonce="n2", rspauth="x""#);
    assert_eq!(proof, Ok(ServerProof::Absent));
    let mut dialog = accepted();
    let proof = dialog.accepted(r#"nextnonce="n2""#);
    assert_eq!(proof, Ok(ServerProof::Absent));
    assert_eq!(sends(&mut dialog), sent("n1", 2));
}

/// Whatever the server says, an exchange ends.
#[test]
fn every_exchange_ends() {
    for (says, end) in [
        (CHALLENGE.to_owned(), Said::WrongCredentials),
        (stale("m"), Said::TooManyAnswers),
        (BASIC.to_owned(), Said::WrongCredentials),
    ] {
        for logs_in in [true, false] {
            let mut dialog = Dialog::new(Policy::new());
            let mut requests = 0;
            let said = loop {
                dialog.send("/");
                requests += 1;
                assert!(requests < 12, "{says}");
                let value = says.replace("\"m\"", &format!("\"m{requests}\""));
                match dialog.challenged([&value]) {
                    Said::Login if logs_in => dialog.login(),
                    Said::Login | Said::Retry => {}
                    said => break said,
                }
            };
            let expected = if logs_in {
                end.clone()
            } else {
                Said::NeverAnswered
            };
            assert_eq!(said, expected);
            // It gets no more answers.
            assert_eq!(dialog.send("/"), None);
        }
    }
}
