//! Replays, and counts that were not counted.

use countersign::digest::QopSet;
use countersign::server::{Rejection, RejectionClass};

use super::{REFUSED, REPLAYED, param_error, service};
use crate::support::server::{Answer, Service, quoted, realm};

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

/// httpd 6db0a188: a header without qop, and the check of the count read what was not there.
#[test]
fn httpd_6db0a188_nc_and_cnonce_without_qop_are_harmless() {
    for (server, plain) in [
        (realm(), Err(Rejection::QopNotOffered)),
        (realm().with_rfc2069(true), Ok(())),
        (realm().with_qop(QopSet::NONE), Ok(())),
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

/// Tomcat: replays were not noticed.
#[test]
fn cve_2011_1184_a_replay() {
    let service = service();
    let answer = service.answer();
    assert_eq!(service.take(&answer), Ok(()));
    assert_eq!(service.take(&answer), REPLAYED);
    assert_eq!(Rejection::Replayed.class(), RejectionClass::Suspicious);
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
            let malformed = ("nc", "malformed");
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
        let malformed = ("nc", "malformed");
        assert_eq!(param_error(outcome), Some(malformed), "{nc}");
    }
}

/// gevorg/http-auth#94: the server counted by one where the client's count jumped, so that a
/// header could be replayed once for each count left out.
#[test]
fn gevorg_94_skipping_counts_allows_no_replay() {
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
fn mongoose_454_a_used_count_is_refused_again() {
    let service = service();
    let answer = service.answer();
    for nc in 1..=3 {
        assert_eq!(service.take(&answer.counted(nc)), Ok(()));
        assert_eq!(service.take(&answer.counted(1)), REPLAYED);
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
