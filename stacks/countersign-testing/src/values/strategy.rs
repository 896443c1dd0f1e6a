//! Strategies for proptest.

use arbitrary::Unstructured;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{CHOICES, Field, Quality, Value};

/// Values of one quality. They shrink to fewer and plainer parameters.
pub fn strategy<F: Field>(quality: Quality) -> impl Strategy<Value = Value<F>> {
    vec(any::<u8>(), 0..CHOICES / 2).prop_filter_map("always succeeds", move |choices| {
        Value::generate(quality, &mut Unstructured::new(&choices)).ok()
    })
}

/// Makes values of any quality, or of the one given as parameter.
impl<F: Field> Arbitrary for Value<F> {
    type Parameters = Option<Quality>;
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with(quality: Option<Quality>) -> BoxedStrategy<Self> {
        match quality {
            Some(quality) => strategy(quality).boxed(),
            None => prop_oneof![
                strategy(Quality::Valid),
                strategy(Quality::NearlyValid),
                strategy(Quality::Noise),
            ]
            .boxed(),
        }
    }
}
