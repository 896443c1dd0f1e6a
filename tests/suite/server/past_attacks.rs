//! Attacks on this crate's own server that once worked: each must be refused.

use countersign::EntityBody;
use countersign::digest::{Algorithm, HashFunction};
use countersign::server::{Quirk, Reason};

use crate::support::digest::hex_len;
use crate::support::server::{Answer, START, Service, ha1, realm, shared};

/// The response of a plain algorithm is a session key for a cnonce made of what it covers, so a cnonce
/// with a colon is refused, and one like a hash, which is what RFC 2069 covers. A server that must serve
/// Qt and others takes the second by name; not where it accepts responses without a count.
#[test]
fn hash_like_cnonces_need_the_setting() {
    use Quirk::{HashLikeCnonces, ReplayableNonces, Rfc2069, UncountedForm};
    let all = Algorithm::ALL.iter();
    for (quirks, is_hash_taken) in [
        (&[][..], false),
        (&[HashLikeCnonces], true),
        (&[HashLikeCnonces, ReplayableNonces], true),
        (&[HashLikeCnonces, Rfc2069], false),
        (&[HashLikeCnonces, UncountedForm], false),
    ] {
        let realm = realm().with_algorithms(Algorithm::ALL).with_quirks(quirks);
        let service = Service::new(realm);
        for &algorithm in all.clone() {
            let hash = "0123456789abcdef".repeat(hex_len(algorithm.hash_function()) / 16);
            for (cnonce, is_taken) in [
                (&*hash, is_hash_taken),
                (&hash.to_uppercase(), is_hash_taken),
                (&hash[1..], true),
                ("a:b", false),
            ] {
                let answer = Answer {
                    algorithm,
                    cnonce: cnonce.to_owned(),
                    ..service.answer()
                };
                let is_taken = is_taken || !algorithm.is_sess();
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
    for ahead in [0, 1, 299, 1_000_000] {
        let mut service = Service::new(realm.clone());
        service.wait(ahead);
        let mut answer = service.answer();
        answer.qop = None;
        service.now = START;
        let (header, target) = (answer.header(), answer.target());
        let grant = service.grant(&header, &target).unwrap();
        let info = grant.authentication_info(EntityBody::Unknown);
        assert_eq!(info.is_some(), ahead > 0);
        let again = (ahead == 0).then_some(()).ok_or(Reason::Replayed);
        assert_eq!(service.take(&answer), again);
        // A shared store, too, is asked.
        let store = shared(realm.clone(), 1);
        let attempt = store.begin([&header].into_iter(), &target, service.arrival());
        let account = ha1(HashFunction::Sha256);
        let claimed = store.claim(attempt.unwrap().verify(Some(account)).unwrap());
        assert_eq!(claimed.is_err(), ahead > 0);
    }
}
