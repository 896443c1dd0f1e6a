//! `nextnonce`: when it is sent, and what it is good for.

use std::collections::HashSet;

use countersign::EntityBody;
use countersign::digest::HashFunction;
use countersign::server::{NextNonce, Quirk, Realm, Use};
use countersign::wire::AuthenticationInfo;

use crate::support::effort::repeats;
use crate::support::server::{Answer, START, Service, ha1, nonce_of, realm, shared};

#[test]
fn when_the_next_nonce_is_sent() {
    let old = |secs: u64| secs * 1000;
    let when_due = || realm().with_next_nonce(NextNonce::WhenDue);
    let never = |realm: Realm| realm.with_next_nonce(NextNonce::Never);
    for (realm, age, due) in [
        (realm(), 0, false),
        (realm(), old(150) - 1, false),
        (realm(), old(150), true),
        (realm(), old(300), true),
        (when_due().with_nonce_lifetime(1), 499, false),
        (when_due().with_nonce_lifetime(1), 500, true),
        (when_due().with_nonce_lifetime(0), 0, true),
        (never(realm()), old(300), false),
        (realm().with_next_nonce(NextNonce::Always), 0, true),
        (realm().with_one_time_nonces(true), 0, true),
        (never(realm().with_one_time_nonces(true)), 0, false),
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
/// good for more, or none is to be sent.
#[test]
fn the_next_nonce_of_forms_without_a_count() {
    let reusable = |realm: Realm| realm.with_quirks(&[Quirk::ReusableNonces]);
    let never = |realm: Realm| realm.with_next_nonce(NextNonce::Never);
    let always = |realm: Realm| realm.with_next_nonce(NextNonce::Always);
    for uncounted in [false, true] {
        let realm = || match uncounted {
            true => realm().with_quirks(&[Quirk::UncountedForm]),
            false => realm().with_quirks(&[Quirk::Rfc2069]),
        };
        for (realm, age, due) in [
            (realm(), 0, true),
            (never(realm()), 0, false),
            (always(realm()), 0, true),
            (reusable(realm()), 0, false),
            (reusable(realm()), 150, true),
            (always(reusable(realm())), 0, true),
            (reusable(realm()).with_one_time_nonces(true), 0, true),
        ] {
            let mut service = Service::new(realm);
            let mut answer = service.answer();
            answer.uncounted = uncounted;
            if !uncounted {
                answer.qop = None;
            }
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

/// A nonce from the future is used up by one request, even where others are reusable: the clock was
/// set back, and a shared store lets the request in.
#[test]
fn the_next_nonce_after_one_from_the_future() {
    let realm = realm()
        .with_quirks(&[Quirk::Rfc2069])
        .with_quirks(&[Quirk::ReusableNonces]);
    let mut service = Service::new(realm);
    service.wait(20);
    let mut answer = service.answer();
    answer.qop = None;
    service.now = START;
    let (header, target) = (answer.header(), answer.target());
    let attempt = service.begin(&header, &target).unwrap();
    let ha1 = ha1(attempt.hash_function());
    let store = shared(service.realm.clone(), 1);
    let pending = store.claim(attempt.verify(Some(ha1)).unwrap());
    let pending = pending.expect_err("it is not reusable");
    let grant = pending.settle(Use::First, START).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown).unwrap();
    let info = AuthenticationInfo::parse([&value]).unwrap();
    assert!(info.nextnonce.is_some());
}

/// A nonce that is not good any more is answered by a challenge, not by a next nonce.
#[test]
fn a_refused_request_uses_up_no_next_nonce() {
    let mut service = Service::new(realm().with_next_nonce(NextNonce::Always));
    let old = service.answer();
    service.wait(301);
    let foreign = Answer::to("foreign");
    let mut expected = Service::new(realm());
    expected.now = service.now;
    // Skips what was minted above.
    expected.nonce();
    for answer in [old, foreign] {
        let refused = service.respond(answer.header(), &answer).unwrap_err();
        assert!(refused.is_stale());
        // Each request of the two minted once: for the challenge.
        assert_eq!(refused.nonce(), expected.nonce());
    }
}

#[test]
fn next_nonces_are_unique() {
    const REQUESTS: u32 = repeats(10_000);
    let service = Service::new(realm().with_next_nonce(NextNonce::Always));
    let answer = service.answer();
    let mut seen = HashSet::from([answer.nonce.clone()]);
    for nc in 1..=REQUESTS {
        let next = next_nonce(&service, &answer.counted(nc)).unwrap();
        assert!(seen.insert(next), "{nc}");
        assert!(nc % 100 != 0 || seen.insert(service.nonce()));
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

#[test]
fn the_next_nonce_is_bound_as_the_last() {
    let service = Service::new(realm().with_next_nonce(NextNonce::Always));
    let here = || service.arrival().bound_to(b"here");
    let answer = Answer::to(&nonce_of(&service.challenges_at(here())));
    let header = answer.header();
    let attempt = service.begin_at(Some(&header), &answer.target(), here());
    let verified = attempt
        .unwrap()
        .verify(Some(ha1(HashFunction::Sha256)))
        .unwrap();
    let grant = service.auth.admit(verified).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown).unwrap();
    let info = AuthenticationInfo::parse([&value]).unwrap();
    let answer = Answer::to(&info.nextnonce.unwrap().to_str().unwrap());
    let header = answer.header();
    let elsewhere = here().bound_to(b"elsewhere");
    for (arrival, good) in [(here(), true), (elsewhere, false)] {
        let target = answer.target();
        let attempt = service.begin_at(Some(&header), &target, arrival);
        let outcome = attempt.unwrap().verify(Some(ha1(HashFunction::Sha256)));
        assert_eq!(outcome.is_ok(), good);
    }
}
