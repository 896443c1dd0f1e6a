//! A right password that is always sent before the server asks, to a server that neither proves that
//! it knows the password nor says `stale`.

use countersign::client::{Client, Exchange, GiveUp, Next, Policy, Readiness};
use countersign::{EntityBody, Target};

use crate::support::client::{challenge, client};

/// How the login came about without an accepted answer that the server had asked for.
#[derive(Clone, Copy, Debug)]
enum Login {
    /// The program only probed, to send a large body with the next request.
    Probed,
    /// The user had typed something wrong, and the program sends the request anew.
    Retyped,
    /// The first answer met a limit of requests.
    Limited,
    /// The response to the first answer was lost.
    Lost,
}

fn sends(client: &mut Client, exchange: &mut Exchange) -> bool {
    let answer = client.authorize(exchange, &Target::new("GET", "/"));
    answer.unwrap().is_some()
}

fn responds(client: &mut Client, exchange: &mut Exchange, status: u16) {
    let done = client.completed(exchange, status, None::<&str>, EntityBody::Unknown);
    done.unwrap();
}

fn log_in(policy: Policy, login: Login) -> Client {
    let mut client = client(policy);
    let mut exchange = Exchange::new();
    let Next::Login(ask) = client.challenged(&mut exchange, [&challenge("first", "")]) else {
        panic!("nobody has logged in")
    };
    if let Login::Retyped = login {
        client.login(&ask, "Mufasa", "Circle of Lies").unwrap();
        assert!(sends(&mut client, &mut exchange));
        let next = client.challenged(&mut exchange, [&challenge("second", "")]);
        let Next::GiveUp(GiveUp::WrongCredentials(ask)) = next else {
            panic!("{next:?}")
        };
        client.login(&ask, "Mufasa", "Circle of Life").unwrap();
        return client;
    }
    client.login(&ask, "Mufasa", "Circle of Life").unwrap();
    if let Login::Limited | Login::Lost = login {
        assert!(sends(&mut client, &mut exchange));
    }
    if let Login::Limited = login {
        responds(&mut client, &mut exchange, 429);
    }
    client
}

const LOGINS: [Login; 4] = [Login::Probed, Login::Retyped, Login::Limited, Login::Lost];

#[test]
fn another_nonce_drops_no_login() {
    for login in LOGINS {
        let mut client = log_in(Policy::new(), login);
        for cycle in 0..20 {
            for _ in 0..3 {
                let mut exchange = Exchange::new();
                assert!(sends(&mut client, &mut exchange), "{login:?}, {cycle}");
                responds(&mut client, &mut exchange, 200);
            }
            // Two requests under way learn of the other nonce.
            let mut under_way = [Exchange::new(), Exchange::new()];
            for exchange in &mut under_way {
                assert!(sends(&mut client, exchange));
            }
            for (n, exchange) in under_way.iter_mut().enumerate() {
                let other = challenge(&format!("{cycle}-{n}"), "");
                let next = client.challenged(exchange, [&other]);
                assert_eq!(next, Next::Retry, "{login:?}, {cycle}");
                assert!(sends(&mut client, exchange));
                responds(&mut client, exchange, 200);
            }
        }
    }
}

/// With one answer an exchange, the one that learns of another nonce ends.
#[test]
fn another_nonce_drops_no_login_of_a_client_with_one_answer() {
    for login in LOGINS {
        let mut client = log_in(Policy::new().with_max_answers(1), login);
        for cycle in 0..20 {
            for _ in 0..3 {
                let mut exchange = Exchange::new();
                assert!(sends(&mut client, &mut exchange), "{login:?}, {cycle}");
                responds(&mut client, &mut exchange, 200);
            }
            let mut exchange = Exchange::new();
            assert!(sends(&mut client, &mut exchange));
            let other = [challenge(&cycle.to_string(), "")];
            let next = client.challenged(&mut exchange, &other);
            assert_eq!(
                next,
                Next::GiveUp(GiveUp::TooManyAnswers),
                "{login:?}, {cycle}"
            );
            // The next one waits until the server asks.
            assert_eq!(client.readiness("/"), Readiness::OnlyWhenAsked);
            let mut exchange = Exchange::new();
            assert!(!sends(&mut client, &mut exchange));
            assert_eq!(client.challenged(&mut exchange, &other), Next::Retry);
            assert!(sends(&mut client, &mut exchange));
            responds(&mut client, &mut exchange, 200);
        }
    }
}

/// A directory service that fails now and then refuses right Basic credentials, and a limit of
/// requests hides that they are right afterwards.
#[test]
fn refused_basic_credentials_are_right_again_when_the_server_asks_for_them() {
    let basic = [r#"Basic realm="r""#];
    let mut client = client(Policy::new());
    let mut exchange = Exchange::new();
    for cycle in 0..20 {
        assert!(!sends(&mut client, &mut exchange), "{cycle}");
        let Next::Login(ask) = client.challenged(&mut exchange, basic) else {
            panic!("a login")
        };
        let login = client.login(&ask, "Mufasa", "Circle of Life");
        assert_eq!(login, Ok(()), "{cycle}");
        assert!(sends(&mut client, &mut exchange));
        responds(&mut client, &mut exchange, 429);
        if cycle > 0 {
            assert_eq!(client.readiness("/"), Readiness::OnlyWhenAsked);
            exchange = Exchange::new();
            assert!(!sends(&mut client, &mut exchange));
            assert_eq!(client.challenged(&mut exchange, basic), Next::Retry);
            assert!(sends(&mut client, &mut exchange));
            responds(&mut client, &mut exchange, 200);
        }
        exchange = Exchange::new();
        assert!(sends(&mut client, &mut exchange));
        let next = client.challenged(&mut exchange, basic);
        assert!(matches!(next, Next::GiveUp(GiveUp::WrongCredentials(_))));
        exchange = Exchange::new();
    }
}
