//! The library's parsers against the naive one, on the values of countersign-testing, whose own tests
//! see to it that they reach every outcome.

use proptest::prelude::*;

use crate::support::effort::cases;
use crate::support::{compare, generate};

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
