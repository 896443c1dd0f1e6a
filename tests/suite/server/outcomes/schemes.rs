//! What a server offers, and what it refuses because it does not: schemes, algorithms, and the
//! words of its challenges.

use countersign::digest::{Algorithm, QopSet};
use countersign::server::{Realm, Reason};
use countersign::{Channel, Target};

use super::reasons::{name, with_basic};
use crate::support::server::{
    Answer, PASSWORD, Service, USER, Why, digest_challenge, realm, texts,
};

#[test]
fn basic_needs_a_confidential_channel() {
    use Channel::{Cleartext, Encrypted};
    let header = crate::support::basic_header(USER, PASSWORD);
    let (not_offered, cleartext) = (Some("SchemeNotOffered"), Some("CleartextBasic"));
    for (basic, channel, outcome, challenges) in [
        (None, Encrypted, not_offered, 0),
        (None, Cleartext, not_offered, 0),
        (Some(Encrypted), Encrypted, None, 1),
        (Some(Encrypted), Cleartext, cleartext, 0),
        (Some(Cleartext), Encrypted, None, 1),
        (Some(Cleartext), Cleartext, None, 1),
    ] {
        let mut service = Service::new(with_basic(realm(), basic));
        service.channel = channel;
        let target = Target::new("GET", "/");
        // Before it is decoded: what is no base64 is refused for the same reason.
        for value in [&*header, "Basic !!!!", "Basic", "basic realm=x", "BASIC ="] {
            let attempt = service.begin(value, &target).why();
            let reason = attempt.err().map(|reason| name(&reason));
            let expected = outcome.or_else(|| (value != header).then_some("Header"));
            assert_eq!(reason, expected, "{value} {channel:?}");
        }
        let values = service.challenges();
        let (basic, digest): (Vec<_>, Vec<_>) =
            values.iter().partition(|value| value.starts_with("Basic "));
        assert_eq!(basic.len(), challenges);
        assert_eq!(digest.len(), realm_algorithms());
    }
}

/// How many algorithms are offered by default.
const fn realm_algorithms() -> usize {
    if cfg!(feature = "md5") { 2 } else { 1 }
}

#[test]
fn challenges_verbatim() {
    let nonce = Service::new(realm()).nonce();
    let md5 = |value: &str| {
        let value = value.replace("SHA-256", "MD5");
        cfg!(feature = "md5").then_some(value)
    };
    // Those of a nonce that has expired and of the 401 after it differ in the time they carry.
    let expired = |realm: Realm| {
        let mut service = Service::new(realm.with_nonce_lifetime(1));
        let mut answer = service.answer();
        answer.algorithm = Algorithm::SHA_512_256_SESS;
        service.wait(2);
        let refused = service.respond(answer.header(), &answer).unwrap_err();
        assert_eq!(refused.why, Reason::NonceExpired);
        (texts(&refused.refusal), refused.nonce())
    };
    let challenges = |realm: Realm| Service::new(realm).challenges();

    let value = format!(
        r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#
    );
    let mut expected = vec![value.clone()];
    expected.extend(md5(&value));
    let values = challenges(realm());
    assert_eq!(values, expected);

    let everything = realm()
        .with_algorithms(&[Algorithm::SHA_512_256_SESS])
        .with_qop(QopSet::BOTH)
        .with_opaque("o")
        .unwrap()
        .with_domain("/a http://b/")
        .unwrap()
        .with_userhash(true)
        .with_basic();
    let (values, nonce_after) = expired(everything);
    let digest = format!(
        "Digest realm=\"files\", qop=\"auth,auth-int\", algorithm=SHA-512-256-sess, \
         nonce=\"{nonce_after}\", opaque=\"o\", domain=\"/a http://b/\", stale=true, charset=UTF-8, \
         userhash=true"
    );
    let basic = r#"Basic realm="files", charset="UTF-8""#;
    assert_eq!(values, [&digest, basic]);

    let legacy = realm()
        .with_qop(QopSet::NONE)
        .with_algorithms(&[Algorithm::SHA_256]);
    let values = challenges(legacy);
    let digest =
        format!(r#"Digest realm="files", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#);
    assert_eq!(values, [digest]);

    let silent = realm()
        .with_charset(false)
        .with_algorithms(&[Algorithm::SHA_256]);
    let digest = format!(r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="{nonce}""#);
    assert_eq!(
        challenges(silent.with_basic()),
        [&*digest, r#"Basic realm="files""#]
    );

    let nothing = realm().with_algorithms(&[]);
    assert!(challenges(nothing).is_empty());
}

#[test]
fn algorithms_are_offered_in_the_order_given_with_one_nonce() {
    let mut reversed = Algorithm::ALL.to_vec();
    reversed.reverse();
    for algorithms in [Algorithm::ALL, &reversed] {
        let service = Service::new(realm().with_algorithms(algorithms));
        let values = service.challenges();
        let read: Vec<_> = values.iter().map(|value| digest_challenge(value)).collect();
        assert!(
            read.iter()
                .map(|it| it.algorithm())
                .eq(algorithms.iter().copied())
        );
        assert!(read.iter().all(|it| it.nonce == read[0].nonce));
        // Counts are kept for each HA1, and so for each hash function.
        let nonce = read[0].nonce.to_str().unwrap();
        let mut used = Vec::new();
        for (index, &algorithm) in algorithms.iter().enumerate() {
            let mut answer = Answer::to(&nonce);
            answer.algorithm = algorithm;
            let first = if used.contains(&algorithm.hash_function()) {
                Err(Reason::Replayed)
            } else {
                Ok(())
            };
            used.push(algorithm.hash_function());
            assert_eq!(service.take(&answer), first, "{algorithm}");
            let next = u32::try_from(index).unwrap() + 2;
            assert_eq!(service.take(&answer.counted(next)), Ok(()), "{algorithm}");
        }
    }
}

/// RFC 9110, section 11.4. Apache and nginx do so for each of these: a browser keeps a pair that got
/// 400, and sends it until it is restarted; a client that sends the second was never challenged.
#[test]
fn credentials_that_cannot_be_read_are_challenged_and_are_no_guess() {
    let service = Service::new(realm().with_basic());
    let request = service.answer();
    for value in [
        "",
        "Digest",
        r#"Digest username="admin", uri="/", response="0123", algorithm=MD5"#,
        "Digest qop=,",
        r#"Digest username="a"#,
        "Basic",
        "Basic ",
        "Basic admin:secret",
        "Basic YWRtaW46c2VjcmV0CQ==",
        "Basic YWRtaW46c2VjcmV0Cg==",
        "Basic YWRtaW4=",
        "Basic dTpw, Basic dTpw",
    ] {
        let refused = service.respond(value, &request).unwrap_err();
        assert!(
            matches!(refused.why, Reason::Header(_)),
            "{value}: {}",
            refused.why
        );
        assert_eq!(
            (refused.refusal.status, refused.is_stale()),
            (401, false),
            "{value}"
        );
        assert!(!refused.why.is_guess(), "{value}");
        // The client that reads the challenge gets in.
        assert_eq!(service.take(&Answer::to(&refused.nonce())), Ok(()));
    }
}
