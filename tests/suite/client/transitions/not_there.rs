//! The state `not there`: no challenge was chosen yet.

use countersign::client::{Client, Endpoint, LoginError, Policy, ServerProof};

use super::{BASIC, BOTH, State, chosen, idle, state};
use crate::support::client::{CHALLENGE, PASSWORD, Said, USER, home};

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
fn the_least_recently_used_space_is_evicted_first() {
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
