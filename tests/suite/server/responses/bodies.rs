//! `qop=auth-int`: the body of a request.

use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Attempt, Reason};
use countersign::{EntityBody, Target};

use super::{hashed, with_body};
use crate::support::basic_header;
use crate::support::server::{Answer, PASSWORD, Service, USER, Why, ha1, realm, texts};

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
    let target = Target::new("POST", "/a?b=c");
    for (answer, wait, good, why) in [
        (&ours, 0, true, Reason::BodyUnknown),
        (&foreign, 0, false, Reason::NonceForeign),
        (&ours, 300, true, Reason::BodyUnknown),
        (&ours, 1, false, Reason::NonceExpired),
    ] {
        service.wait(wait);
        // Whoever sends it, and whatever the response is worth.
        for user in [USER, "nobody"] {
            let answer = Answer {
                user: user.to_owned(),
                qop: Some("auth-int"),
                ..answer.clone()
            };
            let header = answer.header();
            let attempt = service.begin(&header, &target).unwrap();
            let hash = Some(HashFunction::Sha256);
            assert_eq!(attempt.required_body_hash_function(), hash);
            assert_eq!(attempt.nonce_is_fresh(), good, "{why}");
            let refusal = attempt.reject_unread();
            let status = if good { 500 } else { 401 };
            assert_eq!((refusal.reason, refusal.status), (why, status));
            assert_eq!(texts(&refusal).is_empty(), good);
        }
    }
    assert_eq!(service.len(), 0, "it remembers nothing");
    // Basic has no nonce to judge.
    let header = basic_header(USER, PASSWORD);
    let attempt = service.begin(&header, &target).unwrap();
    assert!(attempt.nonce_is_fresh());
    assert_eq!(attempt.reject_unread().reason, Reason::BodyUnknown);
}
