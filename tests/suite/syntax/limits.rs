//! Each limit: what is at it is read, and what is one over it is refused as that.

use countersign::wire::AuthenticationInfo;
use countersign::{Authorization, HeaderError, MAX_CHALLENGES, MAX_VALUE_BYTES, raw_challenges};

use crate::support::errors::syntax;

const VALUE_TOO_LONG: &str = "header value too long";
const TOO_MANY_CHALLENGES: &str = "too many challenges";

type Read = fn(&str) -> Option<HeaderError>;

/// What takes parameters, behind what, and the first error of a value.
const READERS: [(&str, Read); 3] = [
    ("A ", |it| raw_challenges([it]).find_map(Result::err)),
    ("A ", |it| Authorization::parse(it).err()),
    ("", |it| AuthenticationInfo::parse([it]).err()),
];

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
    for (start, read) in READERS {
        let content = "c".repeat(MAX_VALUE_BYTES - start.len() - 4);
        let at_limit = format!("{start}b=\"{content}\"");
        assert_eq!(read(&at_limit), None);
        let error = read(&[" ", &at_limit].concat()).and_then(syntax);
        assert_eq!(error, Some((VALUE_TOO_LONG, MAX_VALUE_BYTES)));
    }
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
        let error = syntax(all[MAX_CHALLENGES].unwrap_err());
        assert_eq!(error, Some((TOO_MANY_CHALLENGES, at_limit.len() + 1)));
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
