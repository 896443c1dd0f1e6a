//! A header twice as long takes at most twice as long to read, however hostile.

use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign::{AuthenticationInfo, Authorization, basic, digest};

use crate::support::hostile::{self, SIZES};

/// Twice, and what timers and caches add.
const RATIO: f64 = 2.2;

/// The machine may be busy for a while, but not for all of that.
const PATIENCE: Duration = Duration::from_secs(30);
const RUNS: usize = 5;

fn challenges(value: &str) {
    for challenge in countersign::challenges([value]).raw().flatten() {
        black_box(
            challenge
                .params()
                .map(|param| param.value.chunks().count())
                .sum::<usize>(),
        );
        black_box(basic::Challenge::try_from(challenge).is_ok());
        black_box(digest::Challenge::try_from(challenge).is_ok());
    }
}

fn writing(value: &str) {
    for challenge in countersign::challenges([value]).raw().flatten() {
        black_box(challenge.to_field_value());
    }
}

fn authorization(value: &str) {
    black_box(Authorization::parse(value).is_ok());
}

fn authentication_info(value: &str) {
    black_box(AuthenticationInfo::parse([value]).is_ok());
}

/// The best times of a few of reading the same shape in all sizes, or what they were at last when
/// they would not come near each other.
///
/// Each try starts anew: the one time that a busy machine was quick for must not be what all later
/// ones are compared with. Work that grows with the square takes four times as long in every try.
fn times(read: fn(&str), values: &[String; 3]) -> Result<[Duration; 3], [Duration; 3]> {
    let begun = Instant::now();
    loop {
        let mut best = [Duration::MAX; 3];
        for _ in 0..RUNS {
            for (best, value) in best.iter_mut().zip(values) {
                let start = Instant::now();
                read(black_box(value));
                // What takes no time at all has no ratio either.
                let time = start.elapsed().max(Duration::from_micros(2));
                *best = time.min(*best);
            }
        }
        let fits = |pair: &[Duration]| pair[1].as_secs_f64() <= RATIO * pair[0].as_secs_f64();
        if best.windows(2).all(fits) {
            return Ok(best);
        }
        if begun.elapsed() > PATIENCE {
            return Err(best);
        }
    }
}

#[test]
fn hostile_values_are_read_in_linear_time() {
    let [small, middle, large] = SIZES.map(hostile::values);
    for (((name, small), (_, middle)), (_, large)) in small.into_iter().zip(middle).zip(large) {
        let plain = [small, middle, large];
        let rest = plain
            .each_ref()
            .map(|value| hostile::without_scheme(value).to_owned());
        let with = |scheme: &str| rest.each_ref().map(|rest| [scheme, rest].join(" "));
        let (other, digest) = (with("A"), with("Digest"));
        for (reader, read, values) in [
            ("challenges", challenges as fn(&str), &plain),
            ("challenges", challenges, &digest),
            ("writing", writing, &plain),
            ("authorization", authorization, &other),
            ("authorization", authorization, &digest),
            ("authentication_info", authentication_info, &rest),
        ] {
            match times(read, values) {
                Ok(times) => println!("{reader}, {name}: {times:?}"),
                Err(times) => panic!("{reader}, {name}: {times:?}"),
            }
        }
    }
}
