//! The memory of counts at four sizes, and an authenticator on several threads.

use std::collections::HashSet;
use std::hint::{self, black_box};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use countersign::digest::{Algorithm, Ha1};
use countersign::server::{Arrival, Nonces, Verified};
use countersign::{Channel, Timestamp};
use countersign_benches::allocations::{allocations_of, bytes_of};
use countersign_benches::inputs::{Numbers, Service, target};
use countersign_benches::operations;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// How many requests are verified before they are admitted, outside of what is measured.
const VERIFIED: u32 = 1024;
/// Capacities of an authenticator: one that takes one table, and one that takes sixteen.
const CAPACITIES: [usize; 2] = [1000, 16_000];
const TIMES: u32 = 40;
/// How many requests a thread sends in one turn: so few that other programs seldom interrupt it.
const TURN: usize = 256;

/// A memory of one size.
pub struct Size {
    pub nonces: usize,
    pub megabytes: f64,
    /// Two reads of that much memory where the table does them: one of its index, one of a cell.
    pub reads: f64,
    /// The next count of a nonce in the table.
    pub known: f64,
    /// A new nonce, in the place of the oldest.
    pub new: f64,
    /// Of both together.
    pub allocations: u64,
}

/// Fills memories with real requests, then measures `admit` alone, on requests verified before:
/// nonces are taken at random, so that at large sizes most are in no cache.
pub fn sizes() -> Vec<Size> {
    SIZES.into_iter().map(Filled::measure).collect()
}

struct Filled {
    service: Service,
    nonces: Nonces,
    /// What it takes.
    bytes: u64,
    /// The nonces that were used first.
    issued: Vec<String>,
    numbers: Numbers,
    /// Milliseconds since the first nonce. No two have the same time, because a table that
    /// forgets one forgets all of its time.
    now: u64,
    /// The count that no nonce was used with.
    nc: u32,
}

impl Filled {
    fn new(count: usize) -> Self {
        let service = service();
        let (nonces, bytes) = bytes_of(|| service.nonces(count));
        let mut filled = Self {
            service,
            nonces,
            bytes,
            issued: Vec::with_capacity(count),
            numbers: Numbers::new(3),
            now: 0,
            nc: 1,
        };
        for _ in 0..count {
            let nonce = filled.issue();
            let request = filled.service.request(&nonce, 1);
            filled.issued.push(nonce);
            let verified = verify(&mut filled.nonces, &filled.service, &request);
            assert!(filled.nonces.admit(verified).is_ok());
        }
        assert_eq!(filled.nonces.len(), count);
        filled
    }

    fn issue(&mut self) -> String {
        self.now += 1;
        let now = Timestamp::from_unix_secs(1_700_000_000).plus_millis(self.now);
        let arrival = Arrival::new(Channel::Encrypted, now);
        self.service.issue(&mut self.nonces, &arrival)
    }

    fn measure(count: usize) -> Size {
        let mut filled = Self::new(count);
        let mut shadow = Shadow::new(count, &mut Numbers::new(5));
        let (mut reads, mut known, mut new) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let mut allocations = 0;
        for _ in 0..TIMES {
            filled.nc += 1;
            let issued = filled.some_issued();
            let requests = requests_with(&filled.service, &issued, filled.nc);
            let verified = verify_all(&mut filled.nonces, &filled.service, &requests);
            // After the verifying, which pushes out of the caches what it needs itself.
            reads = reads.min(shadow.two_reads(&mut Numbers::new(filled.nc.into())));
            drop(verified);

            let (time, allocated) = filled.admit(&issued, filled.nc);
            known = known.min(time);
            allocations += allocated;
        }
        for _ in 0..TIMES {
            let issued: Vec<_> = (0..VERIFIED).map(|_| filled.issue()).collect();
            let (time, allocated) = filled.admit(&issued, 1);
            new = new.min(time);
            allocations += allocated;
        }
        Size {
            nonces: count,
            megabytes: filled.bytes as f64 / 1e6,
            reads,
            known,
            new,
            allocations,
        }
    }

    /// Some of the nonces in the table, in any order, none of them twice.
    fn some_issued(&mut self) -> Vec<String> {
        let count = self.issued.len();
        let mut any = || self.numbers.next() as usize % count;
        let mut chosen: Vec<usize> = (0..VERIFIED).map(|_| any()).collect();
        let mut seen = HashSet::new();
        chosen.retain(|&nonce| seen.insert(nonce));
        let chosen = chosen.into_iter().map(|nonce| self.issued[nonce].clone());
        chosen.collect()
    }

    /// Admits one request with each nonce: the time of one, and the allocations of all.
    fn admit(&mut self, issued: &[String], nc: u32) -> (f64, u64) {
        let requests = requests_with(&self.service, issued, nc);
        let verified = verify_all(&mut self.nonces, &self.service, &requests);
        let nonces = &mut self.nonces;
        let mut time = Duration::ZERO;
        let allocations = allocations_of(|| {
            let start = Instant::now();
            for verified in verified {
                black_box(&nonces.admit(verified).unwrap());
            }
            time = start.elapsed();
        });
        (time.as_secs_f64() * 1e9 / issued.len() as f64, allocations)
    }
}

/// One whose nonces live longer than it takes to make them all.
fn service() -> Service {
    let service = Service::new(Algorithm::SHA_256);
    let realm = service.realm.with_nonce_lifetime(1_000_000);
    Service { realm, ..service }
}

/// After all nonces have been made.
fn later() -> Arrival<'static> {
    let now = Timestamp::from_unix_secs(1_700_000_000).plus_secs(100_000);
    Arrival::new(Channel::Encrypted, now)
}

/// One request with each nonce.
fn requests_with(service: &Service, issued: &[String], nc: u32) -> Vec<Vec<u8>> {
    let request = |nonce: &String| service.request(nonce, nc);
    issued.iter().map(request).collect()
}

fn verify_all<'a>(
    nonces: &mut Nonces,
    service: &'a Service,
    requests: &'a [Vec<u8>],
) -> Vec<Verified<'a, &'a Ha1>> {
    let verified = requests
        .iter()
        .map(|request| verify(nonces, service, request));
    verified.collect()
}

fn verify<'a>(
    nonces: &mut Nonces,
    service: &'a Service,
    request: &'a [u8],
) -> Verified<'a, &'a Ha1> {
    let begun = nonces.begin(&service.realm, Some(request), &target(), &later());
    begun.unwrap().verify(Some(&service.ha1)).unwrap()
}

/// Memory of the size and the layout of a table, to be read as a table reads it.
struct Shadow {
    index: Vec<u32>,
    cells: Vec<[u64; 4]>,
    last: u64,
}

impl Shadow {
    fn new(count: usize, numbers: &mut Numbers) -> Self {
        let slots = (count * 2).next_power_of_two();
        let index = (0..slots).map(|_| (numbers.next() as usize % count) as u32);
        Self {
            index: index.collect(),
            cells: vec![[1, 2, 3, 4]; count],
            last: 0,
        }
    }

    /// The time of two reads that wait for each other.
    fn two_reads(&mut self, numbers: &mut Numbers) -> f64 {
        let start = Instant::now();
        for _ in 0..VERIFIED {
            // Where to read depends on what was read last, so that no two of these overlap.
            let slot = (numbers.next() ^ self.last) as usize & (self.index.len() - 1);
            let cell = self.index[slot] as usize;
            self.last = self.cells[cell][0];
        }
        black_box(self.last);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(VERIFIED)
    }
}

/// The given number of threads with one authenticator.
pub struct Shared {
    /// How many nonces it remembers.
    pub capacity: usize,
    pub threads: usize,
    /// Millions of requests let in within a second, all threads together.
    pub rate: f64,
}

pub fn shared() -> Vec<Shared> {
    let service = service();
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
                let (target, arrival) = (target(), later());
                assert!(operations::admit_shared(
                    &auth, &service, request, &target, &arrival
                ));
            });
            result.rate = result.rate.max(rate);
        }
    }
    results
}

/// The requests of one thread: 64 each with 64 nonces, one of each in turn.
fn requests(service: &Service, thread: u64) -> Vec<Vec<u8>> {
    let mut nonces = service.nonces(0);
    // No two threads have a nonce in common.
    let now = Timestamp::from_unix_secs(1_700_000_000).plus_secs(thread);
    let arrival = Arrival::new(Channel::Encrypted, now);
    let issued: Vec<_> = (0..64)
        .map(|_| service.issue(&mut nonces, &arrival))
        .collect();
    (1..=64)
        .flat_map(|nc| issued.iter().map(move |nonce| service.request(nonce, nc)))
        .collect()
}

/// How many millions in a second, from when the first thread starts until the last one ends: in
/// the best of many short turns, each of which begins when all threads are running.
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

/// Waits for all threads without giving the processor away, if that does not take long.
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
