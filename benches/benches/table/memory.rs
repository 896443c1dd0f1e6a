//! The cost of remembering counts, in bytes and in time.

use std::hint::black_box;
use std::time::Instant;

use countersign::client::Exchange;
use countersign::digest::Algorithm;
use countersign::server::{Arrival, Authenticator};
use countersign::{Channel, Timestamp};
use countersign_benches::allocations::bytes_of;
use countersign_benches::inputs::{CHALLENGE, Service, target};
use countersign_benches::rows::logged_in;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The number of requests that are verified, unmeasured, before they are admitted.
const VERIFIED: usize = 1024;
const TIMES: u32 = 40;

const HEAD: &str = "\
| nonces in memory | bytes each | known nonce, ns | new nonce, memory full, ns |
|--:|--:|--:|--:|
";

/// The table of all sizes, and the bytes of a client.
pub fn table() -> String {
    let (lines, client) = (SIZES.map(line).concat(), client());
    format!("{HEAD}{lines}\nA client that has answered three times: {client} bytes.\n")
}

/// The bytes of a client that has answered three times, with what it allocated on the way.
fn client() -> u64 {
    let client = || {
        let (mut client, mut exchange) = logged_in(CHALLENGE);
        for _ in 0..3 {
            let _ = black_box(client.authorize(&mut exchange, &target()));
            exchange = Exchange::new();
        }
        Box::new(client)
    };
    bytes_of(client).1
}

/// The line of a memory of one size, filled by real requests.
fn line(count: usize) -> String {
    let mut service = Service::new(Algorithm::SHA_256);
    // Nonces live long enough to issue a million of them first.
    service.realm = service.realm.with_nonce_lifetime(1_000_000);
    let (auth, bytes) = bytes_of(|| service.authenticator(count));
    // Each nonce has another issue time, because a table that forgets one forgets all of its time.
    let mut now = Timestamp::from_unix_millis(1_700_000_000 * 1000);
    let mut issue = |auth: &Authenticator| {
        now = now.plus_millis(1);
        service.issue(auth, Arrival::new(Channel::Encrypted, now))
    };
    let mut issued = Vec::with_capacity(count);
    while issued.len() < count {
        let more: Vec<_> = (0..VERIFIED).map(|_| issue(&auth)).collect();
        admit(&auth, &service, &more, 1);
        issued.extend(more);
    }
    let remembered = &issued[issued.len() - count..];
    let mut random = SmallRng::seed_from_u64(3);
    let known = (2..TIMES + 2).map(|nc| {
        // Random nonces in a random order, so that in a large memory few are in a cache.
        let any = remembered.sample(&mut random, VERIFIED).cloned();
        admit(&auth, &service, &Vec::from_iter(any), nc)
    });
    let known = known.fold(f64::INFINITY, f64::min);
    // Each takes the place of the oldest.
    let new = (0..TIMES).map(|_| {
        let new: Vec<_> = (0..VERIFIED).map(|_| issue(&auth)).collect();
        admit(&auth, &service, &new, 1)
    });
    let new = new.fold(f64::INFINITY, f64::min);
    let each = bytes as f64 / count as f64;
    format!("| {count} | {each:.0} | {known:.0} | {new:.0} |\n")
}

/// Admits one request with each nonce, all of them verified before. Returns the nanoseconds of one.
fn admit(auth: &Authenticator, service: &Service, issued: &[String], nc: u32) -> f64 {
    // A time after all nonces were issued, and before any expires.
    let later = Timestamp::from_unix_millis(1_700_000_000 * 1000).plus_millis(1000 * 100_000);
    let later = || Arrival::new(Channel::Encrypted, later);
    let requests = issued.iter().map(|nonce| service.request(nonce, nc));
    let requests: Vec<_> = requests.collect();
    let verified = requests.iter().map(|request| {
        let begun = auth.begin([request].into_iter(), &target(), later());
        begun.unwrap().verify(Some(&service.ha1)).unwrap()
    });
    let verified: Vec<_> = verified.collect();
    let start = Instant::now();
    for verified in verified {
        black_box(&auth.admit(verified).unwrap());
    }
    start.elapsed().as_secs_f64() * 1e9 / issued.len() as f64
}
