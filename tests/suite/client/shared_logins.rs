//! One login for many requests, realms and proxies.

use countersign::client::{
    Account, Client, Endpoint, Exchange, Field, GiveUp, LoginError, Next, Policy,
};
use countersign::{Challenge, EntityBody, Target, challenges};

use crate::support::client::{CHALLENGE, Dialog, PASSWORD, Said, Sent, USER, client, skipped};

const X: [&str; 1] = [r#"Digest realm="X", nonce="n", qop="auth", algorithm=SHA-256"#];

fn target() -> Target<'static> {
    Target::new("GET", "/")
}

/// A password that is configured is asked for once, however many requests it was wrong for.
#[test]
fn a_wrong_password_is_asked_for_once() {
    for requests in [1, 2, 5, 10, 40] {
        for same_nonce in [false, true] {
            let mut client = client(Policy::new());
            let mut exchanges = vec![Exchange::new(); requests];
            let mut prompts = 0;
            for round in 0..2 {
                for exchange in &mut exchanges {
                    let answer = client
                        .authorize(exchange, &target())
                        .map(Field::for_new_request)
                        .unwrap();
                    assert_eq!(answer.is_some(), round == 1);
                }
                for (n, exchange) in exchanges.iter_mut().enumerate() {
                    let nonce = if same_nonce {
                        "n".to_owned()
                    } else {
                        format!("{round}-{n}")
                    };
                    let value = X[0].replace("\"n\"", &format!("\"{nonce}\""));
                    match (round, client.challenged(exchange, challenges([&value]))) {
                        (0, Next::Login(ask)) => {
                            prompts += 1;
                            client
                                .login(&ask, &Account::new("Mufasa", "wrong").with_basic())
                                .unwrap();
                        }
                        (0, Next::Retry) | (1, Next::GiveUp(GiveUp::WrongCredentials(_))) => {}
                        other => panic!("{other:?}"),
                    }
                }
            }
            assert_eq!(prompts, 1, "{requests} {same_nonce}");
        }
    }
}

/// A program can keep the asks that its user declined, and not prompt for them again.
#[test]
fn asks_are_equal_if_they_are_for_the_same_login() {
    const Y: [&str; 1] = [r#"Digest realm="Y", nonce="n", qop="auth", algorithm=SHA-256"#];
    const OTHER_HASH: [&str; 1] =
        [r#"Digest realm="X", nonce="n", qop="auth", algorithm=SHA-512-256"#];
    const BASIC: [&str; 1] = [r#"Basic realm="X""#];
    let ask = |client: &mut Client, challenge: [&str; 1]| {
        let mut exchange = Exchange::new();
        client
            .authorize(&mut exchange, &target())
            .map(Field::for_new_request)
            .unwrap();
        match client.challenged(&mut exchange, challenges(challenge)) {
            Next::Login(ask) | Next::GiveUp(GiveUp::WrongCredentials(ask)) => ask,
            other => panic!("{other:?}"),
        }
    };
    let mut client = client(Policy::new());
    let first = ask(&mut client, X);
    assert_eq!(first, ask(&mut client, X));
    assert_ne!(first, ask(&mut client, Y));
    assert_eq!(first, ask(&mut client, X));
    client
        .login(&first, &Account::new("Mufasa", "wrong").with_basic())
        .unwrap();
    let again = ask(&mut client, X);
    assert_ne!(first, again);
    client
        .login(&again, &Account::new("Mufasa", "also wrong").with_basic())
        .unwrap();
    // Both asks are for the user's second thought, but of different passwords.
    assert_ne!(again, ask(&mut client, X));
    let mut elsewhere = crate::support::client::client(Policy::new());
    for other in [OTHER_HASH, BASIC] {
        assert_ne!(ask(&mut elsewhere, X), ask(&mut elsewhere, other));
    }
}

/// A stack that repeats a whole request makes a new exchange each time. It hears of a wrong
/// password with the second request, and the ask of that refusal takes it no more.
#[test]
fn new_exchanges_for_one_request_come_to_an_end() {
    for challenge in [[r#"Basic realm="X""#], X] {
        let mut client = client(Policy::new());
        let mut ask = None;
        for request in 0..2 {
            let mut exchange = Exchange::new();
            let answer = client
                .authorize(&mut exchange, &target())
                .map(Field::for_new_request)
                .unwrap();
            assert_eq!(answer.is_some(), request == 1, "{challenge:?}");
            match (
                request,
                client.challenged(&mut exchange, challenges(challenge)),
            ) {
                (0, Next::Login(ask)) => client
                    .login(&ask, &Account::new("Mufasa", "wrong").with_basic())
                    .unwrap(),
                (1, Next::GiveUp(GiveUp::WrongCredentials(again))) => ask = Some(again),
                other => panic!("{other:?}"),
            }
        }
        // A third one is bare: it asks anew, and only there may the same password be tried again.
        let mut exchange = Exchange::new();
        assert!(
            client
                .authorize(&mut exchange, &target())
                .map(Field::for_new_request)
                .unwrap()
                .is_none()
        );
        let Next::Login(third) = client.challenged(&mut exchange, challenges(challenge)) else {
            panic!("{challenge:?}")
        };
        assert!(third.is_again());
        let same = client.login(&ask.unwrap(), &Account::new("Mufasa", "wrong").with_basic());
        assert_eq!(same, Err(LoginError::AlreadyRefused));
        client
            .login(&third, &Account::new("Mufasa", "wrong").with_basic())
            .unwrap();
    }
}

/// Eight tasks at each of two realms of one origin, all under way at once: once each login undid
/// the other.
#[test]
fn two_realms_under_way_at_once_cost_one_prompt_each() {
    let mut client = client(Policy::new());
    let mut tasks: Vec<_> = (0..16)
        .map(|n| (["X", "Y"][n % 2], Exchange::new()))
        .collect();
    let (mut prompts, mut sent) = (Vec::new(), 0);
    for round in 0..2 {
        for (n, (realm, exchange)) in tasks.iter_mut().enumerate() {
            let uri = format!("/{realm}/{n}");
            let answer = client
                .authorize(exchange, &Target::new("GET", &uri))
                .map(Field::for_new_request)
                .unwrap();
            sent += 1;
            let own = format!(r#"realm="{realm}""#);
            assert_eq!(
                answer.is_some_and(|answer| answer.to_str().unwrap().contains(&own)),
                round == 1
            );
        }
        for (realm, exchange) in &mut tasks {
            if round == 1 {
                client
                    .completed(
                        exchange,
                        200,
                        core::iter::empty::<&str>(),
                        EntityBody::Unknown,
                    )
                    .unwrap();
                continue;
            }
            let value = X[0].replace("\"X\"", &format!("\"{realm}\""));
            match client.challenged(exchange, challenges([&value])) {
                Next::Login(ask) => {
                    prompts.push(*realm);
                    client
                        .login(
                            &ask,
                            &Account::new("Mufasa", &format!("password of {realm}")).with_basic(),
                        )
                        .unwrap();
                }
                Next::Retry => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!((prompts, sent), (vec!["X", "Y"], 32));
}

/// Two SIP proxies ask in one field, and one of them again.
#[test]
fn each_client_hears_its_own_proxy() {
    let field = |nonce| {
        let p1 = X[0].replace("\"X\"", "\"p1\"");
        let p2 = X[0]
            .replace("\"X\"", "\"p2\"")
            .replace("\"n\"", &format!("\"{nonce}\""));
        [format!("{p1}, {p2}, stale=true")]
    };
    let endpoint = Endpoint::proxy("sips", "example.org", 5061);
    let register = Target::new("REGISTER", "sip:example.org");
    let mut parties = ["p1", "p2"].map(|realm| {
        let client = Client::from_seed(endpoint.clone(), Policy::new(), [7; 32]);
        (realm, client, Exchange::new())
    });
    for nonce in ["n", "m"] {
        let field = field(nonce);
        for (realm, client, exchange) in &mut parties {
            let own = |challenge: &Challenge<'_>| match challenge {
                Challenge::Digest(digest) => digest.realm == *realm,
                _ => false,
            };
            let own = challenges(&field).flatten().filter(own);
            match client.challenged(exchange, (own).into_iter().map(Ok)) {
                Next::Login(ask) => {
                    assert_eq!((ask.realm(), nonce), (realm.as_bytes(), "n"));
                    client
                        .login(&ask, &Account::new(USER, PASSWORD).with_basic())
                        .unwrap();
                }
                Next::Retry => assert_eq!((*realm, nonce), ("p2", "m")),
                // Its nonce was refused, and is no other.
                Next::GiveUp(GiveUp::WrongCredentials(_)) => {
                    assert_eq!((*realm, nonce), ("p1", "m"));
                    continue;
                }
                other => panic!("{other:?}"),
            }
            let answer = client
                .authorize(exchange, &register)
                .map(Field::for_new_request)
                .unwrap()
                .unwrap();
            let sent = Sent::read(answer.as_bytes());
            assert_eq!(
                (sent.get("realm"), sent.get("uri")),
                (*realm, "sip:example.org")
            );
            assert!(sent.is_right(USER, PASSWORD, &register));
        }
    }
}

/// Without a challenge of its own nothing changes, and the exchange goes on.
#[test]
fn no_challenge_of_its_own_changes_nothing() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let next = dialog
        .client
        .challenged(&mut dialog.exchange, (None).into_iter().map(Ok));
    assert!(skipped(&Said::from(&next)).is_empty());
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000002");
}
