//! What a client tells without sending anything, and what it makes of a target: readiness, realm,
//! log-out, methods, and whose targets it answers for.

use countersign::Target;
use countersign::client::{Endpoint, Error, LoginError, Policy};

use super::BASIC;
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge};

/// A response for such a method could be one for another method and request-target.
#[test]
fn methods_that_are_not_tokens_are_refused() {
    for value in [CHALLENGE, BASIC] {
        let logged_in = Dialog::logged_in(Policy::new(), value);
        for dialog in [&logged_in, &Dialog::new(Policy::new())] {
            for method in [
                "", "GET:http", "GET ", " GET", "GE\tT", "GET/", "G\"", "G\u{e9}T",
            ] {
                for asked in [true, false] {
                    let mut dialog = dialog.clone();
                    if !asked {
                        dialog.next_exchange();
                    }
                    let made = dialog.try_send(&Target::new(method, "//h/x"));
                    assert_eq!(made, Err(Error::Method), "{method:?}");
                    // A request-target that cannot be sent is no less of an error.
                    let made = dialog.try_send(&Target::new("GET", "/a\r\nb"));
                    assert!(matches!(made, Err(Error::Text(_))));
                }
            }
        }
        for method in ["GET", "get", "M-SEARCH", "!#$%&'*+-.^_`|~09azAZ"] {
            let mut dialog = logged_in.clone();
            assert!(dialog.send_target(&Target::new(method, "/")).is_some());
        }
    }
    // Nothing was counted.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    assert!(dialog.try_send(&Target::new("", "/")).is_err());
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
}

#[test]
fn a_realm_cannot_move_the_cursor_of_a_prompt() {
    // CSI as one character, which terminals obey, and what reverses the text that follows.
    for (realm, shown) in [
        ("a\u{9b}2Jb", "a\u{fffd}2Jb"),
        ("a\u{202e}b\u{2066}", "a\u{fffd}b\u{fffd}"),
        ("a\u{2028}b\tc", "a\u{fffd}b\u{fffd}c"),
        ("Jäsøn \u{5d0}\u{200f} a", "Jäsøn \u{5d0}\u{200f} a"),
    ] {
        let mut dialog = Dialog::new(Policy::new());
        let challenge = format!("Basic realm=\"{realm}\"");
        assert_eq!(dialog.challenged([&challenge]), Said::Login);
        assert_eq!(dialog.ask().realm(), realm.as_bytes());
        assert_eq!(dialog.ask().realm_text(), shown);
    }
}

#[test]
fn logout_forgets_the_login() {
    for value in [BASIC, CHALLENGE] {
        let mut dialog = Dialog::logged_in(Policy::new(), value);
        assert!(dialog.send("/").is_some());
        dialog.logout();
        assert_eq!(dialog.send("/"), None);
        let login = dialog.login_as(USER, PASSWORD);
        assert_eq!(login, Err(LoginError::Superseded));
        // An answer that is still under way is taken, and says nothing.
        assert_eq!(dialog.challenged([value]), Said::Login);
    }
}

#[test]
fn a_proxy_covers_every_target() {
    let proxy = Endpoint::proxy("https", "proxy", 3128);
    for value in [&challenge("n", r#", domain="/in""#), BASIC] {
        let mut dialog = Dialog::logged_in_at(&proxy, Policy::new(), value);
        assert!(dialog.send("http://example.org/in/a").is_some());
        dialog.next_exchange();
        for uri in ["/", "*", "http://example.net/", "example.com:443"] {
            assert!(dialog.send(uri).is_some(), "{uri}");
        }
    }
}
