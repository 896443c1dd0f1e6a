//! What went wrong in other servers, a test each, named after the advisory, the commit or the
//! issue.
//!
//! These are held by other files:
//!
//! - CVE-2026-73637 (httpd: an entry was used after another thread had freed it):
//!   `server_concurrency.rs`;
//! - CVE-2026-33006, 3c2c49fd and 0e749c1c (httpd, Tomcat, lighttpd: the time of a comparison told
//!   how much of it was right), and cakephp#12472, elytron#1770 (no work for unknown users):
//!   `server_constant_work.rs`, and here that what differs is refused;
//! - dd9c744d (Tomcat: a window off by one): `server_model.rs`, and the edges here;
//! - bounded tables that plain requests flood, and tables that grow (httpd, libmicrohttpd,
//!   Tomcat, Jetty, Squid): `server_flood.rs`;
//! - CVE-2020-8492 (CPython), aiohttp and requests_kerberos#145 (regular expressions that take
//!   quadratic time): `linear.rs`;
//! - CVE-2025-32910, CVE-2025-32912 and CVE-2025-4476 (libsoup) as far as challenges go, curl test
//!   3221, 2a2a2e5d: `client_threats.rs`, and here their counterparts in credentials.
//!
//! These concern clients alone: CVE-2008-3746 (neon: junk in `domain`); CVE-2018-1000007,
//! CVE-2022-27774, CVE-2022-27776, CVE-2026-7168, CVE-2026-8927, CVE-2026-3784, 5c6b4880, 7ec25148
//! and 6daf4bc7 (curl: credentials and state that went to another origin), httpx and icholy (the
//! same); be9c873a (curl), hoppscotch#6148 (endless retry); a2b943b1 (curl: line breaks in a user
//! name that is sent); tropel#328 (a cached HA1 of another realm: a server is given the HA1 with
//! each request and keeps none).

mod support;

use std::collections::HashSet;

use countersign::digest::{Algorithm, Ha1, HashFunction, QopSet, User, userhash};
use countersign::server::{BasicOffer, NonceKey, Realm, Rejection, RejectionClass, UriCheck};
use countersign::{
    HeaderError, InvalidText, MAX_PARAMS, MAX_VALUE_BYTES, ParamError, ParamName, ParamProblem,
    ParseErrorKind, Target,
};
use support::server::{
    Answer, PASSWORD, Params, REALM, Seeded, Service, USER, Why, digest_challenge, ha1, nonce_key,
    nonces, quoted, realm, texts,
};

const REFUSED: Result<(), Rejection> = Err(Rejection::WrongCredentials);
const REPLAYED: Result<(), Rejection> = Err(Rejection::Replayed);
const FOREIGN: Result<(), Rejection> = Err(Rejection::NonceForeign);

fn service() -> Service {
    Service::new(realm())
}

fn param_error(outcome: Result<(), Rejection>) -> Option<(ParamName, ParamProblem)> {
    match outcome {
        Err(Rejection::Header(HeaderError::Param(ParamError { name, problem, .. }))) => {
            Some((name, problem))
        }
        _ => None,
    }
}

fn syntax_error(outcome: Result<(), Rejection>) -> Option<ParseErrorKind> {
    match outcome {
        Err(Rejection::Header(HeaderError::Syntax(error))) => Some(error.kind()),
        _ => None,
    }
}

fn is_forgotten(outcome: Result<(), Rejection>) -> bool {
    matches!(outcome, Err(Rejection::NonceForgotten { .. }))
}

/// httpd, and in the source of libmicrohttpd, Tomcat, Jetty and Kamailio: the count was taken
/// before the response was compared, so anyone could use up the counts of others.
#[test]
fn cve_2026_48005_a_forged_header_burns_no_count() {
    let service = service();
    let answer = service.answer();
    for nc in [1, 2, u32::MAX] {
        let forged = answer.counted(nc).params();
        let forged = forged.with("response", quoted(&"0".repeat(64)));
        let outcome = service.take_header(forged.to_string(), &answer);
        assert_eq!(outcome, REFUSED);
    }
    assert!(service.len() == 0);
    assert_eq!(service.take(&answer), Ok(()));
    assert_eq!(service.take(&answer.counted(2)), Ok(()));
}

/// httpd: a nonce good for one use was good again when its entry had made room for others.
#[test]
fn cve_2026_73636_what_is_forgotten_is_not_fresh() {
    for (server, qop) in [
        (realm(), Some("auth")),
        (realm().with_one_time_nonces(true), Some("auth")),
        (realm().with_rfc2069(true), None),
    ] {
        let mut service = Service::new(server).with_capacity(4);
        let mut answer = service.answer();
        answer.qop = qop;
        assert_eq!(service.take(&answer), Ok(()));
        for _ in 0..4 {
            assert_eq!(service.take(&answer), REPLAYED);
            service.now = service.now.plus_millis(1);
            let other = service.answer();
            assert_eq!(service.take(&other), Ok(()));
        }
        for nc in [1, 2, 100, u32::MAX] {
            let again = answer.counted(nc);
            let refused = service.respond(again.header(), &again).unwrap_err();
            assert!(is_forgotten(Err(refused.why)), "{refused:?}");
            assert!(refused.is_stale());
        }
    }
}

/// httpd, Tomcat and lighttpd compared byte by byte up to the first that differed. Here: whatever
/// digit differs, the comparison sees it.
#[test]
fn cve_2026_33006_every_digit_of_response_and_nonce_counts() {
    let service = service();
    let answer = service.answer();
    let right = answer.response();
    for (at, digit) in right.as_str().char_indices() {
        let other = if digit == '0' { '1' } else { '0' };
        let mut wrong = right.as_str().to_owned();
        wrong.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
        let header = answer.params().with("response", quoted(&wrong));
        let outcome = service.take_header(header.to_string(), &answer);
        assert_eq!(outcome, REFUSED, "{at}");
    }
    // The whole nonce is under the MAC, or is it.
    for (at, letter) in answer.nonce.char_indices() {
        let mut spoilt = answer.clone();
        let other = if letter == 'A' { "B" } else { "A" };
        spoilt.nonce.replace_range(at..=at, other);
        assert_eq!(service.take(&spoilt), FOREIGN, "{at}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// cakephp#12472, elytron#1770: no work was done for a user who did not exist. Where it is done
/// with a secret that stands in for the missing one, that must open no door.
#[test]
fn elytron_1770_what_stands_in_for_an_unknown_user_is_no_secret() {
    let service = service();
    for digits in ["0", "f"] {
        let stand_in = Ha1::from_hex(HashFunction::Sha256, &digits.repeat(64)).unwrap();
        let mut answer = service.answer();
        answer.user = "nobody".to_owned();
        let header = answer.header();
        let target = answer.target();
        let expected = match countersign::Authorization::parse(&header) {
            Ok(countersign::Authorization::Digest(read)) => {
                read.expected_response(&stand_in, &target).unwrap()
            }
            other => panic!("{other:?}"),
        };
        let header = answer.params().with("response", quoted(expected.as_str()));
        let outcome = service.take_header(header.to_string(), &answer);
        assert_eq!(outcome, REFUSED);
    }
}

/// httpd: nonces were made without a secret in some configurations, so those of one server were
/// good on another. Here a key must be given.
#[test]
fn cve_2018_1312_two_servers_two_keys() {
    let one = service();
    let other = service().with_key(nonce_key(2));
    let answer = one.answer();
    assert_eq!(other.take(&answer), FOREIGN);
    assert_eq!(one.take(&answer), Ok(()));

    // Nor does one key make the same nonces for two realms.
    let another_realm = Service::new(Realm::new("other").unwrap());
    let answer = another_realm.answer();
    assert_eq!(one.take(&answer), FOREIGN);
}

/// lighttpd: the check of the nonce was no check until 2024, which no test with the right key
/// could see.
#[test]
fn lighttpd_3bc0bc2f_every_other_key_fails() {
    let service = service();
    let answer = service.answer();
    for bit in 0..256 {
        let mut key = [1; 32];
        key[bit / 8] ^= 1 << (bit % 8);
        let other = self::service().with_key(NonceKey::from_bytes(key));
        assert_eq!(other.take(&answer), FOREIGN, "bit {bit}");
        // Not even as the previous one, which is for nonces of its own.
        other.nonces.borrow_mut().rotate(&realm(), nonce_key(2));
        assert_eq!(other.take(&answer), FOREIGN, "bit {bit}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// httpd: HA1 was kept in the configuration that requests share, so of two at a time one could
/// become the other.
#[test]
fn cve_2019_0217_two_attempts_interleaved() {
    let service = service();
    let lion = service.answer();
    let mut boar = service.answer();
    boar.user = "Pumbaa".to_owned();
    boar.password = "Hakuna Matata".to_owned();
    let boars = Ha1::new(HashFunction::Sha256, &boar.user, REALM, &boar.password);
    let lions = ha1(HashFunction::Sha256);

    let (header, other) = (lion.header(), boar.header());
    let target = lion.target();
    let first = service.begin(&header, &target);
    let second = service.begin(&other, &target);
    let (first, second) = (first.unwrap(), second.unwrap());
    assert!(first.clone().verify(Some(&boars)).is_err());
    assert!(second.clone().verify(Some(&lions)).is_err());
    let second = second.verify(Some(&boars)).unwrap();
    let first = first.verify(Some(&lions)).unwrap();
    let mut nonces = nonces(&service.realm, 2);
    let second = nonces.admit(second).unwrap();
    let first = nonces.admit(first).unwrap();
    assert_eq!(first.claimed_user().name(), Some(USER));
    assert_eq!(*first.account(), &lions);
    assert_eq!(second.claimed_user().name(), Some("Pumbaa"));
    assert_eq!(*second.account(), &boars);
}

/// httpd: a name without a value got the value of the parameter before it.
#[test]
fn cve_2017_9788_a_name_without_a_value() {
    let service = service();
    let answer = service.answer();
    for header in ["Digest a=b, realm", "Digest a=b, realm=", "Digest a=b, =c"] {
        let outcome = service.take_header(header, &answer);
        assert!(syntax_error(outcome).is_some(), "{header}: {outcome:?}");
    }
    // That is a token68, and has no parameters.
    for header in ["Digest realm", "Digest realm="] {
        let outcome = service.take_header(header, &answer);
        let missing = (ParamName::Username, ParamProblem::Missing);
        assert_eq!(param_error(outcome), Some(missing), "{header}");
    }
    let params = answer.params();
    for (name, value) in &params.0 {
        let bare = params.to_string();
        let bare = bare.replace(&format!("{name}={value}"), name);
        let outcome = service.take_header(&bare, &answer);
        assert!(syntax_error(outcome).is_some(), "{bare}: {outcome:?}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// httpd: when its shared memory was full, a null pointer was followed.
#[test]
fn cve_2016_2161_no_room_is_an_outcome() {
    let service = service().with_capacity(0);
    for _ in 0..3 {
        let answer = service.answer();
        assert!(is_forgotten(service.take(&answer)));
    }
    assert!(service.len() == 0);

    let mut service = service.with_capacity(1);
    let first = service.answer();
    assert_eq!(service.take(&first), Ok(()));
    service.now = service.now.plus_millis(1);
    let second = service.answer();
    assert_eq!(service.take(&second), Ok(()));
    let first = first.counted(2);
    let forgotten = service.respond(first.header(), &first).unwrap_err();
    assert!(is_forgotten(Err(forgotten.why)));
    assert!(forgotten.is_stale());
    let again = Answer::to(&forgotten.nonce());
    assert_eq!(service.take(&again), Ok(()));
    assert_eq!(service.len(), 1);
}

/// httpd: one NUL was written past the end of a buffer when a nonce was decoded.
#[test]
fn cve_2020_35452_nonces_of_every_length() {
    let service = service();
    let nonce = service.nonce();
    let longer = nonce.repeat(3);
    for length in 0..=longer.len() {
        let cut = Answer::to(&longer[..length]);
        let expected = if length == nonce.len() {
            Ok(())
        } else {
            FOREIGN
        };
        assert_eq!(service.take(&cut), expected, "{length}");
        for filler in ["A", "=", "!", " "] {
            let filled = Answer::to(&filler.repeat(length));
            assert_eq!(service.take(&filled), FOREIGN, "{length} of {filler}");
        }
        let padded = Answer::to(&format!("{nonce}{}", "=".repeat(length + 1)));
        assert_eq!(service.take(&padded), FOREIGN, "{length}");
    }
}

/// httpd 6db0a188: a header without qop, and the check of the count read what was not there.
#[test]
fn httpd_6db0a188_counts_are_checked_without_a_count() {
    for (server, plain) in [
        (realm(), Err(Rejection::QopNotOffered)),
        (realm().with_rfc2069(true), Ok(())),
        (realm().with_qop(QopSet::LEGACY), Ok(())),
    ] {
        let service = Service::new(server);
        for nc in [true, false] {
            for cnonce in [true, false] {
                let mut answer = service.answer();
                answer.qop = None;
                let mut header = answer.params();
                if nc {
                    header = header.with("nc", "00000001");
                }
                if cnonce {
                    header = header.with("cnonce", "\"c\"");
                }
                let outcome = service.take_header(header.to_string(), &answer);
                assert_eq!(outcome, plain, "{header}");
                if plain.is_ok() {
                    let header = header.with("nc", "00000002").to_string();
                    assert_eq!(service.take_header(header, &answer), REPLAYED);
                }
            }
        }
    }
}

/// httpd before 2.4.69, lighttpd, Spring, libwebsockets#3638: a response in the form of RFC 2069
/// was let in although a qop had been offered.
#[test]
fn rfc_2069_is_no_way_around_the_qop_that_is_offered() {
    let service = service();
    let challenge = service.challenges();
    assert_eq!(digest_challenge(&challenge[0]).qop(), QopSet::AUTH);
    let mut answer = service.answer();
    answer.qop = None;
    assert_eq!(service.take(&answer), Err(Rejection::QopNotOffered));

    // Where it is let in it has no count, so its nonce is good for one use, in whatever form.
    let service = Service::new(realm().with_rfc2069(true));
    answer.nonce = service.nonce();
    assert_eq!(service.take(&answer), Ok(()));
    assert_eq!(service.take(&answer), REPLAYED);
    answer.qop = Some("auth");
    for nc in [1, 2, 64, 65, u32::MAX - 1, u32::MAX] {
        assert_eq!(service.take(&answer.counted(nc)), REPLAYED, "{nc}");
    }
    answer.nonce = service.nonce();
    assert_eq!(service.take(&answer), Ok(()));
    answer.qop = None;
    assert_eq!(service.take(&answer), REPLAYED);
}

/// Tomcat: replays were not noticed.
#[test]
fn cve_2011_1184_a_replay() {
    let service = service();
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
    assert_eq!(service.take(&answer), REPLAYED);
    assert_eq!(Rejection::Replayed.class(), RejectionClass::Suspicious);
}

/// Tomcat: the qop was not checked.
#[test]
fn cve_2011_5062_a_qop_that_was_not_offered() {
    let service = service();
    let answer = service.answer();
    for qop in [
        "foo",
        "auth-int",
        "auths",
        "\"\"",
        "\" auth\"",
        "\"auth,auth-int\"",
    ] {
        let header = answer.params().with("qop", qop).to_string();
        let outcome = service.take_header(&header, &answer);
        assert_eq!(outcome, Err(Rejection::QopNotOffered), "{qop}");
    }
}

/// Tomcat: the realm was not checked.
#[test]
fn cve_2011_5063_another_realm() {
    let service = service();
    let mut answer = service.answer();
    let header = answer.params().with("realm", "\"other\"").to_string();
    let outcome = service.take_header(header, &answer);
    assert_eq!(outcome, Err(Rejection::RealmMismatch));
    answer.realm = "other".to_owned();
    assert_eq!(service.take(&answer), Err(Rejection::RealmMismatch));
}

/// Tomcat: the key of the nonces stood in the source, so anyone could make them.
#[test]
fn cve_2011_5064_no_key_is_known_beforehand() {
    let service = service().with_key(NonceKey::random(&mut Seeded(3)).unwrap());
    for key in [[0; 32], [0xff; 32]] {
        let maker = self::service().with_key(NonceKey::from_bytes(key));
        let answer = maker.answer();
        assert_eq!(service.take(&answer), FOREIGN);
    }
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
}

/// Tomcat: replays were told by the client's nonce, which who replays can change, and not by the
/// server's.
#[test]
fn cve_2012_5885_another_cnonce_is_the_same_count() {
    let service = service();
    let mut answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
    answer.cnonce = "another".to_owned();
    assert_eq!(service.take(&answer), REPLAYED);
}

/// Tomcat: who had been let in was so from then on, whatever he sent.
#[test]
fn cve_2012_5886_nothing_is_cached() {
    let service = service();
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
    let mut wrong = answer.counted(2);
    wrong.password = "wrong".to_owned();
    assert_eq!(service.take(&wrong), REFUSED);
    assert_eq!(service.take(&answer.counted(2)), Ok(()));
}

/// Tomcat: a nonce that was too old was let pass.
#[test]
fn cve_2012_5887_an_old_nonce_is_stale() {
    let mut service = service();
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
    service.wait(300);
    assert_eq!(service.take(&answer.counted(2)), Ok(()));
    service.now = service.now.plus_millis(1);
    let old = answer.counted(3);
    let refused = service.respond(old.header(), &old).unwrap_err();
    assert_eq!(refused.why, Rejection::NonceExpired);
    let values = texts(&refused.refusal);
    assert!(!values.is_empty());
    assert!(values.iter().all(|value| value.contains(", stale=true")));
}

/// Tomcat: a user who did not exist had the password "null", because text was made of what was
/// not there.
#[test]
fn cve_2026_43512_nobody_has_no_password() {
    let server = realm()
        .with_algorithms(Algorithm::ALL)
        .with_basic(BasicOffer::Encrypted);
    let service = Service::new(server);
    for password in [
        "null",
        "",
        "None",
        "undefined",
        "nil",
        "0",
        "false",
        "nobody",
        "not a password",
        "\u{fffd}",
    ] {
        for &algorithm in Algorithm::ALL {
            let mut answer = service.answer();
            answer.user = "nobody".to_owned();
            answer.password = password.to_owned();
            answer.algorithm = algorithm;
            assert_eq!(service.take(&answer), REFUSED, "{password:?}");
            let header = answer.header();
            assert_refused_without_password(&service, &header, &answer);
        }
        let header = support::basic_header("nobody", password);
        let request = Answer::to("");
        assert_eq!(service.take_header(&header, &request), REFUSED);
        assert_refused_without_password(&service, &header, &request);
    }
}

fn assert_refused_without_password(service: &Service, header: &str, request: &Answer) {
    let target = request.target();
    let attempt = service.begin(header, &target);
    let outcome = attempt
        .unwrap()
        .verify_password(None::<()>, |()| unreachable!("there is no account"));
    assert_eq!(outcome.why().unwrap_err(), Rejection::WrongCredentials);
}

/// Tomcat: a window off by one.
#[test]
fn tomcat_dd9c744d_the_edges_of_the_window() {
    let service = service();
    let answer = service.answer();
    let take = |nc: u32| service.take(&answer.counted(nc));
    assert_eq!(take(1000), Ok(()));
    assert_eq!(take(1000 - 64), REPLAYED, "behind the window");
    assert_eq!(take(1000 - 63), Ok(()), "the last in the window");
    assert_eq!(take(1000 - 63), REPLAYED);
    assert_eq!(take(1001), Ok(()));
    assert_eq!(take(1001 - 63), Ok(()));
    assert_eq!(take(1001 + 63), Ok(()), "moves by all but one");
    assert_eq!(take(1001), REPLAYED, "is still in it");
    assert_eq!(take(1002), Ok(()));
    assert_eq!(take(1064 + 64), Ok(()), "moves by its whole width");
    assert_eq!(take(1064), REPLAYED);
    assert_eq!(take(1065), Ok(()));
    assert_eq!(take(u32::MAX), Ok(()));
    assert_eq!(take(u32::MAX), REPLAYED);
    assert_eq!(take(1), REPLAYED);
    assert_eq!(take(u32::MAX - 63), Ok(()));
    assert_eq!(take(u32::MAX - 64), REPLAYED);
}

/// Tomcat: the realm was the name of the host, if none was given. Here it must be given, and is
/// sent as it was.
#[test]
fn cve_2010_1157_the_realm_is_the_one_that_was_given() {
    for realm in ["", "files", "two words", "käse"] {
        let service = Service::new(Realm::new(realm).unwrap());
        assert_eq!(service.realm.name(), realm);
        for value in service.challenges() {
            assert_eq!(digest_challenge(&value).realm(), realm);
        }
    }
}

/// libsoup: the nonce was not looked at, only that the count was not zero.
#[test]
fn cve_2026_3099_a_nonce_must_be_ours_and_young() {
    let mut service = service();
    let old = service.answer();
    service.wait(301);
    for nc in [1, 2, u32::MAX] {
        assert_eq!(service.take(&old.counted(nc)), Err(Rejection::NonceExpired));
        for nonce in ["", "1700000000", "0000018bcfe56800:", "dcd98b7102dd2f0e"] {
            assert_eq!(service.take(&Answer::to(nonce).counted(nc)), FOREIGN);
        }
    }
    assert!(service.len() == 0);
}

/// libsoup: a parameter that was missing was followed as a null pointer.
#[test]
fn cve_2025_32910_each_parameter_missing_in_turn() {
    let service = service();
    let answer = service.answer();
    let params = answer.params();
    for (name, _) in &params.0 {
        let header = params.clone().without(name).to_string();
        let outcome = service.take_header(header, &answer);
        let missing = |name| Some((name, ParamProblem::Missing));
        match name.as_str() {
            "username" => assert_eq!(param_error(outcome), missing(ParamName::Username)),
            "realm" => assert_eq!(param_error(outcome), missing(ParamName::Realm)),
            "nonce" => assert_eq!(param_error(outcome), missing(ParamName::Nonce)),
            "uri" => assert_eq!(param_error(outcome), missing(ParamName::Uri)),
            "response" => assert_eq!(param_error(outcome), missing(ParamName::Response)),
            "nc" => assert_eq!(param_error(outcome), missing(ParamName::Nc)),
            "cnonce" => assert_eq!(param_error(outcome), missing(ParamName::Cnonce)),
            "qop" => assert_eq!(outcome, Err(Rejection::QopNotOffered)),
            // Then it is MD5, whose responses are shorter.
            "algorithm" if cfg!(feature = "md5") => {
                let malformed = (ParamName::Response, ParamProblem::Malformed);
                assert_eq!(param_error(outcome), Some(malformed));
            }
            "algorithm" => assert_eq!(outcome, Err(Rejection::AlgorithmNotOffered)),
            other => panic!("what is {other}?"),
        }
    }
    let outcome = service.take_header("Digest", &answer);
    assert_eq!(
        param_error(outcome),
        Some((ParamName::Username, ParamProblem::Missing))
    );
    assert_eq!(service.take(&answer), Ok(()));
}

/// Squid: the count was copied to a buffer of nine bytes.
#[test]
fn cve_2023_46847_counts_of_every_length() {
    let service = service();
    let answer = service.answer();
    for length in 0..=10_000 {
        let digits = "1".repeat(length);
        let outcome = if (1..=8).contains(&length) {
            let nc = digits;
            service.take(&Answer {
                nc,
                ..answer.clone()
            })
        } else {
            let header = answer.params().with("nc", quoted(&digits));
            let outcome = service.take_header(header.to_string(), &answer);
            let malformed = (ParamName::Nc, ParamProblem::Malformed);
            assert_eq!(param_error(outcome), Some(malformed), "{length}");
            continue;
        };
        assert_eq!(outcome, Ok(()), "{length}");
    }
}

/// Squid: a nonce counted its uses in 16 bits.
#[test]
fn cve_2020_11945_a_nonce_of_70_000_uses() {
    let service = service();
    let answer = service.answer();
    for nc in 1..=70_000 {
        assert_eq!(service.take(&answer.counted(nc)), Ok(()));
    }
    for nc in [1, 70_000 - 65_536, 65_536, 65_537, 70_000] {
        assert_eq!(service.take(&answer.counted(nc)), REPLAYED);
    }
    assert_eq!(service.len(), 1);
    assert_eq!(service.take(&answer.counted(70_001)), Ok(()));
}

/// Squid: the two quotes were taken off a value that had but one.
#[test]
fn cve_2019_12525_quotes_that_do_not_match() {
    let service = service();
    let answer = service.answer();
    let params = answer.params();
    for (name, _) in &params.0 {
        for value in [
            r#"""#, r#""\"#, r#""\""#, r#""\\\""#, r#"""""#, r#"\"\""#, r#"a"b""#, r#""a"b"#, "",
        ] {
            let header = params.clone().with(name, value).to_string();
            let outcome = service.take_header(&header, &answer);
            assert!(syntax_error(outcome).is_some(), "{header}: {outcome:?}");
        }
        // Well formed, and nothing in it.
        let header = params.clone().with(name, r#""""#).to_string();
        assert!(service.take_header(&header, &answer).is_err(), "{header}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// Squid: a nonce was an address in memory. Here it is made of the key, the time and what the
/// generator gives, and of nothing else.
#[test]
fn cve_2019_18679_a_nonce_shows_nothing_of_the_process() {
    let elsewhere = service();
    let service = service();
    assert_eq!(service.nonce(), elsewhere.nonce());
    let nonces: HashSet<String> = (0..1000).map(|_| service.nonce()).collect();
    assert_eq!(nonces.len(), 1000, "in one millisecond");
}

/// lighttpd: MD5-sess without a cnonce crashed it, as did odd base64.
#[test]
fn cve_2007_3946_a_session_needs_its_cnonce() {
    let service = Service::new(
        realm()
            .with_algorithms(Algorithm::ALL)
            .with_rfc2069(true)
            .with_basic(BasicOffer::Encrypted),
    );
    let sessions = Algorithm::ALL.iter().filter(|it| it.is_session());
    for &algorithm in sessions {
        let mut answer = service.answer();
        answer.algorithm = algorithm;
        for missing in [
            &["cnonce"][..],
            &["qop"],
            &["nc"],
            &["cnonce", "qop"],
            &["cnonce", "qop", "nc"],
        ] {
            let header = missing
                .iter()
                .fold(answer.params(), |params, name| params.without(name));
            let outcome = service.take_header(header.to_string(), &answer);
            let problem = param_error(outcome).map(|(_, problem)| problem);
            assert_eq!(problem, Some(ParamProblem::Missing), "{header}");
        }
        let header = format!("{} \t ", answer.header());
        assert_eq!(service.take_header(header, &answer), Ok(()));
    }
    let request = Answer::to("");
    for token68 in [
        "=", "====", "A", "A=", "AA=", "AAA==", "A===", "Og=====", "+", "/",
    ] {
        let header = format!("Basic {token68}");
        let refused = service.respond(header, &request).unwrap_err();
        assert_eq!(refused.refusal.status, 400, "{token68}");
    }
}

/// lighttpd: the table of base64 was indexed by a signed character.
#[test]
fn cve_2011_4362_bytes_that_are_not_ascii() {
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    let request = Answer::to("");
    for byte in 0x80..=0xff {
        for header in [
            [b"Basic ".as_slice(), &[byte]].concat(),
            [b"Basic TXVm".as_slice(), &[byte], b"YXNh"].concat(),
            [b"Basic TXVmYXNh".as_slice(), &[byte; 100]].concat(),
            [&[byte], b"asic TXVmYXNh".as_slice()].concat(),
        ] {
            let outcome = service.take_header(&header, &request);
            assert!(syntax_error(outcome).is_some(), "{header:x?}: {outcome:?}");
        }
        // As part of what is encoded it is a byte like others.
        let header = support::basic_header([byte], [byte]);
        assert_eq!(service.take_header(&header, &request), REFUSED);
    }
}

/// libmicrohttpd #2061, gevorg/http-auth#94, sems#556, vertx-web#1256: the count was read as
/// decimal.
#[test]
fn libmicrohttpd_2061_counts_are_hexadecimal() {
    let service = service();
    let answer = service.answer();
    let take = |nc: &str| {
        service.take(&Answer {
            nc: nc.to_owned(),
            ..answer.clone()
        })
    };
    assert_eq!(take("00000009"), Ok(()));
    assert_eq!(take("0000000a"), Ok(()));
    assert_eq!(take("0000000A"), REPLAYED, "is the same");
    assert_eq!(take("00000010"), Ok(()), "is 16");
    assert_eq!(take("0000000f"), Ok(()), "is 15");
    assert_eq!(take("10"), REPLAYED, "is 16 again");
    assert_eq!(take("10000000"), Ok(()));
    assert_eq!(take("000f"), REPLAYED);
    for nc in ["0000000g", "+0000001", "-0000001", "0x000001", "1 ", "1.0"] {
        let header = answer.params().with("nc", quoted(nc)).to_string();
        let outcome = service.take_header(header, &answer);
        let malformed = (ParamName::Nc, ParamProblem::Malformed);
        assert_eq!(param_error(outcome), Some(malformed), "{nc}");
    }
}

/// gevorg/http-auth#94: the server counted by one where the client's count jumped, so that a
/// header could be replayed once for each count left out.
#[test]
fn gevorg_94_a_jump_leaves_no_room_for_replays() {
    let service = service();
    let answer = service.answer();
    let take = |nc: u32| service.take(&answer.counted(nc));
    assert_eq!(take(5), Ok(()));
    for _ in 0..5 {
        assert_eq!(take(5), REPLAYED);
    }
    // The counts left out are good, once each, for requests of their own.
    for nc in [2, 3, 4, 1] {
        assert_eq!(take(nc), Ok(()));
    }
    for nc in 1..=5 {
        assert_eq!(take(nc), REPLAYED);
    }
    assert_eq!(take(6), Ok(()));
}

/// mongoose-os#454: the count was always 1 for the server, so that all with 1 were let in.
#[test]
fn mongoose_454_counts_are_counted() {
    let service = service();
    let answer = service.answer();
    for nc in 1..=3 {
        assert_eq!(service.take(&answer.counted(nc)), Ok(()));
        assert_eq!(service.take(&answer.counted(1)), REPLAYED);
    }
}

/// EnergyMe-Home#222, Twisted#3453, Jetty, Spring, Squid, Kamailio: `uri` was not compared with
/// the request, so a captured header was good for all others.
#[test]
fn twisted_3453_a_header_is_for_one_request() {
    let mut service = service();
    let answer = service.answer();
    for target in [
        "/b", "/a", "/a?", "/a?b=d", "/A?b=c", "/a?b=c&", "//a?b=c", "*", "",
    ] {
        let elsewhere = Answer {
            uri: target.to_owned(),
            ..answer.clone()
        };
        let outcome = service.take_header(answer.header(), &elsewhere);
        assert_eq!(outcome, Err(Rejection::UriMismatch), "{target}");
    }
    for method in ["POST", "HEAD", "get"] {
        let otherwise = Answer {
            method: method.to_owned(),
            ..answer.clone()
        };
        assert_eq!(service.take_header(answer.header(), &otherwise), REFUSED);
    }
    // The formulas join method and target with a colon, so a method must not hold one.
    for (method, uri) in [
        ("", "/a"),
        ("GET:http", "//h/a"),
        ("G T", "/a"),
        ("GÉT", "/a"),
    ] {
        let answer = Answer {
            method: method.to_owned(),
            uri: uri.to_owned(),
            ..answer.clone()
        };
        let refused = service.respond(answer.header(), &answer).unwrap_err();
        assert_eq!(refused.why, Rejection::InvalidMethod);
        assert_eq!(refused.refusal.status, 400);
    }
    assert_eq!(Rejection::UriMismatch.class(), RejectionClass::Suspicious);

    // The server that opts out sees it in each grant.
    service.realm = realm().with_uri_check(UriCheck::Unchecked);
    let header = answer.header();
    let grant = service.grant(&header, &Target::new("GET", "/b")).unwrap();
    assert_eq!(grant.uri_match(), UriCheck::Unchecked);
}

/// A module of nginx: realms and names were compared over the shorter length, or that of the
/// client's, and the file of users was chosen by the client's realm.
#[test]
fn nginx_a_prefix_is_not_the_whole() {
    let service = service();
    let answer = service.answer();
    for realm in ["", "f", "file", "files ", "files2", "FILES", "files\\\\"] {
        let mut other = answer.clone();
        other.realm = realm.to_owned();
        assert_eq!(
            service.take(&other),
            Err(Rejection::RealmMismatch),
            "{realm}"
        );
    }
    for (name, missing) in [
        ("username", ParamName::Username),
        ("realm", ParamName::Realm),
        ("nonce", ParamName::Nonce),
        ("uri", ParamName::Uri),
        ("response", ParamName::Response),
        ("nc", ParamName::Nc),
        ("cnonce", ParamName::Cnonce),
    ] {
        for wrong in [&name[..1], &name[..name.len() - 1], &format!("{name}x")] {
            let header = answer.params().renamed(name, wrong).to_string();
            let outcome = service.take_header(header, &answer);
            let missing = (missing, ParamProblem::Missing);
            assert_eq!(param_error(outcome), Some(missing), "{wrong}");
        }
    }
    for scheme in ["D", "Diges", "Digestx", "B", "Bearer"] {
        let header = answer.header().replacen("Digest", scheme, 1);
        let outcome = service.take_header(header, &answer);
        assert_eq!(outcome, Err(Rejection::SchemeNotOffered), "{scheme}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// The same module took a `uri` without the query for the sake of .NET, so that the query could be
/// changed under a right response.
#[test]
fn nginx_the_query_is_covered_unless_the_server_says_otherwise() {
    let request = Answer {
        uri: "/a?x=1".to_owned(),
        ..Answer::to("")
    };
    let mut service = service();
    let mut answer = service.answer();
    answer.uri = "/a".to_owned();
    let header = answer.header();
    let outcome = service.take_header(&header, &request);
    assert_eq!(outcome, Err(Rejection::UriMismatch));

    service.realm = realm().with_uri_check(UriCheck::Path);
    let grant = service.grant(&header, &Target::new("GET", "/a?x=2"));
    assert_eq!(grant.unwrap().uri_match(), UriCheck::Path);
    // A query that is there must be the right one even so.
    answer.uri = "/a?x=1".to_owned();
    let header = answer.counted(2).header();
    let outcome = service.grant(&header, &Target::new("GET", "/a?x=2"));
    assert_eq!(outcome.why().unwrap_err(), Rejection::UriMismatch);
    let grant = service.grant(&header, &Target::new("GET", "/a?x=1"));
    assert_eq!(grant.unwrap().uri_match(), UriCheck::Exact);
}

/// libmicrohttpd: an algorithm that was quoted and escaped was taken for another.
#[test]
fn libmicrohttpd_7ace1e11_an_algorithm_however_it_is_written() {
    for &algorithm in Algorithm::ALL {
        let name = algorithm.as_str();
        let escaped: String = name.chars().flat_map(|c| ['\\', c]).collect();
        let half = name.replacen('-', "\\-", 1);
        for written in [
            name.to_owned(),
            name.to_lowercase(),
            quoted(name),
            quoted(&name.to_uppercase()),
            format!("\"{escaped}\""),
            format!("\"{half}\""),
        ] {
            let mut service = Service::new(realm().with_algorithms(Algorithm::ALL));
            let mut answer = service.answer();
            answer.algorithm = algorithm;
            let header = answer.params().with("algorithm", &*written).to_string();
            let grant = service.grant(&header, &answer.target());
            assert_eq!(grant.unwrap().algorithm(), Some(algorithm), "{written}");

            // And it is offered or not as that one.
            let others: Vec<_> = Algorithm::ALL
                .iter()
                .copied()
                .filter(|it| *it != algorithm)
                .collect();
            service.realm = realm().with_algorithms(&others);
            let outcome = service.take_header(&header, &answer);
            assert_eq!(outcome, Err(Rejection::AlgorithmNotOffered), "{written}");
        }
    }
}

/// meziantou#2724: a line break in the realm of a server's own configuration split the response.
#[test]
fn meziantou_2724_no_control_byte_in_a_servers_own_words() {
    for byte in (0..0x20).chain([0x7f]).filter(|byte| *byte != b'\t') {
        let text = format!("a{}b", char::from(byte));
        let control = Some(InvalidText::Control(1));
        assert_eq!(Realm::new(&text).err(), control);
        assert_eq!(realm().with_opaque(&text).err(), control);
        assert_eq!(realm().with_domain(&text).err(), control);
    }
    let text = "a\t\u{85}\u{a0}ä b";
    let realm = Realm::new(text).unwrap().with_basic(BasicOffer::Encrypted);
    let realm = realm.with_opaque(text).unwrap().with_domain(text).unwrap();
    let service = Service::new(realm);
    let mut stale = Answer::to("foreign");
    stale.realm = text.to_owned();
    let header = stale.header();
    let target = stale.target();
    let attempt = service.begin(&header, &target).unwrap();
    let ha1 = Ha1::new(attempt.hash_function(), USER, text, PASSWORD);
    let rejected = attempt.verify(Some(ha1)).unwrap_err();
    assert_eq!(rejected.rejection(), Rejection::NonceForeign);
    for value in service.refuse(&rejected) {
        let control = |byte: u8| byte.is_ascii_control() && byte != b'\t';
        assert!(!value.bytes().any(control), "{value:?}");
    }
}

/// httpx, requests, urllib, async-http-client#2236: what stood in quotes was not escaped, so that
/// it could end the string and begin a parameter. Those are clients; a server writes quotes, too.
#[test]
fn async_http_client_2236_quotes_are_escaped() {
    for text in [
        r#"x", uri="/admin"#,
        r#"a"b\c"#,
        r#"\"#,
        r#"\\"#,
        r#"""#,
        r#"a\", stale="true"#,
        "Digest realm=\"x\"",
    ] {
        let server = Realm::new(text).unwrap();
        let server = server.with_opaque(text).unwrap().with_domain(text).unwrap();
        let service = Service::new(server);
        for value in service.challenges() {
            let challenge = digest_challenge(&value);
            assert_eq!(challenge.realm(), text);
            assert_eq!(challenge.opaque().unwrap(), text);
            assert_eq!(challenge.domain().unwrap(), text);
            assert!(!challenge.is_stale());
        }
        // The realm of the hash is the one without the escapes.
        let mut answer = service.answer();
        answer.realm = text.to_owned();
        let header = answer.header();
        let target = answer.target();
        let attempt = service.begin(&header, &target);
        let proof = attempt
            .unwrap()
            .verify_password(Some(()), |()| (USER, PASSWORD));
        assert!(proof.is_ok());
    }
}

/// curl 2a2a2e5d: a parameter was looked for by its name, and found inside the value of another.
#[test]
fn curl_2a2a2e5d_a_name_inside_a_value_is_text() {
    let service = service();
    for user in [
        r#"x", realm="other"#,
        "realm=other, nonce=y",
        r#"Mufasa", response="0"#,
        "a,b=c",
    ] {
        let mut answer = service.answer();
        answer.user = user.to_owned();
        let header = answer.header();
        let target = answer.target();
        let attempt = service.begin(&header, &target);
        let attempt = attempt.unwrap();
        assert_eq!(attempt.claimed_user().name(), Some(user));
        let proof = attempt.verify_password(Some(user), |user| (user, PASSWORD));
        let grant = proof.unwrap().dangerous_skip_replay_check();
        assert_eq!(grant.claimed_user().name(), Some(user));
    }
}

/// curl aae235b6, HttpClient: the hashed name was put into HA1 in the place of the name.
#[test]
fn curl_aae235b6_ha1_is_of_the_clear_name() {
    for &algorithm in Algorithm::ALL {
        let server = realm().with_algorithms(&[algorithm]).with_userhash(true);
        let service = Service::new(server);
        let mut answer = service.answer();
        answer.algorithm = algorithm;
        let hashed = userhash(algorithm.hash_function(), USER, REALM);
        let as_hash = |params: Params| {
            params
                .with("username", quoted(hashed.as_str()))
                .with("userhash", "true")
                .to_string()
        };
        let wrong = Answer {
            user: hashed.as_str().to_owned(),
            ..answer.clone()
        };
        let outcome = service.take_header(as_hash(wrong.params()), &answer);
        assert_eq!(outcome, REFUSED);
        let header = as_hash(answer.params());
        let grant = service.grant(&header, &answer.target()).unwrap();
        assert_eq!(grant.claimed_user(), User::Hash(hashed));
    }
}

/// curl 647ed7c7: the count stood still for auth-int. That was a client; a server counts both.
#[test]
fn curl_647ed7c7_auth_int_is_counted() {
    let service = Service::new(realm().with_qop(QopSet::BOTH));
    let mut answer = service.answer();
    answer.qop = Some("auth-int");
    assert_eq!(service.take(&answer), Ok(()));
    assert_eq!(service.take(&answer), REPLAYED);
    assert_eq!(service.take(&answer.counted(2)), Ok(()));
    // The counts of both are of one nonce.
    answer.qop = Some("auth");
    assert_eq!(service.take(&answer), REPLAYED);
    assert_eq!(service.take(&answer.counted(3)), Ok(()));
}

/// curl f206d6c0, libmicrohttpd: values went to buffers on the stack.
#[test]
fn curl_f206d6c0_values_of_64_kib() {
    let long = "x".repeat(64 * 1024);
    let service = service();
    let answer = service.answer();
    let with = |change: fn(&mut Answer, &str)| {
        let mut answer = answer.clone();
        change(&mut answer, &long);
        answer
    };
    let outcome = service.take(&with(|answer, long| answer.user = long.to_owned()));
    assert_eq!(outcome, REFUSED);
    let outcome = service.take(&with(|answer, long| answer.realm = long.to_owned()));
    assert_eq!(outcome, Err(Rejection::RealmMismatch));
    let outcome = service.take(&with(|answer, long| answer.nonce = long.to_owned()));
    assert_eq!(outcome, FOREIGN);
    let outcome = service.take(&with(|answer, long| answer.uri = long.to_owned()));
    assert_eq!(outcome, Ok(()));
    let outcome = service.take(&with(|answer, long| answer.cnonce = long.to_owned()).counted(2));
    assert_eq!(outcome, Ok(()));
    for (name, nc) in [("opaque", 3), ("unknown", 4), (&*long, 5)] {
        let header = answer.counted(nc).params().with(name, quoted(&long));
        let outcome = service.take_header(header.to_string(), &answer);
        let fits = header.to_string().len() <= MAX_VALUE_BYTES;
        assert_eq!(outcome.is_ok(), fits, "{}", name.len());
    }
    for name in ["response", "qop", "algorithm", "nc"] {
        let header = answer.params().with(name, &*long).to_string();
        assert!(service.take_header(header, &answer).is_err(), "{name}");
    }
    let header = answer.params().with("opaque", quoted(&long.repeat(2)));
    let outcome = service.take_header(header.to_string(), &answer);
    assert_eq!(syntax_error(outcome), Some(ParseErrorKind::ValueTooLong));
    let header = support::basic_header(&long, "");
    let outcome =
        Service::new(realm().with_basic(BasicOffer::Encrypted)).take_header(header, &answer);
    assert_eq!(outcome, REFUSED);
}

/// Folded lines and NUL in values, which each reader ends elsewhere.
#[test]
fn control_bytes_in_values_are_refused() {
    let service = service();
    let answer = service.answer();
    let params = answer.params();
    for byte in (0..0x20).chain([0x7f]).filter(|byte| *byte != b'\t') {
        let byte = char::from(byte);
        for (name, _) in &params.0 {
            for value in [
                format!("\"a{byte}b\""),
                format!("\"a\\{byte}b\""),
                format!("a{byte}b"),
                format!("a\r\n {byte}b"),
            ] {
                let header = params.clone().with(name, value).to_string();
                let outcome = service.take_header(&header, &answer);
                assert!(syntax_error(outcome).is_some(), "{header:?}: {outcome:?}");
            }
        }
        let header = format!("{}{byte}", answer.header());
        let outcome = service.take_header(&header, &answer);
        assert!(syntax_error(outcome).is_some(), "{header:?}: {outcome:?}");
    }
    // HTAB is no such byte, and stands for itself.
    let mut answer = service.answer();
    answer.cnonce = "a\tb".to_owned();
    assert_eq!(service.take(&answer), Ok(()));
}

/// No bound on the number of parameters.
#[test]
fn parameters_without_end_are_an_error() {
    let service = service();
    let answer = service.answer();
    let some = answer.params().0.len();
    let with_more = |count: usize| format!("{}{}", answer.header(), ",a=b".repeat(count));
    let most = MAX_PARAMS - some;
    let outcome = service.take_header(with_more(most), &answer);
    assert_eq!(outcome, Ok(()));
    for count in [most + 1, most + 2, 25_000] {
        let outcome = service.take_header(with_more(count), &answer);
        assert_eq!(syntax_error(outcome), Some(ParseErrorKind::TooManyParams));
    }
    let outcome = service.take_header(with_more(100_000), &answer);
    assert_eq!(syntax_error(outcome), Some(ParseErrorKind::ValueTooLong));
}

/// A parameter twice: some readers take the first, others the last.
#[test]
fn curl_test_1437_a_parameter_twice_is_an_error() {
    let service = service();
    let answer = service.answer();
    for (name, value) in &answer.params().0 {
        for name in [name.clone(), name.to_uppercase()] {
            let header = format!("{}, {name}={value}", answer.header());
            let outcome = service.take_header(&header, &answer);
            let problem = param_error(outcome).map(|(_, problem)| problem);
            assert_eq!(problem, Some(ParamProblem::Repeated), "{header}");
        }
    }
    let header = format!("{}, {}", answer.header(), answer.header());
    let outcome = service.take_header(header, &answer);
    assert!(syntax_error(outcome).is_some(), "{outcome:?}");
}

/// Without a count the response does not cover the qop, and `/x:` with the hash of a body hashes as
/// a request for `/x` over that body does. So whoever sends such a uri may not know the password.
#[test]
fn a_uri_that_ends_like_a_body_needs_a_count() {
    for &algorithm in Algorithm::ALL {
        let service = Service::new(realm().with_algorithms(&[algorithm]).with_rfc2069(true));
        let digits = "0123456789abcdefABCDEF00".repeat(6);
        let len = algorithm.hash_function().hex_len();
        for (hash, without_count) in [
            (&digits[..len], Err(Rejection::UriMismatch)),
            (&digits[..len - 1], Ok(())),
            (&digits[1..=len + 1], Ok(())),
        ] {
            for (qop, expected) in [(None, without_count), (Some("auth"), Ok(()))] {
                // RFC 2069 knows no sessions.
                if qop.is_none() && algorithm.is_session() {
                    continue;
                }
                let answer = Answer {
                    algorithm,
                    qop,
                    uri: format!("/x:{hash}"),
                    ..service.answer()
                };
                assert_eq!(
                    service.take(&answer),
                    expected,
                    "{algorithm} {qop:?} {hash}"
                );
            }
        }
    }
}
