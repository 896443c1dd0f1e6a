//! Attacks on this crate's own server that once worked: each must be refused.

use countersign::EntityBody;
use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Quirk, Reason};
use countersign::wire::QopParams;

use crate::support::digest::{body_hash, hex_len};
use crate::support::server::{Answer, START, Service, ha1, quoted, realm, shared};

/// The formulas for `auth-int` hash `method:uri:H(body)`, which is also `method:uri` of another
/// `uri`. Without a count the `qop` is not covered, so a captured answer over a body could be turned
/// into a request that the user never made.
#[test]
fn an_auth_int_response_is_not_valid_for_another_uri() {
    let realm = realm()
        .with_algorithms(Algorithm::ALL)
        .with_qop(QopSet::BOTH);
    let realm = realm.with_quirks(&[Quirk::UncountedForm, Quirk::Rfc2069]);
    for &algorithm in Algorithm::ALL {
        let service = Service::new(realm.clone());
        let sent = Answer {
            method: "POST".to_owned(),
            uri: "/x".to_owned(),
            algorithm,
            qop: Some("auth-int"),
            body: b"body".to_vec(),
            uncounted: true,
            ..service.answer()
        };
        // What the client sent is not taken, because in this form the server offers no auth-int.
        assert_eq!(service.take(&sent), Err(Reason::WrongCredentials));
        let protection = QopParams::new("auth-int", &sent.nc, &sent.cnonce).unwrap();
        let hash = body_hash(algorithm, Some(&protection), b"body").unwrap();
        let uri = format!("/x:{hash}");
        let forged = sent.params().with("uri", quoted(&uri)).with("qop", "auth");
        let request = Answer {
            uri,
            body: b"another body".to_vec(),
            ..sent.clone()
        };
        let mut all = vec![forged.clone()];
        if !algorithm.is_sess() {
            all.push(forged.without("qop").without("nc").without("cnonce"));
        }
        for forged in all {
            let outcome = service.take_header(forged.to_string(), &request);
            assert_eq!(outcome, Err(Reason::UriMismatch), "{algorithm}");
        }
        assert_eq!(service.len(), 0);
        // One that ends otherwise is no such request.
        let harmless = Answer {
            uri: format!("/x/{hash}"),
            algorithm,
            uncounted: true,
            ..service.answer()
        };
        assert_eq!(service.take(&harmless), Ok(()), "{algorithm}");
        // Such a request is as good as any other where the response covers the qop.
        let counted = Answer {
            qop: Some("auth"),
            uncounted: false,
            ..request
        };
        assert_eq!(service.take(&counted), Ok(()), "{algorithm}");
    }
}

/// The response of a plain algorithm is a session key for a cnonce made of what it covers, so a cnonce
/// with a colon is refused, and one like a hash, which is what RFC 2069 covers. A server that must serve
/// Qt and others takes the second by name; not where it accepts responses without a count.
#[test]
fn hash_like_cnonces_need_the_setting() {
    use Quirk::{HashLikeCnonces, ReusableNonces, Rfc2069, UncountedForm};
    let all = Algorithm::ALL.iter();
    for (quirks, is_hash_taken) in [
        (&[][..], false),
        (&[HashLikeCnonces], true),
        (&[HashLikeCnonces, ReusableNonces], true),
        (&[HashLikeCnonces, Rfc2069], false),
        (&[HashLikeCnonces, UncountedForm], false),
    ] {
        let realm = realm().with_algorithms(Algorithm::ALL).with_quirks(quirks);
        let service = Service::new(realm);
        for &algorithm in all.clone() {
            let hash = "0123456789abcdef".repeat(hex_len(algorithm.hash_function()) / 16);
            for (cnonce, is_taken) in [
                (&*hash, is_hash_taken),
                (&hash.to_uppercase(), is_hash_taken),
                (&hash[1..], true),
                ("a:b", false),
            ] {
                let answer = Answer {
                    algorithm,
                    cnonce: cnonce.to_owned(),
                    ..service.answer()
                };
                let is_taken = is_taken || !algorithm.is_sess();
                let expected = is_taken.then_some(()).ok_or(Reason::SessionCnonce);
                assert_eq!(service.take(&answer), expected, "{algorithm} {quirks:?}");
            }
        }
    }
}

/// A clock that was once ahead leaves nonces that would live until it is as late again. One that may
/// be used as often as one likes within its lifetime then needs the memory, as if it may not, and is
/// used up by one request, which brings the next.
#[test]
fn a_reusable_nonce_from_the_future_is_not_reusable() {
    let realm = realm().with_quirks(&[Quirk::Rfc2069, Quirk::ReusableNonces]);
    for ahead in [0, 1, 299, 1_000_000] {
        let mut service = Service::new(realm.clone());
        service.wait(ahead);
        let mut answer = service.answer();
        answer.qop = None;
        service.now = START;
        let (header, target) = (answer.header(), answer.target());
        let grant = service.grant(&header, &target).unwrap();
        let info = grant.authentication_info(EntityBody::Unknown);
        assert_eq!(info.is_some(), ahead > 0);
        let again = (ahead == 0).then_some(()).ok_or(Reason::Replayed);
        assert_eq!(service.take(&answer), again);
        // A shared store, too, is asked.
        let store = shared(realm.clone(), 1);
        let attempt = store.begin([&header].into_iter(), &target, service.arrival());
        let account = ha1(HashFunction::Sha256);
        let claimed = store.claim(attempt.unwrap().verify(Some(account)).unwrap());
        assert_eq!(claimed.is_err(), ahead > 0);
    }
}
