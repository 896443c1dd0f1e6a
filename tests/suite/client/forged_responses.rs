//! One forged response, or a few: an honest server still lets the client in.
//!
//! Each test has somebody in the server's place for a while, or beside it in another realm of the
//! same origin. Then the loop of the README has to succeed with the right password again.

use countersign::client::{
    Account, Client, Endpoint, Exchange, GiveUp, LoginError, Next, Policy, Readiness, ServerProof,
    Strength,
};
use countersign::{EntityBody, Target};

use crate::support::client::{CHALLENGE, Dialog, Said, Sends, challenge, client};

const OK: (u16, &str, &str) = (200, "", "");

/// What came of a request of the user.
#[derive(Debug, PartialEq)]
enum Outcome {
    Status(u16),
    GaveUp(GiveUp),
    Login(LoginError),
}

/// One request of the user by the loop of the README with one password for all.
fn get<'a>(
    client: &mut Client,
    uri: &str,
    mut server: impl FnMut(Option<&str>) -> (u16, &'a str, &'a str),
) -> Outcome {
    let (mut exchange, target) = (Exchange::new(), Target::new("GET", uri));
    loop {
        let answer = client.sends(&mut exchange, &target);
        let answer = answer.map(|value| value.to_str().unwrap());
        let (status, challenge, info) = server(answer);
        let field = |name: &str| match name {
            "www-authenticate" => Some(challenge).filter(|value| !value.is_empty()),
            _ => Some(info).filter(|value| !value.is_empty()),
        };
        match client.received(
            &mut exchange,
            status,
            |name| field(name).into_iter(),
            EntityBody::Bytes(b""),
        ) {
            Ok(Next::Done(_)) => return Outcome::Status(status),
            Ok(Next::Retry) => {}
            Ok(Next::Login(ask)) => {
                match client.login(&ask, &Account::new("Mufasa", "Circle of Life").with_basic()) {
                    Ok(()) => {}
                    Err(why) => return Outcome::Login(why),
                }
            }
            Ok(Next::GiveUp(why)) => return Outcome::GaveUp(why),
            Err(why) => panic!("{why}"),
        }
    }
}

/// A server with one nonce, which is that of [`CHALLENGE`]. It does not say `stale`, and answers what
/// it could not read with this status.
fn honest(unreadable: u16) -> impl FnMut(Option<&str>) -> (u16, &'static str, &'static str) {
    move |answer| match answer {
        Some(answer) if answer.len() > 2048 || answer.contains('\\') => (unreadable, "", ""),
        Some(answer) if answer.contains(r#"nonce="n1""#) => OK,
        _ => (401, CHALLENGE, ""),
    }
}

#[test]
fn a_nonce_that_the_server_cannot_read_is_dropped() {
    let long = "n".repeat(4000);
    let infos = [
        format!(r#"nextnonce="{long}""#),
        r#"nextnonce="a\"b""#.to_owned(),
    ];
    let challenges = [
        challenge(&long, ", stale=true"),
        challenge("n2", &format!(r#", stale=true, opaque="{long}""#)),
    ];
    for status in [400, 403, 413, 431, 500, 502, 503] {
        for info in &infos {
            let mut client = client(Policy::new());
            assert_eq!(get(&mut client, "/", honest(status)), Outcome::Status(200));
            assert_eq!(
                get(&mut client, "/", |_| (200, "", info)),
                Outcome::Status(200)
            );
            assert_eq!(
                get(&mut client, "/", honest(status)),
                Outcome::Status(status)
            );
            assert_eq!(client.readiness("/"), Readiness::NoNonce);
            assert_eq!(get(&mut client, "/", honest(status)), Outcome::Status(200));
        }
        for challenge in &challenges {
            // The one who forged it may accept it, too.
            for forger_accepts in [false, true] {
                let mut client = client(Policy::new());
                assert_eq!(get(&mut client, "/", honest(status)), Outcome::Status(200));
                let mut forged = vec![(401, &**challenge, "")];
                forged.extend(forger_accepts.then_some(OK));
                let mut forged = forged.into_iter();
                let mut server = honest(status);
                get(&mut client, "/", |answer| {
                    forged.next().unwrap_or_else(|| server(answer))
                });
                let first = get(&mut client, "/", honest(status));
                let second = get(&mut client, "/", honest(status));
                assert!(matches!(first, Outcome::Status(_)), "{first:?}");
                assert_eq!(second, Outcome::Status(200), "{challenge}");
            }
        }
    }
}

#[test]
fn a_forged_refusal_costs_one_request() {
    let mut client = client(Policy::new());
    assert_eq!(get(&mut client, "/", honest(431)), Outcome::Status(200));
    for _ in 0..3 {
        let refused = get(&mut client, "/", |_| (401, CHALLENGE, ""));
        assert!(matches!(
            refused,
            Outcome::GaveUp(GiveUp::WrongCredentials(_))
        ));
        // The next one asks for the same password, and may have it.
        assert_eq!(get(&mut client, "/", honest(431)), Outcome::Status(200));
    }
}

#[test]
fn forged_refusals_in_a_row_cost_twice_as_many_asks_each() {
    let mut client = client(Policy::new());
    let wrong = |answer: Option<&str>| {
        let _ = answer;
        (401, CHALLENGE, "")
    };
    // Refusals of one secret, with nothing accepted in between: as from a wrong password.
    let mut sent = Vec::new();
    for request in 0..1000 {
        match get(&mut client, "/", wrong) {
            Outcome::GaveUp(GiveUp::WrongCredentials(_)) => sent.push(request),
            Outcome::Login(LoginError::AlreadyRefused) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(sent[..8], [0, 1, 3, 7, 15, 31, 63, 127]);
    assert_eq!(sent.len(), 21);
    // However often it was refused, it is right once the server is there again.
    let mut requests = 0;
    while get(&mut client, "/", honest(431)) != Outcome::Status(200) {
        requests += 1;
    }
    assert!(requests <= 64, "{requests}");
    assert_eq!(get(&mut client, "/", honest(431)), Outcome::Status(200));
}

/// Somebody without the password cannot raise the strength, so cannot keep a weaker server out: not
/// in its place, nor in another realm, nor with whatever status.
#[test]
fn without_a_proof_no_strength_is_required() {
    for offer in [
        #[cfg(feature = "md5")]
        r#"Digest realm="r", nonce="n1", qop="auth", algorithm=MD5"#,
        r#"Basic realm="r""#,
    ] {
        let weak = |answer: Option<&str>| match answer {
            Some(_) => OK,
            None => (401, offer, ""),
        };
        for status in [103, 200, 302, 404, 500] {
            for realm in ["r", "evil"] {
                let mut client = client(Policy::new());
                assert_eq!(get(&mut client, "/app", weak), Outcome::Status(200));
                let strong = challenge("e", "").replace("\"r\"", &format!("\"{realm}\""));
                get(&mut client, "/evil", |answer| match answer {
                    Some(answer) if answer.contains("SHA-256") => (status, "", ""),
                    _ => (401, &strong, ""),
                });
                client.logout();
                assert_eq!(client.strength(), Strength::Nothing);
                assert_eq!(
                    get(&mut client, "/app", weak),
                    Outcome::Status(200),
                    "{status}"
                );
            }
        }
    }
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
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login();
        assert!(dialog.send("/chat").is_some());
        let proof = dialog.proof();
        let (client, exchange) = (&mut dialog.client, &mut dialog.exchange);
        let next = client.received(exchange, 101, |_| [&proof].into_iter(), EntityBody::Unknown);
        assert_eq!(next, Ok(Next::Done(expected)), "{scheme}");
        let is_proven = client.strength() == Strength::DigestSha2;
        assert_eq!(is_proven, expected == ServerProof::Valid, "{scheme}");
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
        assert_eq!(dialog.client.readiness("/app/b"), Readiness::Answer);
    }
}

/// A user and a password in a request-target are not for the proxy's log, either.
#[test]
fn a_target_with_a_password_in_it_is_not_answered() {
    let proxy = Endpoint::proxy("http", "proxy", 3128);
    let mut dialog = Dialog::at(&proxy, Policy::new());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login();
    for target in ["http://h/x", "h:443", "/x@y", "*"] {
        assert!(dialog.would_send(target).is_some(), "{target}");
    }
    for target in ["http://user:hunter2@h/x", "user:hunter2@h:443"] {
        assert!(dialog.would_send(target).is_none(), "{target}");
    }
    // A SIP URI names a user.
    let mut dialog = Dialog::at(&Endpoint::proxy("sip", "proxy", 5060), Policy::new());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login();
    assert!(dialog.would_send("sip:alice@h").is_some());
}

/// Whoever waits for a login hears that it failed, and asks with the right words.
#[test]
fn an_ask_is_not_wanted_any_more_after_a_refusal() {
    for challenge in [CHALLENGE, r#"Basic realm="r""#] {
        let mut client = client(Policy::new());
        let target = Target::new("GET", "/");
        let [mut a, mut b] = [Exchange::new(), Exchange::new()];
        let asked = |client: &mut Client, exchange: &mut Exchange| {
            client.sends(exchange, &target);
            match client.challenged(exchange, countersign::challenges([challenge])) {
                Next::Login(ask) => ask,
                other => panic!("{other:?}"),
            }
        };
        let (ask_a, ask_b) = (asked(&mut client, &mut a), asked(&mut client, &mut b));
        assert!(client.wants(&ask_a) && client.wants(&ask_b));
        let wrong = Account::new("Mufasa", "wrong").with_basic();
        client.login(&ask_a, &wrong).unwrap();
        assert!(!client.wants(&ask_b));
        client.sends(&mut a, &target);
        let refused = client.challenged(&mut a, countersign::challenges([challenge]));
        let Next::GiveUp(GiveUp::WrongCredentials(again)) = refused else {
            panic!("{refused:?}")
        };
        // The task of the first ask may ask the user again; the other one sends its request again.
        assert!(client.wants(&again) && again.is_again());
        assert!(!client.wants(&ask_b));
        let same = client.login(&ask_b, &wrong);
        assert_eq!(same, Err(LoginError::AlreadyRefused));
        let same = client.login(&again, &wrong);
        assert_eq!(same, Err(LoginError::AlreadyRefused));
        let fresh = asked(&mut client, &mut b);
        assert!(fresh.is_again() && client.wants(&fresh));
        assert_eq!(fresh.endpoint(), client.endpoint());
    }
}
