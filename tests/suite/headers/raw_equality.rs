//! Two challenges of any scheme are equal if their schemes, parameters and order are, whatever the
//! spelling.

use countersign::raw_challenges;

/// Each group is one challenge in several spellings.
const GROUPS: [&[&str]; 10] = [
    &["New", "nEW", "New "],
    &["Other"],
    &["New abc=", "new  abc="],
    &["Other abc="],
    &["New abd="],
    &["New a=b", "New A=\"b\"", "NEW , a = \"\\b\" ,"],
    &["Other a=b"],
    &["New a=b, c=d", "New\ta=b,c=\"d\""],
    &["New c=d, a=b"],
    &["New a=c, c=d"],
];

#[test]
fn equal_if_schemes_and_contents_are() {
    let groups = GROUPS.iter().enumerate();
    let all: Vec<_> = groups
        .flat_map(|(group, values)| values.iter().map(move |value| (group, *value)))
        .collect();
    for (group, value) in &all {
        for (other_group, other) in &all {
            let raw = raw_challenges([*value]).next().expect("one").expect(value);
            let other_raw = raw_challenges([*other]).next().expect("one").expect(other);
            assert_eq!(
                raw == other_raw,
                group == other_group,
                "{value} and {other}"
            );
        }
    }
}
