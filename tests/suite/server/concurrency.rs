//! Many threads with one captured header: one of them is let in.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;

use countersign::server::{Arrival, Nonces, Realm, Rejection};
use countersign::{Channel, Target};

use crate::support::server::{Answer, START, Why, look_up, nonce_of, nonces, realm, texts};

const THREADS: usize = 8;

/// What several threads may share.
enum Shared {
    /// The steps for one thread behind a lock, with the realm beside it.
    Locked(Realm, Mutex<Nonces>),
    #[cfg(feature = "std")]
    Authenticator(countersign::server::Authenticator),
}

impl Shared {
    /// Each that has room for so many nonces.
    fn all(capacity: usize) -> Vec<(&'static str, Self)> {
        let nonces = Mutex::new(nonces(&realm(), capacity));
        vec![
            ("Nonces", Self::Locked(realm(), nonces)),
            #[cfg(feature = "std")]
            ("Authenticator", {
                let auth = crate::support::server::authenticator(realm(), capacity);
                Self::Authenticator(auth)
            }),
        ]
    }

    fn answer(&self, round: u64) -> Answer {
        let target = Target::new("GET", "/");
        let arrival = arrival(round);
        let refusal = match self {
            Self::Locked(realm, nonces) => {
                let mut nonces = nonces.lock().unwrap();
                let refused = nonces.begin(realm, None::<&str>, &target, &arrival);
                nonces.refuse(&refused.unwrap_err())
            }
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => {
                let refused = auth.begin(None::<&str>, &target, &arrival);
                auth.refuse(&refused.unwrap_err())
            }
        };
        Answer::to(&nonce_of(&texts(&refusal)))
    }

    fn take(&self, answer: &Answer, header: &str, round: u64) -> Result<(), Rejection> {
        let (target, arrival) = (answer.target(), arrival(round));
        let attempt = match self {
            Self::Locked(realm, nonces) => {
                let mut nonces = nonces.lock().unwrap();
                nonces.begin(realm, [header], &target, &arrival)
            }
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.begin([header], &target, &arrival),
        };
        let attempt = attempt.why()?;
        // Without the lock, as a look-up that takes a while.
        let ha1 = look_up(&attempt);
        let verified = attempt.verify(ha1).why()?;
        let granted = match self {
            Self::Locked(_, nonces) => nonces.lock().unwrap().admit(verified),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.admit(verified),
        };
        granted.map(drop).why()
    }

    fn len(&self) -> usize {
        match self {
            Self::Locked(_, nonces) => nonces.lock().unwrap().len(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.len(),
        }
    }
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
        for (name, shared) in Shared::all(capacity) {
            for round in 0..ROUNDS {
                let answer = shared.answer(round);
                let header = answer.header();
                let (granted, replayed) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let barrier = Barrier::new(THREADS);
                thread::scope(|scope| {
                    for _ in 0..THREADS {
                        scope.spawn(|| {
                            barrier.wait();
                            let counter = match shared.take(&answer, &header, round) {
                                Ok(()) => &granted,
                                Err(Rejection::Replayed) => &replayed,
                                Err(other) => panic!("{other:?}"),
                            };
                            counter.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
                assert_eq!(granted.into_inner(), 1, "{name}");
                assert_eq!(replayed.into_inner(), THREADS - 1, "{name}");
            }
            assert_eq!(shared.len(), ROUNDS as usize);
            println!(
                "{name} of {capacity}: {ROUNDS} headers, each sent by {THREADS} threads: each \
                 granted once"
            );
        }
    }
}

#[test]
fn each_count_of_a_nonce_is_granted_once() {
    const COUNTS: u32 = 64;
    for capacity in CAPACITIES {
        for (name, shared) in Shared::all(capacity) {
            let answer = shared.answer(0);
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
                            if shared.take(answer, &headers[at], 0).is_ok() {
                                granted[at].fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    });
                }
            });
            assert!(
                granted
                    .iter()
                    .all(|count| count.load(Ordering::Relaxed) == 1),
                "{name}"
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
        for (name, shared) in Shared::all(capacity) {
            for _ in 0..before {
                let answer = shared.answer(0);
                assert_eq!(shared.take(&answer, &answer.header(), 0), Ok(()));
            }
            assert!(shared.len() < before, "{name}: none was evicted");
            let mut outcomes = BTreeMap::new();
            for round in 1..=ROUNDS {
                for (outcome, count) in evict_while_replaying(&shared, round) {
                    *outcomes.entry(outcome).or_insert(0) += count;
                }
            }
            println!("{name} of {capacity}, which forgets all the time: {outcomes:?}");
        }
    }
}

/// The outcomes of a header that is sent all the time, while other threads use other nonces.
fn evict_while_replaying(shared: &Shared, round: u64) -> BTreeMap<&'static str, usize> {
    let answer = shared.answer(round);
    let header = answer.header();
    let barrier = Barrier::new(THREADS);
    let results: Vec<_> = thread::scope(|scope| {
        let captured: Vec<_> = (0..THREADS / 2)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let take = || shared.take(&answer, &header, round);
                    (0..20).map(|_| take()).collect::<Vec<_>>()
                })
            })
            .collect();
        for _ in 0..THREADS - THREADS / 2 {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..10 {
                    let other = shared.answer(round);
                    let _ = shared.take(&other, &other.header(), round);
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
    let afterwards = shared.take(&answer, &header, round);
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
#[cfg(feature = "std")]
#[test]
fn concurrent_key_rotation_grants_nothing_twice() {
    use crate::support::server::nonce_key;

    let auth = crate::support::server::authenticator(realm(), 5000);
    let shared = Shared::Authenticator(auth);
    let Shared::Authenticator(auth) = &shared else {
        unreachable!("just made");
    };
    for round in 0..30_u8 {
        let answers: Vec<_> = (0..20).map(|_| shared.answer(round.into())).collect();
        let granted: Vec<_> = answers.iter().map(|_| AtomicUsize::new(0)).collect();
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                auth.rotate(nonce_key(100 + round));
            });
            for _ in 1..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    for (answer, granted) in answers.iter().zip(&granted) {
                        match shared.take(answer, &answer.header(), round.into()) {
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
