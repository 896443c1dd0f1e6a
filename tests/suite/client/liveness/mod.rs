//! No message locks a client out: whatever was said before, an honest server grants its next
//! request within two.

mod events;
mod world;

use countersign::client::{AuthorizeError, Client, Exchange, Field, Next, Policy, SkipReason};
use countersign::digest::{HashFunction, QopSet};
use countersign::{Channel, MAX_VALUE_BYTES, Target, challenges};
use events::{BodyOf, Request, event, policy, request};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use world::World;

use crate::support::client::{CHALLENGE, Dialog, Said, challenge};
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

/// A body that streams, so that no answer can cover it.
fn upload() -> Target<'static> {
    Target::new("PUT", "/upload")
}

/// Whether the next request of an exchange carries an answer.
fn sends(client: &mut Client, exchange: &mut Exchange) -> Result<bool, AuthorizeError> {
    let answer = client
        .authorize_with_cnonce(exchange, &upload(), "c")
        .map(Field::for_new_request)?;
    Ok(answer.is_some())
}

fn logged_in(challenge: &str) -> Dialog {
    let mut dialog = Dialog::on(Channel::Cleartext, Policy::new());
    assert_eq!(dialog.challenged([challenge]), Said::Login);
    dialog.login();
    dialog
}

/// From then on: an answer unasked, or one to a challenge that follows a request without.
fn goes_on_well(Dialog { client, .. }: &mut Dialog) {
    for n in 0..3 {
        let mut exchange = Exchange::new();
        if sends(client, &mut exchange) == Ok(false) {
            let good = challenge(&format!("good {n}"), "");
            assert_eq!(
                client.challenged(&mut exchange, challenges([&good])),
                Next::Retry
            );
            assert_eq!(sends(client, &mut exchange), Ok(true));
        }
        let answer = exchange.answer().expect("it was sent");
        let value = str::from_utf8(answer.as_bytes()).expect("a text");
        assert!(
            value.contains(r#"nonce="good "#) && value.contains("qop=auth,"),
            "{value}"
        );
    }
}

/// One response, forged on a cleartext channel, once kept a client out until its user logged in
/// anew.
#[test]
fn one_forged_401_is_forgotten_with_the_next_honest_one() {
    let mut dialog = logged_in(CHALLENGE);
    assert_eq!(sends(&mut dialog.client, &mut dialog.exchange), Ok(true));
    dialog.accepted("").expect("no proof is no error");

    dialog.next_exchange();
    assert_eq!(sends(&mut dialog.client, &mut dialog.exchange), Ok(true));
    let forged = r#"Digest realm="r", nonce="x", qop="auth-int", algorithm=SHA-256, stale=true"#;
    assert_eq!(dialog.challenged([forged]), Said::Retry);
    // The exchange that was asked for it is told.
    assert_eq!(
        sends(&mut dialog.client, &mut dialog.exchange),
        Err(AuthorizeError::BodyNeeded(HashFunction::Sha256))
    );
    goes_on_well(&mut dialog);
}

/// So did a device with a habit, at the first challenge.
#[test]
fn one_challenge_for_auth_int_alone_is_forgotten_with_the_next_honest_one() {
    let mut dialog = logged_in(&CHALLENGE.replace("auth", "auth-int"));
    assert_eq!(
        sends(&mut dialog.client, &mut dialog.exchange),
        Err(AuthorizeError::BodyNeeded(HashFunction::Sha256))
    );
    goes_on_well(&mut dialog);
}

/// An answer to it would be longer than any server reads.
#[test]
fn one_challenge_just_within_the_limit_is_skipped() {
    for length in [MAX_VALUE_BYTES - 100, 4200] {
        let mut dialog = logged_in(CHALLENGE);
        let opaque = "o".repeat(length);
        dialog.next_exchange();
        let long = challenge("n2", &format!(r#", opaque="{opaque}""#));
        let skipped = [SkipReason::TooLong].into();
        assert_eq!(dialog.challenged([&long]), Said::NoUsableChallenge(skipped));
        let answer = dialog.would_send_unasked("/").expect("an answer");
        assert_eq!(answer.get("nonce"), "n1");
    }
    // One that is half as long is answered.
    let mut dialog = Dialog::new(Policy::new());
    let quotes = r#"\""#.repeat(2000);
    let long = challenge("n2", &format!(r#", opaque="{quotes}""#));
    assert_eq!(dialog.challenged([&long]), Said::Login);
}

#[test]
fn one_next_nonce_just_within_the_limit_is_forgotten_with_the_next_honest_one() {
    let mut dialog = logged_in(CHALLENGE);
    assert_eq!(sends(&mut dialog.client, &mut dialog.exchange), Ok(true));
    let nonce = "n".repeat(MAX_VALUE_BYTES - 100);
    let taken = dialog.accepted(&format!(r#"nextnonce="{nonce}""#));
    taken.expect("no proof is no error");
    // It was not taken.
    let answer = dialog.would_send_unasked("/").expect("an answer");
    assert_eq!(answer.get("nonce"), "n1");
}

/// Each exchange answers the challenge that it was sent, whatever another was sent meanwhile.
#[test]
fn what_one_exchange_is_sent_does_not_keep_another_out() {
    let forged = r#"Digest realm="r", nonce="x", qop="auth-int", algorithm=SHA-256, stale=true"#;
    for answered in [true, false] {
        let mut dialog = logged_in(CHALLENGE);
        if !answered {
            dialog.login_as("Scar", "Be prepared").expect("a login");
        }
        let Dialog { mut client, .. } = dialog;
        let mut exchanges = [Exchange::new(), Exchange::new()];
        for exchange in &mut exchanges {
            assert_eq!(sends(&mut client, exchange), Ok(answered));
        }
        let [first, second] = &mut exchanges;
        assert_eq!(client.challenged(first, challenges([forged])), Next::Retry);
        let good = challenge("good", ", stale=true");
        assert_eq!(client.challenged(second, challenges([&good])), Next::Retry);
        assert_eq!(sends(&mut client, second), Ok(true));
    }
}
