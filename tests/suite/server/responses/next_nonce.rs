//! `nextnonce`: when it is sent, and what it is good for.

use countersign::EntityBody;
use countersign::server::Quirk;
use countersign::wire::AuthenticationInfo;

use crate::support::server::{Answer, START, Service, realm};

/// When a nonce is old, and with each use of a nonce that is good for one request.
#[test]
fn when_the_next_nonce_is_sent() {
    let with = |quirks: &[Quirk]| realm().with_quirks(quirks);
    let (uncounted, rfc2069) = (Quirk::UncountedForm, Quirk::Rfc2069);
    let reusable = Quirk::ReplayableNonces;
    // The form, where c is counted, u uncounted and r that of RFC 2069; and the age in milliseconds.
    for (realm, form, age, due) in [
        (realm(), 'c', 0, false),
        (realm(), 'c', 149_999, false),
        (realm(), 'c', 150_000, true),
        (realm(), 'c', 300_000, true),
        (realm().with_nonce_lifetime(1), 'c', 499, false),
        (realm().with_nonce_lifetime(1), 'c', 500, true),
        (realm().with_nonce_lifetime(0), 'c', 0, true),
        (realm().with_one_time_nonces(true), 'c', 0, true),
        // A form that was not used needs none.
        (with(&[uncounted]), 'c', 0, false),
        (with(&[rfc2069]), 'c', 0, false),
        (with(&[uncounted]), 'c', 150_000, true),
        (with(&[uncounted]), 'u', 0, true),
        (with(&[uncounted, reusable]), 'u', 0, false),
        (with(&[rfc2069]), 'r', 0, true),
        (with(&[rfc2069, reusable]), 'r', 0, false),
        (with(&[rfc2069, reusable]), 'r', 150_000, true),
        (
            with(&[rfc2069, reusable]).with_one_time_nonces(true),
            'r',
            0,
            true,
        ),
    ] {
        let mut service = Service::new(realm);
        let mut answer = Answer {
            qop: (form != 'r').then_some("auth"),
            uncounted: form == 'u',
            ..service.answer()
        };
        service.now = START.plus_millis(age);
        let next = next_nonce(&service, &answer);
        assert_eq!(next.is_some(), due, "{form} at {age}, {:?}", service.realm);
        if let Some(next) = next {
            answer.nonce = next;
            assert_eq!(service.take(&answer), Ok(()));
        }
    }
}

/// The next nonce, as the client reads it.
fn next_nonce(service: &Service, answer: &Answer) -> Option<String> {
    let header = answer.header();
    let grant = service.grant(&header, &answer.target()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown)?;
    let info = AuthenticationInfo::parse([&value]).unwrap();
    assert_eq!(info.rspauth.is_some(), answer.qop.is_some());
    let next = info.nextnonce?;
    Some(next.to_str().unwrap().into_owned())
}
