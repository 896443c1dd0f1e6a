//! Responses that were taken for right: of another realm, request, qop or user, or of none.

use countersign::Target;
use countersign::digest::{Algorithm, Ha1, HashFunction, QopSet, User, userhash};
use countersign::server::{BasicOffer, Realm, Rejection, RejectionClass, UriCheck};

use super::{FOREIGN, REFUSED, REPLAYED, param_error, service};
use crate::support::digest::hex_len;
use crate::support::server::{
    Answer, Params, REALM, Service, USER, Why, digest_challenge, ha1, nonces, quoted, realm,
};

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

/// A response is all of the digits and nothing else, also where a backslash keeps its length from
/// being seen.
#[test]
fn a_right_response_that_is_shorter_or_longer_is_none() {
    let service = service();
    let answer = service.answer();
    let right = answer.response().as_str().to_owned();
    for start in ["", "\\"] {
        for wrong in [&right[..right.len() - 1], &format!("{right}0")] {
            let header = answer.params();
            let header = header.with("response", format!("\"{start}{wrong}\""));
            let outcome = service.take_header(header.to_string(), &answer);
            let malformed = ("response", "malformed");
            assert_eq!(param_error(outcome), Some(malformed), "{start}{wrong}");
        }
    }
    let header = answer.params();
    let header = header.with("response", format!("\"\\{right}\""));
    let outcome = service.take_header(header.to_string(), &answer);
    assert_eq!(outcome, Ok(()));
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

/// httpd before 2.4.69, lighttpd, Spring, libwebsockets#3638: a response in the form of RFC 2069
/// was let in although a qop had been offered.
#[test]
fn rfc_2069_is_no_way_around_the_qop_that_is_offered() {
    let service = service();
    let challenge = service.challenges();
    assert_eq!(digest_challenge(&challenge[0]).qop, QopSet::AUTH);
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

/// Tomcat: a user who did not exist had the password "null", because text was made of what was
/// not there.
#[test]
fn cve_2026_43512_no_password_fits_an_unknown_user() {
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
        let header = crate::support::basic_header("nobody", password);
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

/// Tomcat: the realm was the name of the host, if none was given. Here it must be given, and is
/// sent as it was.
#[test]
fn cve_2010_1157_the_realm_is_the_one_that_was_given() {
    for realm in ["", "files", "two words", "käse"] {
        let service = Service::new(Realm::new(realm).unwrap());
        assert_eq!(service.realm.name(), realm);
        for value in service.challenges() {
            assert_eq!(digest_challenge(&value).realm, realm);
        }
    }
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
    let sessions = Algorithm::ALL.iter().filter(|it| it.is_sess());
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
            assert_eq!(problem, Some("missing"), "{header}");
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
        ("username", "username"),
        ("realm", "realm"),
        ("nonce", "nonce"),
        ("uri", "uri"),
        ("response", "response"),
        ("nc", "nc"),
        ("cnonce", "cnonce"),
    ] {
        for wrong in [&name[..1], &name[..name.len() - 1], &format!("{name}x")] {
            let header = answer.params().renamed(name, wrong).to_string();
            let outcome = service.take_header(header, &answer);
            let missing = (missing, "missing");
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

/// Without a count the response does not cover the qop, and `/x:` with the hash of a body hashes as
/// a request for `/x` over that body does. So whoever sends such a uri may not know the password.
#[test]
fn a_uri_that_ends_like_a_body_needs_a_count() {
    for &algorithm in Algorithm::ALL {
        let service = Service::new(realm().with_algorithms(&[algorithm]).with_rfc2069(true));
        let digits = "0123456789abcdefABCDEF00".repeat(6);
        let len = hex_len(algorithm.hash_function());
        for (hash, without_count) in [
            (&digits[..len], Err(Rejection::UriMismatch)),
            (&digits[..len - 1], Ok(())),
            (&digits[1..=len + 1], Ok(())),
        ] {
            for (qop, expected) in [(None, without_count), (Some("auth"), Ok(()))] {
                // RFC 2069 knows no sessions.
                if qop.is_none() && algorithm.is_sess() {
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
