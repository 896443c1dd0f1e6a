//! Rows and paragraphs of `client::rules` for which the alphabet of the model has no letter, or which
//! it reaches by long words alone.

use countersign::Target;
use countersign::client::{Account, LoginError, Policy, Quirk, ServerProof};

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
    dialog.goes_on();
    dialog
}

/// The nonce and the count of the next answer.
fn sends(dialog: &mut Dialog) -> Option<(String, String)> {
    let sent = dialog.send("/")?;
    assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
    Some((sent.get("nonce").to_owned(), sent.get("nc").to_owned()))
}

/// What it says to this challenge, which refuses its next answer.
fn refused(dialog: &mut Dialog, value: &str) -> Said {
    assert!(dialog.send("/").is_some());
    dialog.challenged([value])
}

/// What it says to a challenge with this nonce for the next request of the user.
fn next(dialog: &mut Dialog, nonce: &str) -> Said {
    dialog.next_exchange();
    dialog.challenged([&new(nonce)])
}

fn sent(nonce: &str, count: u32) -> Option<(String, String)> {
    Some((nonce.to_owned(), format!("{count:08x}")))
}

/// Those that were used last, for servers that return to one.
#[test]
fn the_counts_of_seventeen_nonces_are_kept() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    sends(&mut dialog);
    for n in 2..18 {
        assert_eq!(next(&mut dialog, &format!("n{n}")), Said::Retry);
        sends(&mut dialog);
    }
    dialog.next_exchange();
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("n1", 2));
}

/// Although more were in flight than that.
#[test]
fn the_nonce_of_an_accepted_answer_is_counted_on() {
    for algorithm in ["SHA-256", "SHA-256-sess"] {
        let of = |nonce: &str| new(nonce).replace("SHA-256", algorithm);
        let mut dialog = Dialog::logged_in(Policy::new(), &of("n0"));
        let first = dialog.send("/").unwrap();
        let late = dialog.keep();
        for n in 1..30 {
            dialog.next_exchange();
            assert_eq!(dialog.challenged([&of(&format!("n{n}"))]), Said::Retry);
            dialog.send("/");
        }
        dialog.resume(late);
        dialog.goes_on();
        let next = dialog.send("/").unwrap();
        assert_eq!((next.get("nonce"), next.get("nc")), ("n0", "00000002"));
        let is_session = algorithm == "SHA-256-sess";
        assert_eq!(next.get("cnonce") == first.get("cnonce"), is_session);
    }
    // Nor are the counts forgotten that others have sent with it meanwhile.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    assert_eq!(sends(&mut dialog), sent("n1", 1));
    let late = dialog.keep();
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), sent("n1", 2));
    assert_eq!(dialog.challenged([&stale("n2")]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("n2", 1));
    dialog.resume(late);
    dialog.goes_on();
    assert_eq!(sends(&mut dialog), sent("n1", 3));
}

/// A `nextnonce` that comes late is older than the nonce at hand.
#[test]
fn a_next_nonce_follows_the_nonce_at_hand() {
    let mut dialog = accepted();
    sends(&mut dialog);
    let late = dialog.keep();
    assert_eq!(dialog.challenged([&stale("n2")]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("n2", 1));
    dialog.accepted("").unwrap();
    dialog.resume(late);
    dialog.accepted(r#"nextnonce="old""#).unwrap();
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), sent("n2", 2));
    dialog.accepted(r#"nextnonce="n3""#).unwrap();
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), sent("n3", 1));
    // One that is too long to be sent back is not taken.
    let long = "n".repeat(4096);
    dialog.accepted(&format!("nextnonce=\"{long}\"")).unwrap();
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), sent("n3", 2));
}

/// A program may have one exchange for all requests of a connection.
#[test]
fn an_accepted_answer_starts_the_counts_of_its_exchange_again() {
    let policy = Policy::new().with_quirk(Quirk::OnlyWhenAsked);
    let mut dialog = Dialog::logged_in(policy, CHALLENGE);
    for n in 0..10 {
        for more in ["a", "b"] {
            let stale = stale(&format!("{more}{n}"));
            assert_eq!(refused(&mut dialog, &stale), Said::Retry, "{n}");
        }
        assert!(sends(&mut dialog).is_some());
        dialog.accepted("").unwrap();
        assert_eq!(sends(&mut dialog), None);
        assert_eq!(dialog.challenged([&new(&format!("c{n}"))]), Said::Retry);
    }
}

#[test]
fn row_2_basic() {
    for is_asked in [true, false] {
        let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
        dialog.send("/");
        if !is_asked {
            dialog.goes_on();
            assert!(dialog.send("/").is_some());
        }
        assert_eq!(dialog.challenged([BASIC]), Said::WrongCredentials);
    }
}

/// The program cannot send a request again, and its password never worked.
#[test]
fn row_6_the_first_use_of_a_nonce_by_a_secret_that_never_worked() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), sent("n1", 1));
    assert_eq!(dialog.challenged([&new("n2")]), Said::WrongCredentials);
}

/// The program cannot send a request again, and the password was changed: it is sent four times.
#[test]
fn rows_7_and_8_the_fourth_volunteered_answer_in_a_row() {
    let mut dialog = accepted();
    let mut refused_next = |n: u32, is_accepted_then: bool| {
        dialog.next_exchange();
        let said = refused(&mut dialog, &new(&format!("n{n}")));
        if is_accepted_then {
            assert!(sends(&mut dialog).is_some());
            dialog.accepted("").unwrap();
        }
        said
    };
    // An accepted answer starts the row again.
    for n in 2..23 {
        assert_eq!(refused_next(n, n % 3 == 1 && n < 20), Said::Retry);
    }
    assert_eq!(refused_next(23, false), Said::WrongCredentials);
    dialog.next_exchange();
    assert_eq!(sends(&mut dialog), None);
    // Another secret is sent four times, too.
    dialog.login_as(USER, "another").unwrap();
    assert_eq!(refused(&mut dialog, &new("n6")), Said::Retry);
}

/// Though its challenge is weaker.
#[test]
fn a_realm_that_has_a_login_is_answered_before_others() {
    let mut dialog = accepted();
    let other = new("m")
        .replace("SHA-256", "SHA-512-256")
        .replace("\"r\"", "\"other\"");
    assert_eq!(dialog.challenged([&other, &new("n2")]), Said::Retry);
    assert_eq!(sends(&mut dialog), sent("n2", 1));
}

/// What the response to Basic, or to no answer at all, says about nonces and proofs is not read.
#[test]
fn the_field_means_nothing_after_basic() {
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    dialog.send("/");
    let info = r#"nextnonce="n2", rspauth="x""#;
    assert_eq!(dialog.accepted(info), Ok(ServerProof::Absent));
    let mut dialog = accepted();
    assert_eq!(dialog.accepted(info), Ok(ServerProof::Absent));
    assert_eq!(sends(&mut dialog), sent("n1", 2));
}

/// The server refuses one request, and accepts another with the same secret: that was right, unless
/// the other was for a page that asks nobody.
#[test]
fn a_late_acceptance_takes_a_refusal_back() {
    for (is_asked, is_proven, is_back) in [
        (true, false, true),
        (false, true, true),
        (false, false, false),
    ] {
        let mut dialog = match is_asked {
            true => Dialog::logged_in(Policy::new(), CHALLENGE),
            false => accepted(),
        };
        assert!(sends(&mut dialog).is_some());
        let late = dialog.keep();
        assert_eq!(next(&mut dialog, "n2"), Said::Retry);
        assert_eq!(refused(&mut dialog, &new("n3")), Said::WrongCredentials);
        dialog.resume(late);
        let proof = is_proven.then(|| dialog.proof());
        dialog.accepted(&proof.unwrap_or_default()).unwrap();
        assert_eq!(dialog.clone().login_as(USER, PASSWORD).is_ok(), is_back);
        assert_eq!(next(&mut dialog, "n4"), Said::Login);
        assert_eq!(dialog.ask().is_again(), !is_back);
    }
}

/// Neither an ask that came before a refusal nor the ask of the refusal takes the secret again. Whoever
/// waits for a login hears whether there was one meanwhile.
#[test]
fn a_refused_secret_needs_an_ask_that_came_later() {
    for challenge in [CHALLENGE, BASIC] {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged([challenge]), Said::Login);
        let before = dialog.ask().clone();
        assert!(dialog.client.wants(&before));
        dialog.login();
        assert!(!dialog.client.wants(&before));
        assert_eq!(refused(&mut dialog, challenge), Said::WrongCredentials);
        let refusal = dialog.ask().clone();
        assert!(dialog.client.wants(&refusal) && !dialog.client.wants(&before));
        let refused = Err(LoginError::AlreadyRefused);
        assert_eq!(dialog.login_as(USER, PASSWORD), refused);
        dialog.next_exchange();
        assert_eq!(dialog.challenged([challenge]), Said::Login);
        let account = Account::new(USER, PASSWORD).with_basic();
        assert_eq!(dialog.client.login(&before, &account), refused);
        dialog.login();
    }
}

/// Which statuses accept an answer, and which do not.
#[test]
fn what_a_status_says() {
    let accepts = [
        200, 204, 302, 404, 405, 409, 412, 415, 416, 422, 423, 486, 603,
    ];
    let silent = [
        400, 403, 406, 408, 413, 414, 421, 425, 426, 429, 431, 500, 502, 503, 511, 599,
    ];
    let not_final = [100, 103, 199, 401, 407];
    for (statuses, said, is_second_volunteered) in [
        (&accepts[..], Said::Retry, true),
        (&silent, Said::WrongCredentials, false),
        (&not_final, Said::WrongCredentials, true),
    ] {
        for &status in statuses {
            let answered = || {
                let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
                assert!(dialog.send("/").is_some());
                assert_eq!(dialog.completed(status, None), Ok(ServerProof::Absent));
                dialog
            };
            // Whether the answer has still to be accepted.
            assert_eq!(answered().challenged([&new("n2")]), said, "{status}");
            let mut dialog = answered();
            for is_volunteered in [true, is_second_volunteered] {
                dialog.next_exchange();
                assert_eq!(dialog.send("/").is_some(), is_volunteered, "{status}");
                assert_eq!(dialog.completed(status, None), Ok(ServerProof::Absent));
            }
        }
    }
}

/// The fourth in a row refuses the secret, and the exchange gets no answer by another.
#[test]
fn bare_401s_end_an_exchange() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    for n in 1..5 {
        assert!(sends(&mut dialog).is_some());
        let said = dialog.challenged([""; 0].iter());
        assert_eq!(said == Said::WrongCredentials, n == 4, "{said:?}");
    }
    dialog.login_as(USER, "another").unwrap();
    assert_eq!(dialog.send("/"), None);
}
