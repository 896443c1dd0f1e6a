//! The operations on ordinary input and the floors under them: `cargo bench --bench operations`.

use std::hint::black_box;

use countersign::basic;
use countersign::digest::{Algorithm, HashFunction};
use countersign_benches::floor::{self, NonceMac, Spans};
use countersign_benches::inputs::{
    AUTHORIZATION, BASIC, BASIC_PASSWORD, BASIC_USERNAME, CHALLENGE, CHALLENGE_MD5, CHALLENGES,
    CNONCE, NONCE, Service, arrival, cnonce, target,
};
use countersign_benches::operations;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use md5::Md5;
use sha2::Sha256;

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.bench_function("challenge", |bencher| {
        bencher.iter(|| operations::read_challenges(black_box(CHALLENGE)));
    });
    group.bench_function("digest challenge", |bencher| {
        bencher.iter(|| operations::read_typed_challenge(black_box(CHALLENGE)));
    });
    group.bench_function("three challenges", |bencher| {
        bencher.iter(|| operations::read_challenges(black_box(CHALLENGES)));
    });
    group.bench_function("three digest and basic challenges", |bencher| {
        bencher.iter(|| operations::read_all_challenges(black_box(CHALLENGES)));
    });
    group.bench_function("authorization", |bencher| {
        bencher.iter(|| operations::read_authorization(black_box(AUTHORIZATION)));
    });
    for (name, value) in [
        ("challenge, floor", CHALLENGE),
        ("three challenges, floor", CHALLENGES),
        ("authorization, floor", AUTHORIZATION),
    ] {
        let mut found = Spans::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                floor::tokenize(black_box(value.as_bytes()), &mut found);
                black_box(&found);
            });
        });
    }
    group.finish();
}

fn answering(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("answer");
    for (algorithm, challenge) in [
        (Algorithm::SHA_256, CHALLENGE),
        (Algorithm::MD5, CHALLENGE_MD5),
    ] {
        let (mut client, mut exchange) = operations::logged_in(challenge);
        let (target, cnonce) = (target(), cnonce());
        group.bench_function(algorithm.as_str(), |bencher| {
            bencher.iter(|| {
                let target = black_box(&target);
                operations::authorize(&mut client, &mut exchange, target, black_box(&cnonce))
            });
        });
        let ha1 = Service::new(algorithm).ha1;
        let answer = match algorithm.hash_function() {
            HashFunction::Md5 => floor::answer::<Md5>,
            _ => floor::answer::<Sha256>,
        };
        group.bench_function(format!("{algorithm}, floor"), |bencher| {
            bencher.iter(|| {
                let ha1 = black_box(ha1.as_hex().as_bytes());
                let (nonce, cnonce) = (black_box(NONCE), black_box(CNONCE));
                answer(algorithm.as_str(), ha1, nonce, 1, cnonce)
            });
        });
    }
    group.finish();
}

fn admitting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("begin, verify, admit");
    for algorithm in [Algorithm::SHA_256, Algorithm::MD5] {
        let service = Service::new(algorithm);
        let requests = service.requests(64);
        let (target, arrival) = (target(), arrival());
        // One measurement is that of 64 requests.
        group.throughput(criterion::Throughput::Elements(64));
        group.bench_function(algorithm.as_str(), |bencher| {
            bencher.iter_batched_ref(
                || service.nonces(16),
                |nonces| {
                    for request in &requests {
                        let (service, request) = (black_box(&service), black_box(request));
                        assert!(operations::admit(
                            nonces, service, request, &target, &arrival
                        ));
                    }
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("{algorithm}, shared"), |bencher| {
            bencher.iter_batched_ref(
                || service.authenticator(16),
                |auth| {
                    for request in &requests {
                        let (service, request) = (black_box(&service), black_box(request));
                        assert!(operations::admit_shared(
                            auth, service, request, &target, &arrival
                        ));
                    }
                },
                BatchSize::SmallInput,
            );
        });
        let mac = NonceMac::new(&[7; 32]);
        let admit = match algorithm.hash_function() {
            HashFunction::Md5 => floor::admit::<Md5>,
            _ => floor::admit::<Sha256>,
        };
        group.bench_function(format!("{algorithm}, floor"), |bencher| {
            bencher.iter(|| {
                for request in &requests {
                    let ha1 = black_box(service.ha1.as_hex().as_bytes());
                    assert!(admit(black_box(request), ha1, &mac));
                }
            });
        });
    }
    group.finish();
}

fn writing(criterion: &mut Criterion) {
    let service = Service::new(Algorithm::SHA_256);
    let mut nonces = service.nonces(16);
    let (target, arrival) = (target(), arrival());
    let mut group = criterion.benchmark_group("write");
    group.bench_function("refusal", |bencher| {
        bencher.iter(|| operations::refuse(&mut nonces, black_box(&service), &target, &arrival));
    });
    group.bench_function("basic", |bencher| {
        bencher.iter(|| basic::credentials(black_box(BASIC_USERNAME), black_box(BASIC_PASSWORD)));
    });
    group.finish();
    let mut group = criterion.benchmark_group("read");
    group.bench_function("basic", |bencher| {
        bencher.iter(|| operations::read_authorization(black_box(BASIC)));
    });
    group.finish();
}

criterion_group!(benches, reading, answering, admitting, writing);
criterion_main!(benches);
