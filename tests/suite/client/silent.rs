//! Responses that neither accept an answer nor challenge it: *Another response* in `client::rules`.

use countersign::client::{Account, Client, Endpoint, Policy};

use super::world::{Nonces, Server, World};
use crate::support::client::{PASSWORD, USER, home};

/// A device, which says this to an answer with a dead nonce or a wrong password.
fn device(endpoint: &Endpoint, refuses_by: u16) -> Server {
    Server {
        refuses_by: Some(refuses_by),
        ..Server::new(endpoint.clone(), Some(Nonces::Common(u32::MAX)))
    }
}

fn with(server: Server, account: Account, repeats: bool) -> World {
    let client = Client::from_seed(server.endpoint.clone(), Policy::new(), [7; 32]);
    let client = client.with_account(account).unwrap();
    World::new(server, client, 1, repeats)
}

fn account() -> Account {
    Account::new(USER, PASSWORD)
}

/// Doorbells, switches and registrars that have dropped a nonce, and do not say so. 10,000 of 10,000
/// later requests once carried it.
#[test]
fn a_dead_nonce_is_volunteered_twice_at_most() {
    let sip = Endpoint::origin("sip", "sip.example", None).unwrap();
    let camera = Endpoint::origin("rtsp", "camera", None).unwrap();
    let proxy = Endpoint::proxy("http", "proxy", 3128);
    for (endpoint, status, many) in [
        (&home(), 401, 1000),
        (&home(), 429, 1000),
        (&home(), 403, 100),
        (&home(), 503, 100),
        (&camera, 401, 100),
        (&sip, 401, 100),
        (&sip, 403, 100),
        (&proxy, 407, 100),
    ] {
        for repeats in [true, false] {
            let mut world = with(device(endpoint, status), account(), repeats);
            assert!(world.run(3).let_in >= 2);
            for many in [30, many] {
                world.server.newest += 1;
                let came = world.run(many);
                let found = (came.messages, came.answers, came.let_in, came.told);
                let expected = (many + 1, many, many - 2, 0);
                assert_eq!(found, expected, "{endpoint} {status}");
            }
        }
    }
}

/// An application says 401 or 429 now and then: that costs nobody a round trip.
#[test]
fn one_such_response_costs_nothing() {
    for status in [401, 403, 429, 500] {
        let mut world = with(device(&home(), status), account(), true);
        assert_eq!(world.run(10).messages, 11);
        for _ in 0..100 {
            world.server.password = "of nobody";
            let came = world.run(1);
            assert_eq!((came.messages, came.told), (1, 0), "{status}");
            world.server.password = PASSWORD;
            assert_eq!(world.run(2).messages, 2, "{status}");
        }
    }
}

/// The password was changed, and the server answers it by a bare 401. The program is told, and sends
/// it as seldom as one that is refused by a challenge.
#[test]
fn a_password_that_bare_401s_refuse_is_bounded_and_told() {
    let basic = Server {
        nonces: None,
        ..device(&home(), 401)
    };
    let never_asks = Server {
        is_silent: true,
        ..basic.clone()
    };
    for (server, account) in [
        (basic.clone(), account().with_basic()),
        (basic, account().with_preemptive_basic()),
        (never_asks, account().with_preemptive_basic()),
        (device(&home(), 401), account()),
    ] {
        let mut world = with(server, account, true);
        assert!(world.run(3).let_in == 3);
        world.server.password = "changed";
        let first = world.run(8);
        assert!(first.told > 0 && first.answers <= 8, "{first:?}");
        let later = world.run(1000);
        assert!(later.answers <= 21 && later.told > 0, "{later:?}");
        // Changed back: it gets in again, by itself.
        world.server.password = PASSWORD;
        let back = world.run(200);
        assert!(back.let_in >= 200 - 64, "{back:?}");
    }
}
