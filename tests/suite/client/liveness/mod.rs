//! No message locks a client out: whatever was said before, an honest server grants its next
//! request within two.

mod events;
mod world;

use countersign::Channel;
use countersign::digest::QopSet;
use events::{BodyOf, Request, event, policy, request};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use world::World;

use crate::support::effort::cases;

fn channel() -> impl Strategy<Value = Channel> {
    select(vec![Channel::Encrypted, Channel::Cleartext])
}

/// ASCII, and not.
fn user() -> impl Strategy<Value = usize> {
    select(vec![0, 2])
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn an_honest_server_lets_the_client_in(
        (policy, channel, user) in (policy(), channel(), user()),
        (both, bits) in (prop::bool::weighted(0.2), 0..16_u8),
        events in vec(event(), 0..40),
        last in request(),
    ) {
        let qop = if both { QopSet::BOTH } else { QopSet::AUTH };
        let mut world = World::new(policy, channel, user, qop, bits);
        for event in events {
            world.happen(event);
        }
        world.gets_in(last);
        // And from then on.
        world.gets_in(last);
    }

    /// The user's request has a body that is known, which is what such a server needs.
    #[test]
    fn an_honest_server_that_wants_the_body_covered_lets_the_client_in(
        (policy, channel, user) in (policy(), channel(), user()),
        require in any::<bool>(),
        bits in 0..16_u8,
        events in vec(event(), 0..40),
        last in request(),
    ) {
        let body = match last.body {
            BodyOf::Streams => BodyOf::Known,
            known => known,
        };
        let policy = if require { policy.require_auth_int() } else { policy };
        let qop = QopSet::AUTH_INT;
        let mut world = World::new(policy, channel, user, qop, bits);
        for event in events {
            world.happen(event);
        }
        world.gets_in(Request { body, ..last });
    }
}
