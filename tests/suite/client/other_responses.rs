//! *Another response* of the page: which statuses accept an answer, and what the others say.

use countersign::client::{Policy, ServerProof};

use super::rules::{accepted, new, next, sends};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER};

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

/// An application behind the server, or one with a scheme of its own, says nothing of the nonce.
#[test]
fn a_401_without_a_challenge_of_use() {
    for values in [&[][..], &["Digest realm="], &["Bearer"]] {
        let mut dialog = accepted();
        sends(&mut dialog);
        let said = dialog.challenged(values);
        assert!(matches!(said, Said::NoUsableChallenge(_)));
        // The exchange goes on, too: the challenge may be in another field.
        assert!(sends(&mut dialog).is_some());
        dialog.next_exchange();
        assert!(sends(&mut dialog).is_some(), "{values:?}");
        assert_eq!(dialog.challenged([&new("n2")]), Said::Retry);
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

/// It is not counted for the login that came after it.
#[test]
fn another_response_to_an_answer_of_another_login() {
    let mut dialog = accepted();
    assert!(sends(&mut dialog).is_some());
    let of_mufasa = dialog.keep();
    dialog.login_as("Simba", PASSWORD).unwrap();
    assert_eq!(next(&mut dialog, "n2"), Said::Retry);
    assert!(dialog.send("/").is_some());
    dialog.goes_on();
    dialog.resume(of_mufasa);
    for _ in 0..2 {
        dialog.completed(429, None).unwrap();
        dialog.next_exchange();
        assert!(dialog.send("/").is_some());
    }
}
