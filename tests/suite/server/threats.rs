//! What went wrong in other servers and is held by no other file, a test each, named after the
//! advisory, the commit or the issue.
//!
//! | CVE | held by |
//! |---|---|
//! | 2026-48005 (httpd), 2020-11945 (Squid) | `server::inputs`: what is refused uses up no count; `server::model` |
//! | 2026-73636 (httpd), 2016-2161 (httpd) | `server::model`, capacities 0 to 64; the unit tests of `replay` |
//! | 2026-73637 (httpd) | `tests/interleavings`; no `unsafe` code |
//! | 2026-33006, 2019-0217 (httpd), 2007-3946 (lighttpd) | here, by name |
//! | 2018-1312 (httpd), 2026-3099 (libsoup) | `server::model`: another key, an old nonce; `server::claims` |
//! | 2020-35452 (httpd) | `measured::linear`; a nonce has one length: `server::challenges` |
//! | 2017-9788 (httpd), 2019-12525 (Squid), 2020-8492 (CPython) | `syntax::error_positions`, `syntax::against_naive_parser`, `measured::linear` |
//! | 2011-1184, 2011-5062 to 5064, 2012-5885 to 5887 (Tomcat) | `server::inputs`: realm, qop, nonce, count, another cnonce |
//! | 2026-43512 (Tomcat) | the type: no account is `None`; `server::users` |
//! | 2010-1157 (Tomcat) | the type: a realm has no default name |
//! | 2023-46847 (Squid) | `server::inputs`, row `Nc`; `vectors::authorization` |
//! | 2019-18679 (Squid) | `server::challenges`: a nonce has a time, a counter and a MAC |
//! | 2011-4362 (lighttpd) | `headers::control_bytes`, each byte in Basic |
//! | 2008-3746 (neon), 2025-32910, 2025-32912, 2025-4476 (libsoup) | `client::protection_space::domain`, `client::threats::challenges` |
//! | 2018-1000007, 2022-27774, 2022-27776, 2026-7168, 2026-8927, 2026-3784 (curl) | `client::threats::origins` |
//!
//! Others are held elsewhere: replays, counts and nonces that were not looked at, taken too early or
//! forgotten by `server/model`, `server/inputs.rs` and `server/outcomes`; threads by
//! `tests/interleavings`; comparisons and look-ups that take longer for some by
//! `measured::constant_work`; quadratic time by `measured::linear`; tables that grow by
//! `measured::allocations`; headers that were misread by `vectors` and `syntax`.

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::{Quirk, Reason};

use crate::support::errors::param;
use crate::support::server::{Answer, REALM, Service, USER, quoted, realm};

/// httpd, Tomcat and lighttpd compared byte by byte up to the first that differed. Here: whatever
/// digit differs, the comparison sees it.
#[test]
fn cve_2026_33006_every_digit_of_response_and_nonce_counts() {
    let service = Service::new(realm());
    let answer = service.answer();
    let right = answer.response();
    for (at, digit) in right.as_str().char_indices() {
        let other = if digit == '0' { '1' } else { '0' };
        let mut wrong = right.as_str().to_owned();
        wrong.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
        let header = answer.params().with("response", quoted(&wrong));
        let outcome = service.take_header(header.to_string(), &answer);
        assert_eq!(outcome, Err(Reason::WrongCredentials), "{at}");
    }
    // The whole nonce is under the MAC, or is it.
    for (at, letter) in answer.nonce.char_indices() {
        let mut spoilt = answer.clone();
        let other = if letter == 'A' { "B" } else { "A" };
        spoilt.nonce.replace_range(at..=at, other);
        assert_eq!(service.take(&spoilt), Err(Reason::NonceForeign), "{at}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// httpd: HA1 was kept in the configuration that requests share, so of two at a time one could
/// become the other.
#[test]
fn cve_2019_0217_two_attempts_interleaved() {
    let service = Service::new(realm());
    let lion = service.answer();
    let boar = Answer {
        user: "Pumbaa".to_owned(),
        password: "Hakuna Matata".to_owned(),
        ..service.answer()
    };
    let headers = [&lion, &boar].map(Answer::header);
    let [lions, boars] =
        [&lion, &boar].map(|it| Ha1::new(HashFunction::Sha256, &it.user, REALM, &it.password));
    let target = lion.target();
    let [first, second] = headers
        .each_ref()
        .map(|it| service.begin(it, &target).unwrap());
    assert!(first.clone().verify(Some(&boars)).is_err());
    assert!(second.clone().verify(Some(&lions)).is_err());
    let second = second.verify(Some(&boars)).unwrap();
    let first = first.verify(Some(&lions)).unwrap();
    for (verified, user, account) in [(second, "Pumbaa", &boars), (first, USER, &lions)] {
        let grant = service.auth.admit(verified).unwrap();
        assert_eq!(grant.claimed_user().name(), Some(user));
        assert_eq!(*grant.account(), account);
    }
}

/// lighttpd: MD5-sess without a cnonce crashed it, as did odd base64, which is in
/// `outcomes::schemes`.
#[test]
fn cve_2007_3946_a_session_needs_its_cnonce() {
    let realm = realm().with_algorithms(Algorithm::ALL);
    let service = Service::new(realm.with_quirks(&[Quirk::Rfc2069]));
    for &algorithm in Algorithm::ALL.iter().filter(|it| it.is_sess()) {
        let answer = Answer {
            algorithm,
            ..service.answer()
        };
        for missing in [
            &["cnonce"][..],
            &["qop"],
            &["nc"],
            &["cnonce", "qop"],
            &["cnonce", "qop", "nc"],
        ] {
            let all = answer.params();
            let header = missing
                .iter()
                .fold(all, |params, name| params.without(name));
            let problem = match service.take_header(header.to_string(), &answer) {
                Err(Reason::Header(error)) => param(error),
                other => panic!("{other:?}"),
            };
            assert_eq!(problem.map(|it| it.1), Some("missing"), "{header}");
        }
        assert_eq!(service.take(&answer), Ok(()));
    }
}

/// The formulas join method and target with a colon, so a method must not hold one. That a header is
/// for one request, as it was not in Twisted (3453), EnergyMe-Home (222), Jetty, Spring, Squid and
/// Kamailio, is in `inputs` and `outcomes::uris`.
#[test]
fn twisted_3453_a_method_is_a_token() {
    let service = Service::new(realm());
    for (method, uri) in [("", "/a"), ("GET:http", "//h/a"), ("GÉT", "/a")] {
        let answer = Answer {
            method: method.to_owned(),
            uri: uri.to_owned(),
            ..service.answer()
        };
        assert_eq!(
            service.take(&answer),
            Err(Reason::InvalidMethod),
            "{method}"
        );
    }
}

/// A module of nginx: realms and names were compared over the shorter length, or over the client's,
/// and the file of users was chosen by the client's realm.
#[test]
fn nginx_a_prefix_is_not_the_whole() {
    let service = Service::new(realm());
    for realm in ["", "f", "file", "files ", "files2", "FILES", "files\\\\"] {
        let other = Answer {
            realm: realm.to_owned(),
            ..service.answer()
        };
        assert_eq!(service.take(&other), Err(Reason::RealmMismatch), "{realm}");
    }
}
