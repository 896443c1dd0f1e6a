//! For what, where, for how long and how often a nonce is good.

use countersign::digest::{Algorithm, HashFunction, QopSet};
use countersign::server::{Quirk, Realm, Reason};
use countersign::wire::AuthenticationInfo;
use countersign::{EntityBody, Target, Timestamp};

use crate::support::server::{
    Answer, START, Service, ha1, look_up, nonce_of, quoted, realm, response_by_digits, shared,
};

/// Which uses of a nonce are admitted, for each form that the realm accepts and each setting of how
/// often a nonce is valid.
#[test]
fn each_form_limits_the_uses_of_a_nonce() {
    const COUNTED: &str = "counted";
    const RFC_2069: &str = "RFC 2069";
    const UNCOUNTED: &str = "uncounted";
    const UNCOUNTED_BODY: &str = "uncounted, with the body";
    let with = |quirks: &[Quirk]| realm().with_quirks(quirks);
    let one_time = |realm: Realm| realm.with_one_time_nonces(true);
    let legacy = |quirks: &[Quirk]| with(quirks).with_qop(QopSet::NONE);
    let bodies = |quirks: &[Quirk]| with(quirks).with_qop(QopSet::BOTH);
    let (rfc2069, uncounted) = (Quirk::Rfc2069, Quirk::UncountedForm);
    let reusable = Quirk::ReplayableNonces;
    let refused: &[_] = &[false, false, false];
    let each: &[_] = &[true, false, true];
    let once: &[_] = &[true, false, false];
    let always: &[_] = &[true, true, true];
    // The same twice, then with another count where there is one.
    for (server, form, expected) in [
        (realm(), COUNTED, each),
        (realm(), RFC_2069, refused),
        (realm(), UNCOUNTED, refused),
        (with(&[reusable]), COUNTED, each),
        (one_time(realm()), COUNTED, once),
        (with(&[rfc2069]), COUNTED, each),
        (with(&[rfc2069]), RFC_2069, once),
        (with(&[rfc2069]), UNCOUNTED, refused),
        (with(&[rfc2069, reusable]), COUNTED, each),
        (with(&[rfc2069, reusable]), RFC_2069, always),
        (one_time(with(&[rfc2069, reusable])), RFC_2069, once),
        (legacy(&[]), COUNTED, refused),
        (legacy(&[]), RFC_2069, once),
        (legacy(&[reusable]), RFC_2069, always),
        (with(&[uncounted]), COUNTED, each),
        (with(&[uncounted]), RFC_2069, refused),
        (with(&[uncounted]), UNCOUNTED, once),
        (with(&[uncounted, reusable]), COUNTED, each),
        (with(&[uncounted, reusable]), UNCOUNTED, always),
        (one_time(with(&[uncounted])), UNCOUNTED, once),
        (one_time(with(&[uncounted])), COUNTED, once),
        (bodies(&[uncounted]), UNCOUNTED_BODY, refused),
    ] {
        let service = Service::new(server);
        let mut answer = service.answer();
        answer.uncounted = form.starts_with(UNCOUNTED);
        match form {
            RFC_2069 => answer.qop = None,
            UNCOUNTED_BODY => answer.qop = Some("auth-int"),
            _ => {}
        }
        let mut outcomes = Vec::new();
        for nc in [1, 1, 2] {
            let answer = answer.counted(nc);
            let header = answer.header();
            let grant = service.grant(&header, &answer.target());
            outcomes.push(grant.is_ok());
            if let Ok(grant) = grant {
                assert_eq!(grant.qop().is_some(), form == COUNTED);
            }
        }
        assert_eq!(outcomes, expected, "{form} at {:?}", service.realm);
        // What a shared store has to record: each count, the nonce, or nothing.
        let store = shared(service.realm.clone(), 1);
        let claim = |nc| {
            let answer = answer.counted(nc);
            let (header, target) = (answer.header(), answer.target());
            let attempt = store.begin([&header].into_iter(), &target, service.arrival());
            let account = look_up(attempt.as_ref().ok()?);
            let claimed = store.claim(attempt.ok()?.verify(account).ok()?);
            Some(claimed.map_or_else(|claim| claim.key(), |_| "nothing".to_owned()))
        };
        let keys = [claim(1), claim(2)];
        assert_eq!(keys[0].is_some(), expected[0], "{keys:?}");
        if let [Some(first), Some(second)] = &keys {
            assert_eq!(first == second, expected != each, "{keys:?}");
            assert_eq!(first == "nothing", expected == always, "{keys:?}");
        }
    }
}

/// RFC 7616 does not say how a client tells which request began a session. Here each begins one.
#[test]
fn session_keys_use_nonce_and_cnonce_of_the_request() {
    let service = Service::new(realm().with_algorithms(&[Algorithm::SHA_256_SESS]));
    let mut answer = service.answer();
    answer.algorithm = Algorithm::SHA_256_SESS;
    assert_eq!(service.take(&answer), Ok(()));
    let first = ha1(HashFunction::Sha256).session_key(&answer.nonce, &answer.cnonce);
    // Another cnonce, with a key of its own, and with the key of the first request.
    answer.cnonce = "another".to_owned();
    assert_eq!(service.take(&answer.counted(2)), Ok(()));
    let answer = answer.counted(3);
    let response = response_by_digits(first.as_hex(), &answer);
    let header = answer.params().with("response", quoted(&response));
    let outcome = service.take_header(header.to_string(), &answer);
    assert_eq!(outcome, Err(Reason::WrongCredentials));
}

/// Of a challenge, and the next one.
#[test]
fn nonces_bound_to_a_client() {
    let service = Service::new(realm().with_one_time_nonces(true));
    let bound_to = |binding| service.arrival().bound_to(binding);
    let target = Target::new("GET", "/a?b=c");
    let challenges = service.challenges_at(bound_to(b"192.0.2.7"));
    let header = Answer::to(&nonce_of(&challenges)).header();
    let attempt = service.begin_at(Some(&header), &target, bound_to(b"192.0.2.7"));
    let verified = attempt.unwrap().verify(Some(ha1(HashFunction::Sha256)));
    let grant = service.auth.admit(verified.unwrap()).unwrap();
    let value = grant.authentication_info(EntityBody::Unknown).unwrap();
    let info = AuthenticationInfo::parse([&value]).unwrap();
    let next = Answer::to(&info.nextnonce.unwrap().to_str().unwrap()).header();
    for header in [header, next] {
        for (binding, is_here) in [
            (&b"192.0.2.7"[..], true),
            (b"192.0.2.70", false),
            (b"", false),
        ] {
            let attempt = service.begin_at(Some(&header), &target, bound_to(binding));
            assert_eq!(attempt.unwrap().nonce_is_fresh(), is_here);
        }
    }
}

#[test]
fn boundaries_of_the_nonce_lifetime() {
    let end = Timestamp::from_unix_millis(u64::MAX);
    for lifetime in [0, 1, u32::MAX] {
        for now in [Timestamp::from_unix_millis(0), START] {
            let mut service = Service::new(realm().with_nonce_lifetime(lifetime));
            service.now = now;
            let answer = service.answer();
            service.now = now.plus_millis(1000 * u64::from(lifetime));
            assert_eq!(service.take(&answer), Ok(()), "{lifetime} {now:?}");
            service.now = service.now.plus_millis(1);
            let outcome = service.take(&answer.counted(2));
            assert_eq!(outcome, Err(Reason::NonceExpired), "{lifetime} {now:?}");
            // The clock set back to before it was made.
            service.now = Timestamp::from_unix_millis(0);
            assert_eq!(service.take(&answer.counted(3)), Ok(()));
            service.now = end;
            let outcome = service.take(&answer.counted(4));
            assert_eq!(outcome, Err(Reason::NonceExpired));
            // A nonce of the last time there is, which is later than a nonce can tell.
            let answer = service.answer();
            let reason = service.take(&answer).unwrap_err();
            assert_eq!(reason, Reason::NonceExpired);
        }
    }
}
