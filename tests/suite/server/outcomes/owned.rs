//! A rejection that outlives the request.

use countersign::digest::User;
use countersign::server::{Arrival, BasicOffer, Rejected, Rejection};
use countersign::wire::basic_credentials;
use countersign::{Channel, Target};

use crate::support::server::{Answer, PASSWORD, START, Service, USER, Why, ha1, realm};

/// The server is told nothing else by an owned rejection: status, field and challenges, which differ
/// in their nonce, are the same, and so is what the log sees.
#[test]
fn an_owned_rejection_says_the_same() {
    let realm = realm()
        .with_basic(BasicOffer::Encrypted)
        .with_opaque("o")
        .unwrap();
    for realm in [realm.clone(), realm.for_proxy()] {
        for channel in [Channel::Encrypted, Channel::Cleartext] {
            let mut service = Service::new(realm.clone());
            service.channel = channel;
            let answer = service.answer();
            let used = answer.header();
            assert_eq!(service.take(&answer), Ok(()));
            let wrong = Answer {
                password: "wrong".to_owned(),
                ..service.answer()
            };
            let values = [
                None,
                Some(used),
                Some(wrong.header()),
                Some(
                    basic_credentials(USER, "wrong")
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                ),
                Some("Digest username".to_owned()),
                Some("Bearer abc".to_owned()),
            ];
            for value in values {
                let target = answer.target();
                let owned = {
                    // The request ends before the response is made.
                    let value = value.clone();
                    let outcome = service
                        .begin_at(value.as_ref(), &target, &service.arrival())
                        .and_then(|attempt| {
                            let account = ha1(attempt.hash_function());
                            attempt.verify(Some(account))
                        })
                        .and_then(|verified| service.nonces.borrow_mut().admit(verified));
                    let borrowed = outcome.unwrap_err();
                    let owned: Rejected<'static> = borrowed.clone().into_owned();
                    same(&service, &borrowed, &owned);
                    owned
                };
                same(&service, &owned, &owned.clone().into_owned());
                let error: Box<dyn std::error::Error + Send + Sync> = Box::new(owned.clone());
                assert_eq!(error.to_string(), owned.rejection().to_string());
                let debug = format!("{owned:?}");
                assert!(
                    !debug.contains(USER) && !debug.contains(PASSWORD),
                    "{debug}"
                );
            }
        }
    }
}

fn same(service: &Service, one: &Rejected<'_>, other: &Rejected<'_>) {
    assert_eq!(one.rejection(), other.rejection());
    assert_eq!(one.claimed_user(), other.claimed_user());
    let refusals = [one, other].map(|rejected| service.refusal(rejected));
    let [one, other] = &refusals;
    assert_eq!((one.status, one.field), (other.status, other.field));
    let texts = refusals.each_ref().map(|refusal| {
        let texts = crate::support::server::texts(refusal);
        texts.into_iter().map(without_nonce).collect::<Vec<_>>()
    });
    assert_eq!(texts[0], texts[1]);
}

fn without_nonce(challenge: String) -> String {
    match challenge.split_once("nonce=\"") {
        None => challenge,
        Some((before, rest)) => format!("{before}{}", rest.split_once('"').unwrap().1),
    }
}

/// The nonce of its challenge is bound to what the request came with.
#[test]
fn an_owned_rejection_keeps_the_binding() {
    let service = Service::new(realm());
    let target = Target::new("GET", "/a?b=c");
    let owned = {
        let address = b"192.0.2.7".to_vec();
        let arrival = Arrival::new(Channel::Encrypted, START).bound_to(&address);
        let refused = service.begin_at(None::<&str>, &target, &arrival);
        refused.unwrap_err().into_owned()
    };
    let answer = Answer::to(&crate::support::server::nonce_of(&service.refuse(&owned)));
    let header = answer.header();
    for (address, expected) in [
        (b"192.0.2.7", Ok(())),
        (b"192.0.2.8", Err(Rejection::NonceForeign)),
    ] {
        let arrival = Arrival::new(Channel::Encrypted, START).bound_to(address);
        let attempt = service.begin_at(Some(&header), &target, &arrival).unwrap();
        let account = ha1(attempt.hash_function());
        assert_eq!(attempt.verify(Some(account)).why().map(drop), expected);
    }
}

/// The claimed user may be used once the attempt is verified, whatever became of it.
#[test]
fn the_claimed_user_outlives_the_attempt() {
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    let basic = crate::support::basic_header(USER, PASSWORD);
    for header in [service.answer().header(), basic] {
        let target = Target::new("GET", "/a?b=c");
        let attempt = service.begin(&header, &target).unwrap();
        let user = attempt.claimed_user();
        let account = ha1(attempt.hash_function());
        let verified = attempt.verify(Some(account)).unwrap();
        let grant = service.nonces.borrow_mut().admit(verified).unwrap();
        let granted = grant.claimed_user();
        drop(grant);
        assert_eq!((&user, &granted), (&User::Name(USER.into()), &user));
    }
}

/// The password is not looked at, unless the log asks for the name.
#[test]
fn basic_over_cleartext_has_a_user_for_the_log() {
    let mut service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    service.channel = Channel::Cleartext;
    let target = Target::new("GET", "/");
    let header = crate::support::basic_header(USER, PASSWORD);
    let rejected = service.begin(&header, &target).unwrap_err();
    assert_eq!(rejected.rejection(), Rejection::CleartextBasic);
    assert_eq!(rejected.claimed_user(), Some(User::Name(USER.into())));
    // What cannot be decoded is refused for the same reason, because it is not decoded.
    let rejected = service.begin("Basic !!!", &target).unwrap_err();
    assert_eq!(rejected.rejection(), Rejection::CleartextBasic);
    assert_eq!(rejected.claimed_user(), None);
}
