//! A client at the mercy of a server that says anything: each exchange ends, nothing leaks, and
//! nothing is sent where it was not asked for.

mod events;
mod watched;

use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
use countersign::{EntityBody, Target};
use events::{Event, USERS, challenge, config, event, info, is_elsewhere, likely_digest};
use proptest::collection::vec;
use proptest::prelude::*;
use watched::Watched;

use crate::support::client::{Sent, ask_of, client};
use crate::support::effort::cases;
use crate::support::generate;

proptest! {
    #![proptest_config(cases(400))]

    /// One exchange after the other.
    #[test]
    fn one_exchange_is_safe_with_any_server(
        config in config(),
        events in vec(event(1), 1..60),
    ) {
        let mut watched = Watched::new(config, 1, is_elsewhere);
        for event in events {
            watched.happen(event);
        }
        let shown = format!("{:?}", watched.client);
        prop_assert!(!USERS.iter().any(|(_, password)| shown.contains(password)));
    }

    /// Several at a time on one client.
    #[test]
    fn concurrent_exchanges_are_safe_with_any_server(
        config in config(),
        events in vec(event(4), 1..150),
    ) {
        let mut watched = Watched::new(config, 4, is_elsewhere);
        for event in events {
            watched.happen(event);
        }
    }

    /// Whatever else a server says, as long as all it asks for is `/in`, nothing else is sent
    /// unasked.
    #[test]
    fn nothing_is_sent_preemptively_outside_of_the_domain(
        config in config(),
        events in vec(
            prop_oneof![
                event(3).prop_filter("these have other domains", |event| {
                    !matches!(event, Event::Challenged(..))
                }),
                (0..3_usize, vec(likely_digest(&[r#", domain="/in""#]), 1..3))
                    .prop_map(|(at, values)| Event::Challenged(at, values)),
            ],
            1..150,
        ),
    ) {
        let never = |uri: &str| !["/in/a", "/in/b?c=/out", "https://example.com/in/a"].contains(&uri);
        let mut watched = Watched::new(config, 3, never);
        for event in events {
            watched.happen(event);
        }
    }

    /// A proxy and an origin that ask by turns, in a loop: what one has accepted is
    /// no reason to go on with the other for ever.
    #[test]
    fn alternating_proxy_and_origin_challenges_end(
        config in config(),
        replies in vec((any::<bool>(), vec(challenge(), 0..3), info()), 1..12),
    ) {
        let uris = ["http://example.com/in/a", "/in/a"];
        let policy = Policy::new().with_max_answers(config.max_answers);
        let mut clients = [
            Client::from_seed(Endpoint::proxy("https", "proxy", 3128), policy, [1; 32]),
            client(policy),
        ];
        let mut exchanges = [Exchange::new(), Exchange::new()];
        let most = (9 + usize::from(config.max_answers)).pow(2);
        let mut requests = 0;
        for (from_proxy, challenges, info) in replies.iter().cycle() {
            requests += 1;
            prop_assert!(requests <= most);
            for who in 0..2 {
                let target = Target::new("GET", uris[who]).with_body(EntityBody::Bytes(b""));
                let answer = clients[who].authorize(&mut exchanges[who], &target);
                prop_assert!(answer.is_ok());
            }
            let who = usize::from(!from_proxy);
            if who == 1 {
                let body = EntityBody::Bytes(b"");
                if clients[0].completed(&mut exchanges[0], 200, info, body).is_err() {
                    break;
                }
            }
            match clients[who].challenged(&mut exchanges[who], challenges) {
                Next::Login(ask) => prop_assert!(clients[who].login(&ask, "a", "b").is_ok()),
                Next::Retry => {}
                _ => break,
            }
        }
    }

    /// Texts of all kinds come back as they were, and prove the password.
    #[test]
    fn texts_of_all_kinds_are_sent_back_and_prove_the_password(
        realm in generate::text(),
        nonce in generate::text(),
        opaque in generate::text(),
        user in generate::utf8(),
        password in generate::utf8(),
        uri in generate::text(),
    ) {
        let quoted = |text: &[u8]| {
            let mut out = Vec::new();
            for &byte in text {
                if byte == b'"' || byte == b'\\' {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out
        };
        let value = [
            b"Digest qop=auth, algorithm=SHA-256, realm=\"",
            &*quoted(&realm),
            b"\", nonce=\"",
            &*quoted(&nonce),
            b"\", opaque=\"",
            &*quoted(&opaque),
            b"\"",
        ]
        .concat();
        // A target that is no path is one of this endpoint.
        let endpoint = Endpoint::origin("sips", "example.com", None).unwrap();
        let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
        let mut exchange = Exchange::new();
        let next = client.challenged(&mut exchange, [&value]);
        let ask = ask_of(&next).expect("a login");
        prop_assert_eq!(ask.realm(), &*realm);
        client.login(ask, &user, &password).unwrap();
        let target = Target::new("GET", &uri);
        let answer = client.authorize(&mut exchange, &target).unwrap();
        let sent = Sent::read(answer.unwrap().as_bytes());
        let param = |name: &str| {
            let found = sent.params.iter().find(|(found, _)| found == name);
            found.map(|(_, value)| value.clone())
        };
        prop_assert_eq!(param("realm"), Some(realm));
        prop_assert_eq!(param("nonce"), Some(nonce));
        prop_assert_eq!(param("opaque"), Some(opaque));
        prop_assert_eq!(param("uri"), Some(uri.clone()));
        let name = if user.is_ascii() { "username" } else { "username*" };
        prop_assert!(param(name).is_some());
        prop_assert!(sent.is_right(&user, &password, &target));
    }
}

/// Servers that always say the same kind of thing, and how many requests they get.
#[test]
fn servers_that_repeat_one_kind_of_challenge() {
    type Mind = fn(usize) -> String;
    let minds: [(&str, Mind); 7] = [
        ("the same nonce", |_| {
            r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#.to_owned()
        }),
        ("always stale", |n| {
            format!(r#"Digest realm="r", nonce="{n}", qop="auth", algorithm=SHA-256, stale=true"#)
        }),
        ("another nonce", |n| {
            format!(r#"Digest realm="r", nonce="{n}", qop="auth", algorithm=SHA-256"#)
        }),
        ("another realm", |n| {
            format!(r#"Digest realm="{n}", nonce="n", qop="auth", algorithm=SHA-256, stale=true"#)
        }),
        ("another algorithm", |n| {
            let algorithm = ["SHA-256", "SHA-512-256"][n % 2];
            format!(r#"Digest realm="r", nonce="n", qop="auth", algorithm={algorithm}"#)
        }),
        ("another scheme", |n| match n % 2 {
            0 => r#"Basic realm="r""#.to_owned(),
            _ => r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#.to_owned(),
        }),
        ("another Basic realm", |n| format!(r#"Basic realm="{n}""#)),
    ];
    for max_answers in 1..10 {
        for (name, mind) in minds {
            for logged_in in [false, true] {
                let policy = Policy::new().with_max_answers(max_answers);
                let mut client = client(policy);
                let mut exchange = Exchange::new();
                let target = Target::new("GET", "/");
                if logged_in {
                    let next = client.challenged(&mut exchange, [&mind(0)]);
                    client.login(ask_of(&next).unwrap(), "a", "b").unwrap();
                    exchange = Exchange::new();
                }
                let (mut requests, mut answers) = (0, 0);
                loop {
                    requests += 1;
                    let answer = client.authorize(&mut exchange, &target);
                    answers += u32::from(answer.unwrap().is_some());
                    match client.challenged(&mut exchange, [&mind(requests)]) {
                        Next::Login(ask) => client.login(&ask, "a", "b").unwrap(),
                        Next::Retry => {}
                        _ => break,
                    }
                }
                // An answer that goes to another realm than its own is a guess.
                let guesses = u32::from(name.contains("realm") && logged_in);
                assert!(answers <= u32::from(max_answers) + guesses, "{name}");
                assert!(requests <= 9 + usize::from(max_answers), "{name}");
                // Whoever changes the question is asked to the end; others are known for what
                // they are before.
                let changes = ["another realm", "another algorithm", "another scheme"];
                if changes.contains(&name) && !logged_in {
                    assert_eq!(answers, u32::from(max_answers), "{name}");
                } else if !name.starts_with("another ") {
                    assert!(requests <= 3, "{name}: {requests}");
                }
            }
        }
    }
}
