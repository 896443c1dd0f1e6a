//! A right password that is always sent before the server asks, to a server that neither proves that
//! it knows the password nor says `stale`.

use countersign::client::{Client, Exchange, GiveUp, Next, Policy};
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

fn log_in(login: Login) -> Client {
    let mut client = client(Policy::new());
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

#[test]
fn another_nonce_drops_no_login() {
    for login in [Login::Probed, Login::Retyped, Login::Limited, Login::Lost] {
        let mut client = log_in(login);
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
