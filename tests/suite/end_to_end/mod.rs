//! A client and a server against each other, with a clock that the test holds: every request is
//! granted, after at most one refusal for each nonce that grew old, and the server proves itself
//! each time.

mod basics;
#[cfg(feature = "http")]
mod http_loop;
#[cfg(feature = "precis")]
mod precis;
mod random_events;

use countersign::client::Policy;
use countersign::server::{Realm, Reason};

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
