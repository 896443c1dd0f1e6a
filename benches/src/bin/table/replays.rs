//! The replay table at four sizes, and on several threads.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use countersign::digest::Algorithm;
use countersign::server::{Arrival, Nonce, NonceKey, Proof, ReplayTable, Server};
use countersign::{Channel, Timestamp};
use countersign_benches::allocations::allocations_of;
use countersign_benches::inputs::{Numbers, REALM, Service, arrival, target};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// How many proofs are made before they are admitted, outside of what is measured.
const PROOFS: u32 = 1024;
const TIMES: u32 = 40;

/// A table of one size.
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

/// Fills tables with real proofs, then measures `admit` alone, on proofs made before: nonces are
/// taken at random, so that at large sizes most are in no cache.
pub fn sizes() -> Vec<Size> {
    SIZES.into_iter().map(Filled::measure).collect()
}

struct Filled {
    service: Service,
    replays: ReplayTable,
    nonces: Vec<Nonce>,
    numbers: Numbers,
    /// Milliseconds since the first nonce. No two have the same time, because a table that
    /// forgets one forgets all of its time.
    now: u64,
    /// The count that no nonce was used with.
    nc: u32,
}

impl Filled {
    fn new(count: usize) -> Self {
        let mut filled = Self {
            service: service(),
            replays: ReplayTable::with_capacity(count),
            nonces: Vec::with_capacity(count),
            numbers: Numbers::new(3),
            now: 0,
            nc: 1,
        };
        for _ in 0..count {
            let nonce = filled.mint();
            filled.nonces.push(nonce);
            let request = filled.service.request(nonce.as_str(), 1);
            let proof = prove(&filled.service, &request);
            let _ = filled.replays.admit(proof).unwrap();
        }
        assert_eq!(filled.replays.len(), count);
        filled
    }

    fn mint(&mut self) -> Nonce {
        self.now += 1;
        let now = Timestamp::from_unix_secs(1_700_000_000).plus_millis(self.now);
        let arrival = Arrival::new(Channel::Encrypted, now);
        self.service.server.mint(&arrival, &mut self.numbers)
    }

    fn measure(count: usize) -> Size {
        let mut filled = Self::new(count);
        let mut shadow = Shadow::new(count, &mut Numbers::new(5));
        let (mut reads, mut known, mut new) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let mut allocations = 0;
        for _ in 0..TIMES {
            filled.nc += 1;
            let nonces = filled.some_nonces();
            let requests = requests_with(&filled.service, &nonces, filled.nc);
            let proofs = prove_all(&filled.service, &requests);
            // After the making of proofs, which pushes out of the caches what it needs itself.
            reads = reads.min(shadow.two_reads(&mut Numbers::new(filled.nc.into())));
            drop(proofs);

            let (time, allocated) = filled.admit(&nonces, filled.nc);
            known = known.min(time);
            allocations += allocated;
        }
        for _ in 0..TIMES {
            let nonces: Vec<_> = (0..PROOFS).map(|_| filled.mint()).collect();
            let (time, allocated) = filled.admit(&nonces, 1);
            new = new.min(time);
            allocations += allocated;
        }
        Size {
            nonces: count,
            megabytes: filled.replays.memory_bytes() as f64 / 1e6,
            reads,
            known,
            new,
            allocations,
        }
    }

    /// Some of the nonces in the table, in any order, none of them twice.
    fn some_nonces(&mut self) -> Vec<Nonce> {
        let count = self.nonces.len();
        let mut any = || self.numbers.next() as usize % count;
        let mut chosen: Vec<usize> = (0..PROOFS).map(|_| any()).collect();
        let mut seen = HashSet::new();
        chosen.retain(|&nonce| seen.insert(nonce));
        chosen.into_iter().map(|nonce| self.nonces[nonce]).collect()
    }

    /// Admits one proof for each nonce: the time of one, and the allocations of all.
    fn admit(&mut self, nonces: &[Nonce], nc: u32) -> (f64, u64) {
        let requests = requests_with(&self.service, nonces, nc);
        let proofs = prove_all(&self.service, &requests);
        let replays = &mut self.replays;
        let mut time = Duration::ZERO;
        let allocations = allocations_of(|| {
            let start = Instant::now();
            for proof in proofs {
                black_box(&replays.admit(proof).unwrap());
            }
            time = start.elapsed();
        });
        (time.as_secs_f64() * 1e9 / nonces.len() as f64, allocations)
    }
}

/// One whose nonces live longer than it takes to make them all.
fn service() -> Service {
    let key = NonceKey::new(*b"thirty-two bytes of a secret key");
    let server = Server::new(REALM, key).unwrap();
    Service {
        server: server.with_nonce_lifetime(1_000_000),
        ..Service::new(Algorithm::SHA_256)
    }
}

/// After all nonces have been made.
fn later() -> Arrival<'static> {
    let now = Timestamp::from_unix_secs(1_700_000_000).plus_secs(100_000);
    Arrival::new(Channel::Encrypted, now)
}

/// One request with each nonce.
fn requests_with(service: &Service, nonces: &[Nonce], nc: u32) -> Vec<Vec<u8>> {
    let request = |nonce: &Nonce| service.request(nonce.as_str(), nc);
    nonces.iter().map(request).collect()
}

fn prove_all<'a>(service: &'a Service, requests: &'a [Vec<u8>]) -> Vec<Proof<'a>> {
    let proofs = requests.iter().map(|request| prove(service, request));
    proofs.collect()
}

fn prove<'a>(service: &'a Service, request: &'a [u8]) -> Proof<'a> {
    let attempt = service.server.begin(Some(request), &target(), &later());
    attempt.unwrap().verify(Some(&service.ha1)).unwrap()
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
        for _ in 0..PROOFS {
            // Where to read depends on what was read last, so that no two of these overlap.
            let slot = (numbers.next() ^ self.last) as usize & (self.index.len() - 1);
            let cell = self.index[slot] as usize;
            self.last = self.cells[cell][0];
        }
        black_box(self.last);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(PROOFS)
    }
}

/// So many threads on so many tables with a lock each.
pub struct Sharded {
    pub threads: usize,
    pub shards: usize,
    /// Millions in a second, all threads together.
    pub admitted: f64,
    /// The same with begin and verify.
    pub requests: f64,
}

pub fn sharded() -> Vec<Sharded> {
    let service = service();
    let threads = [1, 2, 4];
    let work: Vec<Vec<Vec<u8>>> = (0..4).map(|seed| requests(&service, seed)).collect();
    let mut results: Vec<_> = [1, 16]
        .into_iter()
        .flat_map(|shards| threads.map(|threads| (threads, shards)))
        .map(|(threads, shards)| Sharded {
            threads,
            shards,
            admitted: 0.0,
            requests: 0.0,
        })
        .collect();
    for _ in 0..TIMES {
        for result in &mut results {
            let Sharded {
                threads, shards, ..
            } = *result;
            let work = &work[..threads];
            let proofs = work.iter().map(|requests| prove_all(&service, requests));
            let proofs: Vec<_> = proofs.collect();
            let shards = Shards::new(shards);
            let admitted = rate(proofs, |proof| shards.admit(proof));
            result.admitted = result.admitted.max(admitted);

            let shards = Shards::new(shards.0.len());
            let requests = work.iter().map(|requests| requests.iter().collect());
            let requests = rate(requests.collect::<Vec<Vec<_>>>(), |request| {
                shards.admit(prove(&service, request));
            });
            result.requests = result.requests.max(requests);
        }
    }
    results
}

struct Shards(Vec<Mutex<ReplayTable>>);

impl Shards {
    fn new(shards: usize) -> Self {
        let table = || Mutex::new(ReplayTable::with_capacity(1024));
        Self((0..shards).map(|_| table()).collect())
    }

    fn admit(&self, proof: Proof<'_>) {
        let shard = proof.shard(self.0.len());
        let grant = self.0[shard].lock().unwrap().admit(proof);
        black_box(&grant.unwrap());
    }
}

/// The requests of one thread: 64 each with 64 nonces, one of each in turn.
fn requests(service: &Service, seed: u64) -> Vec<Vec<u8>> {
    let mut numbers = Numbers::new(seed);
    let nonces: Vec<_> = (0..64)
        .map(|_| service.server.mint(&arrival(), &mut numbers))
        .collect();
    (1..=64)
        .flat_map(|nc| {
            nonces
                .iter()
                .map(move |nonce| service.request(nonce.as_str(), nc))
        })
        .collect()
}

/// How many millions in a second, from when the first thread starts until the last one ends.
fn rate<T: Send>(work: Vec<Vec<T>>, run: impl Fn(T) + Sync) -> f64 {
    let count: usize = work.iter().map(Vec::len).sum();
    let threads = work.len();
    let ready = AtomicUsize::new(0);
    let (ready, run) = (&ready, &run);
    let times: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let threads: Vec<_> = work
            .into_iter()
            .map(|items| {
                scope.spawn(move || {
                    ready.fetch_add(1, Ordering::SeqCst);
                    while ready.load(Ordering::SeqCst) < threads {
                        thread::yield_now();
                    }
                    let start = Instant::now();
                    items.into_iter().for_each(run);
                    (start, Instant::now())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let start = times.iter().map(|(start, _)| *start).min().unwrap();
    let end = times.iter().map(|(_, end)| *end).max().unwrap();
    count as f64 / (end - start).as_secs_f64() / 1e6
}
