//! What an `Authenticator` remembers: nonces used, evicted ones, restarts and changed keys.

use countersign::Timestamp;
use countersign::server::Reason;

use super::{CAPACITIES, FOREIGN, REPLAYED, answer, costs_a_round_trip, take, verify};
use crate::support::server::{START, Seeded, authenticator, realm};

/// However the nonces spread over the tables, as many as were asked for are remembered. Evictions are
/// in `model`, and in the unit tests of the table.
#[test]
fn capacity_is_the_number_of_nonces() {
    for capacity in [0, 1, 1023, 1024, 3000] {
        let auth = authenticator(realm(), capacity);
        let answers: Vec<_> = (0..capacity).map(|_| answer(&auth, START)).collect();
        for answer in &answers {
            assert_eq!(take(&auth, answer, START), Ok(()), "{capacity}");
        }
        assert_eq!(auth.len(), capacity);
        for answer in &answers {
            assert_eq!(take(&auth, answer, START), REPLAYED, "{capacity}");
            assert_eq!(take(&auth, &answer.counted(2), START), Ok(()));
        }
        assert_eq!(auth.len(), capacity);
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
            let auth = authenticator(realm(), capacity);
            let mut used = Vec::new();
            for number in 0..3 * capacity {
                let answer = answer(&auth, far);
                match take(&auth, &answer, far) {
                    Ok(()) => used.push(answer),
                    // There are no nonces of so late a time.
                    Err(why) => assert_eq!(why, Reason::NonceExpired, "{number}, {far:?}"),
                }
            }
            for number in 0..3 * capacity {
                let answer = answer(&auth, START);
                assert_eq!(take(&auth, &answer, START), Ok(()), "{number}, {far:?}");
                used.push(answer);
            }
            for now in [START, START.plus_millis(1000 * 60), far] {
                assert!(used.iter().all(|used| take(&auth, used, now).is_err()));
            }
        }
    }
}

#[test]
fn nonces_outlive_one_key_rotation() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let first = answer(&auth, START);
        let header = first.counted(9).header();
        let target = first.target();
        let under_way = verify(&auth, &header, &target, START).unwrap();
        assert_eq!(take(&auth, &first, START), Ok(()));

        let Ok(()) = auth.rotate(&mut Seeded(2));
        let second = answer(&auth, START);
        assert_eq!(take(&auth, &first, START), REPLAYED);
        assert_eq!(take(&auth, &first.counted(2), START), Ok(()));
        assert_eq!(take(&auth, &second, START), Ok(()));
        // A request whose key changes between two steps goes on.
        assert!(auth.admit(under_way).is_ok());

        let Ok(()) = auth.rotate(&mut Seeded(3));
        let why = costs_a_round_trip(&auth, &first.counted(3), START);
        assert_eq!(why, Reason::NonceForeign);
        assert_eq!(take(&auth, &second, START), REPLAYED);
        assert_eq!(take(&auth, &second.counted(2), START), Ok(()));

        // What the child of a fork does first: no nonce of its parent is valid.
        let third = answer(&auth, START);
        let Ok(()) = auth.void_nonces(&mut Seeded(4));
        for answer in [first, second, third] {
            assert_eq!(take(&auth, &answer.counted(8), START), FOREIGN);
        }
        let last = answer(&auth, START);
        assert_eq!(take(&auth, &last, START), Ok(()));
    }
}
