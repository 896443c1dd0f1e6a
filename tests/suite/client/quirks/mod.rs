//! What real servers send and a client must understand, and what they insist on and a client must
//! write: a test each, named after what it is about. The numbers are those of issues and pull
//! requests of the projects named.

mod challenges;
mod credentials;

use countersign::client::Policy;
use countersign::{EntityBody, Target};

use crate::support::client::{Dialog, PASSWORD, Sent, USER};

const GET: fn(&str) -> Target<'_> = |uri| Target::new("GET", uri).with_body(EntityBody::Bytes(b""));

/// What a client answers to these challenges, checked to be right.
fn answer_to<V: AsRef<[u8]>>(values: &[V]) -> Sent {
    answer_of(Policy::new(), values)
}

fn answer_of<V: AsRef<[u8]>>(policy: Policy, values: &[V]) -> Sent {
    let sent = super::policy::answer(policy, values).unwrap();
    let is_digest = sent.scheme == "Digest";
    assert!(!is_digest || sent.is_right(USER, PASSWORD, &GET("/")));
    sent
}

/// One that has been answered once and was accepted, in its second exchange.
fn in_use(challenge: &str) -> Dialog {
    let mut dialog = Dialog::logged_in(Policy::new(), challenge);
    dialog.send("/");
    dialog.goes_on();
    dialog.send("/");
    dialog
}
