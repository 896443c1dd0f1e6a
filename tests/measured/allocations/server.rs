//! Letting a request in allocates nothing, and answering a challenge allocates the value.

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::{Arrival, Authenticator, Reason};
use countersign::{Channel, Target};

use crate::allocator::{allocated_bytes, allocations};
use crate::support::server::{Answer, PASSWORD, START, Service, USER, authenticator, ha1, realm};

const ARRIVAL: Arrival<'_> = Arrival::new(Channel::Encrypted, START);

fn take(auth: &Authenticator, header: &str, target: &Target<'_>, ha1: &Ha1) -> Result<(), Reason> {
    let granted = auth
        .begin([header].into_iter(), target, ARRIVAL)
        .and_then(|attempt| attempt.verify(Some(ha1)))
        .and_then(|verified| auth.admit(verified));
    granted.map(drop).map_err(|rejected| rejected.reason)
}

/// Sends requests on three nonces in a row: three on each, each of them twice. Every algorithm, with
/// one table, of which the third nonce evicts the first, and with several.
#[test]
fn requests_of_every_algorithm_allocate_nothing() {
    let ways = Algorithm::ALL
        .iter()
        .flat_map(|&algorithm| [2, 2000].map(|capacity| (algorithm, capacity)));
    for (algorithm, capacity) in ways {
        let what = format!("{algorithm}, {capacity}");
        let service = Service::new(realm().with_algorithms(&[algorithm])).with_capacity(capacity);
        let ha1 = ha1(algorithm.hash_function());
        for _ in 0..3 {
            let answer = Answer {
                algorithm,
                ..service.answer()
            };
            for nc in 1..=3 {
                let mut answer = answer.counted(nc);
                // A value with escapes is copied where it is hashed.
                let most = if nc == 2 { 3 } else { 0 };
                if most > 0 {
                    answer.cnonce = r#"c"\"#.to_owned();
                }
                let header = answer.header();
                let (auth, target) = (&service.auth, answer.target());
                let mut outcome = Err(Reason::Replayed);
                let count = allocations(|| outcome = take(auth, &header, &target, &ha1));
                assert_eq!(outcome, Ok(()), "{what}");
                assert!(count <= most, "{what}: {count} to begin, verify, admit");
                let count = allocations(|| outcome = take(auth, &header, &target, &ha1));
                assert_eq!(outcome, Err(Reason::Replayed), "{what}");
                // The challenge, and the list that has it.
                assert!((2..=2 + most).contains(&count), "{what}: {count}");
            }
        }
        assert_eq!(service.len(), capacity.min(3));
    }
}

#[test]
fn basic_takes_one_for_the_decoded_pair() {
    let auth = authenticator(realm().with_basic(), 0);
    let ha1 = ha1(HashFunction::Sha256);
    let header = crate::support::basic_header(USER, PASSWORD);
    let target = Target::new("GET", "/");
    let mut outcome = Err(Reason::Replayed);
    let count = allocations(|| outcome = take(&auth, &header, &target, &ha1));
    assert_eq!((outcome, count), (Ok(()), 1));
}

/// Most requests that are refused have no credentials: they must cost no copy of anything.
#[test]
fn a_rejection_allocates_its_challenges() {
    let auth = authenticator(realm(), 1);
    let target = Target::new("GET", "/");
    for values in [&[][..], &["Digest a=b"], &["Bearer abc"], &["a", "b"]] {
        let mut refusal = None;
        let count = allocations(|| {
            let values = values.iter().copied();
            refusal = auth.begin(values, &target, ARRIVAL).err();
        });
        let challenges = refusal.expect("a refusal").challenges.len();
        let list = usize::from(challenges > 0);
        assert_eq!(count, list + challenges, "{values:?}");
    }
}

/// Nonces spread over the tables by chance, so each has room for four standard deviations more
/// than its share: about a tenth more in all for tens of thousands of nonces.
#[test]
fn its_memory_takes_at_most_48_bytes_a_nonce_and_some_room_to_spread() {
    let bytes = |capacity| allocated_bytes(|| authenticator(realm(), capacity));
    let fixed = bytes(0);
    for capacity in [1, 2, 3, 1000, 1023] {
        let bytes = bytes(capacity);
        assert!(bytes <= fixed + capacity * 48, "{capacity}: {bytes} bytes");
    }
    for capacity in [1024, 1025, 2000, 10_000, 30_000, 100_000, 1_000_000] {
        let bytes = bytes(capacity);
        let share = capacity.div_ceil(16);
        let places = 16 * (share + 4 * share.isqrt());
        let tables = 15 * 200;
        assert!(
            bytes <= fixed + tables + places * 48,
            "{capacity}: {bytes} bytes"
        );
        let more = bytes as f64 / (capacity * 48) as f64 - 1.0;
        println!("{capacity} nonces: {bytes} bytes, {:+.0} %", more * 100.0);
        assert!(capacity < 30_000 || more < 0.1, "{capacity}: {more}");
    }
}
