//! The cost of remembering counts, in bytes and in time.

use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign::client::Exchange;
use countersign::server::{Arrival, Authenticator};
use countersign::{Channel, Timestamp};
use countersign_benches::allocations::{allocations_of, bytes_of};
use countersign_benches::inputs::{CHALLENGE, Numbers, Service, target};
use countersign_benches::rows::logged_in;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The number of requests that are verified, unmeasured, before they are admitted.
const VERIFIED: usize = 1024;
const TIMES: u32 = 40;

/// A memory of one size, filled by real requests.
pub struct Size {
    pub nonces: usize,
    pub bytes_each: f64,
    /// Nanoseconds to admit the next count of a nonce in it.
    pub known: f64,
    /// Nanoseconds to admit a new nonce in the place of the oldest.
    pub new: f64,
    /// The allocations of both together.
    pub allocations: u64,
}

/// The bytes of a client that has answered three times, with what it allocated on the way.
pub fn client() -> u64 {
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

pub fn all() -> Vec<Size> {
    SIZES.into_iter().map(measure).collect()
}

fn measure(count: usize) -> Size {
    let service = Service::long_lived();
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
    let mut size = Size {
        nonces: count,
        bytes_each: bytes as f64 / count as f64,
        known: f64::INFINITY,
        new: f64::INFINITY,
        allocations: 0,
    };
    // Random nonces, so that in a large memory few are in a cache.
    let mut numbers = Numbers::new(3);
    let first = issued.len() - count;
    for nc in 2..TIMES + 2 {
        let any = (0..VERIFIED).map(|_| first + numbers.next() as usize % count);
        let mut any: Vec<_> = any.collect();
        any.sort_unstable();
        any.dedup();
        // In a random order.
        any.sort_by_key(|at| (*at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let any: Vec<_> = any.into_iter().map(|at| issued[at].clone()).collect();
        let (time, allocations) = admit(&auth, &service, &any, nc);
        size.known = size.known.min(time);
        size.allocations += allocations;
    }
    for _ in 0..TIMES {
        let new: Vec<_> = (0..VERIFIED).map(|_| issue(&auth)).collect();
        let (time, allocations) = admit(&auth, &service, &new, 1);
        size.new = size.new.min(time);
        size.allocations += allocations;
    }
    size
}

/// Admits one request with each nonce, all of them verified before. Returns the nanoseconds of one,
/// and the allocations of all.
fn admit(auth: &Authenticator, service: &Service, issued: &[String], nc: u32) -> (f64, u64) {
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
    let mut time = Duration::ZERO;
    let allocations = allocations_of(|| {
        let start = Instant::now();
        for verified in verified {
            black_box(&auth.admit(verified).unwrap());
        }
        time = start.elapsed();
    });
    (time.as_secs_f64() * 1e9 / issued.len() as f64, allocations)
}
