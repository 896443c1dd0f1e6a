//! A rejection that outlives the request.

use countersign::digest::User;
use countersign::server::{Arrival, Refusal, Rejection};
use countersign::{Authorization, Channel, Target};

use crate::support::server::{Answer, PASSWORD, START, Service, USER, Why, ha1, realm};

/// It ends with no request, passes as an error of any kind, and shows no name.
#[test]
fn a_rejection_is_an_error_that_borrows_nothing() {
    let service = Service::new(realm().with_basic());
    let answer = service.answer();
    let wrong = Answer {
        password: "wrong".to_owned(),
        ..service.answer()
    };
    assert_eq!(service.take(&answer), Ok(()));
    let basic = crate::support::basic_header(USER, "wrong");
    for value in [
        answer.header(),
        wrong.header(),
        basic,
        "Digest username".to_owned(),
    ] {
        let check = |value: String| -> Result<(), Box<dyn std::error::Error>> {
            let target = answer.target();
            let attempt = service.begin(&value, &target)?;
            let account = ha1(attempt.hash_function());
            let _ = service.auth.admit(attempt.verify(Some(account))?)?;
            Ok(())
        };
        let error = check(value).unwrap_err();
        let rejected = error.downcast_ref::<Refusal>().unwrap();
        assert_eq!(error.to_string(), rejected.reason.to_string());
        let debug = format!("{rejected:?}");
        assert!(
            !debug.contains(USER) && !debug.contains(PASSWORD),
            "{debug}"
        );
    }
}

/// The nonce of its challenge is bound to what the request came with.
#[test]
fn a_rejection_keeps_the_binding() {
    let service = Service::new(realm());
    let target = Target::new("GET", "/a?b=c");
    let owned = {
        let address = b"192.0.2.7".to_vec();
        let arrival = Arrival::new(Channel::Encrypted, START).bound_to(&address);
        let refused = service.begin_at(None::<&str>, &target, arrival);
        refused.unwrap_err()
    };
    let answer = Answer::to(&crate::support::server::nonce_of(&owned));
    let header = answer.header();
    for (address, expected) in [
        (b"192.0.2.7", Ok(())),
        (b"192.0.2.8", Err(Rejection::NonceForeign)),
    ] {
        let arrival = Arrival::new(Channel::Encrypted, START).bound_to(address);
        let attempt = service.begin_at(Some(&header), &target, arrival).unwrap();
        let account = ha1(attempt.hash_function());
        assert_eq!(attempt.verify(Some(account)).why().map(drop), expected);
    }
}

/// The claimed user may be used once the attempt is verified, whatever became of it.
#[test]
fn the_claimed_user_outlives_the_attempt() {
    let service = Service::new(realm().with_basic());
    let basic = crate::support::basic_header(USER, PASSWORD);
    for header in [service.answer().header(), basic] {
        let target = Target::new("GET", "/a?b=c");
        let attempt = service.begin(&header, &target).unwrap();
        let user = attempt.claimed_user();
        let account = ha1(attempt.hash_function());
        let verified = attempt.verify(Some(account)).unwrap();
        let grant = service.auth.admit(verified).unwrap();
        let granted = grant.claimed_user();
        drop(grant);
        assert_eq!((&user, &granted), (&User::Name(USER.into()), &user));
    }
}

/// What cannot be decoded is refused for the same reason, because it is not decoded. The log finds
/// the user in the field.
#[test]
fn basic_over_cleartext_is_not_decoded() {
    let mut service = Service::new(realm().with_basic());
    service.channel = Channel::Cleartext;
    let target = Target::new("GET", "/");
    let header = crate::support::basic_header(USER, PASSWORD);
    for value in [header.as_str(), "Basic !!!"] {
        let rejected = service.begin(value, &target).unwrap_err();
        assert_eq!(rejected.reason, Rejection::CleartextBasic);
    }
    let sent = Authorization::parse(&header).unwrap();
    assert_eq!(sent.user(), Some(User::Name(USER.into())));
    let digest = service.answer().header();
    let sent = Authorization::parse(&digest).unwrap();
    assert_eq!(sent.user(), Some(User::Name(USER.into())));
    assert_eq!(Authorization::parse("Bearer abc").unwrap().user(), None);
}
