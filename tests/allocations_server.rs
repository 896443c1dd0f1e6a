//! Letting a request in allocates nothing, and answering a challenge allocates the value.

mod support;

use countersign::client::{Client, Exchange, Next, Policy};
use countersign::digest::{Algorithm, Cnonce, Ha1};
use countersign::rand_core::UnwrapErr;
use countersign::server::{Arrival, NonceKey, Rejection, ReplayTable, Server};
use countersign::{Body, Channel, Target, Timestamp};
use getrandom::SysRng;
use support::alloc::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_request_of_every_algorithm() {
    for &algorithm in Algorithm::ALL {
        let rng = &mut UnwrapErr(SysRng);
        let server = Server::new("realm", NonceKey::generate(rng))
            .unwrap()
            .with_algorithms(&[algorithm]);
        let ha1 = Ha1::new(algorithm.hash(), "Mufasa", "realm", "Circle of Life");
        let mut replays = ReplayTable::with_capacity(2);
        let memory = replays.memory_bytes();
        let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
        let target = Target::new("GET", "/a?b=c").with_body(Body::Bytes(b""));

        // The third nonce evicts the first.
        for _ in 0..3 {
            let mut client = Client::new(Channel::Encrypted, Policy::new());
            let mut exchange = Exchange::new();
            let values: Vec<String> = server
                .challenges(&Rejection::NoCredentials, &arrival, rng)
                .collect();
            assert_eq!(client.challenged(&mut exchange, &values), Next::Login);
            client.login("Mufasa", "Circle of Life").unwrap();
            for _ in 0..3 {
                let cnonce = Cnonce::generate(rng);
                let mut answer = || client.authorize(&mut exchange, &target, &cnonce).is_ok();
                assert_eq!(allocations(&mut answer), 1, "{algorithm}: authorize");
                let header = exchange.answer().unwrap().as_bytes().to_vec();

                let mut outcomes = [false; 2];
                let count = allocations(|| {
                    for outcome in &mut outcomes {
                        let proof = server
                            .begin(Some(&header), &target, &arrival)
                            .and_then(|attempt| attempt.verify(Some(&ha1)));
                        *outcome = proof.and_then(|proof| replays.admit(proof)).is_ok();
                    }
                });
                assert_eq!(count, 0, "{algorithm}: begin, verify, admit");
                assert_eq!(outcomes, [true, false], "{algorithm}: once, not twice");
            }
        }
        assert_eq!(replays.len(), 2);
        assert_eq!(replays.memory_bytes(), memory);
    }
}

#[test]
fn a_table_takes_at_most_48_bytes_a_nonce() {
    for nonces in [0, 1, 2, 3, 1000, 1024, 1025, 100_000] {
        let fixed = ReplayTable::with_capacity(0).memory_bytes();
        let table = ReplayTable::with_capacity(nonces);
        let for_nonces = table.memory_bytes() - fixed;
        assert!(for_nonces <= nonces * 48, "{nonces}: {for_nonces} bytes");
        let count = allocations(|| ReplayTable::with_capacity(nonces));
        assert!(count <= 2, "{nonces}: {count} allocations");
    }
}

#[test]
fn basic_takes_one_for_the_decoded_pair() {
    let server = Server::new("realm", NonceKey::new([0; 32]))
        .unwrap()
        .with_basic();
    let ha1 = Ha1::new(
        Algorithm::SHA_256.hash(),
        "Mufasa",
        "realm",
        "Circle of Life",
    );
    let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
    let header = countersign::basic::credentials("Mufasa", "Circle of Life").unwrap();
    let target = Target::new("GET", "/");
    let mut verified = false;
    let count = allocations(|| {
        let attempt = server.begin(Some(&header), &target, &arrival).unwrap();
        verified = attempt.verify(Some(&ha1)).is_ok();
    });
    assert!(verified);
    assert_eq!(count, 1);
}
