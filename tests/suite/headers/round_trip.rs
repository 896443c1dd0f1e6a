//! Writing and reading are each other's inverse, for every header and all that one can hold.

use countersign::wire::DigestChallenge;
use countersign::{Authorization, raw_challenges};
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

/// The parts of a header that a reader has no use for are left out, and no others.
#[test]
fn examples() {
    const HEX: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    for (value, written) in [
        ("a", "a"),
        ("A \t b==", "A b=="),
        ("A ,, b = c ,d=\"\\e\\\"\" ,,", "A b=c, d=\"e\\\"\""),
        ("A b=\"c\"", "A b=\"c\""),
        ("basic YTpi", "Basic YTpi"),
        ("Basic YTo", "Basic YTo="),
        (
            &format!(
                "digest response={HEX}, username*=utf-8'en'%61%c3%A4, uri=*, nonce=a,realm=b, \
                 algorithm=\"sha-256\", other=c, qop=\"AUTH\", cnonce=\"d\", nc=\"1\", \
                 userhash=false, opaque=e"
            ),
            &format!(
                "Digest username*=UTF-8''a%C3%A4, realm=\"b\", nonce=\"a\", uri=\"*\", \
                 algorithm=sha-256, qop=AUTH, nc=1, cnonce=\"d\", opaque=\"e\", \
                 response=\"{HEX}\""
            ),
        ),
    ] {
        let read = Authorization::parse(value).expect("a right one");
        let again = String::from_utf8(read.to_field_value().into()).expect("UTF-8");
        assert_eq!(again, written);
        round_trip::read(value.as_bytes());
    }
}

/// That a challenge speaks of hashed names shows a client what the server can read, so it is written
/// again even where it says that there are none.
#[test]
fn userhash_false_is_kept() {
    let read = |value: &str| {
        let generic = raw_challenges([value]).next();
        let generic = generic.expect("one").expect("a right one");
        let read = DigestChallenge::try_from(generic).expect("a right one");
        String::from_utf8(read.to_field_value().into()).expect("UTF-8")
    };
    let start = r#"Digest realm="r", algorithm=SHA-256, nonce="n""#;
    for (userhash, written) in [
        (", userhash=TRUE", ", userhash=true"),
        (", userhash=\"False\"", ", userhash=false"),
        (", userhash=maybe", ""),
        ("", ""),
    ] {
        let once = read(&(start.to_owned() + userhash));
        assert_eq!(once, start.to_owned() + written);
        assert_eq!(read(&once), once);
    }
}
