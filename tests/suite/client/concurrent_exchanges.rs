//! What happens when several requests of one client are under way, without I/O: how many requests
//! and prompts it costs.

use std::collections::BTreeMap;
use std::mem;

use countersign::client::{
    Account, AuthCache, Client, Exchange, Field, GiveUp, LoginError, Next, Policy, Readiness,
    ServerProof,
};
use countersign::{EntityBody, FieldValue, Target};
use proptest::prelude::*;

use crate::support::client::{Said, Sent, client, home};
use crate::support::effort::cases;

const X: [&str; 1] = [r#"Digest realm="X", nonce="n", qop="auth", algorithm=SHA-256"#];
const BASIC_Y: [&str; 1] = [r#"Basic realm="Y""#];

fn target() -> Target<'static> {
    Target::new("GET", "/")
}

fn value(answer: Option<&FieldValue>) -> Option<String> {
    answer.map(|answer| answer.to_str().unwrap().to_owned())
}

/// So many requests with a wrong password that is configured: how many wrong answers are sent, and
/// how many exchanges hear of it.
fn wrong_password(requests: usize, same_nonce: bool, first_alone: bool) -> (usize, usize) {
    let mut client = client(Policy::new());
    let mut waiting: Vec<_> = (0..requests).map(|_| Some(Exchange::new())).collect();
    let (mut sent, mut heard) = (0, 0);
    if first_alone {
        let Next::Login(ask) = client.challenged(&mut Exchange::new(), countersign::challenges(X))
        else {
            panic!("nobody has logged in")
        };
        client
            .login(&ask, &Account::new("Mufasa", "wrong").with_basic())
            .unwrap();
    }
    // A round: all send, then all are refused.
    for round in 0.. {
        if waiting.iter().all(Option::is_none) {
            break;
        }
        for exchange in waiting.iter_mut().flatten() {
            let answer = client
                .authorize(exchange, &target())
                .map(Field::for_new_request)
                .unwrap();
            sent += usize::from(answer.is_some());
        }
        for (n, place) in waiting.iter_mut().enumerate() {
            let Some(exchange) = place else { continue };
            let nonce = match same_nonce {
                true => "n".to_owned(),
                false => format!("{round}-{n}"),
            };
            let value = X[0].replace("\"n\"", &format!("\"{nonce}\""));
            match client.challenged(exchange, countersign::challenges([&value])) {
                Next::Login(ask) => client
                    .login(&ask, &Account::new("Mufasa", "wrong").with_basic())
                    .unwrap(),
                Next::Retry => {}
                Next::GiveUp(GiveUp::WrongCredentials(ask)) => {
                    assert!(ask.is_again());
                    heard += 1;
                    *place = None;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    (sent, heard)
}

#[test]
fn a_wrong_password_is_sent_once_for_each_request() {
    for requests in [1, 2, 5, 10, 40] {
        for same_nonce in [false, true] {
            for first_alone in [false, true] {
                let counts = wrong_password(requests, same_nonce, first_alone);
                assert_eq!(counts, (requests, requests), "{same_nonce} {first_alone}");
            }
        }
    }
}

/// Two tasks, two realms, one client: the password of X, given for Digest, once went out as Basic for
/// Y.
#[test]
fn a_password_goes_to_the_challenge_that_it_was_asked_for() {
    let mut client = client(Policy::new());
    let (mut a, mut b) = (Exchange::new(), Exchange::new());
    let (at_x, at_y) = (Target::new("GET", "/x"), Target::new("GET", "/y"));
    client
        .authorize(&mut a, &at_x)
        .map(Field::for_new_request)
        .unwrap();
    client
        .authorize(&mut b, &at_y)
        .map(Field::for_new_request)
        .unwrap();
    let Next::Login(ask_x) = client.challenged(&mut a, countersign::challenges(X)) else {
        panic!()
    };
    // While the user is typing.
    let Next::Login(ask_y) = client.challenged(&mut b, countersign::challenges(BASIC_Y)) else {
        panic!()
    };
    assert_eq!(
        (ask_x.realm_text(), ask_y.realm_text()),
        ("X".into(), "Y".into())
    );
    client
        .login(
            &ask_x,
            &Account::new("Mufasa", "password of X").with_basic(),
        )
        .unwrap();

    assert_eq!(
        value(
            client
                .authorize(&mut b, &at_y)
                .map(Field::for_new_request)
                .unwrap()
        ),
        None
    );
    let sent = value(
        client
            .authorize(&mut a, &at_x)
            .map(Field::for_new_request)
            .unwrap(),
    )
    .unwrap();
    assert!(
        sent.starts_with("Digest") && sent.contains(r#"realm="X""#),
        "{sent}"
    );

    // The same realm in another scheme: the first ask is of no use any more.
    let Next::Login(_) = client.challenged(&mut b, countersign::challenges([r#"Basic realm="X""#]))
    else {
        panic!()
    };
    let late = client.login(
        &ask_x,
        &Account::new("Mufasa", "password of X").with_basic(),
    );
    assert_eq!(late, Err(LoginError::Superseded));
    assert_eq!(
        value(
            client
                .authorize(&mut b, &at_y)
                .map(Field::for_new_request)
                .unwrap()
        ),
        None
    );
}

/// Ten tasks are challenged, and each logs in with the same name and password after an await.
#[test]
fn logins_with_the_same_password_cost_nothing() {
    for tasks in [1, 2, 10] {
        let mut client = client(Policy::new());
        let mut exchanges: Vec<_> = (0..tasks).map(|_| Exchange::new()).collect();
        let mut bare = 0;
        for exchange in &mut exchanges {
            bare += usize::from(
                client
                    .authorize(exchange, &target())
                    .map(Field::for_new_request)
                    .unwrap()
                    .is_none(),
            );
        }
        let mut asks = Vec::new();
        for exchange in &mut exchanges {
            match client.challenged(exchange, countersign::challenges(X)) {
                Next::Login(ask) => asks.push(ask),
                other => panic!("{other:?}"),
            }
        }
        let mut answers = 0;
        for (n, (exchange, ask)) in exchanges.iter_mut().zip(asks).enumerate() {
            // Whoever waits for the first one to log in sees that it has.
            assert_eq!(client.wants(&ask), n == 0);
            client
                .login(&ask, &Account::new("Mufasa", "Circle of Life").with_basic())
                .unwrap();
            match client
                .authorize(exchange, &target())
                .map(Field::for_new_request)
                .unwrap()
            {
                Some(_) => answers += 1,
                None => bare += 1,
            }
        }
        assert_eq!((bare, answers), (tasks, tasks));
    }
}

/// A stack that repeats a whole request makes a new exchange, which once was never answered.
#[test]
fn a_basic_login_serves_all_exchanges() {
    let basic = [r#"Basic realm="X""#];
    let mut client = client(Policy::new());
    let deep = Target::new("GET", "/a/b");
    let mut exchanges = [Exchange::new(), Exchange::new()];
    let mut asks = Vec::new();
    for exchange in &mut exchanges {
        assert!(
            client
                .authorize(exchange, &deep)
                .map(Field::for_new_request)
                .unwrap()
                .is_none()
        );
        match client.challenged(exchange, countersign::challenges(basic)) {
            Next::Login(ask) => asks.push(ask),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(client.readiness("/a/c"), Readiness::NotLoggedIn);
    client
        .login(&asks[0], &Account::new("Mufasa", "pw").with_basic())
        .unwrap();
    for uri in ["/a/b", "/a/c", "/a/"] {
        assert!(crate::support::client::covers(&client, uri));
        assert_eq!(client.readiness(uri), Readiness::Answer);
        let mut exchange = Exchange::new();
        let answer = client
            .authorize(&mut exchange, &Target::new("GET", uri))
            .map(Field::for_new_request);
        assert!(answer.unwrap().is_some(), "{uri}");
    }
    assert_eq!(client.readiness("/b"), Readiness::OutsideSpace);
    for exchange in &mut exchanges {
        assert!(
            client
                .authorize(exchange, &deep)
                .map(Field::for_new_request)
                .unwrap()
                .is_some()
        );
    }
}

#[test]
fn the_right_password_after_a_wrong_one_in_a_new_exchange() {
    for challenge in [[r#"Basic realm="X""#], X] {
        let mut client = client(Policy::new());
        let mut exchange = Exchange::new();
        client
            .authorize(&mut exchange, &target())
            .map(Field::for_new_request)
            .unwrap();
        let Next::Login(ask) = client.challenged(&mut exchange, countersign::challenges(challenge))
        else {
            panic!()
        };
        client
            .login(&ask, &Account::new("Mufasa", "wrong").with_basic())
            .unwrap();
        client
            .authorize(&mut exchange, &target())
            .map(Field::for_new_request)
            .unwrap();
        let next = client.challenged(&mut exchange, countersign::challenges(challenge));
        let Next::GiveUp(GiveUp::WrongCredentials(ask)) = next else {
            panic!("{next:?}")
        };
        let same = client.login(&ask, &Account::new("Mufasa", "wrong").with_basic());
        assert_eq!(same, Err(LoginError::AlreadyRefused));
        client
            .login(&ask, &Account::new("Mufasa", "right").with_basic())
            .unwrap();
        let mut exchange = Exchange::new();
        let answer = client
            .authorize(&mut exchange, &target())
            .map(Field::for_new_request);
        assert!(answer.unwrap().is_some());
    }
}

/// One request after the other, of two realms in turn: how many prompts and requests they cost.
fn in_turn(requests: usize, challenges: [&str; 2]) -> (usize, usize) {
    let mut cache = AuthCache::from_seed(10, Policy::new(), [7; 32]);
    let (mut asked, mut sent) = (0, 0);
    for n in 0..requests {
        let realm = [r#"realm="X""#, r#"realm="Y""#][n % 2];
        let uri = ["/x/a", "/y/a"][n % 2];
        let target = Target::new("GET", uri);
        let mut exchange = Exchange::new();
        loop {
            let client = cache.client(&home());
            sent += 1;
            let answer = value(
                client
                    .authorize(&mut exchange, &target)
                    .map(Field::for_new_request)
                    .unwrap(),
            );
            let is_right = answer.is_some_and(|answer| answer.contains(realm));
            let status = if is_right { 200 } else { 401 };
            let field = |name| match name {
                "www-authenticate" => Some(challenges[n % 2]),
                _ => None,
            };
            let next = client.received(
                &mut exchange,
                status,
                |name| field(name).into_iter(),
                EntityBody::Unknown,
            );
            match next.unwrap() {
                Next::Done(_) => break,
                Next::Retry => {}
                Next::Login(ask) => {
                    asked += 1;
                    client
                        .login(&ask, &Account::new("Mufasa", "pw").with_basic())
                        .unwrap();
                }
                Next::GiveUp(why) => panic!("{why}"),
            }
        }
    }
    (asked, sent)
}

#[test]
fn two_realms_of_one_origin_cost_one_prompt_each() {
    let named = [
        r#"Digest realm="X", domain="/x", nonce="n", qop="auth", algorithm=SHA-256"#,
        r#"Digest realm="Y", domain="/y", nonce="m", qop="auth", algorithm=SHA-256"#,
    ];
    assert_eq!(in_turn(10, named), (2, 12));
    // The first request of Y carries the answer that is good everywhere, in vain.
    let unnamed = named.map(|value| {
        value
            .replace(r#" domain="/x","#, "")
            .replace(r#" domain="/y","#, "")
    });
    assert_eq!(in_turn(10, [&*unnamed[0], &*unnamed[1]]), (2, 12));
}

#[test]
fn clients_and_exchanges_are_send_and_sync() {
    fn send_sync<T: Send + Sync + 'static>() {}
    send_sync::<Client>();
    send_sync::<Exchange>();
    send_sync::<AuthCache>();
    send_sync::<Next>();
    send_sync::<FieldValue>();
}

/// What a client decides by is the status of its own endpoint.
#[test]
fn response_kind_by_status() {
    let proxy = countersign::client::Endpoint::proxy("http", "proxy", 3128);
    for (is_proxy, own, others) in [(false, 401, 407), (true, 407, 401)] {
        let mut client = match is_proxy {
            true => Client::from_seed(proxy.clone(), Policy::new(), [7; 32]),
            false => client(Policy::new()),
        };
        let own_field = match is_proxy {
            true => "proxy-authenticate",
            false => "www-authenticate",
        };
        let mut exchange = Exchange::new();
        client
            .authorize(&mut exchange, &target())
            .map(Field::for_new_request)
            .unwrap();
        let field = |name| Some(X[0]).filter(|_| name == own_field);
        let next = client
            .received(
                &mut exchange,
                own,
                |name| field(name).into_iter(),
                EntityBody::Unknown,
            )
            .unwrap();
        let Next::Login(ask) = next else {
            panic!("{next:?}")
        };
        client
            .login(&ask, &Account::new("Mufasa", "pw").with_basic())
            .unwrap();
        client
            .authorize(&mut exchange, &target())
            .map(Field::for_new_request)
            .unwrap();
        // A next nonce shows whether it was taken for an acceptance.
        let info = |name: &str| {
            Some(r#"nextnonce="next""#).filter(|_| name.ends_with("authentication-info"))
        };
        let next = client
            .received(
                &mut exchange,
                others,
                |name| info(name).into_iter(),
                EntityBody::Unknown,
            )
            .unwrap();
        assert!(matches!(Said::from(&next), Said::Done(_)), "{next:?}");
        let sent = value(
            client
                .authorize(&mut Exchange::new(), &target())
                .map(Field::for_new_request)
                .unwrap(),
        )
        .unwrap();
        assert_eq!(sent.contains(r#"nonce="next""#), is_proxy, "{sent}");
        let next = client
            .received(
                &mut exchange,
                200,
                |name| info(name).into_iter(),
                EntityBody::Unknown,
            )
            .unwrap();
        assert!(matches!(Said::from(&next), Said::Done(_)), "{next:?}");
        let sent = value(
            client
                .authorize(&mut Exchange::new(), &target())
                .map(Field::for_new_request)
                .unwrap(),
        )
        .unwrap();
        assert!(sent.contains(r#"nonce="next""#), "{sent}");
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// A server that wants the counts of each nonce in order, as Squid does, and forty requests at
    /// once, of which one in eight is overtaken by the next. Those refused are sent again together,
    /// and are overtaken again.
    #[test]
    fn requests_that_overtake_each_other_all_get_through(
        overtaken in prop::collection::vec(prop::bool::weighted(0.125), 200),
    ) {
        const REQUESTS: usize = 40;
        let mut client = client(Policy::new());
        let Next::Login(ask) = client.challenged(&mut Exchange::new(), countersign::challenges(X)) else {
            panic!("nobody has logged in")
        };
        client.login(&ask, &Account::new("Mufasa", "Circle of Life").with_basic()).unwrap();
        let mut exchanges: Vec<_> = (0..REQUESTS).map(|_| Exchange::new()).collect();
        let mut to_send: Vec<_> = (0..REQUESTS).collect();
        let mut highest = BTreeMap::from([(b"n".to_vec(), 0)]);
        let mut overtaken = overtaken.into_iter().cycle();
        while !to_send.is_empty() {
            for &request in &to_send {
                client.authorize(&mut exchanges[request], &target()).map(Field::for_new_request).unwrap();
            }
            let mut under_way = mem::take(&mut to_send);
            while !under_way.is_empty() {
                let is_overtaken = under_way.len() > 1 && overtaken.next() == Some(true);
                let request = under_way.remove(usize::from(is_overtaken));
                let exchange = &mut exchanges[request];
                let sent = Sent::read(exchange.answer().unwrap().as_bytes());
                let count = u32::from_str_radix(sent.get("nc"), 16).unwrap();
                let highest_count = highest.get_mut(sent.get("nonce").as_bytes()).unwrap();
                if count > *highest_count {
                    *highest_count = count;
                    let proof = client.completed(exchange, 200, core::iter::empty::<&str>(), EntityBody::Unknown);
                    prop_assert_eq!(proof, Ok(ServerProof::Absent));
                } else {
                    let nonce = format!("n{}", highest.len());
                    let stale = X[0].replace("\"n\"", &format!("\"{nonce}\", stale=true"));
                    highest.insert(nonce.into_bytes(), 0);
                    prop_assert_eq!(client.challenged(exchange, countersign::challenges([&stale])), Next::Retry);
                    to_send.push(request);
                }
            }
        }
    }
}
