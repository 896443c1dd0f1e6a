//! Attacks on this crate's own server that once worked: each must be refused.

use countersign::client::{Account, Exchange, Field, Policy};
use countersign::digest::{Algorithm, Ha1, HashFunction, HexDigest, QopSet, userhash};
use countersign::server::{Arrival, Authenticator, Quirk, Realm, Rejection, Use};
use countersign::wire::{QopParams, ha2, response};
use countersign::{Authorization, Channel, EntityBody, Target, Timestamp};

use crate::support::client::{ask_of, client};
use crate::support::digest::body_hash;
use crate::support::digest::hex_len;
use crate::support::server::{
    Answer, START, Service, USER, Why, issue_floor, no_field, quoted, saved, shared,
};

const NOW: Timestamp = Timestamp::from_unix_millis(1_700_000_000 * 1000);
const REALM: &str = "realm";

fn arrival(now: Timestamp) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, now)
}

fn realm() -> Realm {
    Realm::new(REALM)
        .unwrap()
        .with_algorithms(&[Algorithm::SHA_256])
}

fn nonces(realm: &Realm) -> Authenticator {
    Authenticator::from_seed(realm.clone(), 8, [7; 32])
}

fn ha1(user: &str) -> Ha1 {
    Ha1::new(HashFunction::Sha256, user, REALM, "Circle of Life")
}

/// The header of an honest client that was just challenged.
fn honest(
    nonces: &Authenticator,
    realm: &Realm,
    user: &str,
    policy: Policy,
    now: Timestamp,
) -> String {
    let target = Target::new("GET", "/harmless").with_body(EntityBody::Bytes(b""));
    let refused = nonces.begin_as(realm, no_field(), &target, arrival(now));
    let challenges = refused.unwrap_err().challenges;
    let mut client = client(policy);
    let mut exchange = Exchange::new();
    let next = client.challenged(&mut exchange, countersign::challenges(&challenges));
    let ask = ask_of(&next).expect("a login is asked for");
    client
        .login(ask, &Account::new(user, "Circle of Life").with_basic())
        .unwrap();
    let answer = client
        .authorize(&mut exchange, &target)
        .map(Field::for_new_request)
        .unwrap();
    answer.unwrap().to_str().unwrap().to_owned()
}

/// Signs another request with a response that went over the wire, taken for a session key.
fn forge(captured: &str) -> String {
    let Ok(Authorization::Digest(seen)) = Authorization::parse(captured) else {
        panic!("Digest");
    };
    let nonce = seen.nonce.to_str().unwrap();
    let covered = ha2(HashFunction::Sha256, "GET", "/harmless", None);
    let cnonce = match seen.qop_params {
        Some(p) => {
            let cnonce = p.cnonce().to_str().unwrap();
            format!("{:08x}:{cnonce}:auth:{}", p.nc(), covered.as_str())
        }
        None => covered.as_str().to_owned(),
    };
    let key = Ha1::from_hex(HashFunction::Sha256, seen.response.as_str()).unwrap();
    let protection = QopParams::new("auth", "00000002", &cnonce).unwrap();
    let ha2 = ha2(HashFunction::Sha256, "DELETE", "/everything", None);
    let response: HexDigest = response(&key, nonce.as_bytes(), Some(&protection), &ha2);
    // Nothing of it needs the password.
    format!(
        "Digest username=\"Mufasa\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"/everything\", \
         algorithm=SHA-256-sess, qop=auth, nc=00000002, cnonce=\"{cnonce}\", response=\"{}\"",
        response.as_str()
    )
}

/// The response of a plain algorithm is a session key for a cnonce made of what it covers.
#[test]
fn a_captured_response_is_not_usable_as_session_key() {
    let both = realm().with_algorithms(&[Algorithm::SHA_256, Algorithm::SHA_256_SESS]);
    for (realm, policy) in [
        (both.clone(), Policy::new()),
        (both.with_quirks(&[Quirk::Rfc2069]), Policy::new()),
    ] {
        let nonces = nonces(&realm);
        let captured = honest(&nonces, &realm, "Mufasa", policy, NOW);
        refused_as_cnonce(&nonces, &realm, &forge(&captured));
    }
    // The form of RFC 2069 has no colon in what it covers.
    let legacy = realm().with_qop(QopSet::NONE);
    let nonces = nonces(&legacy);
    let policy = Policy::new().with_quirk(countersign::client::Quirk::Rfc2069);
    let captured = honest(&nonces, &legacy, "Mufasa", policy, NOW);
    let session_only = realm().with_algorithms(&[Algorithm::SHA_256_SESS]);
    refused_as_cnonce(&nonces, &session_only, &forge(&captured));
}

fn refused_as_cnonce(nonces: &Authenticator, realm: &Realm, header: &str) {
    let target = Target::new("DELETE", "/everything");
    let refused = nonces.begin_as(realm, [header].into_iter(), &target, arrival(NOW));
    let rejected = refused.unwrap_err();
    assert_eq!(rejected.reason, Rejection::SessionCnonce);
    assert_eq!(rejected.status, 401);
}

/// A guest with a password of his own uses the nonce of somebody else, with the last count.
#[test]
fn users_do_not_share_counts() {
    let realm = realm();
    let nonces = nonces(&realm);
    let target = Target::new("GET", "/harmless");
    let mine = honest(&nonces, &realm, "Mufasa", Policy::new(), NOW);
    let Ok(Authorization::Digest(seen)) = Authorization::parse(&mine) else {
        panic!("Digest");
    };
    let nonce = seen.nonce.to_str().unwrap();
    let guest = ha1("Scar");
    let protection = QopParams::new("auth", "ffffffff", "c").unwrap();
    let covered = ha2(HashFunction::Sha256, "GET", "/harmless", None);
    let response = response(&guest, nonce.as_bytes(), Some(&protection), &covered);
    let theirs = format!(
        "Digest username=\"Scar\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"/harmless\", \
         algorithm=SHA-256, qop=auth, nc=ffffffff, cnonce=\"c\", response=\"{}\"",
        response.as_str()
    );
    let take = |header: &str, ha1: &Ha1| {
        let attempt = nonces.begin_as(&realm, [header].into_iter(), &target, arrival(NOW));
        let verified = attempt.unwrap().verify(Some(ha1)).unwrap();
        nonces.admit(verified).map(|_| ()).why()
    };
    assert_eq!(take(&theirs, &guest), Ok(()));
    assert_eq!(take(&mine, &ha1("Mufasa")), Ok(()));
    assert_eq!(take(&mine, &ha1("Mufasa")), Err(Rejection::Replayed));
    assert_eq!(take(&theirs, &guest), Err(Rejection::Replayed));
}

/// The store has forgotten the key by the time a slow body is read.
#[test]
fn a_store_verdict_is_void_once_the_nonce_expired() {
    let realm = realm();
    let nonces = nonces(&realm);
    let header = honest(&nonces, &realm, "Mufasa", Policy::new(), NOW);
    let target = Target::new("GET", "/harmless");
    let store = shared(realm.clone(), 7);
    let pending = || {
        let late = NOW.plus_millis(1000 * 299);
        let attempt = nonces.begin_as(&realm, [&header].into_iter(), &target, arrival(late));
        let verified = attempt.unwrap().verify(Some(ha1("Mufasa"))).unwrap();
        store.claim(verified).expect_err("something to claim")
    };
    assert!(pending().expires() > NOW.plus_millis(1000 * 300));
    assert!(
        pending()
            .settle(Use::First, NOW.plus_millis(1000 * 300))
            .is_ok()
    );
    let late = pending().settle(Use::First, NOW.plus_millis(300_001)).why();
    assert_eq!(late.map(|_| ()), Err(Rejection::NonceExpired));
    let early = pending()
        .settle(Use::Seen, NOW.plus_millis(1000 * 300))
        .why();
    assert_eq!(early.map(|_| ()), Err(Rejection::Replayed));
}

/// A device without a clock of its own keeps its key and starts in 1970.
#[test]
fn a_used_nonce_from_the_future_is_forgotten_after_a_restart() {
    let realm = realm();
    let captured = honest(&nonces(&realm), &realm, "Mufasa", Policy::new(), NOW);
    let start = Timestamp::from_unix_millis(10 * 1000);
    let restarted = |used_until| Authenticator::from_saved(realm.clone(), saved(7, used_until), 8);
    let take = |nonces: &Authenticator, header: &str, now: Timestamp| {
        let target = Target::new("GET", "/harmless");
        let attempt = nonces
            .begin_as(&realm, [header].into_iter(), &target, arrival(now))
            .why()?;
        let verified = attempt.verify(Some(ha1("Mufasa"))).why()?;
        nonces.admit(verified).map(|_| ()).why()
    };
    let now = start.plus_millis(1000 * 1);
    let nonces = restarted(start);
    let outcome = take(&nonces, &captured, now);
    assert!(
        matches!(outcome, Err(Rejection::NonceForgotten { .. })),
        "{outcome:?}"
    );
    assert_eq!(nonces.len(), 0);
    // A new one is as good as ever.
    let fresh = honest(&nonces, &realm, "Mufasa", Policy::new(), now);
    assert_eq!(take(&nonces, &fresh, now), Ok(()));
    assert_eq!(nonces.len(), 1);
    assert!(issue_floor(&nonces) >= now);
    // So is one that is made after a horizon that was kept, although the clock is far behind it.
    let nonces = restarted(NOW);
    assert!(issue_floor(&nonces) > NOW);
    let [one, other] = [(); 2].map(|()| {
        let header = honest(&nonces, &realm, "Mufasa", Policy::new(), now);
        assert_eq!(take(&nonces, &header, now), Ok(()));
        header
    });
    assert_ne!(one, other);
    let outcome = take(&nonces, &captured, now);
    assert!(matches!(outcome, Err(Rejection::NonceForgotten { .. })));
}

/// The formulas for `auth-int` hash `method:uri:H(body)`, which is also `method:uri` of another
/// `uri`. Without a count the `qop` is not covered, so a captured answer over a body could be turned
/// into a request that the user never made.
#[test]
fn an_auth_int_response_is_not_valid_for_another_uri() {
    let both = || {
        crate::support::server::realm()
            .with_algorithms(Algorithm::ALL)
            .with_qop(QopSet::BOTH)
    };
    for &algorithm in Algorithm::ALL {
        let service = Service::new(
            both()
                .with_quirks(&[Quirk::UncountedForm])
                .with_quirks(&[Quirk::Rfc2069]),
        );
        let sent = Answer {
            method: "POST".to_owned(),
            uri: "/x".to_owned(),
            algorithm,
            qop: Some("auth-int"),
            body: b"body".to_vec(),
            uncounted: true,
            ..service.answer()
        };
        // What the client sent is not taken, because in this form the server offers no auth-int.
        assert_eq!(service.take(&sent), Err(Rejection::WrongCredentials));
        let hash = body_hash(algorithm, protection(&sent).as_ref(), b"body").unwrap();
        let uri = format!("/x:{hash}");
        let forged = sent.params().with("uri", quoted(&uri)).with("qop", "auth");
        let request = Answer {
            uri,
            body: b"another body".to_vec(),
            ..sent.clone()
        };
        let outcome = service.take_header(forged.to_string(), &request);
        assert_eq!(outcome, Err(Rejection::UriMismatch), "{algorithm}");
        if !algorithm.is_sess() {
            let forged = forged.without("qop").without("nc").without("cnonce");
            let outcome = service.take_header(forged.to_string(), &request);
            assert_eq!(outcome, Err(Rejection::UriMismatch), "{algorithm}");
        }
        assert!(service.len() == 0);
        // Such a request is as good as any other where the response covers the qop.
        let counted = Answer {
            qop: Some("auth"),
            uncounted: false,
            ..request
        };
        assert_eq!(service.take(&counted), Ok(()), "{algorithm}");
    }
}

fn protection(answer: &Answer) -> Option<QopParams<'_>> {
    let qop = answer.qop?;
    Some(QopParams::new(qop, &answer.nc, &answer.cnonce).unwrap())
}

/// A client may send a hashed name only where the challenge said `userhash=true` (RFC 7616, section
/// 3.4.4). Whoever has captured a header can hash the name, too.
#[test]
fn a_hashed_name_is_refused_where_it_was_not_asked_for() {
    for &algorithm in Algorithm::ALL {
        let hashed = userhash(
            algorithm.hash_function(),
            USER,
            crate::support::server::REALM,
        );
        for (asked, expected) in [(false, Err(Rejection::UserhashNotOffered)), (true, Ok(()))] {
            let mut server = crate::support::server::realm().with_algorithms(&[algorithm]);
            if asked {
                server = server.with_userhash(true);
            }
            let service = Service::new(server);
            let answer = Answer {
                algorithm,
                ..service.answer()
            };
            let header = answer
                .params()
                .with("username", quoted(hashed.as_str()))
                .with("userhash", "true");
            let outcome = service.respond(header.to_string(), &answer);
            if let Err(refused) = &outcome {
                assert_eq!(refused.refusal.status, 401);
            }
            let outcome = outcome.map_err(|refused| refused.why);
            assert_eq!(outcome, expected, "{algorithm}");
        }
    }
}

/// What a server that must serve Qt and others says by name. A colon stays refused.
#[test]
fn hash_like_cnonces_need_the_setting() {
    for &algorithm in Algorithm::ALL {
        let session = algorithm.is_sess();
        let server = crate::support::server::realm().with_algorithms(&[algorithm]);
        let mut strict = Service::new(server.clone());
        let mut tolerant = Service::new(server.with_quirks(&[Quirk::HashLikeCnonces]));
        for (cnonce, by_default, by_setting) in [
            (
                "0123456789abcdef".repeat(hex_len(algorithm.hash_function()) / 16),
                !session,
                true,
            ),
            (
                "0123456789ABCDEF".repeat(hex_len(algorithm.hash_function()) / 16),
                !session,
                true,
            ),
            ("0123456789abcde".to_owned(), true, true),
            ("a:b".to_owned(), !session, !session),
        ] {
            for (service, is_taken) in [(&mut strict, by_default), (&mut tolerant, by_setting)] {
                let answer = Answer {
                    algorithm,
                    cnonce: cnonce.clone(),
                    ..service.answer()
                };
                let expected = is_taken.then_some(()).ok_or(Rejection::SessionCnonce);
                assert_eq!(service.take(&answer), expected, "{algorithm} {cnonce}");
            }
        }
    }
}

/// A response without a count is a session key for such a cnonce, so the setting has no effect on a
/// server that accepts one.
#[test]
fn hash_like_cnonces_are_refused_beside_uncounted_forms() {
    let all = || {
        crate::support::server::realm()
            .with_algorithms(Algorithm::ALL)
            .with_quirks(&[Quirk::HashLikeCnonces])
    };
    for (realm, is_taken) in [
        (all(), true),
        (all().with_quirks(&[Quirk::ReusableNonces]), true),
        (all().with_quirks(&[Quirk::Rfc2069]), false),
        (
            all()
                .with_quirks(&[Quirk::Rfc2069])
                .with_quirks(&[Quirk::ReusableNonces]),
            false,
        ),
        (all().with_quirks(&[Quirk::UncountedForm]), false),
    ] {
        let service = Service::new(realm);
        for &algorithm in Algorithm::ALL.iter().filter(|it| it.is_sess()) {
            let answer = Answer {
                algorithm,
                cnonce: "0123456789abcdef".repeat(hex_len(algorithm.hash_function()) / 16),
                ..service.answer()
            };
            let expected = is_taken.then_some(()).ok_or(Rejection::SessionCnonce);
            assert_eq!(
                service.take(&answer),
                expected,
                "{algorithm} {:?}",
                service.realm
            );
        }
    }
}

/// A clock that was once ahead leaves nonces that would live until it is as late again. One that may
/// be used as often as one likes within its lifetime then needs the memory, as if it may not.
#[test]
fn a_reusable_nonce_from_the_future_is_not_reusable() {
    let realm = crate::support::server::realm()
        .with_quirks(&[Quirk::Rfc2069])
        .with_quirks(&[Quirk::ReusableNonces]);
    for ahead in [0, 1, 299, 1_000_000] {
        let mut service = Service::new(realm.clone());
        service.wait(ahead);
        let mut answer = service.answer();
        answer.qop = None;
        service.now = START;
        let (header, target) = (answer.header(), answer.target());
        let verified = || {
            let attempt = service.begin(&header, &target).unwrap();
            let account = crate::support::server::ha1(attempt.hash_function());
            attempt.verify(Some(account)).unwrap()
        };
        let claim = shared(realm.clone(), 1).claim(verified());
        assert_eq!(claim.is_ok(), ahead == 0);
        for _ in 0..2 {
            let verified = verified();
            let outcome = service.auth.admit(verified).why();
            match outcome {
                Ok(_) => assert_eq!(ahead, 0),
                Err(why) => assert!(ahead > 0 && matches!(why, Rejection::NonceForgotten { .. })),
            }
        }
    }
}
