//! `rspauth`: the proof of the server.

use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Quirk, Receipt};
use countersign::wire::{AuthenticationInfo, QopParams};
use countersign::{Authorization, EntityBody, FieldValue};

use super::{hashed, with_body};
use crate::support::basic_header;
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

                let hash = algorithm.hash_function();
                let protection = QopParams::new(qop, &answer.nc, &answer.cnonce).unwrap();
                let body = body_hash(algorithm, Some(&protection), PAGE);
                let (nonce, cnonce) = (answer.nonce.as_bytes(), answer.cnonce.as_bytes());
                let key = key(algorithm, &ha1(hash), nonce, cnonce);
                let counted = Some(&protection).filter(|_| !uncounted);
                let expected = rspauth(&key, nonce, counted, answer.uri.as_bytes(), body.as_ref());
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

/// A receipt is for a response that is made later or elsewhere, so it borrows nothing. RFC 2069 has no
/// proof, and Basic has nothing to say.
#[test]
fn a_receipt_says_what_its_grant_says() {
    fn owned<T: Clone + Send + Sync + 'static>(value: T) -> T {
        value
    }
    const PAGE: &[u8] = b"<p>Hakuna Matata";
    let hash = hashed(HashFunction::Sha256, &[PAGE]);
    let bodies = [
        EntityBody::Unknown,
        EntityBody::Bytes(PAGE),
        EntityBody::Hashed(hash),
    ];
    // How many of the bodies are said something of, without and with a next nonce.
    for (scheme, qop, uncounted, said) in [
        ("Digest", Some("auth"), false, [3, 3]),
        ("Digest", Some("auth-int"), false, [2, 3]),
        ("Digest", Some("auth"), true, [3, 3]),
        ("Digest", None, false, [0, 3]),
        ("Basic", None, false, [0, 0]),
    ] {
        for (has_next, said) in [false, true].into_iter().zip(said) {
            let mut quirks = vec![Quirk::Rfc2069];
            quirks.extend(uncounted.then_some(Quirk::UncountedForm));
            quirks.extend((!has_next).then_some(Quirk::ReplayableNonces));
            let realm = realm()
                .with_qop(QopSet::BOTH)
                .with_quirks(&quirks)
                .with_one_time_nonces(has_next)
                .with_basic();
            // Each is a proxy once.
            let realm = if has_next { realm.for_proxy() } else { realm };
            let service = Service::new(realm);
            let answer = Answer {
                qop,
                uncounted,
                cnonce: r#"c"\"#.to_owned(),
                uri: r#"/a"b\c"#.to_owned(),
                ..service.answer()
            };
            let header = match scheme {
                "Basic" => basic_header(USER, PASSWORD),
                _ => answer.header(),
            };
            let target = answer.target();
            let grant = service.grant(&header, &target).unwrap();
            let field = match has_next {
                true => "proxy-authentication-info",
                false => "authentication-info",
            };
            assert_eq!(grant.info_field(), field);
            let values = bodies.map(|body| grant.authentication_info(body));
            assert_eq!(values.iter().flatten().count(), said, "{scheme} {qop:?}");
            let shown = |value: &FieldValue| value.to_str().unwrap().contains("rspauth=");
            let proofs = values.iter().flatten().filter(|value| shown(value)).count();
            let expected = match qop {
                Some("auth-int") => 2,
                Some(_) => 3,
                None => 0,
            };
            assert_eq!(proofs, expected, "{scheme} {qop:?}");
            // It outlives header and service.
            let shown = format!("{grant:?}");
            let (account, receipt) = owned::<(_, Receipt)>(grant.into_parts());
            assert_eq!(account, ha1(HashFunction::Sha256));
            drop((header, service));
            for (body, value) in bodies.into_iter().zip(&values) {
                assert_eq!(receipt.clone().authentication_info(body), *value);
            }
            assert_eq!(receipt.info_field(), field);
            let shown = format!("{receipt:?} {receipt:#?} {shown}");
            for secret in [&answer.nonce, answer.response().as_str(), "auth-int", "/a"] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }
}
