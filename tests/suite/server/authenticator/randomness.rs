//! When an `Authenticator` draws randomness, and that its nonces are unique.

use std::collections::HashSet;
use std::{fmt, thread};

use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::Authenticator;

use super::{answer, take};
use crate::support::server::{Answer, START, authenticator, nonce_keys, realm};

/// A generator that counts, and that fails from one call on.
struct Meter {
    calls: usize,
    fails_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Exhausted(usize);

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no randomness at call {}", self.0)
    }
}

impl std::error::Error for Exhausted {}

impl Meter {
    const fn failing_at(fails_at: usize) -> Self {
        Self { calls: 0, fails_at }
    }

    fn call(&mut self) -> Result<u64, Exhausted> {
        self.calls += 1;
        match self.calls >= self.fails_at {
            true => Err(Exhausted(self.calls)),
            false => Ok(self.calls as u64),
        }
    }
}

impl TryRng for Meter {
    type Error = Exhausted;

    fn try_next_u32(&mut self) -> Result<u32, Exhausted> {
        self.call().map(|number| number as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Exhausted> {
        self.call()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Exhausted> {
        let number = self.call()?;
        bytes.fill(number as u8);
        Ok(())
    }
}

impl TryCryptoRng for Meter {}

#[test]
fn a_generator_that_fails_is_an_error_and_no_panic() {
    type Make = fn(&mut Meter) -> Result<(), Exhausted>;
    let makers: [Make; 4] = [
        |rng| Authenticator::new(realm(), 100, rng).map(drop),
        |rng| Authenticator::for_shared_store(realm(), &nonce_keys(&[1]), rng).map(drop),
        |rng| authenticator(realm(), 1).rotate(rng),
        |rng| authenticator(realm(), 1).void_nonces(rng),
    ];
    for make in makers {
        let mut counting = Meter::failing_at(usize::MAX);
        make(&mut counting).unwrap();
        assert!((1..10).contains(&counting.calls), "{}", counting.calls);
        for fails_at in 1..=counting.calls {
            let mut failing = Meter::failing_at(fails_at);
            assert_eq!(make(&mut failing).err(), Some(Exhausted(fails_at)));
        }
    }
}

/// Threads draw from one counter, so no two get the same nonce, in whatever millisecond.
#[test]
fn nonces_of_many_threads_are_unique() {
    const EACH: usize = 2000;
    let auth = authenticator(realm(), 20_000);
    let nonces: Vec<String> = thread::scope(|scope| {
        let issue = || (0..EACH).map(|_| answer(&auth, START).nonce).collect();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(issue)).collect();
        let issued = threads.into_iter().map(|thread| thread.join().unwrap());
        issued.flat_map(|nonces: Vec<_>| nonces).collect()
    });
    let unique: HashSet<_> = nonces.iter().collect();
    assert_eq!(unique.len(), 8 * EACH);
    // All of them are good.
    for nonce in nonces.iter().step_by(97) {
        assert_eq!(take(&auth, &Answer::to(nonce), START), Ok(()));
    }
}
