//! The library's parsers against the naive one, on values made to reach every corner of both.

use std::collections::BTreeMap;

use countersign::wire::AuthenticationInfo;
use countersign::{Authorization, HeaderError};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::effort::cases;
use crate::support::errors::problem;
use crate::support::generate;
use crate::support::{compare, naive};

proptest! {
    #![proptest_config(cases(100_000))]

    #[test]
    fn challenges(value in generate::any_challenges()) {
        compare::challenges(&value);
    }
}

proptest! {
    #![proptest_config(cases(50_000))]

    #[test]
    fn authorization(value in generate::any_credentials()) {
        compare::authorization(&value);
    }

    #[test]
    fn authentication_info(value in generate::any_info()) {
        compare::info(&value);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn generated_valid_values_are_accepted(
        list in generate::challenges(),
        one in generate::challenge(),
        params in generate::params(),
        bad in generate::bad_challenge(),
        none in generate::no_challenge(),
    ) {
        prop_assert!(naive::challenges(&list).is_some());
        prop_assert!(naive::credentials(&one).is_some());
        prop_assert!(naive::params(&params).is_some());
        prop_assert!(naive::challenges(&bad).is_none());
        prop_assert!(naive::challenges(&none).is_none());
    }
}

/// So that the comparisons above cannot become empty ones.
#[test]
fn generated_values_reach_every_outcome() {
    let lists = outcomes(generate::any_challenges(), |value| {
        countersign::challenges([value]).try_for_each(|one| one.map(drop))
    });
    let credentials = outcomes(generate::any_credentials(), |value| {
        Authorization::parse(value).map(drop)
    });
    let infos = outcomes(generate::any_info(), |value| {
        AuthenticationInfo::parse([value]).map(drop)
    });
    for (outcomes, least) in [(lists, 20), (credentials, 36), (infos, 17)] {
        assert!(outcomes.len() >= least, "{}: {outcomes:#?}", outcomes.len());
        assert!((1_000..7_500).contains(&outcomes["fine"]));
    }
}

/// How often 10,000 values come to what.
fn outcomes(
    values: impl Strategy<Value = Vec<u8>>,
    read: fn(&[u8]) -> Result<(), HeaderError>,
) -> BTreeMap<String, u32> {
    let mut runner = TestRunner::deterministic();
    let mut outcomes = BTreeMap::new();
    for _ in 0..10_000 {
        let value = values.new_tree(&mut runner).expect("a value").current();
        let outcome = match read(&value) {
            Ok(()) => "fine".into(),
            Err(error) => format!("{:?} {}", error.name(), problem(&error)),
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    outcomes
}
