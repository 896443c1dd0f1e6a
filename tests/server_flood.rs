//! Floods: requests without credentials, and requests whose response is wrong. Neither changes
//! anything, so neither costs memory nor throws anybody out.

mod support;

use std::hint::black_box;
use std::time::Instant;

use countersign::Target;
use countersign::rand_core::Rng;
use countersign::server::{Rejection, ReplayTable};
use support::server::{Answer, Seeded, Service, look_up, quoted, server};

/// A million where the compiler has taken pains, fewer where not.
const REQUESTS: u32 = if cfg!(debug_assertions) {
    100_000
} else {
    1_000_000
};

/// All that can be seen of a table.
fn state(table: &ReplayTable) -> (usize, usize, usize, String) {
    let debug = format!("{table:?}");
    (table.len(), table.capacity(), table.memory_bytes(), debug)
}

/// A server whose table is full, and one of those who are in it: the one who would have to go
/// next.
fn full() -> (Service, Answer) {
    let mut service = Service::new(server()).with_capacity(10);
    let live = service.answer();
    assert_eq!(service.take(&live), Ok(()));
    for _ in 1..10 {
        service.now = service.now.plus_millis(1);
        let other = service.answer();
        assert_eq!(service.take(&other), Ok(()));
    }
    assert_eq!(service.replays.len(), 10);
    (service, live)
}

fn unaffected(service: &mut Service, live: &Answer, before: (usize, usize, usize, String)) {
    assert_eq!(state(&service.replays), before);
    let replay = service.take(live);
    assert_eq!(replay, Err(Rejection::Replayed));
    assert_eq!(service.take(&live.counted(2)), Ok(()));
}

#[test]
fn requests_without_credentials_change_nothing() {
    let (mut service, live) = full();
    let before = state(&service.replays);
    let (target, arrival) = (Target::new("GET", "/"), service.arrival());
    let start = Instant::now();
    for _ in 0..REQUESTS {
        let outcome = service.server.begin(None::<&str>, &target, &arrival);
        let rejection = outcome.unwrap_err();
        let challenges = service
            .server
            .challenges(&rejection, &arrival, &mut service.rng);
        black_box(challenges.count());
    }
    println!("{REQUESTS} requests challenged: {:?}", start.elapsed());
    unaffected(&mut service, &live, before);
}

#[test]
fn forged_responses_change_nothing() {
    let (mut service, live) = full();
    let before = state(&service.replays);
    // With the nonce of the client that is in, and of others, with all kinds of counts and names.
    let wrong = quoted(&"0".repeat(64));
    let forged: Vec<(String, Answer)> = (1..100)
        .map(|nc| {
            let mut answer = match nc % 3 {
                0 => service.answer(),
                _ => live.counted(nc * nc),
            };
            if nc % 5 == 0 {
                answer.user = format!("user{nc}");
            }
            let header = answer.params().with("response", &*wrong);
            (header.to_string(), answer)
        })
        .collect();
    let start = Instant::now();
    for number in 0..REQUESTS as usize {
        let (header, answer) = &forged[number % forged.len()];
        let target = answer.target();
        let attempt = service.begin(header, &target);
        let attempt = attempt.unwrap();
        let ha1 = look_up(&attempt);
        let rejection = attempt.verify(ha1.as_ref()).unwrap_err();
        assert_eq!(rejection, Rejection::WrongCredentials);
    }
    println!("{REQUESTS} responses refused: {:?}", start.elapsed());
    unaffected(&mut service, &live, before);
}

/// One bit of a header is another, of a client that has the wrong password to begin with.
#[test]
fn noise_changes_nothing() {
    let (mut service, live) = full();
    let before = state(&service.replays);
    let mut wrong = live.counted(2);
    wrong.password = "wrong".to_owned();
    let right = wrong.header().into_bytes();
    let rng = &mut Seeded(5);
    let mut read = 0;
    let start = Instant::now();
    for _ in 0..REQUESTS {
        let mut header = right.clone();
        let at = rng.next_u32() as usize % header.len();
        header[at] ^= 1 << (rng.next_u32() % 8);
        let rejection = service.grant(&header, &live.target()).unwrap_err();
        read += u32::from(rejection == Rejection::WrongCredentials);
    }
    println!(
        "{REQUESTS} spoilt headers, {read} of them readable: {:?}",
        start.elapsed()
    );
    unaffected(&mut service, &live, before);
}
