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

const HEAD: &str = "\
| capacity | threads | millions of requests a second |
|--:|--:|--:|
";

/// How many requests are let in, by all threads together, and by how many nonces are remembered.
pub fn table() -> String {
    let service = Service::new(Algorithm::SHA_256);
    let work: Vec<Vec<Vec<u8>>> = (0..4).map(|thread| requests(&service, thread)).collect();
    let results = CAPACITIES.map(|capacity| [1, 2, 4].map(|threads| (capacity, threads, 0.0)));
    let mut results = results.concat();
    for _ in 0..TIMES {
        for (capacity, threads, best) in &mut results {
            let auth = service.authenticator(*capacity);
            let rate = rate(&work[..*threads], |request| {
                rows::admit_shared(&auth, &service, request);
            });
            *best = rate.max(*best);
        }
    }
    let mut text = HEAD.to_string();
    for (capacity, threads, rate) in results {
        text += &format!("| {capacity} | {threads} | {rate:.2} |\n");
    }
    text
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
