//! `nextnonce`: when it is sent, and what it is good for.

use countersign::EntityBody;
use countersign::server::Quirk;
use countersign::wire::AuthenticationInfo;

use crate::support::server::{Answer, START, Service, realm};

#[test]
fn when_the_next_nonce_is_sent() {
    let old = |secs: u64| secs * 1000;
    for (realm, age, due) in [
        (realm(), 0, false),
        (realm(), old(150) - 1, false),
        (realm(), old(150), true),
        (realm(), old(300), true),
        (realm().with_nonce_lifetime(1), 499, false),
        (realm().with_nonce_lifetime(1), 500, true),
        (realm().with_nonce_lifetime(0), 0, true),
        (realm().with_one_time_nonces(true), 0, true),
        // A form that was not used needs none.
        (realm().with_quirks(&[Quirk::UncountedForm]), 0, false),
        (realm().with_quirks(&[Quirk::Rfc2069]), 0, false),
        (realm().with_quirks(&[Quirk::UncountedForm]), old(150), true),
    ] {
        let mut service = Service::new(realm);
        let answer = service.answer();
        service.now = START.plus_millis(age);
        let next = next_nonce(&service, &answer);
        assert_eq!(next.is_some(), due, "at {age} with {:?}", service.realm);
        // It is one of the server's, and of now.
        if let Some(next) = next {
            assert_ne!(next, answer.nonce);
            assert_eq!(service.take(&Answer::to(&next)), Ok(()));
        }
    }
}

/// The forms whose nonces are good for one request come with the next one, unless their nonces are
/// good for more.
#[test]
fn the_next_nonce_of_forms_without_a_count() {
    for (quirk, qop, uncounted) in [
        (Quirk::UncountedForm, Some("auth"), true),
        (Quirk::Rfc2069, None, false),
    ] {
        let plain = realm().with_quirks(&[quirk]);
        let reusable = plain.clone().with_quirks(&[Quirk::ReplayableNonces]);
        let one_time = reusable.clone().with_one_time_nonces(true);
        for (realm, age, due) in [
            (plain, 0, true),
            (reusable.clone(), 0, false),
            (reusable, 150, true),
            (one_time, 0, true),
        ] {
            let mut service = Service::new(realm);
            let mut answer = Answer {
                qop,
                uncounted,
                ..service.answer()
            };
            service.wait(age);
            let next = next_nonce(&service, &answer);
            assert_eq!(next.is_some(), due, "{age} with {:?}", service.realm);
            if let Some(next) = next {
                answer.nonce = next;
                assert_eq!(service.take(&answer), Ok(()));
            }
        }
    }
}

/// The next nonce, as the client reads it.
fn next_nonce(service: &Service, answer: &Answer) -> Option<String> {
    let header = answer.header();
    let grant = service.grant(&header, &answer.target()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown)?;
    let info = AuthenticationInfo::parse([&value]).unwrap();
    let is_rfc2069 = answer.qop.is_none();
    assert_eq!(info.rspauth.is_some(), !is_rfc2069);
    // As often as it is asked for, it is the same.
    assert_eq!(
        grant.authentication_info(EntityBody::Unknown),
        Some(value.clone())
    );
    let next = info.nextnonce?;
    Some(next.to_str().unwrap().into_owned())
}
