//! Control bytes, quotes and line ends that became part of a header.

use countersign::client::{Account, Endpoint, LoginError, Policy, Quirk, ServerProof, SkipReason};
use countersign::{InvalidText, Target};

use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, challenge, client, is_control, skipped,
};
use crate::support::errors::problem;

/// curl test 3221 and a2b943b1, libsoup: CR and LF in a user name were sent as they are. The same
/// for every control byte, wherever it comes from.
mod curl_a2b943b1_test_3221_control_bytes {
    use super::*;

    fn controls() -> impl Iterator<Item = u8> {
        (0..32).chain([127]).filter(is_control)
    }

    #[test]
    fn in_the_user_name() {
        for byte in controls() {
            for around in [("", ""), ("a", ""), ("a", "b"), ("ä", "b")] {
                let name = format!("{}{}{}", around.0, char::from(byte), around.1);
                let at = around.0.len();
                let wrong = Err(LoginError::Text(InvalidText::Control(at)));
                for (policy, value) in [
                    (Policy::new(), CHALLENGE.to_owned()),
                    (
                        Policy::new().with_quirk(Quirk::Latin1),
                        CHALLENGE.to_owned(),
                    ),
                    (Policy::new(), challenge("n", ", userhash=true")),
                    (Policy::new(), r#"Basic realm="r""#.to_owned()),
                ] {
                    let mut dialog = Dialog::new(policy);
                    assert_eq!(dialog.challenged([&value]), Said::Login);
                    assert_eq!(dialog.login_as(&name, "p"), wrong, "{name:?} {value}");
                    assert_eq!(dialog.send("/"), None);
                }
                let basic = client(Policy::new())
                    .with_account(Account::new(&name, "p").with_preemptive_basic());
                assert_eq!(basic.err(), wrong.err(), "{name:?}");
            }
        }
        // Also those beyond ASCII, which `username*` could carry.
        for name in ["\u{80}", "a\u{85}b", "\u{9f}"] {
            let mut dialog = Dialog::new(Policy::new());
            assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
            assert!(dialog.login_as(name, "p").is_err(), "{name:?}");
        }
    }

    #[test]
    fn in_what_the_server_sends() {
        for byte in controls() {
            for escape in ["", "\\"] {
                let bad = format!("x{escape}{}y", char::from(byte));
                for value in [
                    CHALLENGE.replace("realm=\"r\"", &format!("realm=\"{bad}\"")),
                    CHALLENGE.replace("n1", &bad),
                    challenge("n", &format!(r#", opaque="{bad}""#)),
                    challenge("n", &format!(r#", domain="{bad}""#)),
                    challenge("n", &format!(r#", other="{bad}""#)),
                    format!(r#"Basic realm="{bad}""#),
                ] {
                    let next = Dialog::new(Policy::new()).challenged([&value]);
                    let [SkipReason::Header(error)] = skipped(&next) else {
                        panic!("{value:?}: {next:?}");
                    };
                    assert_eq!(
                        problem(error),
                        "control byte in a quoted string",
                        "{value:?}"
                    );
                    assert_eq!(
                        value.as_bytes()[error.position().unwrap()],
                        byte,
                        "{value:?}"
                    );
                }

                let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
                dialog.send("/");
                let info = dialog.accepted(&format!(r#"nextnonce="{bad}""#));
                assert!(matches!(info, Ok(ServerProof::Unreadable)), "{bad:?}");
                dialog.next_exchange();
                assert_eq!(dialog.send("/").unwrap().get("nonce"), "n1");
            }
        }
    }
}

/// httpx, requests, urllib, async-http-client#2236, tropel#328: a quote in what the server sent
/// ended the parameter, and what came after it was a parameter more.
#[test]
fn async_http_client_2236_and_tropel_328_a_quote_adds_no_parameter() {
    let text = r#"x", uri="/admin", username="root"#;
    let mut texts = vec!["plain"; 5];
    for at in 0..=texts.len() {
        if let Some(place) = texts.get_mut(at) {
            *place = text;
        }
        let [realm, nonce, opaque, user, uri] = texts[..] else {
            unreachable!("five texts");
        };
        let [r, n, o] = [realm, nonce, opaque].map(|text| text.replace('"', "\\\""));
        let value = format!(
            r#"Digest realm="{r}", nonce="{n}", opaque="{o}", qop="auth", algorithm=SHA-256"#
        );
        // Its request-targets are of no form.
        let endpoint = Endpoint::origin("sips", "example.com", None).unwrap();
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([&value]), Said::Login, "{value}");
        dialog.login_as(user, PASSWORD).unwrap();
        let sent = dialog.send(uri).unwrap();
        assert_eq!(sent.params.len(), 10, "{}", sent.text());
        let names = ["realm", "nonce", "opaque", "username", "uri"];
        assert_eq!(names.map(|name| sent.get(name)), texts[..]);
        // The hash is over the text itself.
        let target = Target::new("GET", uri);
        assert!(sent.is_right(user, PASSWORD, &target), "{texts:?}");
        texts = vec!["plain"; 5];
    }
}
