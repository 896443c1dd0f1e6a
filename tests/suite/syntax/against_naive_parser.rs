//! The library's parsers against the naive one, on values made to reach every corner of both.

use std::collections::BTreeMap;

use countersign::{AuthenticationInfo, Authorization, HeaderError, Scheme, basic, digest};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::effort::cases;
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
        for challenge in countersign::challenges([value]).raw() {
            let challenge = challenge?;
            match challenge.scheme() {
                Scheme::Basic => drop(basic::Challenge::try_from(challenge)?),
                Scheme::Digest => drop(digest::Challenge::try_from(challenge)?),
                _ => {}
            }
        }
        Ok(())
    });
    let credentials = outcomes(generate::any_credentials(), |value| {
        Authorization::parse(value).map(drop)
    });
    let infos = outcomes(generate::any_info(), |value| {
        AuthenticationInfo::parse([value]).map(drop)
    });
    for (outcomes, expected) in [
        (
            lists,
            "fine, ExpectedScheme, ExpectedName, ExpectedEquals, ExpectedValue, ExpectedComma, \
             UnclosedQuote, ControlByte, realm Missing, realm Repeated, nonce Missing, \
             nonce Repeated, algorithm Unsupported, algorithm Repeated, qop Unsupported, \
             charset Repeated",
        ),
        (
            credentials,
            "fine, ExpectedScheme, ExpectedName, ExpectedEquals, ExpectedValue, ExpectedComma, \
             ExpectedEnd, UnclosedQuote, ControlByte, token68 Malformed, token68 Missing, \
             username Missing, username Repeated, username Malformed, username* Inconsistent, \
             username* Malformed, response Malformed, algorithm Unsupported, nc Missing, \
             nc Malformed, qop Missing, qop Unsupported, userhash Malformed",
        ),
        (
            infos,
            "fine, ExpectedName, ExpectedEquals, ExpectedValue, ExpectedComma, UnclosedQuote, \
             ControlByte, nextnonce Repeated, rspauth Malformed, rspauth Missing, nc Malformed, \
             nc Missing, cnonce Missing, qop Unsupported, qop Repeated",
        ),
    ] {
        println!("{outcomes:?}");
        for outcome in expected.split(", ") {
            assert!(outcomes.contains_key(outcome), "never {outcome}");
        }
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
            Err(HeaderError::Syntax(error)) => format!("{:?}", error.kind()),
            Err(HeaderError::Param(error)) => format!("{} {:?}", error.name, error.problem),
            Err(other) => panic!("{other}"),
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    outcomes
}
