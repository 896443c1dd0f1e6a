//! What countersign is measured by: one function a job, all of it on given inputs.

use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::{Cnonce, Ha1};
use countersign::server::{Arrival, Grant, Rejection, ReplayTable, Server};
use countersign::{Authorization, Channel, HeaderError, Target, TypedChallenge, challenges};

use crate::inputs::{PASSWORD, USERNAME, arrival};

/// Reads a field of challenges as far as the grammar goes.
#[inline]
pub fn read_challenges(value: &str) -> usize {
    challenges([value]).filter(Result::is_ok).count()
}

/// Reads the first challenge of a field as one of its scheme.
#[inline]
pub fn read_typed_challenge(value: &str) -> Option<Result<TypedChallenge<'_>, HeaderError>> {
    challenges([value]).typed().next()
}

/// Reads all challenges of a field as Digest or Basic ones; how many of each.
#[inline]
pub fn read_all_challenges(value: &str) -> (usize, usize) {
    let (mut digests, mut basics) = (0, 0);
    for challenge in challenges([value]).typed() {
        match challenge {
            Ok(TypedChallenge::Digest(_)) => digests += 1,
            Ok(TypedChallenge::Basic(_)) => basics += 1,
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
    let answer = client.authorize_with_cnonce(exchange, target, cnonce).unwrap();
    answer.unwrap().as_bytes().len()
}

/// Lets a request in.
#[inline]
pub fn admit<'a>(
    server: &'a Server,
    replays: &mut ReplayTable,
    header: &'a [u8],
    target: &Target<'a>,
    arrival: &Arrival<'_>,
    ha1: &Ha1,
) -> Result<Grant<'a>, Rejection> {
    let attempt = server.begin(Some(header), target, arrival)?;
    replays.admit(attempt.verify(Some(ha1))?)
}

/// The challenges of a first request; how many bytes.
#[inline]
pub fn challenge(server: &Server, rng: &mut crate::inputs::Numbers) -> usize {
    let values = server.challenges(&Rejection::NoCredentials, &arrival(), rng);
    values.map(|value| value.len()).sum()
}
