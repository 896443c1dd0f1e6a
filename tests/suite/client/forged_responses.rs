//! One forged response, or a few: an honest server still lets the client in.
//!
//! Each test has somebody in the server's place for a while, or beside it in another realm of the
//! same origin.

use countersign::EntityBody;
use countersign::client::{Endpoint, Next, Policy, ServerProof};

use super::world::{Nonces, Server, World};
use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, challenge, client, home};

/// Refusals of one secret, with nothing accepted in between: as from a wrong password.
#[test]
fn forged_refusals_in_a_row_cost_twice_as_many_asks_each() {
    let server = Server::new(home(), Some(Nonces::Common(u32::MAX)));
    let mut world = World::new(server, client(Policy::new()), 1, true);
    world.server.password = "of somebody else";
    let sent: Vec<_> = (0..1000).filter(|_| world.run(1).wrong > 0).collect();
    assert_eq!(sent[..8], [0, 1, 3, 7, 15, 31, 63, 127]);
    assert_eq!(sent.len(), 21);
    // However often it was refused, it is right once the server is there again.
    world.server.password = PASSWORD;
    assert!(world.run(65).let_in > 0);
    // And then each costs one request: the next may have the same password.
    for _ in 0..3 {
        assert_eq!(world.run(1).let_in, 1);
        world.server.password = "of somebody else";
        assert_eq!(world.run(1).told, 1);
        world.server.password = PASSWORD;
    }
    assert_eq!(world.run(1).let_in, 1);
}

/// The response to a WebSocket handshake is final. In SIP the same status is provisional.
#[test]
fn switching_protocols_is_a_final_response_but_in_sip() {
    for (scheme, expected) in [
        ("https", ServerProof::Valid),
        ("wss", ServerProof::Valid),
        ("sips", ServerProof::Absent),
    ] {
        let endpoint = Endpoint::origin(scheme, "example.com", None).unwrap();
        let mut dialog = Dialog::logged_in_at(&endpoint, Policy::new(), CHALLENGE);
        assert!(dialog.send("/chat").is_some());
        let proof = dialog.proof();
        let (client, exchange) = (&mut dialog.client, &mut dialog.exchange);
        let next = client.received(exchange, 101, |_| [&proof].into_iter(), EntityBody::Unknown);
        assert_eq!(next, Ok(Next::Done(expected)), "{scheme}");
        let is_held = dialog.challenged([r#"Basic realm="r""#]) != Said::Login;
        assert_eq!(is_held, expected == ServerProof::Valid, "{scheme}");
    }
}

/// A challenge costs a server nothing, so however many there are, they log nobody out.
#[test]
fn challenges_of_other_realms_push_no_login_out() {
    let inside = challenge("n1", r#", domain="/app""#);
    let mut dialog = Dialog::new(Policy::new());
    dialog.send("/app/a");
    assert_eq!(dialog.challenged([&inside]), Said::Login);
    dialog.login();
    for n in 0..100 {
        dialog.next_exchange();
        dialog.send("/elsewhere");
        let other = challenge("m", "").replace("\"r\"", &format!("\"{n}\""));
        assert_eq!(dialog.challenged([&other]), Said::Login);
        assert!(dialog.would_send_unasked("/app/b").is_some());
    }
}

/// A user and a password in a request-target are not for the proxy's log, either.
#[test]
fn a_target_with_a_password_in_it_is_not_answered() {
    let proxy = Endpoint::proxy("http", "proxy", 3128);
    let dialog = Dialog::logged_in_at(&proxy, Policy::new(), CHALLENGE);
    for target in ["http://h/x", "h:443", "/x@y", "*"] {
        assert!(dialog.would_send(target).is_some(), "{target}");
    }
    for target in ["http://user:hunter2@h/x", "user:hunter2@h:443"] {
        assert!(dialog.would_send(target).is_none(), "{target}");
    }
    // A SIP URI names a user.
    let dialog = Dialog::logged_in_at(
        &Endpoint::proxy("sip", "proxy", 5060),
        Policy::new(),
        CHALLENGE,
    );
    assert!(dialog.would_send("sip:alice@h").is_some());
}
