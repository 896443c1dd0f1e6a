//! The steps of a dialogue with a server that proves nothing: what the program does, one call a step.

use countersign::client::{Account, Client, Exchange, Field, Next, Policy};
use countersign::{EntityBody, Target, challenges};

use crate::support::client::{PASSWORD, USER, client};

/// Sends a request for this path. Returns whether it carries an answer.
pub(super) fn sends(client: &mut Client, exchange: &mut Exchange, uri: &str) -> bool {
    let answer = client
        .authorize(exchange, &Target::new("GET", uri))
        .map(Field::for_new_request);
    answer.unwrap().is_some()
}

/// The response has this status.
pub(super) fn responds(client: &mut Client, exchange: &mut Exchange, status: u16) {
    let done = client.completed(
        exchange,
        status,
        core::iter::empty::<&str>(),
        EntityBody::Unknown,
    );
    done.unwrap();
}

/// The user is asked for a password, and types this one.
pub(super) fn log_in(
    client: &mut Client,
    exchange: &mut Exchange,
    challenge: &str,
    password: &str,
) {
    let Next::Login(ask) = client.challenged(exchange, challenges([challenge])) else {
        panic!("nobody has logged in")
    };
    client
        .login(&ask, &Account::new(USER, password).with_basic())
        .unwrap();
}

/// A client whose password was accepted where the server had asked.
pub(super) fn accepted_once(policy: Policy, challenge: &str) -> Client {
    let (mut client, mut exchange) = (client(policy), Exchange::new());
    log_in(&mut client, &mut exchange, challenge, PASSWORD);
    assert!(sends(&mut client, &mut exchange, "/"));
    responds(&mut client, &mut exchange, 200);
    client
}
