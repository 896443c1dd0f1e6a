//! When an `Authenticator` draws randomness, and that its nonces are unique.

use std::collections::HashSet;
use std::{fmt, thread};

use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::Authenticator;

use crate::support::server::{Answer, Service, authenticator, nonce_keys, realm};

/// A generator that fails.
struct Broken;

#[derive(Debug, PartialEq)]
struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no randomness")
    }
}

impl std::error::Error for Exhausted {}

impl TryRng for Broken {
    type Error = Exhausted;

    fn try_next_u32(&mut self) -> Result<u32, Exhausted> {
        Err(Exhausted)
    }

    fn try_next_u64(&mut self) -> Result<u64, Exhausted> {
        Err(Exhausted)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Exhausted> {
        Err(Exhausted)
    }
}

impl TryCryptoRng for Broken {}

#[test]
fn a_generator_that_fails_is_an_error_and_no_panic() {
    let new = Authenticator::new(realm(), 100, &mut Broken);
    assert_eq!(new.err(), Some(Exhausted));
    let shared = Authenticator::for_shared_store(realm(), &nonce_keys(&[1]), &mut Broken);
    assert_eq!(shared.err(), Some(Exhausted));
    let auth = authenticator(realm(), 1);
    assert_eq!(auth.rotate(&mut Broken), Err(Exhausted));
    assert_eq!(auth.void_nonces(&mut Broken), Err(Exhausted));
}

/// Threads draw from one counter, so no two get the same nonce, in whatever millisecond.
#[test]
fn nonces_of_many_threads_are_unique() {
    const EACH: usize = 2000;
    let service = Service::new(realm()).with_capacity(20_000);
    let nonces: Vec<String> = thread::scope(|scope| {
        let issue = || (0..EACH).map(|_| service.nonce()).collect();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(issue)).collect();
        let issued = threads.into_iter().map(|thread| thread.join().unwrap());
        issued.flat_map(|nonces: Vec<_>| nonces).collect()
    });
    assert_eq!(nonces.iter().collect::<HashSet<_>>().len(), 8 * EACH);
    for nonce in nonces.iter().step_by(97) {
        assert_eq!(service.take(&Answer::to(nonce)), Ok(()));
    }
}
