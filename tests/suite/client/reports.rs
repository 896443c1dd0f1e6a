//! Cases that users of other clients reported, each with the figure of before.

use countersign::client::{Account, Client, Endpoint, GiveUp, Next, Policy, ServerProof};

use super::world::{Nonces, Server, World};
use crate::support::client::{CHALLENGE, Dialog, Said, USER, challenge};

/// SIP registrars answer a wrong password with 403, and it was sent 1,000 times in 1,000 requests.
#[test]
fn a_password_that_is_refused_by_403_is_sent_some_twenty_times_in_a_thousand_requests() {
    let registrar = Endpoint::origin("sip", "sip.example", None).unwrap();
    let client = Client::from_seed(registrar.clone(), Policy::new(), [7; 32]);
    let account = Account::new(USER, "wrong").for_realm("r");
    let server = Server {
        refuses_by: Some(403),
        ..Server::new(registrar, Some(Nonces::Newest))
    };
    let mut world = World::new(server, client.with_account(account).unwrap(), 1, true);
    world.reports = true;
    let came = world.run(1000);
    assert_eq!(came.told, 1000);
    assert!((10..=22).contains(&came.answers), "{came:?}");
}

/// A volunteered answer that is refused by another status may have been refused for its nonce.
#[test]
fn refused_asks_for_a_challenge_first() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    assert!(dialog.send("/").is_some());
    dialog.goes_on();
    assert!(dialog.send("/").is_some());
    assert_eq!(dialog.client.refused(&mut dialog.exchange), Next::Retry);
    // A request that carries no answer has none that could be refused.
    assert_eq!(dialog.send("/"), None);
    let next = dialog.client.refused(&mut dialog.exchange);
    assert_eq!(next, Next::Done(ServerProof::Absent));
    assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
    assert!(dialog.send("/").is_some());
    let next = dialog.client.refused(&mut dialog.exchange);
    assert!(
        matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_))),
        "{next:?}"
    );
    // The exchange gets no answer by another password.
    dialog.login_as(USER, "another").unwrap();
    assert_eq!(dialog.send("/"), None);
}

/// There was a prompt, then nine requests, then `NeverAnswered`.
#[test]
fn a_target_that_can_never_be_answered_is_told_at_the_first_challenge() {
    for target in [
        "",
        "index.html",
        "https://example.org/",
        "rtsp://example.com/",
    ] {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.send(target), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::ForeignTarget);
        // The exchange is closed, and the client is as it was.
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::TooManyAnswers);
        dialog.next_exchange();
        assert_eq!(dialog.send(target), None);
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    }
}

/// A printer offers qop, and checks the form of RFC 2069 alone.
#[test]
#[cfg(feature = "md5")]
fn a_printer_that_does_not_check_what_it_offers() {
    use countersign::Target;
    use countersign::client::Quirk;

    use crate::support::client::PASSWORD;

    let value = r#"Digest realm="print", nonce="made-up-1", qop="auth", algorithm=MD5"#;
    let mut dialog = Dialog::new(Policy::new().with_quirk(Quirk::WithoutQop));
    assert_eq!(dialog.challenged([value]), Said::Login);
    dialog.login_as("owner", PASSWORD).unwrap();
    let target = Target::new("POST", "/ipp/print");
    let sent = dialog.send_target(&target).unwrap();
    assert_eq!(sent.get("response"), "01ab1b8a6ca94421ecf87576850b1c41");
    for name in ["qop", "nc", "cnonce"] {
        assert_eq!(sent.param(name), None);
    }
}
