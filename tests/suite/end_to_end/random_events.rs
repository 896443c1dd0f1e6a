//! Any of this, in any order, and several requests at a time.

use countersign::client::{Exchange, Policy};
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm, Reason};
use countersign::{Target, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;

use super::{FIRST, LIFETIME};
use crate::support::effort::cases;
use crate::support::pair::{Browser, Pair};
use crate::support::server::Seeded;

/// What may happen between two requests.
#[derive(Clone, Debug)]
enum Event {
    /// A browser has this number of requests under way.
    Get(usize, Vec<usize>),
    /// The response to one is lost.
    Lose(usize),
    Wait(u64),
    ClockBack(u64),
    NewKey,
    Rotate,
}

fn in_any_order() -> impl Strategy<Value = Vec<usize>> {
    (1..4_usize).prop_flat_map(|many| Just((0..many).collect()).prop_shuffle())
}

/// Sends requests together, serves them in this order, and lets the replies come in from the last.
/// Those that are refused are sent again together. Returns why each was.
fn get(pair: &Pair, browser: &mut Browser, order: &[usize]) -> Vec<Vec<Reason>> {
    let target = Target::new("GET", "/");
    let mut reasons = vec![Vec::new(); order.len()];
    let mut exchanges = vec![Exchange::new(); order.len()];
    let mut left = order.to_vec();
    while !left.is_empty() {
        let send = |at| (at, browser.send(&mut exchanges[at], &target));
        let sent: Vec<_> = left.drain(..).map(send).collect();
        let serve = |(at, value): (usize, Option<Vec<u8>>)| {
            let reply = pair.serve(&target, value.as_deref());
            (at, reply)
        };
        let replies: Vec<_> = sent.into_iter().map(serve).collect();
        for (at, reply) in replies.into_iter().rev() {
            reasons[at].extend(reply.reason);
            if !browser.is_granted(&mut exchanges[at], &reply) {
                left.push(at);
            }
        }
    }
    reasons
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        8 => (0..4_usize, in_any_order()).prop_map(|(n, order)| Event::Get(n, order)),
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
    /// nonce it used, and the server proves itself. Where nothing happens for less than half of the
    /// lifetime of a nonce, none is refused.
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
        let mut quiet_since = [None::<Timestamp>; 4];
        for event in events {
            // The clock may stand still.
            pair.now = pair.now.plus_millis(pace);
            if matches!(event, Event::ClockBack(_) | Event::NewKey | Event::Rotate) {
                quiet_since = [None; 4];
            }
            match event {
                Event::Get(n, order) => {
                    let first = usize::from(!known[n]);
                    let has_room = capacity > 100 || order.len() == 1;
                    let half = LIFETIME * 500;
                    let is_quiet = quiet_since[n].is_some_and(|at| pair.now < at.plus_millis(half));
                    let most = match has_room {
                        true => usize::from(!is_quiet || one_time || capacity < 100),
                        false => 2,
                    };
                    for reasons in get(&pair, &mut browsers[n], &order) {
                        prop_assert_eq!(&reasons[..first], &FIRST[..first]);
                        prop_assert!(reasons.len() <= first + most, "{:?}", reasons);
                        prop_assert!(reasons[first..].iter().all(Reason::is_stale));
                    }
                    known[n] = true;
                    quiet_since[n] = Some(pair.now);
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
