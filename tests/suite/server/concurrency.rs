//! Many threads with one captured header: one of them is let in.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use countersign::Channel;
use countersign::server::{Arrival, Authenticator, Rejection};

use crate::support::server::{Answer, START, Why, authenticator, look_up, nonce_of, realm, texts};

const THREADS: usize = 8;

fn new_answer(auth: &Authenticator, round: u64) -> Answer {
    Answer::to(&nonce_of(&texts(&auth.challenge(arrival(round)))))
}

fn take(auth: &Authenticator, answer: &Answer, header: &str, round: u64) -> Result<(), Rejection> {
    let target = answer.target();
    let attempt = auth
        .begin([header].into_iter(), &target, arrival(round))
        .why()?;
    let ha1 = look_up(&attempt);
    let verified = attempt.verify(ha1).why()?;
    auth.admit(verified).map(drop).why()
}

/// With one table, and with several.
const CAPACITIES: [usize; 2] = [1000, 5000];

fn arrival(round: u64) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, START.plus_millis(round))
}

#[test]
fn a_captured_header_is_granted_once() {
    const ROUNDS: u64 = 100;
    for capacity in CAPACITIES {
        {
            let shared = authenticator(realm(), capacity);
            for round in 0..ROUNDS {
                let answer = new_answer(&shared, round);
                let header = answer.header();
                let (granted, replayed) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let barrier = Barrier::new(THREADS);
                thread::scope(|scope| {
                    for _ in 0..THREADS {
                        scope.spawn(|| {
                            barrier.wait();
                            let counter = match take(&shared, &answer, &header, round) {
                                Ok(()) => &granted,
                                Err(Rejection::Replayed) => &replayed,
                                Err(other) => panic!("{other:?}"),
                            };
                            counter.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
                assert_eq!(granted.into_inner(), 1);
                assert_eq!(replayed.into_inner(), THREADS - 1);
            }
            assert_eq!(shared.len(), ROUNDS as usize);
            println!(
                "{capacity} nonces: {ROUNDS} headers, each sent by {THREADS} threads: each \
                 granted once"
            );
        }
    }
}

#[test]
fn each_count_of_a_nonce_is_granted_once() {
    const COUNTS: u32 = 64;
    for capacity in CAPACITIES {
        {
            let shared = authenticator(realm(), capacity);
            let answer = new_answer(&shared, 0);
            let headers: Vec<_> = (1..=COUNTS).map(|nc| answer.counted(nc).header()).collect();
            let granted: Vec<_> = headers.iter().map(|_| AtomicUsize::new(0)).collect();
            thread::scope(|scope| {
                for thread in 0..THREADS {
                    let (shared, answer) = (&shared, &answer);
                    let (headers, granted) = (&headers, &granted);
                    scope.spawn(move || {
                        for step in 0..headers.len() {
                            // Each thread in another order.
                            let at = (thread * 11 + step * 13) % headers.len();
                            if take(shared, answer, &headers[at], 0).is_ok() {
                                granted[at].fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    });
                }
            });
            assert!(
                granted
                    .iter()
                    .all(|count| count.load(Ordering::Relaxed) == 1)
            );
            assert_eq!(shared.len(), 1);
        }
    }
}

/// httpd: an entry was used after another thread had made room of it. Here half of the threads
/// make room all the time, and the others send what they have captured.
#[test]
fn cve_2026_73637_concurrent_eviction_grants_nothing_twice() {
    const ROUNDS: u64 = 30;
    // Full from the first round on: with one table, and with several.
    for (capacity, before) in [(2, 4), (1024, 1700)] {
        {
            let shared = authenticator(realm(), capacity);
            for _ in 0..before {
                let answer = new_answer(&shared, 0);
                assert_eq!(take(&shared, &answer, &answer.header(), 0), Ok(()));
            }
            assert!(shared.len() < before, "none was evicted");
            let mut outcomes = BTreeMap::new();
            for round in 1..=ROUNDS {
                for (outcome, count) in evict_while_replaying(&shared, round) {
                    *outcomes.entry(outcome).or_insert(0) += count;
                }
            }
            println!("{capacity} nonces, which forgets all the time: {outcomes:?}");
        }
    }
}

/// The outcomes of a header that is sent all the time, while other threads use other nonces.
fn evict_while_replaying(shared: &Authenticator, round: u64) -> BTreeMap<&'static str, usize> {
    let answer = new_answer(shared, round);
    let header = answer.header();
    let barrier = Barrier::new(THREADS);
    let results: Vec<_> = thread::scope(|scope| {
        let captured: Vec<_> = (0..THREADS / 2)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let take = || take(shared, &answer, &header, round);
                    (0..20).map(|_| take()).collect::<Vec<_>>()
                })
            })
            .collect();
        for _ in 0..THREADS - THREADS / 2 {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..10 {
                    let other = new_answer(shared, round);
                    let _ = take(shared, &other, &other.header(), round);
                }
            });
        }
        captured
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let granted = results.iter().filter(|result| result.is_ok()).count();
    assert!(granted <= 1, "{granted} times");
    let afterwards = take(shared, &answer, &header, round);
    assert!(afterwards.is_err());
    let mut outcomes = BTreeMap::new();
    for result in results {
        let name = match result {
            Ok(()) => "granted",
            Err(Rejection::Replayed) => "replayed",
            Err(Rejection::NonceForgotten { .. }) => "forgotten",
            Err(other) => panic!("{other:?}"),
        };
        *outcomes.entry(name).or_insert(0) += 1;
    }
    outcomes
}

/// Keys change while requests are under way: a nonce is judged by the old keys or the new ones, and
/// is let in once.
#[test]
fn concurrent_key_rotation_grants_nothing_twice() {
    use crate::support::server::nonce_key;

    let shared = authenticator(realm(), 5000);
    for round in 0..30_u8 {
        let answers: Vec<_> = (0..20).map(|_| new_answer(&shared, round.into())).collect();
        let granted: Vec<_> = answers.iter().map(|_| AtomicUsize::new(0)).collect();
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                shared.rotate(nonce_key(100 + round));
            });
            for _ in 1..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    for (answer, granted) in answers.iter().zip(&granted) {
                        match take(&shared, answer, &answer.header(), round.into()) {
                            Ok(()) => granted.fetch_add(1, Ordering::Relaxed),
                            Err(Rejection::Replayed) => continue,
                            // One change is no reason to refuse.
                            Err(other) => panic!("{other:?}"),
                        };
                    }
                });
            }
        });
        assert!(granted.into_iter().all(|count| count.into_inner() == 1));
    }
}
