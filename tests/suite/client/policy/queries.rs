//! What a client tells without sending anything, and what it makes of a target: readiness, realm,
//! log-out, methods, and whose targets it answers for.

use countersign::Target;
use countersign::client::{AuthorizeError, Endpoint, Field, LoginError, Policy, Quirk, Readiness};
use countersign::digest::HashFunction;

use super::{BASIC, with_qop};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, USER, challenge, home};

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
                    let target = Target::new(method, "//h/x");
                    let made = dialog
                        .client
                        .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
                        .map(Field::for_new_request);
                    assert_eq!(made.err(), Some(AuthorizeError::Method), "{method:?}");
                    // A request-target that cannot be sent is no less of an error.
                    let target = Target::new("GET", "/a\r\nb");
                    let made = dialog
                        .client
                        .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
                        .map(Field::for_new_request);
                    assert!(matches!(made, Err(AuthorizeError::Target(_))));
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
    let target = Target::new("", "/");
    let made = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, "c")
        .map(Field::for_new_request);
    assert!(made.is_err());
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
}

#[test]
fn readiness_before_a_login() {
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
    dialog.login();
    assert_eq!(dialog.client.readiness("/"), Readiness::Answer);
    // Another login drops the nonce.
    dialog.login_as("Scar", "Be prepared").unwrap();
    assert_eq!(dialog.client.readiness("/"), Readiness::NoNonce);
}

#[test]
fn readiness_outside_of_the_protection_space() {
    let dialog = Dialog::logged_in(Policy::new(), &challenge("n", r#", domain="/in""#));
    assert_eq!(dialog.client.readiness("/in/side"), Readiness::Answer);
    assert_eq!(dialog.client.readiness("/out"), Readiness::OutsideSpace);
    let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
    assert_eq!(dialog.client.readiness("/in/side"), Readiness::OutsideSpace);
    dialog.send("/in/");
    assert_eq!(dialog.client.readiness("/in/side"), Readiness::Answer);
    assert_eq!(dialog.client.readiness("/out"), Readiness::OutsideSpace);
}

#[test]
fn readiness_says_whether_the_body_is_needed() {
    let over = Readiness::AnswerOverBody(HashFunction::Sha256);
    let rfc2069 = CHALLENGE.replace(", qop=\"auth\"", "");
    let usual = Policy::new().with_quirk(Quirk::Rfc2069);
    for (policy, value, expected) in [
        (usual, rfc2069.clone(), Readiness::Answer),
        (usual.prefer_auth_int(), rfc2069, Readiness::Answer),
        (usual, with_qop("auth"), Readiness::Answer),
        (usual, with_qop("auth,auth-int"), Readiness::Answer),
        (usual, with_qop("auth-int"), over),
        (usual.prefer_auth_int(), with_qop("auth"), Readiness::Answer),
        (usual.prefer_auth_int(), with_qop("auth,auth-int"), over),
        (usual.require_auth_int(), with_qop("auth,auth-int"), over),
    ] {
        let dialog = Dialog::logged_in(policy, &value);
        assert_eq!(dialog.client.readiness("/"), expected, "{value}");
    }
}

#[test]
fn realm_of_the_chosen_challenge() {
    // Bytes, escapes resolved; of the challenge that was chosen.
    let values = [
        r#"Basic realm="weak""#,
        r#"Digest realm="a\"b\\", nonce=n, qop=auth, algorithm=SHA-256"#,
    ];
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged(values), Said::Login);
    assert_eq!(dialog.ask().realm(), br#"a"b\"#);
    assert_eq!(dialog.ask().realm_text(), r#"a"b\"#);
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(
        dialog.challenged([&b"Basic realm=\"\xfc\""[..]]),
        Said::Login
    );
    assert_eq!(dialog.ask().realm(), b"\xfc");
    assert_eq!(dialog.ask().realm_text(), "\u{fffd}");
    // None is the empty one.
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged(["Basic"]), Said::Login);
    assert_eq!(dialog.ask().realm(), b"");
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
        assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
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
        let mut dialog = Dialog::at(&proxy, Policy::new());
        assert_eq!(dialog.challenged([value]), Said::Login);
        dialog.login();
        assert!(dialog.send("http://example.org/in/a").is_some());
        dialog.next_exchange();
        for uri in ["/", "*", "http://example.net/", "example.com:443"] {
            assert!(crate::support::client::covers(&dialog.client, uri), "{uri}");
            assert!(dialog.send(uri).is_some(), "{uri}");
        }
    }
}

#[test]
fn an_origin_covers_its_own_targets() {
    let absolute = challenge("n", r#", domain="https://example.com/in""#);
    let sip = Endpoint::origin("sips", "example.com", None).unwrap();
    // A SIP URI names no origin.
    for (endpoint, elsewhere) in [(home(), false), (sip, true)] {
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([&absolute]), Said::Login);
        dialog.login();
        assert!(crate::support::client::covers(&dialog.client, "/in/side"));
        assert!(crate::support::client::covers(
            &dialog.client,
            "https://example.com/in/side"
        ));
        assert!(!crate::support::client::covers(&dialog.client, "/out"));
        let uri = "https://example.org/in/side";
        assert_eq!(
            crate::support::client::covers(&dialog.client, uri),
            elsewhere
        );
        assert_eq!(dialog.send(uri).is_some(), elsewhere);
    }
}
