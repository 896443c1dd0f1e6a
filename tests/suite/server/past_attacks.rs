//! Attacks on this crate's own server that once worked: each must be refused.

use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Arrival, Quirk, Reason};
use countersign::wire::ha2;
use countersign::{Channel, EntityBody};

use crate::support::digest::hex_len;
use crate::support::server::{
    Answer, START, Service, Why, ha1, quoted, realm, reply, response_by_digits, shared,
};

/// Signs another request with a response that went over the wire, taken for a session key. Nothing
/// of it needs the password.
fn forge(captured: &Answer) -> (String, Answer) {
    let covered = ha2(HashFunction::Sha256, &captured.method, &captured.uri, None);
    let cnonce = match captured.qop {
        Some(qop) => format!("{}:{}:{qop}:{covered}", captured.nc, captured.cnonce),
        None => covered.to_string(),
    };
    let forged = Answer {
        method: "DELETE".to_owned(),
        uri: "/everything".to_owned(),
        algorithm: Algorithm::SHA_256_SESS,
        qop: Some("auth"),
        cnonce,
        ..captured.counted(2)
    };
    let response = response_by_digits(captured.response().as_str(), &forged);
    let header = forged.params().with("response", quoted(&response));
    (header.to_string(), forged)
}

/// The response of a plain algorithm is a session key for a cnonce made of what it covers.
#[test]
fn a_captured_response_is_not_usable_as_session_key() {
    let of = |algorithms: &[Algorithm]| realm().with_algorithms(algorithms);
    let both = of(&[Algorithm::SHA_256, Algorithm::SHA_256_SESS]);
    let legacy = both.clone().with_quirks(&[Quirk::Rfc2069]);
    let session_only = of(&[Algorithm::SHA_256_SESS]);
    for (first, second, qop) in [
        (&both, &both, Some("auth")),
        (&legacy, &legacy, Some("auth")),
        // The form of RFC 2069 has no colon in what it covers.
        (&legacy, &legacy, None),
        (
            &of(&[Algorithm::SHA_256]).with_qop(QopSet::NONE),
            &session_only,
            None,
        ),
    ] {
        let mut service = Service::new(first.clone());
        let captured = Answer {
            qop,
            ..service.answer()
        };
        service.realm = second.clone();
        let (header, request) = forge(&captured);
        let refused = service.respond(header, &request).unwrap_err();
        assert_eq!(refused.why, Reason::SessionCnonce);
        assert_eq!(refused.refusal.status, 401);
        service.realm = first.clone();
        assert_eq!(service.take(&captured), Ok(()));
    }
}

/// A guest with a password of his own uses the nonce of somebody else, with the last count.
#[test]
fn users_do_not_share_counts() {
    let service = Service::new(realm());
    let mine = service.answer();
    let theirs = Answer {
        user: "Scar".to_owned(),
        ..mine.counted(u32::MAX)
    };
    for (answer, expected) in [
        (&theirs, Ok(())),
        (&mine, Ok(())),
        (&mine, Err(Reason::Replayed)),
        (&theirs, Err(Reason::Replayed)),
    ] {
        let (header, target) = (answer.header(), answer.target());
        let attempt = service.begin(&header, &target).unwrap();
        let verified = attempt.verify_password(Some(answer), |it| (&it.user, &it.password));
        let admitted = service.auth.admit(verified.unwrap());
        assert_eq!(admitted.why().map(drop), expected);
    }
}

/// What a server that must serve Qt and others says by name. A colon stays refused. A response
/// without a count is a session key for such a cnonce, so the setting has no effect on a server that
/// accepts one.
#[test]
fn hash_like_cnonces_need_the_setting() {
    use Quirk::{HashLikeCnonces, ReplayableNonces, Rfc2069, UncountedForm};
    for (quirks, is_hash_taken) in [
        (&[][..], false),
        (&[HashLikeCnonces], true),
        (&[HashLikeCnonces, ReplayableNonces], true),
        (&[HashLikeCnonces, Rfc2069], false),
        (&[HashLikeCnonces, Rfc2069, ReplayableNonces], false),
        (&[HashLikeCnonces, UncountedForm], false),
    ] {
        let realm = realm().with_algorithms(Algorithm::ALL).with_quirks(quirks);
        let service = Service::new(realm);
        for &algorithm in Algorithm::ALL {
            let hash = "0123456789abcdef".repeat(hex_len(algorithm.hash_function()) / 16);
            for (cnonce, is_taken) in [
                (hash.clone(), is_hash_taken),
                (hash.to_uppercase(), is_hash_taken),
                ("0123456789abcde".to_owned(), true),
                ("a:b".to_owned(), false),
            ] {
                let is_taken = is_taken || !algorithm.is_sess();
                let answer = Answer {
                    algorithm,
                    cnonce,
                    ..service.answer()
                };
                let expected = is_taken.then_some(()).ok_or(Reason::SessionCnonce);
                assert_eq!(service.take(&answer), expected, "{algorithm} {quirks:?}");
            }
        }
    }
}

/// A clock that was once ahead leaves nonces that would live until it is as late again. One that may
/// be used as often as one likes within its lifetime then needs the memory, as if it may not, and is
/// used up by one request, which brings the next.
#[test]
fn a_reusable_nonce_from_the_future_is_not_reusable() {
    let realm = realm().with_quirks(&[Quirk::Rfc2069, Quirk::ReplayableNonces]);
    for ahead in [0, 1, 20, 299, 1_000_000] {
        let mut service = Service::new(realm.clone());
        service.wait(ahead);
        let mut answer = service.answer();
        answer.qop = None;
        service.now = START;
        let (header, target) = (answer.header(), answer.target());
        let store = shared(realm.clone(), 1);
        let arrival = Arrival::new(Channel::Encrypted, START);
        let attempt = store
            .begin([&header].into_iter(), &target, arrival)
            .unwrap();
        let account = ha1(attempt.hash_function());
        match store.claim(attempt.verify(Some(account)).unwrap()) {
            Ok(_) => assert_eq!(ahead, 0),
            Err(pending) if ahead <= 60 => {
                let grant = pending.settle(reply(true, START)).unwrap();
                let info = grant.authentication_info(EntityBody::Unknown);
                assert!(info.unwrap().to_str().unwrap().starts_with("nextnonce="));
            }
            Err(_) => {}
        }
        assert_eq!(service.take(&answer), Ok(()));
        let again = (ahead == 0).then_some(()).ok_or(Reason::Replayed);
        assert_eq!(service.take(&answer), again);
    }
}
