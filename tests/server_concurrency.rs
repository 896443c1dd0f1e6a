//! Many threads with one captured header: one of them is let in.

mod support;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;

use countersign::basic;
use countersign::digest::Algorithm;
use countersign::server::{Arrival, Grant, Proof, Rejection, ReplayTable, Server};
use countersign::{Channel, Target};
use support::server::{Answer, START, Seeded, Service, ha1, look_up, server};

const THREADS: usize = 8;
const SHARDS: usize = 4;

/// Tables with a lock each, as the documentation of `server` has them.
struct Replays(Vec<Mutex<ReplayTable>>);

impl Replays {
    fn new(nonces: usize) -> Self {
        let table = || Mutex::new(ReplayTable::with_capacity(nonces));
        Self((0..SHARDS).map(|_| table()).collect())
    }

    fn admit<'a>(&self, proof: Proof<'a>) -> Result<Grant<'a>, Rejection> {
        let shard = proof.shard(self.0.len());
        self.0[shard].lock().unwrap().admit(proof)
    }
}

fn arrival(round: u64) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, START.plus_millis(round))
}

fn take(
    server: &Server,
    replays: &Replays,
    answer: &Answer,
    header: &str,
    round: u64,
) -> Result<(), Rejection> {
    let attempt = server.begin(Some(header), &answer.target(), &arrival(round))?;
    let ha1 = look_up(&attempt);
    replays.admit(attempt.verify(ha1.as_ref())?).map(|_| ())
}

#[test]
fn a_captured_header_is_granted_once() {
    const ROUNDS: u64 = 100;
    let server = server();
    let replays = Replays::new(1000);
    let rng = &mut Seeded(1);
    for round in 0..ROUNDS {
        let answer = Answer::to(server.mint(&arrival(round), rng).as_str());
        let header = answer.header();
        let (granted, replayed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    let counter = match take(&server, &replays, &answer, &header, round) {
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
    println!("{ROUNDS} headers, each sent by {THREADS} threads: each granted once");
}

#[test]
fn each_count_of_a_nonce_is_granted_once() {
    const COUNTS: u32 = 64;
    let server = server();
    let replays = Replays::new(10);
    let answer = Answer::to(server.mint(&arrival(0), &mut Seeded(2)).as_str());
    let headers: Vec<_> = (1..=COUNTS).map(|nc| answer.counted(nc).header()).collect();
    let granted: Vec<_> = headers.iter().map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (server, replays, answer) = (&server, &replays, &answer);
            let (headers, granted) = (&headers, &granted);
            scope.spawn(move || {
                for step in 0..headers.len() {
                    // Each thread in another order.
                    let at = (thread * 11 + step * 13) % headers.len();
                    if take(server, replays, answer, &headers[at], 0).is_ok() {
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
}

/// httpd: an entry was used after another thread had made room of it. Here half of the threads
/// make room all the time, and the others send what they have captured.
#[test]
fn cve_2026_73637_eviction_under_way_lets_nothing_in_twice() {
    const ROUNDS: u64 = 30;
    let server = server();
    let replays = Replays::new(2);
    let mut outcomes = BTreeMap::new();
    let rng = &mut Seeded(3);
    for round in 0..ROUNDS {
        let answer = Answer::to(server.mint(&arrival(round), rng).as_str());
        let header = answer.header();
        let barrier = Barrier::new(THREADS);
        let results: Vec<_> = thread::scope(|scope| {
            let captured: Vec<_> = (0..THREADS / 2)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        let take = || take(&server, &replays, &answer, &header, round);
                        (0..20).map(|_| take()).collect::<Vec<_>>()
                    })
                })
                .collect();
            for thread in 0..THREADS - THREADS / 2 {
                let (server, replays, barrier) = (&server, &replays, &barrier);
                let mut rng = Seeded(round * 1000 + thread as u64);
                scope.spawn(move || {
                    barrier.wait();
                    for _ in 0..10 {
                        let nonce = server.mint(&arrival(round), &mut rng);
                        let other = Answer::to(nonce.as_str());
                        let _ = take(server, replays, &other, &other.header(), round);
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
        let afterwards = take(&server, &replays, &answer, &header, round);
        assert!(afterwards.is_err());
        for result in results {
            let name = match result {
                Ok(()) => "granted",
                Err(Rejection::Replayed) => "replayed",
                Err(Rejection::Forgotten { .. }) => "forgotten",
                Err(other) => panic!("{other:?}"),
            };
            *outcomes.entry(name).or_insert(0) += 1;
        }
    }
    println!("{ROUNDS} headers in tables that forget all the time: {outcomes:?}");
}

#[test]
fn a_nonce_belongs_to_one_shard() {
    let mut service = Service::new(server().with_algorithms(Algorithm::ALL).with_basic());
    for _ in 0..20 {
        let mut shards = HashMap::new();
        let answer = service.answer();
        for nc in [0, 1, 2, u32::MAX] {
            for &algorithm in Algorithm::ALL {
                let answer = Answer {
                    algorithm,
                    ..answer.counted(nc)
                };
                let found = shard(&service, &answer.header(), &answer, 1000);
                // Counts are kept for each HA1, which is of one hash function.
                assert_eq!(*shards.entry(algorithm.hash()).or_insert(found), found);
            }
        }
    }
    let header = basic::credentials("Mufasa", "Circle of Life").unwrap();
    let answer = Answer::to("");
    assert_eq!(shard(&service, &header, &answer, 1000), 0);
}

#[test]
fn shards_are_used_evenly() {
    const NONCES: usize = 4000;
    let mut service = Service::new(server());
    let proofs: Vec<_> = (0..NONCES)
        .map(|_| {
            let answer = service.answer();
            (answer.header(), answer)
        })
        .collect();
    for shards in [1, 2, 3, 7, 16, 100] {
        let mut used = vec![0_usize; shards];
        for (header, answer) in &proofs {
            used[shard(&service, header, answer, shards)] += 1;
        }
        let fair = NONCES as f64 / shards as f64;
        let chi_squared: f64 = used
            .iter()
            .map(|count| (*count as f64 - fair).powi(2) / fair)
            .sum();
        let degrees = shards as f64 - 1.0;
        let (least, most) = (used.iter().min().unwrap(), used.iter().max().unwrap());
        println!("{NONCES} nonces in {shards} shards: {least} to {most} each");
        // That is far out in what chance alone gives.
        assert!(chi_squared <= degrees + 4.0 * (2.0 * degrees).sqrt() + 8.0);
    }
    let (header, answer) = &proofs[0];
    assert_eq!(shard(&service, header, answer, 0), 0);
    assert!(shard(&service, header, answer, usize::MAX) > 0);
}

fn shard(service: &Service, header: &str, request: &Answer, shards: usize) -> usize {
    let target = Target::new(&request.method, &request.uri);
    let attempt = service.begin(header, &target).unwrap();
    let ha1 = ha1(attempt.hash());
    attempt.verify(Some(&ha1)).unwrap().shard(shards)
}
