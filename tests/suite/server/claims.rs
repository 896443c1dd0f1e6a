//! Replays recognised by a store that several machines share: what is claimed there, for how long,
//! and what its verdict is worth.

use std::collections::HashSet;

use countersign::digest::Ha1;
use countersign::server::{
    Arrival, Authenticator, PendingClaim, Quirk, Realm, Reason, SharedStore, Use, Verified,
};
use countersign::{Channel, Target, Timestamp};

use crate::support::server::{
    Answer, PASSWORD, START, Service, USER, Why, ha1, is_stale, realm, shared, texts, used,
};

fn store() -> Authenticator<SharedStore> {
    shared(realm(), 1)
}

fn verify<'a>(
    store: &'a Authenticator<SharedStore>,
    header: &'a str,
    target: &Target<'a>,
) -> Verified<'a, Ha1> {
    let arrival = Arrival::new(Channel::Encrypted, START);
    let attempt = store.begin([header].into_iter(), target, arrival).unwrap();
    let ha1 = ha1(attempt.hash_function());
    attempt.verify(Some(ha1)).unwrap()
}

fn pending<'a>(
    store: &'a Authenticator<SharedStore>,
    header: &'a str,
    target: &Target<'a>,
) -> PendingClaim<'a, Ha1> {
    let claim = store.claim(verify(store, header, target));
    claim.expect_err("something to claim")
}

#[test]
fn a_claim_is_settled_only_by_its_own_verdict() {
    let (service, store) = (Service::new(realm()), store());
    let answer = service.answer();
    let mut keys = HashSet::new();
    for nc in [1, 2, u32::MAX] {
        let header = answer.counted(nc).header();
        let target = answer.target();
        let pending = || pending(&store, &header, &target);
        // The same each time, and another for each count.
        let key = pending().key();
        assert_eq!(key, pending().key());
        assert!(key.is_ascii() && key.len() <= 38, "{key}");
        assert!(keys.insert(key.clone()));
        let (time, end) = (START.as_unix_millis(), format!("-{nc:08x}"));
        assert!(
            key.starts_with(&format!("{time:x}-")) && key.ends_with(&end),
            "{key}"
        );
        assert_eq!(PendingClaim::<()>::STORE_MARGIN_SECS, 60);
        // The nonce is valid for the whole of the last millisecond, also by a clock that is late.
        let last = START.plus_millis(1000 * (300 + 60));
        assert_eq!(pending().expires(), last.plus_millis(1));

        let granted = pending().settle(Use::First, START).why();
        assert_eq!(granted.map(|grant| grant.is_counted()), Ok(true));
        let last = pending()
            .settle(Use::First, START.plus_millis(1000 * 300))
            .why();
        assert!(last.is_ok());
        for (first, late, why) in [
            (Use::Seen, 0, Reason::Replayed),
            (Use::Seen, 300_001, Reason::Replayed),
            (Use::First, 300_001, Reason::NonceExpired),
        ] {
            let outcome = pending().settle(first, START.plus_millis(late));
            let rejected = outcome.unwrap_err();
            assert_eq!(rejected.reason, why);
            assert!(is_stale(&texts(&rejected)), "{why}");
        }
    }
    let nonces: HashSet<_> = keys.iter().map(|key| &key[..key.len() - 9]).collect();
    assert_eq!(nonces.len(), 1, "of one nonce");
}

/// A nonce for a single use has one key to claim. A form without a count whose nonces are reusable
/// has none.
#[test]
fn only_requests_with_something_to_record_need_a_claim() {
    const AUTH: Option<&str> = Some("auth");
    let with = |quirks: &[Quirk]| realm().with_quirks(quirks);
    let one_time = |realm: Realm| realm.with_one_time_nonces(true);
    let (rfc2069, uncounted) = (Quirk::Rfc2069, Quirk::UncountedForm);
    let reusable = Quirk::ReusableNonces;
    for (realm, qop, is_uncounted, claims) in [
        (realm(), AUTH, false, 2),
        (one_time(realm()), AUTH, false, 1),
        (with(&[rfc2069]), None, false, 1),
        (with(&[rfc2069]), AUTH, false, 2),
        (with(&[rfc2069, reusable]), None, false, 0),
        (with(&[rfc2069, reusable]), AUTH, false, 2),
        (one_time(with(&[rfc2069, reusable])), None, false, 1),
        (with(&[uncounted]), AUTH, true, 1),
        (with(&[uncounted]), AUTH, false, 2),
        (with(&[uncounted, reusable]), AUTH, true, 0),
        (one_time(with(&[uncounted, reusable])), AUTH, true, 1),
    ] {
        let store = shared(realm.clone(), 1);
        let service = Service::new(realm);
        let mut answer = service.answer();
        answer.qop = qop;
        answer.uncounted = is_uncounted;
        let mut keys = HashSet::new();
        for nc in [1, 2] {
            let header = answer.counted(nc).header();
            let target = answer.target();
            match store.claim(verify(&store, &header, &target)) {
                Ok(grant) => {
                    assert!(!grant.is_counted());
                    assert_eq!(*grant.account(), ha1(answer.algorithm.hash_function()));
                }
                Err(pending) => {
                    let key = pending.key();
                    assert_eq!(key.matches('-').count(), claims, "{key}");
                    keys.insert(key);
                }
            }
        }
        assert_eq!(keys.len(), claims, "{qop:?} at {:?}", service.realm);
    }
    let header = crate::support::basic_header(USER, PASSWORD);
    let store = shared(realm().with_basic(), 1);
    let target = Target::new("GET", "/");
    let arrival = Arrival::new(Channel::Encrypted, START);
    let attempt = store
        .begin([&header].into_iter(), &target, arrival)
        .unwrap();
    let verified = attempt.verify_password(Some(7), |_| (USER, PASSWORD));
    let grant = store
        .claim(verified.unwrap())
        .expect("Basic has nothing to claim");
    assert_eq!(*grant.account(), 7);
}

/// The clock of a machine was set back, so the store may have dropped the key of a nonce that is
/// valid for this machine.
#[test]
fn a_nonce_from_the_future_is_refused() {
    let store = store();
    let header = Service::new(realm()).answer().header();
    let target = Target::new("GET", "/a?b=c");
    for (back, granted) in [(60_000, true), (60_001, false), (500_000, false)] {
        let now = Timestamp::from_unix_millis(START.as_unix_millis() - back);
        let settled = pending(&store, &header, &target).settle(Use::First, now);
        assert_eq!(settled.is_ok(), granted, "{back}");
        if let Err(rejected) = settled {
            let why = rejected.reason;
            assert!(is_stale(&texts(&rejected)));
            // The next nonce is not later for that.
            let until = Timestamp::from_unix_millis(0);
            assert_eq!(why, Reason::NonceForgotten { until });
        }
    }
}

/// A claim at another server than the one that verified the request.
#[test]
fn a_claim_of_another_server_is_foreign() {
    let store = store();
    let header = Service::new(realm()).answer().header();
    let target = Target::new("GET", "/a?b=c");
    for other in [shared(realm(), 2), shared(realm(), 1)] {
        let claim = other.claim(verify(&store, &header, &target));
        let settled = claim
            .expect_err("something to claim")
            .settle(Use::First, START);
        assert_eq!(settled.why().map(drop), Err(Reason::NonceForeign));
    }
}

mod machines {
    use super::*;
    use crate::support::server::{Seeded, look_up, nonce_key, nonce_of, texts};

    /// Machines with one key and generators of their own, and the store that they share.
    struct Cluster {
        machines: [Authenticator<SharedStore>; 2],
        store: HashSet<String>,
    }

    impl Cluster {
        fn new() -> Self {
            Self {
                machines: [1, 2].map(|seed| {
                    let (key, rng) = (nonce_key(1), &mut Seeded(seed));
                    Authenticator::for_shared_store(realm(), key, rng).unwrap()
                }),
                store: HashSet::new(),
            }
        }

        fn answer(&self, machine: usize) -> Answer {
            let arrival = Service::new(realm()).arrival();
            Answer::to(&nonce_of(&texts(
                &self.machines[machine].challenge(arrival),
            )))
        }

        fn take(&mut self, machine: usize, answer: &Answer) -> Result<(), Reason> {
            let header = answer.header();
            let target = answer.target();
            let auth = &self.machines[machine];
            let store = &mut self.store;
            let arrival = Service::new(realm()).arrival();
            let verified = auth
                .begin([&header].into_iter(), &target, arrival)
                .and_then(|attempt| {
                    let ha1 = look_up(&attempt);
                    attempt.verify(ha1)
                });
            let claim = auth.claim(verified.why()?).expect_err("something to claim");
            let used = used(store.insert(claim.key()));
            claim.settle(used, START).map(drop).why()
        }
    }

    #[test]
    fn a_captured_header_is_granted_by_one_machine_once() {
        let mut cluster = Cluster::new();
        for made_by in [0, 1] {
            for first in [0, 1] {
                let answer = cluster.answer(made_by);
                assert_eq!(cluster.take(first, &answer), Ok(()));
                for machine in [0, 1, 1, 0] {
                    let replay = cluster.take(machine, &answer);
                    assert_eq!(replay, Err(Reason::Replayed));
                }
                // A client may change machines at every request.
                for nc in 2..10 {
                    let machine = nc as usize % 2;
                    assert_eq!(cluster.take(machine, &answer.counted(nc)), Ok(()));
                    let replay = cluster.take(1 - machine, &answer.counted(nc));
                    assert_eq!(replay, Err(Reason::Replayed));
                }
            }
        }
    }

    #[test]
    fn machines_never_make_the_same_nonce() {
        let cluster = Cluster::new();
        let nonces: HashSet<_> = (0..10_000).map(|n| cluster.answer(n % 2).nonce).collect();
        assert_eq!(nonces.len(), 10_000);
    }
}
