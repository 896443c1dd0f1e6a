//! Floods: requests without credentials, and requests whose response is wrong. Neither changes
//! anything, so neither costs memory nor throws anybody out.

use std::hint::black_box;
use std::time::Instant;

use countersign::rand_core::Rng;
use countersign::server::{Authenticator, Rejection};
use countersign::{Target, Timestamp};

use crate::support::effort::repeats;
use crate::support::server::{
    Answer, Seeded, Service, Why, issue_floor, look_up, no_field, quoted, realm,
};

const REQUESTS: u32 = repeats(1_000_000);

/// All that can be seen of a memory of nonces.
type State = (usize, Timestamp, String);

fn state(auth: &Authenticator) -> State {
    (auth.len(), issue_floor(auth), format!("{auth:?}"))
}

/// A server whose table is full, and one of those who are in it: the one who would have to go
/// next.
fn full() -> (Service, Answer) {
    let mut service = Service::new(realm()).with_capacity(10);
    let live = service.answer();
    assert_eq!(service.take(&live), Ok(()));
    for _ in 1..10 {
        service.now = service.now.plus_millis(1);
        let other = service.answer();
        assert_eq!(service.take(&other), Ok(()));
    }
    assert_eq!(service.len(), 10);
    (service, live)
}

fn unaffected(service: &Service, live: &Answer, before: State) {
    assert_eq!(state(&service.auth), before);
    let replay = service.take(live);
    assert_eq!(replay, Err(Rejection::Replayed));
    assert_eq!(service.take(&live.counted(2)), Ok(()));
}

#[test]
fn requests_without_credentials_change_nothing() {
    let (service, live) = full();
    let before = state(&service.auth);
    let target = Target::new("GET", "/");
    let start = Instant::now();
    for _ in 0..REQUESTS {
        let outcome = service.begin_at(None::<&str>, &target, service.arrival());
        let refusal = service.refusal(&outcome.unwrap_err());
        black_box(refusal.challenges.len());
    }
    println!("{REQUESTS} requests challenged: {:?}", start.elapsed());
    unaffected(&service, &live, before);
}

#[test]
fn forged_responses_change_nothing() {
    let (service, live) = full();
    let before = state(&service.auth);
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
        let rejected = attempt.verify(ha1).unwrap_err();
        assert_eq!(rejected.rejection(), Rejection::WrongCredentials);
    }
    println!("{REQUESTS} responses refused: {:?}", start.elapsed());
    unaffected(&service, &live, before);
}

/// One bit of a header is another, of a client that has the wrong password to begin with.
#[test]
fn flipped_bits_change_nothing() {
    let (service, live) = full();
    let before = state(&service.auth);
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
        let rejection = service.grant(&header, &live.target()).why().unwrap_err();
        read += u32::from(rejection == Rejection::WrongCredentials);
    }
    println!(
        "{REQUESTS} spoilt headers, {read} of them readable: {:?}",
        start.elapsed()
    );
    unaffected(&service, &live, before);
}

/// The same floods, with several tables.
#[test]
fn floods_do_not_change_several_tables() {
    use crate::support::server::{START, authenticator, ha1, nonce_of, texts};

    for capacity in [2000] {
        let auth = authenticator(realm(), capacity);
        let target = Target::new("GET", "/a?b=c");
        let arrival = || Service::new(realm()).arrival();
        let challenge = || {
            let outcome = auth.begin(no_field(), &target, arrival());
            nonce_of(&texts(&auth.refuse(&outcome.unwrap_err())))
        };
        let live = Answer::to(&challenge());
        let take = |answer: &Answer| {
            let header = answer.header();
            let attempt = auth
                .begin([&header].into_iter(), &target, arrival())
                .why()?;
            let ha1 = ha1(attempt.hash_function());
            let verified = attempt.verify(Some(ha1)).why()?;
            auth.admit(verified).map(drop).why()
        };
        assert_eq!(take(&live), Ok(()));
        let wrong = quoted(&"0".repeat(64));
        for number in 2..REQUESTS / 10 {
            black_box(challenge());
            let mut answer = live.counted(number);
            if number % 2 == 0 {
                answer.nonce = challenge();
            }
            let header = answer.params().with("response", &*wrong).to_string();
            let attempt = auth
                .begin([&header].into_iter(), &target, arrival())
                .unwrap();
            let ha1 = look_up(&attempt);
            let rejected = attempt.verify(ha1).unwrap_err();
            assert_eq!(rejected.rejection(), Rejection::WrongCredentials);
        }
        assert_eq!((auth.len(), issue_floor(&auth)), (1, START));
        assert_eq!(take(&live), Err(Rejection::Replayed));
        assert_eq!(take(&live.counted(2)), Ok(()));
    }
}
