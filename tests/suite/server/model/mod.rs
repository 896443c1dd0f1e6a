//! Random use of a server, compared with a model that forgets nothing: many nonces, several accounts
//! that use them in turn, names in all the spellings that user stores take, counts in any order, a
//! clock that jumps, keys that change, tables that are lost, and all the tables too small.
//!
//! A use is a count of a nonce by the holder of an HA1, which is all that a response covers: the
//! model knows neither the spelling of a name nor the algorithm beyond its hash. Whatever happens,
//! no use is granted twice, and one that was not granted is refused only for one of the reasons
//! there are.
//!
//! Here all steps of a request follow each other at once; in `held` they do not.

mod actions;
mod held;
mod requests;
mod world;

use std::cell::RefCell;
use std::collections::BTreeMap;

use actions::{action, settings};
use proptest::collection::vec;
use proptest::test_runner::TestRunner;
use world::{Rules, World};

use crate::support::effort::cases;

#[test]
fn no_use_is_granted_twice_and_none_refused_without_a_reason() {
    const CASES: u32 = 300;
    let counts = RefCell::new(BTreeMap::new());
    let strategy = (settings(), vec(action(), 1..200));
    let result = TestRunner::new(cases(CASES)).run(&strategy, |(settings, actions)| {
        let realms = [Rules::new(settings.one_time)];
        let mut world = World::new(settings, &realms);
        actions.iter().for_each(|action| world.act(action));
        for (outcome, count) in world.outcomes {
            *counts.borrow_mut().entry(outcome).or_insert(0) += count;
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let counts = counts.into_inner();
    let uses: u32 = counts.values().sum();
    println!("{CASES} histories with {uses} uses of nonces: {counts:?}");
    // None of them may be left out for want of cases.
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| *count > 100), "{counts:?}");
}
