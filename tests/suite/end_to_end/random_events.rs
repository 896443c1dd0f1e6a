//! Any of this, in any order.

use countersign::Target;
use countersign::client::{Exchange, Policy};
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm, Reason};
use proptest::prelude::*;
use proptest::sample::select;

use super::{FIRST, LIFETIME};
use crate::support::effort::cases;
use crate::support::pair::{Browser, Pair};
use crate::support::server::Seeded;

/// What may happen between two requests.
#[derive(Clone, Copy, Debug)]
enum Event {
    Get(usize),
    /// The response to one is lost.
    Lose(usize),
    Wait(u64),
    ClockBack(u64),
    NewKey,
    Rotate,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        8 => (0..4_usize).prop_map(Event::Get),
        1 => (0..4_usize).prop_map(Event::Lose),
        2 => (0..LIFETIME * 2).prop_map(Event::Wait),
        2 => (0..LIFETIME * 2).prop_map(Event::ClockBack),
        1 => Just(Event::NewKey),
        1 => Just(Event::Rotate),
    ];
    prop::collection::vec(event, 1..60)
}

proptest! {
    #![proptest_config(cases(200))]

    /// Whatever happens between them, each request is granted after at most one refusal of the
    /// nonce it used, and the server proves itself.
    #[test]
    fn random_events_between_requests(
        capacity in prop_oneof![3 => 1..4_usize, 1 => Just(1000)],
        events in events(),
        pace in 0..2_u64,
        one_time in any::<bool>(),
        algorithm in select(vec![Algorithm::SHA_256, Algorithm::SHA_256_SESS]),
    ) {
        let realm = Realm::new("files")
            .unwrap()
            .with_algorithms(&[algorithm])
            .with_one_time_nonces(one_time);
        let mut keys = 1;
        let mut pair = Pair::with_capacity(realm, capacity);
        let mut browsers = [0, 1, 2, 0].map(|user| Browser::of(user, Policy::new()));
        let mut known = [false; 4];
        for event in events {
            // The clock may stand still.
            pair.now = pair.now.plus_millis(pace);
            match event {
                Event::Get(n) => {
                    let reasons = pair.get(&mut browsers[n], "/");
                    let first = usize::from(!known[n]);
                    prop_assert_eq!(&reasons[..first], &FIRST[..first]);
                    prop_assert!(reasons.len() <= first + 1, "{:?}", reasons);
                    prop_assert!(reasons[first..].iter().all(Reason::is_stale));
                    known[n] = true;
                }
                Event::Lose(n) => {
                    let target = Target::new("GET", "/");
                    let value = browsers[n].send(&mut Exchange::new(), &target);
                    pair.serve(&target, value.as_deref());
                }
                Event::Wait(secs) => pair.wait(secs),
                Event::ClockBack(secs) => pair.set_clock_back(secs),
                Event::NewKey => {
                    keys += 1;
                    let realm = pair.realm.clone();
                    pair.auth = Authenticator::from_fresh_seed(realm, capacity, [keys; 32]);
                }
                Event::Rotate => {
                    keys += 1;
                    let Ok(()) = pair.auth.rotate(&mut Seeded(keys.into()));
                }
            }
        }
    }
}
