//! A header that was read and written again reads the same. What can be built of texts is in
//! `control_bytes`.

use proptest::prelude::*;

use crate::support::effort::cases;
use crate::support::generate;
use crate::support::round_trip;

proptest! {
    #![proptest_config(cases(10_000))]

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
