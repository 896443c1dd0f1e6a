//! Hostile header values of 64 KiB: `cargo bench --bench hostile`.

use std::hint::black_box;

use countersign::{Authorization, challenges};
use countersign_benches::hostile::Shape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn hostile(criterion: &mut Criterion) {
    for shape in Shape::ALL {
        let value = shape.fill(64 * 1024);
        let mut group = criterion.benchmark_group(format!("hostile/{}", shape.name));
        group.throughput(Throughput::Bytes(value.len() as u64));
        group.bench_function("challenges", |bencher| {
            bencher.iter(|| challenges([black_box(&value)]).raw().count());
        });
        group.bench_function("authorization", |bencher| {
            bencher.iter(|| Authorization::parse(black_box(&value)).is_ok());
        });
        group.finish();
    }
}

criterion_group!(benches, hostile);
criterion_main!(benches);
