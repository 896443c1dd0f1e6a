//! One `Authenticator` on several threads.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use countersign::digest::Algorithm;
use countersign::server::Arrival;
use countersign::{Channel, Timestamp};
use countersign_benches::inputs::Service;
use countersign_benches::rows;

/// A capacity that gets one table, and one that gets sixteen.
const CAPACITIES: [usize; 2] = [1000, 16_000];
const TIMES: u32 = 40;
/// How many requests a thread sends in one turn: so few that other programs seldom interrupt it.
const TURN: usize = 256;

/// The result for a number of threads with one authenticator.
pub struct Shared {
    /// How many nonces it remembers.
    pub capacity: usize,
    pub threads: usize,
    /// Millions of requests let in within a second, all threads together.
    pub rate: f64,
}

pub fn all() -> Vec<Shared> {
    let service = Service::new(Algorithm::SHA_256);
    let work: Vec<Vec<Vec<u8>>> = (0..4).map(|thread| requests(&service, thread)).collect();
    let mut results: Vec<_> = CAPACITIES
        .into_iter()
        .flat_map(|capacity| [1, 2, 4].map(|threads| (capacity, threads)))
        .map(|(capacity, threads)| Shared {
            capacity,
            threads,
            rate: 0.0,
        })
        .collect();
    for _ in 0..TIMES {
        for result in &mut results {
            let auth = service.authenticator(result.capacity);
            let rate = rate(&work[..result.threads], |request| {
                assert!(rows::admit_shared(&auth, &service, request).is_some());
            });
            result.rate = result.rate.max(rate);
        }
    }
    results
}

/// The requests of one thread: 64 nonces with 64 counts each, the nonces in turn.
fn requests(service: &Service, thread: u64) -> Vec<Vec<u8>> {
    let auth = service.authenticator(0);
    // No two threads have a nonce in common.
    let now = Timestamp::from_unix_millis(1_699_999_999 * 1000).plus_millis(thread);
    let arrival = || Arrival::new(Channel::Encrypted, now);
    let issued: Vec<_> = (0..64).map(|_| service.issue(&auth, arrival())).collect();
    (1..=64)
        .flat_map(|nc| issued.iter().map(move |nonce| service.request(nonce, nc)))
        .collect()
}

/// Returns the millions of requests a second in the best of many short turns. A turn begins when
/// all threads are running, and lasts from the start of the first to the end of the last.
fn rate(work: &[Vec<Vec<u8>>], run: impl Fn(&[u8]) + Sync) -> f64 {
    let ready = AtomicUsize::new(0);
    let (ready, run) = (&ready, &run);
    let times: Vec<Vec<(Instant, Instant)>> = thread::scope(|scope| {
        let threads: Vec<_> = work
            .iter()
            .map(|requests| {
                let turn = |(turn, requests): (usize, &[Vec<u8>])| {
                    wait_for(ready, work.len() * (turn + 1));
                    let start = Instant::now();
                    requests.iter().for_each(|request| run(request));
                    (start, Instant::now())
                };
                scope.spawn(move || requests.chunks(TURN).enumerate().map(turn).collect())
            })
            .collect();
        let times = threads.into_iter().map(|thread| thread.join().unwrap());
        times.collect()
    });
    let turns = (0..times[0].len()).map(|turn| {
        let start = times.iter().map(|times| times[turn].0).min().unwrap();
        let end = times.iter().map(|times| times[turn].1).max().unwrap();
        (end - start).as_secs_f64()
    });
    let best = turns.min_by(f64::total_cmp).unwrap();
    (work.len() * TURN) as f64 / best / 1e6
}

/// Waits for all threads, at first without yielding the processor.
fn wait_for(ready: &AtomicUsize, count: usize) {
    ready.fetch_add(1, Ordering::SeqCst);
    for spins in 0_u32.. {
        if ready.load(Ordering::SeqCst) >= count {
            break;
        }
        if spins < 10_000 {
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}
