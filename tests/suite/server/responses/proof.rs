//! `rspauth`: the proof of the server.

use countersign::digest::{Algorithm, HashFunction, Qop, QopSet};
use countersign::server::{NextNonce, Quirk, Receipt};
use countersign::wire::{AuthenticationInfo, QopParams, rspauth};
use countersign::{Authorization, EntityBody, Target};

use super::{hashed, with_body};
use crate::support::digest::{body_hash, key};
use crate::support::server::{Answer, PASSWORD, Service, USER, ha1, octets_with_response, realm};

/// The proof by the formula: as the response, with no method and the body of the response.
#[test]
fn the_server_proves_that_it_knows_the_secret() {
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    for &algorithm in Algorithm::ALL {
        for qop in ["auth", "auth-int"] {
            // The uncounted form has no place for a body.
            for &uncounted in &[false, true][..if qop == "auth" { 2 } else { 1 }] {
                let (mut service, mut answer) = with_body(algorithm, b"");
                service.realm = service
                    .realm
                    .with_quirks(&[Quirk::UncountedForm])
                    .with_next_nonce(NextNonce::Never);
                answer.qop = Some(qop);
                answer.uncounted = uncounted;
                answer.cnonce = r#"c"\"#.to_owned();
                let header = answer.header();
                let grant = service.grant(&header, &answer.target()).unwrap();
                let value = grant.authentication_info(EntityBody::Bytes(PAGE)).unwrap();
                let info = AuthenticationInfo::parse([&value]).unwrap();

                let protection = QopParams::new(qop, &answer.nc, &answer.cnonce).unwrap();
                let body = body_hash(algorithm, Some(&protection), PAGE);
                let hash = algorithm.hash_function();
                let key = key(
                    algorithm,
                    &ha1(hash),
                    answer.nonce.as_bytes(),
                    answer.cnonce.as_bytes(),
                );
                let counted = Some(&protection).filter(|_| !uncounted);
                let expected = rspauth(&key, &answer.nonce, counted, &answer.uri, body.as_ref());
                assert!(info.has_proof(&expected), "{algorithm} {qop} {uncounted}");
                assert_ne!(expected, answer.response());
                assert_eq!(info.cnonce.unwrap(), *answer.cnonce);
                assert_eq!(info.nc, Some(1));
                assert_eq!(info.qop.map(Qop::to_string), Some(qop));
                assert!(info.nextnonce.is_none());

                // The same by the hash, and none where it should cover what is not known.
                let digest = hashed(hash, &[PAGE]);
                let by_hash = grant.authentication_info(EntityBody::Hashed(digest));
                assert_eq!(by_hash, Some(value.clone()));
                let unknown = grant.authentication_info(EntityBody::Unknown);
                assert_eq!(unknown, (qop == "auth").then_some(value));
            }
        }
    }
}

#[test]
fn basic_and_rfc_2069_get_no_proof() {
    for next_nonce in [NextNonce::Never, NextNonce::WhenDue, NextNonce::Always] {
        let realm = realm().with_quirks(&[Quirk::Rfc2069]).with_basic();
        let service = Service::new(realm.with_next_nonce(next_nonce));
        let header = crate::support::basic_header(USER, PASSWORD);
        let target = Target::new("GET", "/");
        let grant = service.grant(&header, &target).unwrap();
        assert_eq!(grant.authentication_info(EntityBody::Bytes(b"")), None);

        let mut answer = service.answer();
        answer.qop = None;
        let header = answer.header();
        let grant = service.grant(&header, &answer.target()).unwrap();
        // Without a proof, which RFC 2069 has not.
        let info = grant.authentication_info(EntityBody::Bytes(b""));
        assert_eq!(info.is_some(), next_nonce != NextNonce::Never);
        let info = info.as_ref().map(|info| info.to_str().unwrap());
        assert!(info.is_none_or(|info| info.starts_with("nextnonce=") && info.len() == 52));
    }
}

/// What the client sent is returned byte for byte, whether it is text or not.
#[test]
fn a_cnonce_that_is_not_utf_8_is_returned_as_it_came() {
    let service = Service::new(realm());
    let answer = service.answer();
    let params = answer.params().with("cnonce", "\"\u{e9}\"");
    let header = octets_with_response(params, &ha1(HashFunction::Sha256), &answer.target());
    let grant = service.grant(&header, &answer.target()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown).unwrap();
    assert!(value.to_str().is_err());
    let info = AuthenticationInfo::parse([&value]).unwrap();
    assert_eq!(info.cnonce.unwrap().to_bytes(), b"\xe9".as_slice());
    let Ok(Authorization::Digest(sent)) = Authorization::parse(&header) else {
        panic!("{header:?}");
    };
    let expected = sent.expected_rspauth(&ha1(HashFunction::Sha256), EntityBody::Unknown);
    assert!(info.has_proof(&expected.unwrap()));
    assert_eq!(
        grant.receipt().authentication_info(EntityBody::Unknown),
        Some(value)
    );
}

/// A receipt is for a response that is made later or elsewhere, so it borrows nothing.
#[test]
fn a_receipt_says_what_its_grant_says() {
    fn owned<T: Clone + Send + Sync + 'static>(value: T) -> T {
        value
    }
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    let mut compared = 0;
    for &algorithm in Algorithm::ALL {
        for (qop, uncounted) in [
            (Some("auth"), false),
            (Some("auth-int"), false),
            (Some("auth"), true),
            (None, false),
        ] {
            if qop.is_none() && algorithm.is_sess() {
                continue;
            }
            for next_nonce in [NextNonce::Never, NextNonce::WhenDue, NextNonce::Always] {
                for proxy in [false, true] {
                    let quirks = [Quirk::Rfc2069, Quirk::UncountedForm];
                    let realm = realm()
                        .with_algorithms(&[algorithm])
                        .with_qop(QopSet::BOTH)
                        .with_quirks(&quirks[..=usize::from(uncounted)])
                        .with_next_nonce(next_nonce);
                    let realm = if proxy { realm.for_proxy() } else { realm };
                    let service = Service::new(realm);
                    let answer = Answer {
                        algorithm,
                        qop,
                        uncounted,
                        cnonce: r#"c"\"#.to_owned(),
                        uri: r#"/a"b\c"#.to_owned(),
                        ..service.answer()
                    };
                    let header = answer.header();
                    let target = answer.target();
                    let grant = service.grant(&header, &target).unwrap();
                    let receipt: Receipt = owned(grant.receipt());
                    let hash = hashed(algorithm.hash_function(), &[PAGE]);
                    for body in [
                        EntityBody::Unknown,
                        EntityBody::Bytes(PAGE),
                        EntityBody::Hashed(hash),
                    ] {
                        let value = grant.authentication_info(body);
                        assert_eq!(receipt.authentication_info(body), value);
                        assert_eq!(receipt.clone().authentication_info(body), value);
                        compared += u32::from(value.is_some());
                    }
                    let is_rfc2069 = qop.is_none();
                    let has_next = next_nonce != NextNonce::Never;
                    let value = receipt.authentication_info(EntityBody::Bytes(PAGE));
                    assert_eq!(value.is_some(), !is_rfc2069 || has_next);
                    assert_eq!(receipt.info_field(), grant.info_field());
                    let field = match proxy {
                        true => "proxy-authentication-info",
                        false => "authentication-info",
                    };
                    assert_eq!(receipt.info_field(), field);
                    let shown = format!("{receipt:?} {receipt:#?} {grant:?}");
                    for secret in [&answer.nonce, answer.response().as_str(), "auth-int", "/a"] {
                        assert!(!shown.contains(secret), "{shown}");
                    }
                    // Borrows nothing, if the account does not: it outlives header and service.
                    let (account, parted) = owned(grant.into_parts());
                    assert_eq!(account, ha1(algorithm.hash_function()));
                    drop((header, service));
                    let body = EntityBody::Bytes(PAGE);
                    assert_eq!(parted.authentication_info(body), value);
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
    // Basic has nothing to say, whenever it is said.
    let service = Service::new(realm().with_basic());
    let header = crate::support::basic_header(USER, PASSWORD);
    let grant = service.grant(&header, &Target::new("GET", "/")).unwrap();
    let receipt = owned(grant.receipt());
    assert_eq!(receipt.authentication_info(EntityBody::Bytes(PAGE)), None);
    assert_eq!(receipt.info_field(), "authentication-info");
}
