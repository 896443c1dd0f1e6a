//! Each limit: what is at it is read, and what is one over it is refused as that.

use countersign::wire::AuthenticationInfo;
use countersign::{
    Authorization, HeaderError, MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES, raw_challenges,
};

use crate::support::errors::{problem, syntax};

const VALUE_TOO_LONG: &str = "header value too long";
const TOO_MANY_CHALLENGES: &str = "too many challenges";

/// The first error of a value, in each of the three parsers that take it for a list of parameters
/// behind `prefix`.
fn errors(params: &str) -> [Option<(&'static str, usize)>; 3] {
    let of = |error: HeaderError, prefix: &str| {
        let (problem, at) = syntax(error).expect("a syntax error");
        (problem, at - prefix.len())
    };
    let prefix = "A ";
    let value = format!("{prefix}{params}");
    let challenge = raw_challenges([&value]).find_map(Result::err);
    [
        challenge.map(|error| of(error, prefix)),
        Authorization::parse(&value)
            .err()
            .map(|error| of(error, prefix)),
        AuthenticationInfo::parse([params])
            .err()
            .map(|error| of(error, "")),
    ]
}

#[test]
fn bytes_of_a_value() {
    for fill in [" ", ",", "\t, "] {
        for start in ["A", "A b=c ", ""] {
            let mut value = start.to_owned();
            value.push_str(&fill.repeat(MAX_VALUE_BYTES));
            value.truncate(MAX_VALUE_BYTES);
            assert!(raw_challenges([&value]).all(|challenge| challenge.is_ok()));
            value.push(' ');
            let all: Vec<_> = raw_challenges([value.as_str(), "B"]).collect();
            let [Err(error), Ok(_)] = all.as_slice() else {
                panic!("{all:?}")
            };
            assert_eq!(syntax(*error), Some((VALUE_TOO_LONG, MAX_VALUE_BYTES)));
        }
    }
}

#[test]
fn bytes_of_one_text() {
    let value = |length| format!("A b=\"{}\"", "c".repeat(length - 6));
    let at_limit = value(MAX_VALUE_BYTES);
    let over = value(MAX_VALUE_BYTES + 1);
    let expected = Some((VALUE_TOO_LONG, MAX_VALUE_BYTES));

    let challenge = raw_challenges([&at_limit]).next().unwrap().unwrap();
    assert_eq!(
        challenge.param("b").unwrap().raw().len(),
        MAX_VALUE_BYTES - 6
    );
    let error = raw_challenges([&over]).next().unwrap().unwrap_err();
    assert_eq!(syntax(error), expected);

    assert!(Authorization::parse(&at_limit).is_ok());
    let error = Authorization::parse(&over).unwrap_err();
    assert_eq!(syntax(error), expected);

    assert!(AuthenticationInfo::parse([&at_limit[2..]]).is_ok());
    let error = AuthenticationInfo::parse([format!("  {}", &over[2..])].iter()).unwrap_err();
    assert_eq!(syntax(error), expected);
}

#[test]
fn parameters_of_a_challenge() {
    for one in ["b=c, ", "b = \"\\c,\" ,", "$=$,"] {
        let at_limit = one.repeat(MAX_PARAMS);
        assert_eq!(errors(&at_limit), [None; 3]);
        let over = Some(("too many parameters", at_limit.len()));
        assert_eq!(errors(&format!("{at_limit}d=e, f=g")), [over; 3]);
    }
}

/// Those over the limit are given up with their challenge, and only those.
#[test]
fn a_challenge_behind_too_many_params_is_read() {
    let value = format!("A {} B", "b=\"c, C\", ".repeat(MAX_PARAMS + 2));
    let all: Vec<_> = raw_challenges([&value]).collect();
    let [Err(error), Ok(after)] = all.as_slice() else {
        panic!("{all:?}")
    };
    assert_eq!(problem(error), "too many parameters");
    assert_eq!(after.scheme_name(), "B");
}

#[test]
fn each_challenge_has_its_own_params() {
    let one = format!("A {}", "b=c,".repeat(MAX_PARAMS));
    let value = [one.as_str(), &one, &one].concat();
    let all: Vec<_> = raw_challenges([&value]).collect();
    assert_eq!(all.len(), 3);
    assert!(
        all.iter()
            .all(|one| one.as_ref().unwrap().params().count() == MAX_PARAMS)
    );
}

#[test]
fn challenges_of_a_value() {
    for one in ["A,", "A b, ", "A b=\"c\" ,,"] {
        let at_limit = one.repeat(MAX_CHALLENGES);
        assert_eq!(
            raw_challenges([&at_limit]).flatten().count(),
            MAX_CHALLENGES
        );
        let over = format!("{at_limit} B, C");
        let all: Vec<_> = raw_challenges([over.as_str(), "D"]).collect();
        assert_eq!(all.len(), MAX_CHALLENGES + 1);
        let error = all[MAX_CHALLENGES].unwrap_err();
        assert_eq!(
            syntax(error),
            Some((TOO_MANY_CHALLENGES, at_limit.len() + 1))
        );
    }
}

/// The limit is one for all values of a field, and counts those at fault, too.
#[test]
fn challenges_across_values() {
    let values = vec!["A b c"; MAX_CHALLENGES - 1];
    let all = values.iter().copied().chain(["B", " C", "D"]);
    let mut found = raw_challenges(all).skip(values.len());
    assert_eq!(found.next().unwrap().unwrap().scheme_name(), "B");
    let error = found.next().unwrap().unwrap_err();
    assert_eq!(syntax(error), Some((TOO_MANY_CHALLENGES, 1)));
    assert!(found.next().is_none());
    assert!(found.next().is_none());
}
