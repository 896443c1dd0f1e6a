//! Requests and responses that are lost.

use countersign::Target;
use countersign::client::{Exchange, ServerProof};
use countersign::server::Rejection;

use super::{NONE, browser, realm};
use crate::support::pair::{Pair, Received};

/// A request or a response that is lost is a gap in the count, and no more.
#[test]
fn lost_requests_and_responses() {
    let target = Target::new("GET", "/");
    for lost in [1, 2, 63, 64, 65, 1000] {
        for arrives in [true, false] {
            let mut pair = Pair::new(realm());
            let mut browser = browser();
            pair.get(&mut browser, "/");
            for _ in 0..lost {
                let value = browser.send(&mut Exchange::new(), &target);
                if arrives {
                    assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
                }
            }
            assert_eq!(pair.get(&mut browser, "/"), NONE);
        }
    }
}

/// An HTTP library that sends the same bytes again, because the first response was lost.
#[test]
fn a_request_sent_again_byte_for_byte_is_answered_anew() {
    let mut pair = Pair::new(realm());
    let mut browser = browser();
    pair.get(&mut browser, "/");
    let target = Target::new("GET", "/");
    let mut exchange = Exchange::new();
    let value = browser.send(&mut exchange, &target);
    assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
    let reply = pair.serve(&target, value.as_deref());
    assert_eq!(reply.rejection, Some(Rejection::Replayed));
    assert_eq!(browser.receive(&mut exchange, &reply), Received::Again);
    let value = browser.send(&mut exchange, &target);
    let reply = pair.serve(&target, value.as_deref());
    let received = browser.receive(&mut exchange, &reply);
    assert_eq!(received, Received::Granted(ServerProof::Valid));
}

/// With one-time nonces a lost response takes the next nonce with it.
#[test]
fn lost_next_nonces() {
    let mut pair = Pair::new(realm().with_one_time_nonces(true));
    let mut browser = browser();
    pair.get(&mut browser, "/");
    let target = Target::new("GET", "/");
    for _ in 0..5 {
        let value = browser.send(&mut Exchange::new(), &target);
        assert_eq!(pair.serve(&target, value.as_deref()).rejection, None);
        assert_eq!(pair.get(&mut browser, "/"), [Rejection::Replayed]);
    }
}
