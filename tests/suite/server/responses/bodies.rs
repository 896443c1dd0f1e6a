//! `qop=auth-int`: the body of a request.

use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Arrival, Attempt, Reason};
use countersign::{EntityBody, Target};

use super::{hashed, with_body};
use crate::support::server::{Answer, PASSWORD, Seeded, Service, USER, Why, ha1, nonce_of, realm};

#[test]
fn a_request_body_in_one_piece_or_many() {
    for &algorithm in Algorithm::ALL {
        let hash = algorithm.hash_function();
        for (body, chunks) in [
            (&b""[..], vec![]),
            (b"", vec![&b""[..]]),
            (b"a=1&b=2", vec![b"a=1", b"", b"&b=2"]),
            (&[0, 0xff, b'\r', b'\n'], vec![&[0, 0xff, b'\r', b'\n']]),
        ] {
            let (service, answer) = with_body(algorithm, body);
            let digest = hashed(hash, &chunks);
            let header = answer.header();
            let target = Target::new(&answer.method, &answer.uri);
            let begin = |body| {
                let attempt = service.begin(&header, &target.with_body(body));
                attempt.expect("in order")
            };
            let verify = |attempt: Attempt<'_>| attempt.verify(Some(ha1(hash))).map(|_| ()).why();

            // With the request, as bytes or as a hash.
            let empty = body.is_empty().then_some(EntityBody::Empty);
            let known = [EntityBody::Bytes(body), EntityBody::Hashed(digest)];
            for known in known.into_iter().chain(empty) {
                assert_eq!(begin(known).required_body_hash_function(), None);
                assert_eq!(verify(begin(known)), Ok(()));
            }
            // Not at all, or hashed by another function.
            let other = HashFunction::ALL.iter().find(|it| **it != hash).unwrap();
            for unknown in [
                EntityBody::Unknown,
                EntityBody::Hashed(hashed(*other, &chunks)),
            ] {
                assert_eq!(begin(unknown).required_body_hash_function(), Some(hash));
                assert_eq!(verify(begin(unknown)), Err(Reason::BodyUnknown));
            }
            // Another one.
            let outcome = verify(begin(EntityBody::Bytes(b"other")));
            assert_eq!(outcome, Err(Reason::WrongCredentials));
        }
    }
}

/// A body that is too large for what is known of its sender: a nonce of ours first, then the body.
#[test]
fn the_nonce_is_judged_before_the_body_is_read() {
    let realm = realm().with_qop(QopSet::BOTH).with_basic();
    let mut service = Service::new(realm);
    let ours = service.answer();
    let foreign = Answer::to("foreign");
    for (answer, wait, good, why) in [
        (&ours, 0, true, Reason::BodyUnknown),
        (&foreign, 0, false, Reason::NonceForeign),
        (&ours, 300, true, Reason::BodyUnknown),
        (&ours, 1, false, Reason::NonceExpired),
    ] {
        service.wait(wait);
        for (user, password) in [(USER, PASSWORD), (USER, "wrong"), ("nobody", "")] {
            let answer = Answer {
                user: user.to_owned(),
                password: password.to_owned(),
                qop: Some("auth-int"),
                body: b"26 MB".to_vec(),
                ..answer.clone()
            };
            let header = answer.header();
            let target = Target::new(&answer.method, &answer.uri);
            let attempt = service.begin(&header, &target).unwrap();
            assert_eq!(
                attempt.required_body_hash_function(),
                Some(HashFunction::Sha256)
            );
            // Whoever sends it, and whatever the response is worth.
            assert_eq!(attempt.nonce_is_fresh(), good, "{why}");
            let rejected = attempt.reject_unread();
            assert_eq!(rejected.reason, why);
            let refusal = rejected;
            if good {
                assert_eq!(refusal.status, 500);
                continue;
            }
            // An honest client comes back with a nonce that is good, and nobody is asked.
            assert_eq!(refusal.status, 401);
            let values = crate::support::server::texts(&refusal);
            assert!(crate::support::server::is_stale(&values));
            let again = Answer {
                nonce: nonce_of(&values),
                ..answer.clone()
            };
            let header = again.header();
            let attempt = service.begin(&header, &target).unwrap();
            assert!(attempt.nonce_is_fresh());
            let body = EntityBody::Hashed(hashed(HashFunction::Sha256, &[b"26 MB"]));
            let attempt = service.begin(&header, &target.with_body(body)).unwrap();
            let expected = (user, password) == (USER, PASSWORD);
            let known = Some(ha1(HashFunction::Sha256)).filter(|_| user == USER);
            assert_eq!(attempt.verify(known).is_ok(), expected);
        }
    }
    assert_eq!(service.len(), 0, "it remembers nothing");
    // Basic has no nonce to judge.
    let header = crate::support::basic_header(USER, PASSWORD);
    let target = Target::new("GET", "/");
    let attempt = service.begin(&header, &target).unwrap();
    assert!(attempt.nonce_is_fresh());
    let rejected = attempt.reject_unread();
    assert_eq!(rejected.reason, Reason::BodyUnknown);
}

/// An attacker keeps the body of a captured request open. What was found before the body says
/// nothing about the time after it, so the server begins again.
#[test]
fn a_body_that_is_finished_too_late() {
    let (service, answer) = with_body(Algorithm::SHA_256, b"body");
    let header = answer.header();
    let unread = Target::new(&answer.method, &answer.uri);
    let read = unread.with_body(EntityBody::Hashed(hashed(
        HashFunction::Sha256,
        &[b"bo", b"dy"],
    )));
    let later = Arrival::new(service.channel, service.now.plus_millis(1000 * 301));
    let rotate = |seed| {
        let Ok(()) = service.auth.rotate(&mut Seeded(seed));
    };

    let attempt = service.begin(&header, &unread).unwrap();
    assert!(attempt.nonce_is_fresh());
    let again = service.begin_at(Some(&header), &read, later).unwrap();
    assert_eq!(again.required_body_hash_function(), None);
    let verified = again.verify(Some(ha1(HashFunction::Sha256)));
    assert_eq!(verified.map(|_| ()).why(), Err(Reason::NonceExpired));

    rotate(2);
    assert!(service.begin(&header, &read).unwrap().nonce_is_fresh());
    rotate(3);
    let again = service.begin(&header, &read).unwrap();
    let verified = again.verify(Some(ha1(HashFunction::Sha256)));
    assert_eq!(verified.map(|_| ()).why(), Err(Reason::NonceForeign));
    // The first attempt still has the time and the key from before the body.
    assert!(attempt.nonce_is_fresh());
}
