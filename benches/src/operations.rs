//! What countersign is measured by: one function a job, all of it on given inputs.

use std::hint::black_box;

use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::Cnonce;
use countersign::server::{Arrival, Authenticator, Nonces};
use countersign::{Authorization, Challenge, FieldValue, HeaderError, Target, challenges};

use crate::inputs::{PASSWORD, Service, USERNAME};

/// Reads a field of challenges as far as the grammar goes.
#[inline]
pub fn read_challenges(value: &str) -> usize {
    challenges([value]).raw().filter(Result::is_ok).count()
}

/// Reads the first challenge of a field as one of its scheme.
#[inline]
pub fn read_typed_challenge(value: &str) -> Option<Result<Challenge<'_>, HeaderError>> {
    challenges([value]).next()
}

/// Reads all challenges of a field as Digest or Basic ones; how many of each.
#[inline]
pub fn read_all_challenges(value: &str) -> (usize, usize) {
    let (mut digests, mut basics) = (0, 0);
    for challenge in challenges([value]) {
        match challenge {
            Ok(Challenge::Digest(_)) => digests += 1,
            Ok(Challenge::Basic(_)) => basics += 1,
            _ => {}
        }
    }
    (digests, basics)
}

/// Reads credentials.
#[inline]
pub fn read_authorization(value: &str) -> Result<Authorization<'_>, HeaderError> {
    Authorization::parse(value)
}

/// A client that has been challenged and knows name and password.
pub fn logged_in(challenge: &str) -> (Client, Exchange) {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let mut client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let Next::Login(ask) = client.challenged(&mut exchange, [challenge]) else {
        panic!("nobody has logged in");
    };
    client.login(&ask, USERNAME, PASSWORD).unwrap();
    (client, exchange)
}

/// Answers; each time with the next count.
#[inline]
pub fn authorize(
    client: &mut Client,
    exchange: &mut Exchange,
    target: &Target<'_>,
    cnonce: &Cnonce,
) -> usize {
    let answer = client
        .authorize_with_cnonce(exchange, target, cnonce)
        .unwrap();
    answer.unwrap().as_bytes().len()
}

/// Lets a request in.
#[inline]
pub fn admit(
    nonces: &mut Nonces,
    service: &Service,
    header: &[u8],
    target: &Target<'_>,
    arrival: &Arrival<'_>,
) -> bool {
    let Service { realm, ha1, .. } = service;
    let admitted = nonces
        .begin(realm, Some(header), target, arrival)
        .and_then(|attempt| attempt.verify(Some(ha1)))
        .and_then(|verified| nonces.admit(verified));
    black_box(&admitted).is_ok()
}

/// Lets a request in that may come on any thread.
#[inline]
pub fn admit_shared(
    auth: &Authenticator,
    service: &Service,
    header: &[u8],
    target: &Target<'_>,
    arrival: &Arrival<'_>,
) -> bool {
    let admitted = auth
        .begin(Some(header), target, arrival)
        .and_then(|attempt| attempt.verify(Some(&service.ha1)))
        .and_then(|verified| auth.admit(verified));
    black_box(&admitted).is_ok()
}

/// The whole response to a first request, which has no credentials: how many bytes of challenges.
#[inline]
pub fn refuse(
    nonces: &mut Nonces,
    service: &Service,
    target: &Target<'_>,
    arrival: &Arrival<'_>,
) -> usize {
    let begun = nonces.begin(&service.realm, None::<&str>, target, arrival);
    let refusal = nonces.refuse(&begun.unwrap_err());
    let bytes = |value: &FieldValue| value.as_bytes().len();
    refusal.challenges.iter().map(bytes).sum()
}
