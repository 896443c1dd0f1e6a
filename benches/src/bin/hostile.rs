//! Whether hostile header values cost more than their length: `cargo run --release --bin hostile`.
//!
//! Prints a line for each shape and reader, and fails where twice the bytes take more than 2.2
//! times as long, or where anything is allocated. Where the rest of a value costs more than its
//! start, as behind a limit, what is added must not take more than 2.2 times what was added before.

use std::hint::black_box;
use std::process::ExitCode;

use countersign::digest;
use countersign::{AuthenticationInfo, Authorization, challenges};
use countersign_benches::hostile::Shape;
use countersign_benches::measure::{Operation, in_turns};

const SIZES: [usize; 3] = [16 * 1024, 32 * 1024, 64 * 1024];
const LIMIT: f64 = 2.2;
/// How often each size is measured before its times are looked at, and how often that is done
/// over while they are over the limit.
const TIMES: u32 = 15;
const TRIES: u32 = 20;

struct Reader {
    name: &'static str,
    /// Returns something that depends on all that was read.
    read: fn(&[u8]) -> usize,
}

const READERS: [Reader; 4] = [
    Reader {
        name: "challenges",
        read: |value| challenges([value]).count(),
    },
    Reader {
        name: "challenges, used",
        read: |value| {
            challenges([value])
                .flatten()
                .map(|challenge| {
                    let chunks = challenge.params().flat_map(|param| param.value.chunks());
                    let bytes: usize = chunks.map(<[u8]>::len).sum();
                    bytes + usize::from(digest::Challenge::try_from(challenge).is_ok())
                })
                .sum()
        },
    },
    Reader {
        name: "Authorization",
        read: |value| usize::from(Authorization::parse(value).is_ok()),
    },
    Reader {
        name: "AuthenticationInfo",
        read: |value| {
            let params = value.strip_prefix(b"Digest ").unwrap_or(value);
            usize::from(AuthenticationInfo::parse([params]).is_ok())
        },
    },
];

fn main() -> ExitCode {
    println!(
        "{:<24} {:<19} {:>9} {:>9} {:>9} {:>6} {:>6} {:>6}",
        "shape", "reader", "16K (ns)", "32K (ns)", "64K (ns)", "32/16", "64/32", "allocs"
    );
    let mut faults = 0;
    for shape in Shape::ALL {
        let values = SIZES.map(|size| shape.fill(size));
        for Reader { name, read } in &READERS {
            let (times, allocations) = measure(&values, *read);
            let ratios = ratios(times);
            let good = allocations == 0 && is_linear(times);
            faults += u32::from(!good);
            println!(
                "{:<24} {:<19} {:>9.0} {:>9.0} {:>9.0} {:>6.2} {:>6.2} {:>6}{}",
                shape.name,
                name,
                times[0],
                times[1],
                times[2],
                ratios[0],
                ratios[1],
                allocations,
                if good { "" } else { "  FAULT" }
            );
        }
    }
    let lines = Shape::ALL.len() * READERS.len();
    if faults == 0 {
        println!("{lines} lines: none over {LIMIT}, no allocations");
        ExitCode::SUCCESS
    } else {
        println!("{lines} lines: {faults} at fault (over {LIMIT}, or allocating)");
        ExitCode::FAILURE
    }
}

/// The time of each size, and the allocations of all.
fn measure(values: &[Vec<u8>; 3], read: fn(&[u8]) -> usize) -> ([f64; 3], u64) {
    let mut operations = values
        .each_ref()
        .map(|value| Operation::new(move || read(black_box(value))));
    for _ in 0..TRIES {
        in_turns(&mut operations.each_mut(), TIMES);
        let times = operations.each_ref().map(Operation::nanoseconds);
        if is_linear(times) {
            break;
        }
    }
    let allocations = operations.iter().map(Operation::allocations).sum();
    (
        operations.each_ref().map(Operation::nanoseconds),
        allocations,
    )
}

fn is_linear(times: [f64; 3]) -> bool {
    let [small, middle, large] = times;
    let added = (large - middle) / (middle - small);
    ratios(times).iter().all(|&ratio| ratio <= LIMIT) || (added > 0.0 && added <= LIMIT)
}

fn ratios([small, middle, large]: [f64; 3]) -> [f64; 2] {
    [middle / small, large / middle]
}
