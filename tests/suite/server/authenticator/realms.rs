//! Requests with another realm or other settings, or verified by another server.

use countersign::Timestamp;
use countersign::server::{Authenticator, Quirk, Reason};

use crate::support::basic_header;
use crate::support::server::{
    PASSWORD, Seeded, Service, USER, Why, authenticator, issue_floor, look_up, realm,
};

/// A nonce that some requests use once and others count, or that expires at two times, would be two
/// uses of one header: in a shared store, and in a table that forgets by one of the times.
#[test]
fn a_nonce_is_good_for_the_settings_it_was_issued_for() {
    let all = [
        realm(),
        realm().with_one_time_nonces(true),
        realm().with_nonce_lifetime(1),
        realm().with_quirks(&[Quirk::HashLikeCnonces]),
    ];
    let mut service = Service::new(realm());
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
            let expected = (issuing == using).then_some(()).ok_or(Reason::NonceForeign);
            assert_eq!(outcome, expected, "{issued_by:?} {used_by:?}");
        }
    }
}

/// A header field map of the caller's may do what it likes while it is read.
#[test]
fn values_are_read_before_a_lock_is_taken() {
    let service = Service::new(realm());
    let answer = service.answer();
    let (header, target) = (answer.header(), answer.target());
    let values = std::iter::once_with(|| {
        let Ok(()) = service.auth.rotate(&mut Seeded(9));
        &header
    });
    let attempt = service.auth.begin(values, &target, service.arrival());
    let attempt = attempt.unwrap();
    assert!(attempt.nonce_is_fresh(), "by the previous key");
}

/// Another server remembers what was used of a nonce, so what it has verified is refused, whatever
/// it is, and changes nothing. It is still good where it belongs.
#[test]
fn what_another_server_verified_is_refused() {
    let auth = authenticator(realm().with_basic(), 10);
    let other = Service {
        auth: Authenticator::from_fresh_seed(realm().with_basic(), 100, [2; 32]),
        ..Service::new(realm().with_basic())
    };
    let digest = other.answer();
    let target = digest.target();
    for header in [digest.header(), basic_header(USER, PASSWORD)] {
        let verify = || {
            let attempt = other.begin(&header, &target).unwrap();
            attempt
                .verify_password(Some(()), |()| (USER, PASSWORD))
                .unwrap()
        };
        let refused = auth.admit(verify()).unwrap_err();
        assert_eq!(refused.reason, Reason::NonceForeign);
        assert_eq!(
            (auth.len(), issue_floor(&auth)),
            (0, Timestamp::from_unix_millis(0))
        );
        assert!(other.auth.admit(verify()).is_ok());
    }
}
