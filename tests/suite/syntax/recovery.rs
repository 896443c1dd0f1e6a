//! A challenge at fault hides no other one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::effort::cases;
use crate::support::errors::problem;
use crate::support::generate::{self, Bytes};
use crate::support::{compare, naive};

/// The challenges that were read, and how many were refused.
fn read<'a>(values: impl IntoIterator<Item = &'a Bytes>) -> (Vec<naive::Challenge>, usize) {
    let mut good = Vec::new();
    let mut bad = 0;
    for challenge in countersign::raw_challenges(values) {
        match challenge {
            Ok(challenge) => good.push(compare::plain(&challenge)),
            Err(_) => bad += 1,
        }
    }
    (good, bad)
}

/// What reading `good` must give.
fn expected(good: &[&Bytes]) -> Vec<naive::Challenge> {
    good.iter()
        .flat_map(|one| naive::challenges(one).expect("a right one"))
        .collect()
}

fn comma() -> impl Strategy<Value = &'static str> + Clone {
    select(&[", ", ",", " ,", ",\t", ",, "][..])
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn good_challenges_beside_bad_ones(
        values in vec(
            (
                // Before the first scheme only: behind it they may be parameters.
                vec(generate::no_challenge(), 0..3),
                vec(
                    prop_oneof![
                        3 => generate::good_challenge().prop_map(|one| (true, one)),
                        1 => generate::challenges().prop_map(|some| (true, some)),
                        3 => generate::bad_challenge().prop_map(|one| (false, one)),
                    ],
                    0..5,
                ),
            ),
            1..4,
        ),
        comma in comma(),
    ) {
        let elements = || values.iter().flat_map(|(_, elements)| elements);
        let good: Vec<_> = elements().filter(|it| it.0).map(|it| &it.1).collect();
        let nothings = values.iter().map(|(nothing, _)| nothing.len()).sum::<usize>();
        let faults = nothings + elements().count() - good.len();
        let joined: Vec<_> = values.iter().map(|(nothing, elements)| {
            let all = nothing.iter().chain(elements.iter().map(|it| &it.1));
            all.cloned().collect::<Vec<_>>().join(comma.as_bytes())
        }).collect();
        let (read, bad) = read(&joined);
        prop_assert_eq!(read, expected(&good));
        prop_assert_eq!(bad > 0, faults > 0);
        // A value that is at fault counts once at least.
        let faulty = values.iter().filter(|(nothing, elements)| {
            !nothing.is_empty() || elements.iter().any(|it| !it.0)
        });
        prop_assert!(bad >= faulty.count());
    }

    #[test]
    fn an_unclosed_quote_hides_only_the_rest_of_its_value(
        before in generate::good_challenge(),
        comma in comma(),
        hidden in generate::text(),
        after in generate::challenges(),
    ) {
        let unclosed = format!("A b=c, d=\"{}", hidden.escape_ascii());
        let value = [before.as_slice(), comma.as_bytes(), unclosed.as_bytes()].concat();
        let (found, bad) = read([&value, &after]);
        prop_assert_eq!(found, expected(&[&before, &after]));
        prop_assert_eq!(bad, 1);
        let last = countersign::raw_challenges([&value]).last();
        let kind = last.and_then(Result::err).map(|error| problem(&error));
        prop_assert_eq!(kind, Some("quoted string without a closing quote"));
    }
}

#[test]
fn examples() {
    for (value, good) in [
        (
            "A b=c, , d e=f, g=h i=j, k=l, Basic realm=x",
            "A b=c, Basic realm=x",
        ),
        // What is read of a value without quotes ends with its challenge, and so does a fault in it.
        (
            "Basic realm=, A b=c/d, e==;f, g=h, Digest realm=@, nonce=a==, B c",
            "Basic realm=\"\", Digest realm=\"@\", nonce=\"a==\", B c",
        ),
        (
            "A b=/\"c, Basic realm=y\", Basic realm=a/b",
            "Basic realm=\"a/b\"",
        ),
        (
            "Digest realm=, nonce=a\\, opaque=, Basic realm=, x=/",
            "Basic realm=\"\", x=\"/\"",
        ),
    ] {
        let found: Vec<_> = countersign::raw_challenges([value]).flatten().collect();
        let good: Vec<_> = countersign::raw_challenges([good]).flatten().collect();
        assert_eq!(found, good, "{value}");
    }
}
