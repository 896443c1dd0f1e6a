//! Responses that were taken for right: of another realm, request, qop or user, or of none.

use countersign::Target;
use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::{Quirk, Reason, UriCheck};

use super::{FOREIGN, REFUSED, param_error, service};
use crate::support::server::{Answer, REALM, Service, USER, ha1, quoted, realm};

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
    let second = service.auth.admit(second).unwrap();
    let first = service.auth.admit(first).unwrap();
    assert_eq!(first.claimed_user().name(), Some(USER));
    assert_eq!(*first.account(), &lions);
    assert_eq!(second.claimed_user().name(), Some("Pumbaa"));
    assert_eq!(*second.account(), &boars);
}

/// lighttpd: MD5-sess without a cnonce crashed it, as did odd base64.
#[test]
fn cve_2007_3946_a_session_needs_its_cnonce() {
    let service = Service::new(
        realm()
            .with_algorithms(Algorithm::ALL)
            .with_quirks(&[Quirk::Rfc2069])
            .with_basic(),
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
        assert!(matches!(refused.why, Reason::Header(_)), "{token68}");
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
        assert_eq!(outcome, Err(Reason::UriMismatch), "{target}");
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
        assert_eq!(refused.why, Reason::InvalidMethod);
        assert_eq!(refused.refusal.status, 400);
    }

    // Unless the server opts out.
    service.realm = realm().with_uri_check(UriCheck::DangerousUnchecked);
    let header = answer.header();
    assert!(service.grant(&header, &Target::new("GET", "/b")).is_ok());
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
        assert_eq!(service.take(&other), Err(Reason::RealmMismatch), "{realm}");
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
        assert_eq!(outcome, Err(Reason::SchemeNotOffered), "{scheme}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}
