//! What a server offers, and what it refuses because it does not: schemes, algorithms, and the
//! words of its challenges.

use countersign::digest::{Algorithm, QopSet};
use countersign::server::{Realm, Reason};

use crate::support::server::{Answer, Challenges, Service, realm, texts};

#[test]
fn challenges_verbatim() {
    let nonce = Service::new(realm()).nonce();
    let challenges = |realm: Realm| Service::new(realm).challenges();

    let value = format!(
        r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#
    );
    let mut expected = vec![value.clone()];
    if cfg!(feature = "md5") {
        expected.push(value.replace("SHA-256", "MD5"));
    }
    assert_eq!(challenges(realm()), expected);

    let everything = realm()
        .with_algorithms(&[Algorithm::SHA_512_256_SESS])
        .with_qop(QopSet::BOTH)
        .with_opaque("o")
        .unwrap()
        .with_domain("/a http://b/")
        .unwrap()
        .with_userhash(true)
        .with_basic();
    let mut service = Service::new(everything.with_nonce_lifetime(1));
    let mut answer = service.answer();
    answer.algorithm = Algorithm::SHA_512_256_SESS;
    service.wait(2);
    let refusal = service.respond(answer.header(), &answer).unwrap_err();
    let digest = format!(
        "Digest realm=\"files\", qop=\"auth,auth-int\", algorithm=SHA-512-256-sess, \
         nonce=\"{}\", opaque=\"o\", domain=\"/a http://b/\", stale=true, charset=UTF-8, \
         userhash=true",
        refusal.nonce()
    );
    assert_eq!(
        texts(&refusal),
        [&digest, r#"Basic realm="files", charset="UTF-8""#]
    );

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
        // What lighttpd crashed at (CVE-2007-3946).
        "Basic =",
        "Basic A",
        "Basic A=",
        "Basic AA=",
        "Basic AAA==",
        "Basic A===",
        "Basic Og=====",
        "Basic +",
    ] {
        let refusal = service.respond(value, &request).unwrap_err();
        let why = refusal.reason;
        assert!(matches!(why, Reason::Header(_)), "{value}: {why}");
        // The client that reads the challenge gets in.
        assert_eq!(service.take(&Answer::to(&refusal.nonce())), Ok(()));
    }
}
