//! A client and a server against each other, with a clock that the test holds: every request is
//! granted, after at most one refusal for each nonce that grew old, and the server proves itself
//! each time.

mod basics;
#[cfg(feature = "http")]
mod http_loop;
mod parallel_requests;
#[cfg(feature = "precis")]
mod precis;
mod random_events;

use countersign::client::Policy;
use countersign::server::{Authenticator, Realm, Reason};

use crate::support::pair::Browser;

const LIFETIME: u64 = 300;

fn realm() -> Realm {
    Realm::new("files")
        .unwrap()
        .with_nonce_lifetime(LIFETIME as u32)
}

fn browser() -> Browser {
    Browser::new(Policy::new())
}

/// The reason of a request without credentials, as every first one is.
const FIRST: [Reason; 1] = [Reason::NoCredentials];
const NONE: [Reason; 0] = [];

/// The nonces of a new start, with one of the keys of the tests.
fn with_key(realm: &Realm, n: u8) -> Authenticator {
    Authenticator::from_fresh_seed(realm.clone(), 100, [n; 32])
}
