//! A challenge at fault hides no other one.

use countersign::{Challenge, HeaderError};
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

fn join(elements: &[(bool, Bytes)], commas: &[&str]) -> Bytes {
    let mut value = Bytes::new();
    for ((_, element), comma) in elements.iter().zip(commas) {
        if !value.is_empty() {
            value.extend_from_slice(comma.as_bytes());
        }
        value.extend_from_slice(element);
    }
    value
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn good_challenges_beside_bad_ones_in_one_value(
        elements in vec(
            prop_oneof![
                generate::good_challenge().prop_map(|one| (true, one)),
                generate::bad_challenge().prop_map(|one| (false, one)),
            ],
            1..6,
        ),
        commas in vec(comma(), 6),
    ) {
        let value = join(&elements, &commas);
        let good: Vec<_> = elements.iter().filter(|it| it.0).map(|it| &it.1).collect();
        let (read, bad) = read([&value]);
        prop_assert_eq!(read, expected(&good), "{}", value.escape_ascii());
        prop_assert_eq!(bad > 0, good.len() < elements.len());
    }

    #[test]
    fn good_challenges_beside_bad_ones_in_other_values(
        values in vec(
            prop_oneof![
                2 => generate::challenges().prop_map(|one| (true, one)),
                1 => generate::bad_challenge().prop_map(|one| (false, one)),
                1 => generate::no_challenge().prop_map(|one| (false, one)),
            ],
            1..5,
        ),
    ) {
        let good: Vec<_> = values.iter().filter(|it| it.0).map(|it| &it.1).collect();
        let (read, bad) = read(values.iter().map(|it| &it.1));
        prop_assert_eq!(read, expected(&good));
        prop_assert!(bad >= values.len() - good.len());
    }

    #[test]
    fn junk_before_the_first_scheme(
        nothing in vec(generate::no_challenge(), 1..3),
        comma in comma(),
        good in generate::good_challenge(),
    ) {
        let value = [nothing.join(comma.as_bytes()), good.clone()].join(comma.as_bytes());
        let (read, bad) = read([&value]);
        prop_assert_eq!(read, expected(&[&good]));
        prop_assert!((1..=nothing.len()).contains(&bad));
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
        ("A b=c d=e, Basic realm=x", "Basic realm=x"),
        (
            "A b=c, , d e=f, g=h i=j, k=l, Basic realm=x",
            "A b=c, Basic realm=x",
        ),
        ("A b=\"c\"d=\"e, f\", Basic realm=x", "Basic realm=x"),
        ("A b=\"\0, Basic realm=y\", Basic realm=x", "Basic realm=x"),
        (
            "A b=\"\\\0\\\", Basic realm=y\", Basic realm=x",
            "Basic realm=x",
        ),
        ("=, Basic realm=x, A @", "Basic realm=x"),
        ("A, =, Basic realm=x", "A, Basic realm=x"),
        (
            "a=x, Basic realm=x, A b=, @, B c",
            "Basic realm=x, A b=, B c",
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
        ("A \"b, c\", Negotiate", "Negotiate"),
        (
            "A b c, Negotiate , Basic realm=x",
            "Negotiate, Basic realm=x",
        ),
    ] {
        let found: Vec<_> = countersign::raw_challenges([value]).flatten().collect();
        let good: Vec<_> = countersign::raw_challenges([good]).flatten().collect();
        assert_eq!(found, good, "{value}");
    }
}

#[test]
fn typed_challenges_come_one_by_one_from_every_value() {
    let values = [
        "Digest realm=a, nonce=n, algorithm=FOO, Basic realm=b",
        "Basic a==, Digest realm=c",
        "@, X y=z",
    ];
    let mut challenges = countersign::challenges(values);
    let first = challenges.next().unwrap();
    let is_param = |error: &HeaderError| error.name().is_some();
    assert!(first.as_ref().is_err_and(is_param), "{first:?}");
    let read: Vec<_> = challenges.collect();
    let kinds: Vec<_> = read
        .iter()
        .map(|challenge| match challenge {
            Ok(Challenge::Basic { realm, .. }) => {
                format!("Basic {}", basic.realm.to_str().unwrap())
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(kinds.len(), 5, "{kinds:?}");
    assert_eq!(kinds[0], "Basic b");
    assert!(read[1].as_ref().is_err_and(is_param), "{kinds:?}");
    assert!(read[2].as_ref().is_err_and(is_param), "{kinds:?}");
    let is_syntax = |error: &HeaderError| error.position().is_some();
    assert!(read[3].as_ref().is_err_and(is_syntax), "{kinds:?}");
    assert!(matches!(read[4], Ok(Challenge::Other(_))), "{kinds:?}");
}

#[test]
fn typed_challenges_end_at_the_limit_as_the_others_do() {
    let value = "Basic realm=a, ".repeat(countersign::MAX_CHALLENGES + 2);
    let read: Vec<_> = countersign::challenges([&value]).collect();
    let (last, rest) = read.split_last().unwrap();
    assert_eq!(rest.len(), countersign::MAX_CHALLENGES);
    assert!(rest.iter().all(Result::is_ok));
    let last = last.as_ref().expect_err("one too many");
    assert_eq!(problem(last), "too many challenges");
}
