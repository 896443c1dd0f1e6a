//! When an `Authenticator` draws randomness, and that its nonces are unique.

use std::collections::HashSet;
use std::{fmt, thread};

use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::Authenticator;

use crate::support::server::{Answer, Service, authenticator, nonce_keys, realm};

/// A generator that fails.
struct Broken;

impl TryRng for Broken {
    type Error = fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, fmt::Error> {
        Err(fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, fmt::Error> {
        Err(fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), fmt::Error> {
        Err(fmt::Error)
    }
}

impl TryCryptoRng for Broken {}

#[test]
fn a_generator_that_fails_is_an_error_and_no_panic() {
    let new = Authenticator::new(realm(), 100, &mut Broken);
    assert_eq!(new.err(), Some(fmt::Error));
    let shared = Authenticator::for_shared_store(realm(), &nonce_keys(&[1]), &mut Broken);
    assert_eq!(shared.err(), Some(fmt::Error));
    let auth = authenticator(realm(), 1);
    assert_eq!(auth.rotate(&mut Broken), Err(fmt::Error));
    assert_eq!(auth.void_nonces(&mut Broken), Err(fmt::Error));
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
