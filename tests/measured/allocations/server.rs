//! Letting a request in allocates nothing, and answering a challenge allocates the value.

use countersign::client::{Account, Exchange, Policy};
use countersign::digest::{Algorithm, Ha1};
use countersign::server::{Arrival, Authenticator, Realm, Reason};
use countersign::{Channel, EntityBody, Target, challenges};

use crate::allocator::{allocated_bytes, allocations};
use crate::support::client::{PASSWORD, USER, ask_of, client};
use crate::support::server::{START, authenticator};

const ARRIVAL: Arrival<'_> = Arrival::new(Channel::Encrypted, START);

fn ha1(algorithm: Algorithm) -> Ha1 {
    let hash = algorithm.hash_function();
    Ha1::new(hash, USER, "realm", PASSWORD)
}

fn take(auth: &Authenticator, header: &[u8], target: &Target<'_>, ha1: &Ha1) -> Result<(), Reason> {
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
    let target = Target::new("GET", "/a?b=c").with_body(EntityBody::Bytes(b""));
    let ways = Algorithm::ALL
        .iter()
        .flat_map(|&algorithm| [2, 2000].map(|capacity| (algorithm, capacity)));
    for (algorithm, capacity) in ways {
        let what = format!("{algorithm}, {capacity}");
        let realm = Realm::new("realm").unwrap().with_algorithms(&[algorithm]);
        let auth = authenticator(realm, capacity);
        let ha1 = ha1(algorithm);
        for _ in 0..3 {
            let mut client = client(Policy::new());
            let mut exchange = Exchange::new();
            let values = auth.challenge(ARRIVAL).challenges;
            let next = client.challenged(&mut exchange, challenges(&values));
            let ask = ask_of(&next).expect("a login is asked for");
            client.login(ask, &Account::new(USER, PASSWORD)).unwrap();
            for _ in 0..3 {
                assert!(client.authorize(&mut exchange, &target).is_ok());
                let header = exchange.answer().unwrap().as_bytes().to_vec();
                let mut outcome = Err(Reason::Replayed);
                let count = allocations(|| outcome = take(&auth, &header, &target, &ha1));
                assert_eq!(
                    (outcome, count),
                    (Ok(()), 0),
                    "{what}: begin, verify, admit"
                );
                let count = allocations(|| outcome = take(&auth, &header, &target, &ha1));
                // The challenge, and the list that has it.
                assert_eq!((outcome, count), (Err(Reason::Replayed), 2), "{what}");
            }
        }
        assert_eq!(auth.len(), capacity.min(3));
    }
}

#[test]
fn basic_takes_one_for_the_decoded_pair() {
    let realm = Realm::new("realm").unwrap();
    let realm = realm.with_basic();
    let auth = authenticator(realm, 0);
    let ha1 = ha1(Algorithm::SHA_256);
    let header = crate::support::basic_header(USER, PASSWORD);
    let target = Target::new("GET", "/");
    let mut outcome = Err(Reason::Replayed);
    let count = allocations(|| outcome = take(&auth, header.as_bytes(), &target, &ha1));
    assert_eq!((outcome, count), (Ok(()), 1));
}

/// Most requests that are refused have no credentials: they must cost no copy of anything.
#[test]
fn a_rejection_allocates_its_challenges() {
    let realm = Realm::new("realm").unwrap();
    let auth = authenticator(realm, 1);
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
    let realm = || Realm::new("realm").unwrap();
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
