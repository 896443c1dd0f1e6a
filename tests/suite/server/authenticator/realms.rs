//! Requests with another realm or other settings, or verified by another server.

use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Quirk, Realm, Rejection};
use countersign::{Target, Timestamp};

use super::{CAPACITIES, FOREIGN, answer, at, take};
use crate::support::server::{
    Answer, PASSWORD, REALM, START, USER, Why, authenticator, issue_floor, look_up, no_field,
    nonce_key, nonce_of, realm, texts,
};

/// Other settings for some routes, over the same nonces.
#[test]
fn a_request_may_have_another_realm() {
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let old_devices = realm()
            .with_quirks(&[Quirk::Rfc2069])
            .with_algorithms(&[Algorithm::SHA_512_256]);
        let take_as = |realm: &Realm, answer: &Answer| {
            let header = answer.header();
            let target = answer.target();
            let granted = auth
                .begin_as(realm, [&header].into_iter(), &target, at(START))
                .and_then(|attempt| {
                    let ha1 = look_up(&attempt);
                    attempt.verify(ha1)
                })
                .and_then(|verified| auth.admit(verified));
            granted
                .map(drop)
                .map_err(|rejected| (rejected.reason, texts(&rejected)))
        };

        let mut rfc2069 = answer(&auth, START);
        rfc2069.qop = None;
        assert_eq!(take(&auth, &rfc2069, START), Err(Rejection::QopNotOffered));
        rfc2069.algorithm = Algorithm::SHA_512_256;
        assert_eq!(take_as(&old_devices, &rfc2069), Ok(()));
        let (why, challenges) = take_as(&old_devices, &rfc2069).unwrap_err();
        assert_eq!(why, Rejection::Replayed);
        // A refusal offers what that realm offers.
        assert_eq!(challenges.len(), 1);
        assert!(challenges[0].contains("algorithm=SHA-512-256"));

        // The counts are the same: a nonce that was used by one route is not unused for another.
        let used = answer(&auth, START);
        assert_eq!(take(&auth, &used, START), Ok(()));
        let (why, _) = take_as(&realm().for_proxy(), &used).unwrap_err();
        assert_eq!(why, Rejection::Replayed);

        // And so are the status and the fields.
        let proxy = realm().for_proxy();
        let target = Target::new("GET", "/");
        let refused = auth.begin_as(&proxy, no_field(), &target, at(START));
        let refusal = refused.unwrap_err();
        assert_eq!((refusal.status, refusal.field), (407, "proxy-authenticate"));
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
    for auth in [authenticator(realm(), 10), authenticator(realm(), 2000)] {
        let target = Target::new("GET", "/");
        for (issuing, issued_by) in all.iter().enumerate() {
            let refused = auth.begin_as(issued_by, no_field(), &target, at(START));
            let refusal = refused.unwrap_err();
            let answer = Answer::to(&nonce_of(&texts(&refusal)));
            let (header, target) = (answer.header(), answer.target());
            for (using, used_by) in all.iter().enumerate() {
                let attempt = auth
                    .begin_as(used_by, [&header].into_iter(), &target, at(START))
                    .unwrap();
                assert_eq!(attempt.nonce_is_fresh(), issuing == using);
                let account = look_up(&attempt);
                let outcome = attempt.verify(account).map(drop).why();
                let expected = if issuing == using { Ok(()) } else { FOREIGN };
                assert_eq!(outcome, expected, "{issued_by:?} {used_by:?}");
            }
        }
    }
}

/// A header field map of the caller's may do what it likes while it is read.
#[test]
fn values_are_read_before_a_lock_is_taken() {
    let auth = authenticator(realm(), 10);
    let answer = answer(&auth, START);
    let (header, target) = (answer.header(), answer.target());
    let values = std::iter::once_with(|| {
        auth.rotate(nonce_key(9));
        &header
    });
    let attempt = auth.begin(values, &target, at(START)).unwrap();
    assert!(attempt.nonce_is_fresh(), "by the previous key");
}

/// Another server remembers what was used of a nonce, so what it has verified is refused, whatever
/// it is, and changes nothing.
#[test]
fn what_another_server_verified_is_refused() {
    let realm = || realm().with_basic();
    for capacity in CAPACITIES {
        let auth = authenticator(realm(), capacity);
        let other_key = Authenticator::from_seed(realm(), 100, [2; 32]);
        let other_name = authenticator(Realm::new("other").unwrap().with_basic(), capacity);
        for (other, realm) in [(&other_key, REALM), (&other_name, "other")] {
            for qop in [Some("auth"), Some("Basic")] {
                let mut answer = answer(other, START);
                answer.realm = realm.to_owned();
                let header = match qop {
                    Some("Basic") => crate::support::basic_header(USER, PASSWORD),
                    _ => answer.header(),
                };
                let target = answer.target();
                let begin = || {
                    other
                        .begin([&header].into_iter(), &target, at(START))
                        .unwrap()
                };
                let account = || (USER, PASSWORD);
                let verify = || {
                    begin()
                        .verify_password(Some(account()), |pair| *pair)
                        .unwrap()
                };
                let refused = auth.admit(verify()).unwrap_err();
                assert_eq!(refused.reason, Rejection::NonceForeign);
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
