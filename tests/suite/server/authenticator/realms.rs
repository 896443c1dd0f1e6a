//! Requests with another realm or other settings, or verified by another server.

use countersign::Timestamp;
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Quirk, Realm, Reason};

use super::{CAPACITIES, FOREIGN, answer, at};
use crate::support::server::{
    Answer, PASSWORD, REALM, Refused, START, Seeded, Service, USER, Why, authenticator,
    digest_challenge, issue_floor, look_up, realm, texts,
};

/// Other settings for some routes, over the same nonces and counts.
#[test]
fn a_request_may_have_another_realm() {
    for capacity in CAPACITIES {
        let mut service = Service::new(realm()).with_capacity(capacity);
        let used = service.answer();
        assert_eq!(service.take(&used), Ok(()));
        let mut rfc2069 = service.answer();
        rfc2069.qop = None;
        assert_eq!(service.take(&rfc2069), Err(Reason::QopNotOffered));

        let old_devices = realm().with_quirks(&[Quirk::Rfc2069]);
        service.realm = old_devices.with_algorithms(&[Algorithm::SHA_512_256]);
        rfc2069.algorithm = Algorithm::SHA_512_256;
        assert_eq!(service.take(&rfc2069), Ok(()));
        // A refusal offers what that realm offers.
        let refused = service.respond(rfc2069.header(), &rfc2069).unwrap_err();
        assert_eq!(refused.why, Reason::Replayed);
        let [challenge] = &texts(&refused.refusal)[..] else {
            panic!("{refused:?}");
        };
        assert_eq!(
            digest_challenge(challenge).algorithm(),
            Algorithm::SHA_512_256
        );

        service.realm = realm().for_proxy();
        let Refused { why, refusal } = service.respond(used.header(), &used).unwrap_err();
        assert_eq!((why, refusal.status), (Reason::Replayed, 407));
        assert_eq!(refusal.field, "proxy-authenticate");

        service.realm = Realm::new("other").unwrap();
        let refused = service.respond(used.header(), &used).unwrap_err();
        assert_eq!(
            (refused.why, refused.is_stale()),
            (Reason::RealmMismatch, false)
        );
        assert_eq!(digest_challenge(&texts(&refused.refusal)[0]).realm, "other");
    }
}

/// A nonce that some requests use once and others count, or that expires at two times, would be two
/// uses of one header: in a shared store, and in a table that forgets by one of the times.
#[test]
fn a_nonce_is_good_for_the_settings_it_was_issued_for() {
    let all = [
        realm(),
        realm().with_one_time_nonces(true),
        realm().with_nonce_lifetime(1),
        realm().with_nonce_lifetime(3600),
        realm().with_quirks(&[Quirk::HashLikeCnonces]),
    ];
    for capacity in CAPACITIES {
        let mut service = Service::new(realm()).with_capacity(capacity);
        for (issuing, issued_by) in all.iter().enumerate() {
            service.realm = issued_by.clone();
            let answer = service.answer();
            let (header, target) = (answer.header(), answer.target());
            for (using, used_by) in all.iter().enumerate() {
                service.realm = used_by.clone();
                let attempt = service.begin(&header, &target).unwrap();
                assert_eq!(attempt.nonce_is_fresh(), issuing == using);
                let account = look_up(&attempt);
                let outcome = attempt.verify(account).map(drop).why();
                let expected = if issuing == using { Ok(()) } else { FOREIGN };
                assert_eq!(outcome, expected, "{issued_by:?} {used_by:?}");
            }
        }
    }
    // Clients take two realms of one name for one: `stale`, unless they offer different things.
    let mut service = Service::new(realm());
    let answer = service.answer();
    service.realm = realm().with_algorithms(&[Algorithm::SHA_512_256]);
    let refused = service.respond(answer.header(), &answer).unwrap_err();
    let expected = (Reason::AlgorithmNotOffered, false);
    assert_eq!((refused.why, refused.is_stale()), expected);
}

/// A header field map of the caller's may do what it likes while it is read.
#[test]
fn values_are_read_before_a_lock_is_taken() {
    let auth = authenticator(realm(), 10);
    let answer = answer(&auth, START);
    let (header, target) = (answer.header(), answer.target());
    let values = std::iter::once_with(|| {
        let Ok(()) = auth.rotate(&mut Seeded(9));
        &header
    });
    let attempt = auth.begin(values, &target, at(START)).unwrap();
    assert!(attempt.nonce_is_fresh(), "by the previous key");
}

/// Another server remembers what was used of a nonce, so what it has verified is refused, whatever
/// it is, and changes nothing.
#[test]
fn what_another_server_verified_is_refused() {
    let with_basic = |name| Realm::new(name).unwrap().with_basic();
    for capacity in CAPACITIES {
        let auth = authenticator(with_basic(REALM), capacity);
        let other_key = Authenticator::from_fresh_seed(with_basic(REALM), 100, [2; 32]);
        let other_name = authenticator(with_basic("other"), capacity);
        for (other, realm) in [(&other_key, REALM), (&other_name, "other")] {
            let digest = Answer {
                realm: realm.to_owned(),
                ..answer(other, START)
            };
            let target = digest.target();
            for header in [
                digest.header(),
                crate::support::basic_header(USER, PASSWORD),
            ] {
                let verify = || {
                    let attempt = other.begin([&header].into_iter(), &target, at(START));
                    let verified = attempt
                        .unwrap()
                        .verify_password(Some(()), |()| (USER, PASSWORD));
                    verified.unwrap()
                };
                let refused = auth.admit(verify()).unwrap_err();
                assert_eq!(refused.reason, Reason::NonceForeign);
                assert_eq!(
                    (auth.len(), issue_floor(&auth)),
                    (0, Timestamp::from_unix_millis(0))
                );
                // It is still good where it belongs.
                assert!(other.admit(verify()).is_ok());
            }
        }
    }
}
