//! What an `Authenticator` remembers. Evictions, restarts and changed keys are in `model`.

use countersign::Timestamp;
use countersign::server::Reason;

use crate::support::server::{Answer, START, Service, realm};

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
