//! Header values to try the parsers on: right ones, nearly right ones, and noise.
//!
//! They are those of the package countersign-testing, by its source: the package itself would bring
//! the feature `std` in.

#[allow(dead_code)]
#[path = "../../stacks/countersign-testing/src/answer.rs"]
mod answer;
#[allow(dead_code)]
#[path = "../../stacks/countersign-testing/src/params.rs"]
mod params;
// The feature `proptest` is that package's.
#[allow(dead_code, unexpected_cfgs, unused_imports)]
#[path = "../../stacks/countersign-testing/src/values/mod.rs"]
mod values;

use arbitrary::Unstructured;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use self::values::{AuthenticationInfo, Authorization, Field, Quality, Value, WwwAuthenticate};

pub type Bytes = Vec<u8>;

fn values<F: Field>(quality: Quality) -> impl Strategy<Value = Bytes> + Clone {
    vec(any::<u8>(), 0..256).prop_map(move |choices| {
        let value = Value::<F>::generate(quality, &mut Unstructured::new(&choices));
        value.expect("it never fails").as_bytes().to_vec()
    })
}

fn of_any_quality<F: Field>() -> impl Strategy<Value = Bytes> + Clone {
    prop_oneof![
        3 => values::<F>(Quality::Valid),
        5 => values::<F>(Quality::NearlyValid),
        2 => values::<F>(Quality::Noise),
    ]
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = Bytes> + Clone {
    select(texts).prop_map(|text| text.as_bytes().to_vec())
}

/// A text that a header can carry.
pub fn text() -> impl Strategy<Value = Bytes> + Clone {
    let pieces = "a|realm|auth-int| |\t|,|=|\"|\\|, B x=y|'|/p?q|ä";
    let pieces = pieces.split('|').map(str::as_bytes);
    let pieces: Vec<_> = pieces.chain([&b"\x80"[..], b"\xff"]).collect();
    vec(select(pieces), 0..5).prop_map(|pieces| pieces.concat())
}

/// One challenge, or credentials of any scheme. Follows the grammar.
pub fn challenge() -> impl Strategy<Value = Bytes> + Clone {
    values::<Authorization>(Quality::Valid)
}

/// One challenge that is read, though perhaps it does not follow the grammar.
pub fn good_challenge() -> impl Strategy<Value = Bytes> + Clone {
    let loose = [
        "Basic realm=",
        "dIGEST nonce =\t, realm=@",
        "Digest a=b, nonce=YWJj==, realm=api@example.org",
        "A b=c, d=/, e=(a) ,,f = [<{?:}>]",
        "!x~ b=\"c\", d=, e==",
    ];
    prop_oneof![3 => challenge(), 1 => select(loose.to_vec()).prop_map(|it| it.as_bytes().to_vec())]
}

/// A list of challenges that are read.
pub fn challenges() -> impl Strategy<Value = Bytes> + Clone {
    let loose = (good_challenge(), values::<WwwAuthenticate>(Quality::Valid));
    prop_oneof![
        3 => values::<WwwAuthenticate>(Quality::Valid),
        1 => loose.prop_map(|(one, more)| [&one[..], &more].join(&b", "[..])),
    ]
}

/// Something that starts like a challenge, so that it is none of the challenge before it, is at
/// fault, and ends where a reader can see it: every quote in it is closed.
pub fn bad_challenge() -> impl Strategy<Value = Bytes> + Clone {
    one_of(&[
        // No comma, no name, no `=`.
        "Digest realm=a nonce=b, qop=auth",
        "A a=\"b\"\"c, D e=f\", g=h",
        "A \"b, C d=e\"",
        "A a=b, \"c\"",
        "Basic a=b, =c",
        "A a b=c",
        "Digest a b, c=/",
        // A value whose end is a guess.
        "A a=b, c=;",
        "A a=b, c=a;b, d=e",
        "Digest a= \\, realm=x",
        "A a=b, c=a\"b, C d=e\", f=g",
        "A a=/\u{e9}",
        "A a=b, c=@\"\"",
        // A control byte, in a quoted string and elsewhere.
        "A a=\"\0b\", c=d",
        "A a=\"x, B c=d, e\\\n\", f=/",
        "Basic realm=\"\\\x7f\"",
        "A a=\x7f",
        "A a=\r\n",
        // A scheme that ends with something else.
        "A@",
        "A\"b, c\"",
        "A;b=c",
        "A\x01",
    ])
}

/// Something that no challenge starts with.
pub fn no_challenge() -> impl Strategy<Value = Bytes> + Clone {
    one_of(&[
        "realm=\"a, B c=d\"",
        "a = b",
        "\"b\\\"c\"",
        "=",
        "=a",
        "@",
        "\\",
        "\x01",
        "\u{e9}",
        "a=",
        "a =",
        "(a)",
    ])
}

/// A value of any field, right or wrong.
pub fn any_value() -> impl Strategy<Value = Bytes> {
    prop_oneof![any_challenges(), any_credentials(), any_info()]
}

/// A value of `WWW-Authenticate`, right or wrong.
pub fn any_challenges() -> impl Strategy<Value = Bytes> {
    let parts = prop_oneof![good_challenge(), bad_challenge(), no_challenge()];
    let faulty = vec(parts, 1..4).prop_map(|parts| parts.join(&b", "[..]));
    prop_oneof![8 => of_any_quality::<WwwAuthenticate>(), 1 => faulty, 1 => challenges()]
}

/// A value of `Authorization`, right or wrong.
pub fn any_credentials() -> impl Strategy<Value = Bytes> {
    let more = one_of(&[
        ", username*=UTF-8''a",
        ", userhash=yes",
        ", userhash=\"FALSE\"",
        ", algorithm=SHA-512",
        ", response=a",
    ]);
    let with_more =
        (values::<Authorization>(Quality::Valid), more).prop_map(|it| [it.0, it.1].concat());
    prop_oneof![
        8 => of_any_quality::<Authorization>(),
        1 => with_more,
        1 => challenges(),
        1 => bad_challenge(),
    ]
}

/// A value of `Authentication-Info`, right or wrong.
pub fn any_info() -> impl Strategy<Value = Bytes> {
    of_any_quality::<AuthenticationInfo>()
}
