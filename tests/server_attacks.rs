//! Attacks on this crate's own server that once worked: each must be refused.

mod support;

use countersign::client::{Client, Exchange, Next, Policy};
use countersign::digest::{
    Algorithm, BodyHasher, Challenge, Cnonce, Credentials, Ha1, Hash, HexDigest, Protection,
    Username, ha2, response,
};
use countersign::rand_core::UnwrapErr;
use countersign::server::{Arrival, Claim, NonceKey, Rejection, ReplayTable, Server};
use countersign::{Authorization, Body, Channel, ParamName, Target, Text, Timestamp};
use getrandom::SysRng;

const NOW: Timestamp = Timestamp::from_unix_secs(1_700_000_000);
const REALM: &str = "realm";

fn arrival(now: Timestamp) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, now)
}

fn server() -> Server {
    Server::new(REALM, NonceKey::new([7; 32])).unwrap()
}

fn ha1(user: &str) -> Ha1 {
    Ha1::new(Hash::Sha256, user, REALM, "Circle of Life")
}

/// The header of an honest client that was just challenged.
fn honest(server: &Server, user: &str, policy: Policy, now: Timestamp) -> String {
    let rng = &mut UnwrapErr(SysRng);
    let challenges: Vec<String> = server
        .challenges(&Rejection::NoCredentials, &arrival(now), rng)
        .collect();
    let mut client = Client::new(Channel::Encrypted, policy);
    let mut exchange = Exchange::new();
    assert_eq!(client.challenged(&mut exchange, &challenges), Next::Login);
    client.login(user, "Circle of Life").unwrap();
    let target = Target::new("GET", "/harmless").with_body(Body::Bytes(b""));
    let cnonce = Cnonce::generate(rng);
    let answer = client.authorize(&mut exchange, &target, &cnonce).unwrap();
    answer.unwrap().to_str().unwrap().to_owned()
}

/// Signs another request with a response that went over the wire, taken for a session key.
fn forge(captured: &str) -> String {
    let Ok(Authorization::Digest(seen)) = Authorization::parse(captured) else {
        panic!("Digest");
    };
    let nonce = seen.nonce().to_str().unwrap();
    let covered = ha2(Hash::Sha256, "GET", "/harmless", None);
    let cnonce = match seen.protection() {
        Some(p) => {
            let cnonce = p.cnonce().to_str().unwrap();
            format!("{:08x}:{cnonce}:auth:{}", p.nc(), covered.as_str())
        }
        None => covered.as_str().to_owned(),
    };
    let key = Ha1::from_hex(Hash::Sha256, seen.response().as_str()).unwrap();
    let protection = Protection::new("auth", "00000002", &cnonce).unwrap();
    let ha2 = ha2(Hash::Sha256, "DELETE", "/everything", None);
    let response: HexDigest = response(&key, nonce.as_bytes(), Some(&protection), &ha2);
    // Nothing of it needs the password.
    format!(
        "Digest username=\"Mufasa\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"/everything\", \
         algorithm=SHA-256-sess, qop=auth, nc=00000002, cnonce=\"{cnonce}\", response=\"{}\"",
        response.as_str()
    )
}

/// The response of a plain algorithm is a session key for a cnonce made of what it covers.
#[test]
fn a_captured_response_is_no_session_key() {
    let both = server().with_algorithms(&[Algorithm::SHA_256, Algorithm::SHA_256_SESS]);
    for (server, policy) in [
        (both.clone(), Policy::new()),
        (both.with_rfc2069(), Policy::new()),
    ] {
        let captured = honest(&server, "Mufasa", policy, NOW);
        refused_as_cnonce(&server, &forge(&captured));
    }
    // The form of RFC 2069 has no colon in what it covers.
    let legacy = server().with_algorithms(&[Algorithm::SHA_256]);
    let legacy = legacy.with_qop(countersign::digest::QopSet::LEGACY);
    let captured = honest(&legacy, "Mufasa", Policy::new().with_rfc2069(), NOW);
    let session_only = server().with_algorithms(&[Algorithm::SHA_256_SESS]);
    refused_as_cnonce(&session_only, &forge(&captured));
}

fn refused_as_cnonce(server: &Server, header: &str) {
    let target = Target::new("DELETE", "/everything");
    let refused = server.begin([header], &target, &arrival(NOW)).map(|_| ());
    let Err(Rejection::Header(countersign::HeaderError::Param(error))) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(error.name, ParamName::Cnonce);
}

/// A guest with a password of his own uses the nonce of somebody else, with the last count.
#[test]
fn nobody_uses_up_the_counts_of_another() {
    let server = server().with_algorithms(&[Algorithm::SHA_256]);
    let mut replays = ReplayTable::with_capacity(8);
    let target = Target::new("GET", "/harmless");
    let mine = honest(&server, "Mufasa", Policy::new(), NOW);
    let Ok(Authorization::Digest(seen)) = Authorization::parse(&mine) else {
        panic!("Digest");
    };
    let nonce = seen.nonce().to_str().unwrap();
    let guest = ha1("Scar");
    let protection = Protection::new("auth", "ffffffff", "c").unwrap();
    let covered = ha2(Hash::Sha256, "GET", "/harmless", None);
    let response = response(&guest, nonce.as_bytes(), Some(&protection), &covered);
    let theirs = format!(
        "Digest username=\"Scar\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"/harmless\", \
         algorithm=SHA-256, qop=auth, nc=ffffffff, cnonce=\"c\", response=\"{}\"",
        response.as_str()
    );
    let mut take = |header: &str, ha1: &Ha1| {
        let attempt = server.begin([header], &target, &arrival(NOW)).unwrap();
        replays
            .admit(attempt.verify(Some(ha1)).unwrap())
            .map(|_| ())
    };
    assert_eq!(take(&theirs, &guest), Ok(()));
    assert_eq!(take(&mine, &ha1("Mufasa")), Ok(()));
    assert_eq!(take(&mine, &ha1("Mufasa")), Err(Rejection::Replayed));
    assert_eq!(take(&theirs, &guest), Err(Rejection::Replayed));
}

/// The ledger has forgotten the ticket by the time a slow body is read.
#[test]
fn a_ledgers_word_counts_only_while_the_nonce_is_good() {
    let server = server().with_algorithms(&[Algorithm::SHA_256]);
    let header = honest(&server, "Mufasa", Policy::new(), NOW);
    let target = Target::new("GET", "/harmless");
    let proof = || {
        let late = NOW.plus_secs(299);
        let attempt = server.begin([&header], &target, &arrival(late)).unwrap();
        attempt.verify(Some(&ha1("Mufasa"))).unwrap()
    };
    let ticket = proof().ticket().unwrap();
    assert!(ticket.expires() > NOW.plus_secs(300));
    assert!(proof().settle(Claim::First, NOW.plus_secs(300)).is_ok());
    let late = proof().settle(Claim::First, NOW.plus_millis(300_001));
    assert_eq!(late.map(|_| ()), Err(Rejection::Expired));
}

/// A device without a clock of its own keeps its key and starts in 1970.
#[test]
fn a_used_nonce_from_the_future_is_forgotten_after_a_restart() {
    let server = server().with_algorithms(&[Algorithm::SHA_256]);
    let captured = honest(&server, "Mufasa", Policy::new(), NOW);
    let target = Target::new("GET", "/harmless");
    let start = Timestamp::from_unix_secs(10);
    let mut replays = ReplayTable::with_capacity(8).restarted_at(start);
    let mut take = |header: &str, arrival: &Arrival<'_>| {
        let attempt = server.begin([header], &target, arrival)?;
        let proof = attempt.verify(Some(&ha1("Mufasa")))?;
        replays.admit(proof).map(|_| ())
    };
    let now = start.plus_secs(1);
    let outcome = take(&captured, &arrival(now));
    assert!(
        matches!(outcome, Err(Rejection::Forgotten { .. })),
        "{outcome:?}"
    );
    // A new one is as good as ever, and so is one made later than a horizon that was kept.
    assert_eq!(
        take(
            &honest(&server, "Mufasa", Policy::new(), now),
            &arrival(now)
        ),
        Ok(())
    );
    let floor = arrival(now).not_before(NOW);
    let rng = &mut UnwrapErr(SysRng);
    let nonce = server.mint(&floor, rng);
    assert!(replays.horizon() >= now);
    assert_ne!(nonce, server.mint(&floor, rng));
}

/// Under the overview form the response of `auth-int` covers what `auth` could be made to cover.
#[test]
fn the_overview_form_is_not_taken_for_a_body() {
    let server = server()
        .with_algorithms(&[Algorithm::SHA_256])
        .with_qop(countersign::digest::QopSet::BOTH)
        .with_overview_form();
    // No client of this crate sends it.
    let challenges: Vec<String> = server
        .challenges(
            &Rejection::NoCredentials,
            &arrival(NOW),
            &mut UnwrapErr(SysRng),
        )
        .collect();
    let generic = countersign::challenges(&challenges).next().unwrap();
    let challenge = Challenge::try_from(generic.unwrap()).unwrap();
    let protection = Protection::new("auth-int", "00000001", "c").unwrap();
    let body = BodyHasher::new(Hash::Sha256).finish();
    let ha2 = ha2(Hash::Sha256, "GET", "/harmless", Some(&body));
    let response = response(&ha1("Mufasa"), challenge.nonce(), None, &ha2);
    let name = Username::new("Mufasa").unwrap();
    let uri = Text::new("/harmless").unwrap();
    let header = Credentials::new(&challenge, name, uri, Some(protection), response).to_bytes();
    let target = Target::new("GET", "/harmless").with_body(Body::Bytes(b""));
    let attempt = server.begin([&header], &target, &arrival(NOW)).unwrap();
    let outcome = attempt.verify(Some(&ha1("Mufasa"))).map(|_| ());
    assert_eq!(outcome, Err(Rejection::WrongCredentials));
}
