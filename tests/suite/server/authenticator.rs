//! The server that a program keeps: its memory and its generator, and requests with other settings, or
//! verified by another server. Evictions, restarts and changed keys are in `model`.

use std::collections::HashSet;
use std::{fmt, thread};

use countersign::Timestamp;
use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::{Authenticator, Quirk, Reason};

use crate::support::basic_header;
use crate::support::server::{
    Answer, PASSWORD, START, Seeded, Service, USER, Why, authenticator, issue_floor, look_up,
    nonce_keys, realm,
};

/// However the nonces spread over the tables, as many as were asked for are remembered.
#[test]
fn capacity_is_the_number_of_nonces() {
    for capacity in [0, 1, 1023, 1024, 3000] {
        let service = Service::new(realm()).with_capacity(capacity);
        let answers: Vec<_> = (0..capacity).map(|_| service.answer()).collect();
        for answer in &answers {
            assert_eq!(service.take(answer), Ok(()), "{capacity}");
        }
        for answer in &answers {
            let replay = service.take(answer);
            assert_eq!(replay, Err(Reason::Replayed), "{capacity}");
            assert_eq!(service.take(&answer.counted(2)), Ok(()));
        }
        assert_eq!(service.len(), capacity);
    }
}

/// However far ahead the clock was while the table overflowed, everybody gets in when it is right
/// again. Nothing that was used gets in again.
#[test]
fn a_clock_that_was_ahead_locks_nobody_out() {
    let latest = 1 << 48;
    let room = 1 << 40;
    let mut ahead = vec![1 << 47, latest - room - 1, latest - room, latest - room + 1];
    ahead.extend([latest - 2, latest - 1, latest, u64::MAX]);
    for far in ahead.into_iter().map(Timestamp::from_unix_millis) {
        for capacity in [1, 16] {
            let mut service = Service::new(realm()).with_capacity(capacity);
            let mut used: Vec<Answer> = Vec::new();
            for now in [far, START] {
                service.now = now;
                for number in 0..3 * capacity {
                    let answer = service.answer();
                    match service.take(&answer) {
                        Ok(()) => used.push(answer),
                        // There are no nonces of so late a time.
                        Err(why) => assert_eq!((why, now), (Reason::NonceExpired, far), "{number}"),
                    }
                }
            }
            for now in [START, START.plus_millis(1000 * 60), far] {
                service.now = now;
                assert!(used.iter().all(|used| service.take(used).is_err()));
            }
        }
    }
}

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

/// A nonce that some requests use once and others count, or that expires at two times, would be two
/// uses of one header: in a shared store, and in a table that forgets by one of the times.
#[test]
fn a_nonce_is_good_for_the_settings_it_was_issued_for() {
    let all = [
        realm(),
        realm().with_one_time_nonces(true),
        realm().with_nonce_lifetime(1),
        realm().with_quirks(&[Quirk::HashLikeCnonces]),
    ];
    let mut service = Service::new(realm());
    for (issuing, issued_by) in all.iter().enumerate() {
        service.realm = issued_by.clone();
        let answer = service.answer();
        let (header, target) = (answer.header(), answer.target());
        for (using, used_by) in all.iter().enumerate() {
            service.realm = used_by.clone();
            let attempt = service.begin(&header, &target).unwrap();
            assert_eq!(attempt.nonce_is_fresh(), issuing == using);
            let account = look_up(&attempt);
            let outcome = attempt.verify(account).map(drop).why();
            let expected = (issuing == using).then_some(()).ok_or(Reason::NonceForeign);
            assert_eq!(outcome, expected, "{issued_by:?} {used_by:?}");
        }
    }
}

/// A header field map of the caller's may do what it likes while it is read.
#[test]
fn values_are_read_before_a_lock_is_taken() {
    let service = Service::new(realm());
    let answer = service.answer();
    let (header, target) = (answer.header(), answer.target());
    let values = std::iter::once_with(|| {
        let Ok(()) = service.auth.rotate(&mut Seeded(9));
        &header
    });
    let attempt = service.auth.begin(values, &target, service.arrival());
    let attempt = attempt.unwrap();
    assert!(attempt.nonce_is_fresh(), "by the previous key");
}

/// Another server remembers what was used of a nonce, so what it has verified is refused, whatever
/// it is, and changes nothing. It is still good where it belongs.
#[test]
fn what_another_server_verified_is_refused() {
    let auth = authenticator(realm().with_basic(), 10);
    let other = Service {
        auth: Authenticator::from_fresh_seed(realm().with_basic(), 100, [2; 32]),
        ..Service::new(realm().with_basic())
    };
    let digest = other.answer();
    let target = digest.target();
    for header in [digest.header(), basic_header(USER, PASSWORD)] {
        let verify = || {
            let attempt = other.begin(&header, &target).unwrap();
            attempt
                .verify_password(Some(()), |()| (USER, PASSWORD))
                .unwrap()
        };
        let refused = auth.admit(verify()).unwrap_err();
        assert_eq!(refused.reason, Reason::NonceForeign);
        assert_eq!(
            (auth.len(), issue_floor(&auth)),
            (0, Timestamp::from_unix_millis(0))
        );
        assert!(other.auth.admit(verify()).is_ok());
    }
}
