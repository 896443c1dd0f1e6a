//! The generated header values are what they say they are.

use std::collections::{BTreeMap, HashSet};

use arbitrary::{Arbitrary, Unstructured};
use countersign::digest::{Ha1, Qop, User};
use countersign::{Challenge, EntityBody, HeaderError, Target, challenges, raw_challenges};
use countersign_testing::values::{
    AuthenticationInfo, Authorization, Field, PASSWORD, Quality, Value, WwwAuthenticate,
};

const COUNT: usize = 1000;

fn values<F: Field>(quality: Quality) -> impl Iterator<Item = Value<F>> {
    Value::seeded(quality, 1).take(COUNT)
}

/// Without the feature nobody knows MD5, which a missing algorithm means.
fn is_for_lack_of_md5(error: &HeaderError) -> bool {
    cfg!(not(feature = "md5")) && error.to_string().contains("algorithm")
}

#[test]
fn every_valid_challenge_list_is_read_in_full() {
    let mut schemes = BTreeMap::new();
    for value in values::<WwwAuthenticate>(Quality::Valid) {
        for challenge in challenges([&value]) {
            let scheme = match challenge {
                Ok(Challenge::Digest(_)) => "Digest",
                Ok(Challenge::Basic { .. }) => "Basic",
                Ok(_) => "other",
                Err(error) if is_for_lack_of_md5(&error) => "MD5",
                Err(error) => panic!("{error}: {value:?}"),
            };
            *schemes.entry(scheme).or_insert(0) += 1;
        }
        let plain: Result<Vec<_>, _> = raw_challenges([&value]).collect();
        assert!(matches!(plain.as_deref(), Ok([_, ..])), "{value:?}");
    }
    assert!(
        schemes.values().all(|&count| count > COUNT / 8),
        "{schemes:?}"
    );
}

#[test]
fn every_valid_answer_is_right_for_its_uri() {
    let mut digest = 0;
    for value in values::<Authorization>(Quality::Valid) {
        let credentials = match countersign::Authorization::parse(&value) {
            Ok(countersign::Authorization::Digest(credentials)) => credentials,
            Ok(_) => continue,
            Err(error) if is_for_lack_of_md5(&error) => continue,
            Err(error) => panic!("{error}: {value:?}"),
        };
        let (realm, uri) = (credentials.realm.to_bytes(), credentials.uri.to_bytes());
        // Names of hashed users are not told, so try all that occur.
        let names = match credentials.user() {
            User::Name(name) => vec![name.into_owned()],
            _ => [
                "Mufasa",
                "Jäsøn Doe",
                "a\"b\\c",
                "x y",
                "user@example.org",
                "",
            ]
            .map(str::to_owned)
            .to_vec(),
        };
        let target = Target::new("GET", &uri).with_body(EntityBody::Empty);
        let hash = credentials.algorithm().hash_function();
        let right = names.iter().any(|name| {
            let ha1 = Ha1::new(hash, &**name, &*realm, PASSWORD);
            credentials.expected_response(&ha1, &target) == Some(credentials.response)
        });
        assert!(right, "{value:?}");
        digest += 1;
    }
    assert!(digest > COUNT / 3, "{digest}");
}

#[test]
fn every_valid_info_is_read() {
    let mut proofs = 0;
    for value in values::<AuthenticationInfo>(Quality::Valid) {
        let info = countersign::wire::AuthenticationInfo::parse([&value]);
        let info = info.unwrap_or_else(|error| panic!("{error}: {value:?}"));
        assert!(info.rspauth.is_some() || info.nextnonce.is_some());
        proofs += usize::from(info.rspauth.is_some() && info.qop == Some(Qop::Auth));
    }
    assert!(proofs > COUNT / 4, "{proofs}");
}

/// Values of which all or none are read would test little.
#[test]
fn many_nearly_valid_values_are_refused_and_many_are_not() {
    fn refused<F: Field>(quality: Quality, read: impl Fn(&Value<F>) -> bool) -> usize {
        values(quality).filter(|value| !read(value)).count()
    }
    let list = |value: &Value<_>| challenges([value]).all(|one| one.is_ok());
    let answer = |value: &Value<_>| countersign::Authorization::parse(value).is_ok();
    let info = |value: &Value<_>| countersign::wire::AuthenticationInfo::parse([value]).is_ok();
    for (quality, percent) in [(Quality::NearlyValid, 25..=90), (Quality::Noise, 80..=100)] {
        let counts = [
            refused::<WwwAuthenticate>(quality, list),
            refused::<Authorization>(quality, answer),
            refused::<AuthenticationInfo>(quality, info),
        ];
        let percents = counts.map(|count| count * 100 / COUNT);
        let all = percents.iter().all(|it| percent.contains(it));
        assert!(all, "{quality:?}: {percents:?}");
    }
}

#[test]
fn values_differ_and_a_seed_repeats_them() {
    fn check<F: Field + PartialEq>() {
        for quality in Quality::ALL {
            let all: Vec<_> = values::<F>(quality)
                .map(|value| value.as_bytes().to_vec())
                .collect();
            let again: Vec<_> = values::<F>(quality)
                .map(|value| value.as_bytes().to_vec())
                .collect();
            assert_eq!(all, again);
            let other = Value::<F>::seeded(quality, 2).take(COUNT);
            assert!(other.zip(&all).any(|(other, one)| other.as_bytes() != one));
            let different: HashSet<_> = all.iter().collect();
            assert!(
                different.len() > COUNT / 3,
                "{quality:?}: {}",
                different.len()
            );
        }
    }
    check::<WwwAuthenticate>();
    check::<Authorization>();
    check::<AuthenticationInfo>();
}

/// Whoever stored a seed gets the value again: a change here is a change of the second number of
/// the version.
#[cfg(feature = "md5")]
#[test]
fn the_values_of_a_seed_are_these() {
    let first = |quality| Value::<WwwAuthenticate>::seeded(quality, 1).next().unwrap();
    let shown = Quality::ALL.map(|quality| format!("{:?}", first(quality)));
    let expected = [
        r#"Valid WWW-Authenticate: "Digest realm=\"a\",nonce=\"0 1\", algorithm=SHA-256-sess, qoP= \"auth,auth-\\int\"\t,\tdomain\t=\"/\"""#,
        r#"NearlyValid WWW-Authenticate: "Digest  qOp=\"auth,auth-int\",realm= \"a\"\t,\tnonce\t=\"0 1\" , ,nonce =\"0\x1f 1\" ,A:GORITHM=SHA-256-sess , ,domain=\"/\"""#,
        r#"Noise WWW-Authenticate: "rspauth=\r\n\xff\x8eauthresponse=00000001\x06realm=a\t\\UTF-8\'\'%C3%A4""#,
    ];
    assert_eq!(shown, expected);
}

/// A fuzzer's empty and short inputs are plain values, not errors.
#[test]
fn any_bytes_make_a_value() {
    for bytes in [&b""[..], b"a", b"\xff\xff\xff", &[0xff; 300]] {
        let value = Value::<Authorization>::arbitrary(&mut Unstructured::new(bytes));
        assert!(value.is_ok());
    }
    let plain = Value::<WwwAuthenticate>::generate(Quality::Valid, &mut Unstructured::new(b""));
    assert!(raw_challenges([&plain.unwrap()]).all(|one| one.is_ok()));
}

#[cfg(feature = "proptest")]
mod strategies {
    use countersign_testing::values::{Quality, Value, WwwAuthenticate, strategy};
    use proptest::prelude::*;
    use proptest::test_runner::{TestError, TestRunner};

    /// A failure is shown by a value that has little else in it.
    #[test]
    fn values_shrink() {
        let mut runner = TestRunner::deterministic();
        let has_domain = |value: &Value<WwwAuthenticate>| {
            let domain = b"domain=";
            value
                .as_bytes()
                .windows(domain.len())
                .any(|part| part == domain)
        };
        let result = runner.run(&strategy::<WwwAuthenticate>(Quality::Valid), |value| {
            prop_assert!(!has_domain(&value));
            Ok(())
        });
        let Err(TestError::Fail(_, value)) = result else {
            panic!("{result:?}");
        };
        assert!(
            has_domain(&value) && value.as_bytes().len() < 140,
            "{value:?}"
        );
    }

    proptest! {
        #[test]
        fn qualities_are_as_asked_for(value in any_with::<Value<WwwAuthenticate>>(Some(Quality::Noise))) {
            prop_assert_eq!(value.quality(), Quality::Noise);
        }
    }
}
