//! Writing and reading are each other's inverse, for every header and all that one can hold.

use proptest::prelude::*;

use crate::support::effort::cases;
use crate::support::generate;
use crate::support::round_trip;

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn built_headers_read_back(fields in generate::fields()) {
        round_trip::build(&fields);
    }

    #[test]
    fn values_round_trip(
        value in prop_oneof![
            generate::challenges(),
            generate::any_value(),
        ],
    ) {
        round_trip::read(&value);
    }
}
