//! Whether hostile header values cost more than their length: `cargo run --release --bin hostile`.
//!
//! Prints a line for each shape and reader, and fails where twice the bytes take more than 2.2
//! times as long, or where anything is allocated.
//!
//! Behind a limit a value is skipped, which may cost more than reading what came before: then the
//! first of these ratios is over 2.2 although each byte more costs the same. So what fails that
//! test may still pass another: what each doubling adds must not take more than 2.5 times what the
//! one before added, up to twice the sizes shown.

use std::hint::black_box;
use std::process::ExitCode;

use countersign::digest;
use countersign::{AuthenticationInfo, Authorization, challenges};
use countersign_benches::hostile::Shape;
use countersign_benches::measure::{Operation, in_turns};

/// The last one is for the second test.
const SIZES: [usize; 4] = [16 * 1024, 32 * 1024, 64 * 1024, 128 * 1024];
const LIMIT: f64 = 2.2;
const ADDED_LIMIT: f64 = 2.5;
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
        read: |value| challenges([value]).raw().count(),
    },
    Reader {
        name: "challenges, used",
        read: |value| {
            challenges([value])
                .raw()
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
        println!("{lines} lines: all linear, no allocations");
        ExitCode::SUCCESS
    } else {
        println!("{lines} lines: {faults} at fault (not linear, or allocating)");
        ExitCode::FAILURE
    }
}

/// The time of each size, and the allocations of all.
fn measure(values: &[Vec<u8>; 4], read: fn(&[u8]) -> usize) -> ([f64; 4], u64) {
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

fn is_linear(times: [f64; 4]) -> bool {
    if ratios(times).iter().all(|&ratio| ratio <= LIMIT) {
        return true;
    }
    let [small, middle, large, huge] = times;
    let added = [middle - small, large - middle, huge - large];
    // Where less is read of more, the next doubling has to tell.
    added[2] <= ADDED_LIMIT * added[1] && (added[0] < 0.0 || added[1] <= ADDED_LIMIT * added[0])
}

fn ratios([small, middle, large, _]: [f64; 4]) -> [f64; 2] {
    [middle / small, large / middle]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_is_told_from_what_is_more() {
        for times in [
            [1.0, 2.0, 4.0, 8.0],
            [5.0, 5.0, 5.0, 5.0],
            // Read up to 16 KiB, then skipped, which costs more.
            [17.0, 43.0, 101.0, 217.0],
            // As well, but nothing was used of what went over the limit.
            [134.0, 54.0, 122.0, 250.0],
        ] {
            assert!(is_linear(times), "{times:?}");
        }
        for times in [
            [1.0, 4.0, 16.0, 64.0],
            // n to the power of 1.5
            [1.0, 2.83, 8.0, 22.6],
            // Only up to 64 KiB.
            [1.0, 4.0, 16.0, 18.0],
        ] {
            assert!(!is_linear(times), "{times:?}");
        }
    }
}
