//! A right password that is always sent before the server asks, to a server that neither proves that
//! it knows the password nor says `stale`.

use countersign::challenges;
use countersign::client::{Account, Client, Exchange, GiveUp, Next, Policy};

use super::steps::{self, responds, sends};
use crate::support::client::{PASSWORD, USER, challenge, client};

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

fn log_in(login: Login) -> Client {
    let (mut client, mut exchange) = (client(Policy::new()), Exchange::new());
    let typed = match login {
        Login::Retyped => "Circle of Lies",
        Login::Probed | Login::Limited | Login::Lost => PASSWORD,
    };
    steps::log_in(&mut client, &mut exchange, &challenge("first", ""), typed);
    if let Login::Probed = login {
        return client;
    }
    assert!(sends(&mut client, &mut exchange, "/"));
    if let Login::Retyped = login {
        let next = client.challenged(&mut exchange, challenges([&challenge("second", "")]));
        let Next::GiveUp(GiveUp::WrongCredentials(ask)) = next else {
            panic!("{next:?}")
        };
        client
            .login(&ask, &Account::new(USER, PASSWORD).with_basic())
            .unwrap();
    } else if let Login::Limited = login {
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
                assert!(sends(&mut client, &mut exchange, "/"), "{login:?}, {cycle}");
                responds(&mut client, &mut exchange, 200);
            }
            // Two requests under way learn of the other nonce.
            let mut under_way = [Exchange::new(), Exchange::new()];
            for exchange in &mut under_way {
                assert!(sends(&mut client, exchange, "/"));
            }
            for (n, exchange) in under_way.iter_mut().enumerate() {
                let other = challenge(&format!("{cycle}-{n}"), "");
                let next = client.challenged(exchange, challenges([&other]));
                assert_eq!(next, Next::Retry, "{login:?}, {cycle}");
                assert!(sends(&mut client, exchange, "/"));
                responds(&mut client, exchange, 200);
            }
        }
    }
}
