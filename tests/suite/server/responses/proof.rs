//! `rspauth`: the proof of the server.

use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Quirk, Receipt};
use countersign::wire::{AuthenticationInfo, QopParams};
use countersign::{Authorization, EntityBody, Target};

use super::{hashed, with_body};
use crate::support::digest::{body_hash, key, proof_for, rspauth};
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
                let quirks = [Quirk::UncountedForm, Quirk::ReplayableNonces];
                service.realm = service.realm.with_quirks(&quirks);
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
                let (nonce, uri) = (answer.nonce.as_bytes(), answer.uri.as_bytes());
                let expected = rspauth(&key, nonce, counted, uri, body.as_ref());
                assert!(info.has_proof(&expected), "{algorithm} {qop} {uncounted}");
                assert_ne!(expected, answer.response());
                assert_eq!(info.cnonce.unwrap(), answer.cnonce.as_str());
                assert_eq!(info.nc, Some(1));
                assert_eq!(info.qop.map(|it| it.to_string()).as_deref(), Some(qop));
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
    for quirks in [
        &[Quirk::Rfc2069][..],
        &[Quirk::Rfc2069, Quirk::ReplayableNonces],
    ] {
        let service = Service::new(realm().with_quirks(quirks).with_basic());
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
        assert_eq!(info.is_some(), quirks.len() == 1);
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
    let expected = proof_for(&sent, &ha1(HashFunction::Sha256), b"");
    assert!(info.has_proof(&expected));
    let (_, receipt) = grant.into_parts();
    let again = receipt.authentication_info(EntityBody::Unknown);
    assert_eq!(again, Some(value));
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
            for has_next in [false, true] {
                for proxy in [false, true] {
                    let mut quirks = vec![Quirk::Rfc2069];
                    quirks.extend(uncounted.then_some(Quirk::UncountedForm));
                    quirks.extend((!has_next).then_some(Quirk::ReplayableNonces));
                    let realm = realm()
                        .with_algorithms(&[algorithm])
                        .with_qop(QopSet::BOTH)
                        .with_quirks(&quirks)
                        .with_one_time_nonces(has_next);
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
                    let field = match proxy {
                        true => "proxy-authentication-info",
                        false => "authentication-info",
                    };
                    assert_eq!(grant.info_field(), field);
                    let hash = hashed(algorithm.hash_function(), &[PAGE]);
                    let bodies = [
                        EntityBody::Unknown,
                        EntityBody::Bytes(PAGE),
                        EntityBody::Hashed(hash),
                    ];
                    let values = bodies.map(|body| grant.authentication_info(body));
                    let is_rfc2069 = qop.is_none();
                    assert_eq!(values[1].is_some(), !is_rfc2069 || has_next);
                    // Borrows nothing, if the account does not: it outlives header and service.
                    let shown = format!("{grant:?}");
                    let (account, receipt) = owned::<(_, Receipt)>(grant.into_parts());
                    assert_eq!(account, ha1(algorithm.hash_function()));
                    drop((header, service));
                    for (body, value) in bodies.into_iter().zip(&values) {
                        assert_eq!(receipt.authentication_info(body), *value);
                        assert_eq!(receipt.clone().authentication_info(body), *value);
                        compared += u32::from(value.is_some());
                    }
                    assert_eq!(receipt.info_field(), field);
                    let shown = format!("{receipt:?} {receipt:#?} {shown}");
                    for secret in [&answer.nonce, answer.response().as_str(), "auth-int", "/a"] {
                        assert!(!shown.contains(secret), "{shown}");
                    }
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
    // Basic has nothing to say, whenever it is said.
    let service = Service::new(realm().with_basic());
    let header = crate::support::basic_header(USER, PASSWORD);
    let grant = service.grant(&header, &Target::new("GET", "/")).unwrap();
    let (_, receipt) = owned(grant.into_parts());
    assert_eq!(receipt.authentication_info(EntityBody::Bytes(PAGE)), None);
    assert_eq!(receipt.info_field(), "authentication-info");
}
