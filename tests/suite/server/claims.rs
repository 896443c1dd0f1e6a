//! Replays recognised by a store that several machines share: what is claimed there, for how long,
//! and what its verdict is worth.

use std::collections::HashSet;

use countersign::digest::Ha1;
use countersign::server::{
    BasicOffer, Claim, Grant, PendingClaim, Realm, Rejection, UriCheck, Verified,
};
use countersign::{EntityBody, Target};

use crate::support::server::{Answer, PASSWORD, START, Service, USER, Why, ha1, is_stale, realm};

fn verify<'a>(service: &'a Service, header: &'a str, target: &Target<'a>) -> Verified<'a, Ha1> {
    let attempt = service.begin(header, target).unwrap();
    let ha1 = ha1(attempt.hash_function());
    attempt.verify(Some(ha1)).unwrap()
}

fn pending<'a>(verified: Verified<'a, Ha1>) -> PendingClaim<'a, Ha1> {
    match verified.claim() {
        Claim::Pending(pending) => pending,
        Claim::Granted(grant) => panic!("nothing to claim: {grant:?}"),
    }
}

#[test]
fn a_claim_is_settled_only_by_its_own_verdict() {
    let service = Service::new(realm());
    let answer = service.answer();
    let mut keys = HashSet::new();
    for nc in [1, 2, u32::MAX] {
        let header = answer.counted(nc).header();
        let target = answer.target();
        let pending = || pending(verify(&service, &header, &target));
        // The same each time, and another for each count.
        let key = pending().key();
        assert_eq!(key, pending().key());
        assert!(key.is_ascii() && key.len() <= 38, "{key}");
        assert!(keys.insert(key.clone()));
        // Also apart.
        let nonce = pending().nonce_key();
        assert!(nonce.len() <= 29, "{nonce}");
        assert_eq!(pending().count(), Some(nc));
        assert_eq!(key, format!("{nonce}-{nc:08x}"));
        assert_eq!(PendingClaim::<()>::STORE_MARGIN_SECS, 60);
        // The nonce is valid for the whole of the last millisecond, also by a clock that is late.
        let last = START.plus_secs(300 + 60);
        assert_eq!(pending().expires(), last.plus_millis(1));

        let granted = pending().settle(true, START).why();
        assert_eq!(granted.map(|grant| grant.is_counted()), Ok(true));
        let last = pending().settle(true, START.plus_secs(300)).why();
        assert!(last.is_ok());
        for (first, late, why) in [
            (false, 0, Rejection::Replayed),
            (false, 300_001, Rejection::Replayed),
            (true, 300_001, Rejection::NonceExpired),
        ] {
            let outcome = pending().settle(first, START.plus_millis(late));
            let rejected = outcome.unwrap_err();
            assert_eq!(rejected.rejection(), why);
            assert_eq!(rejected.claimed_user().unwrap().name(), Some(USER));
            assert!(is_stale(&service.refuse(&rejected)), "{why}");
        }
        let verified = verify(&service, &header, &target);
        let grant = verified.dangerous_skip_replay_check();
        assert_eq!(grant.claimed_user().name(), Some(USER));
    }
    let nonces: HashSet<_> = keys.iter().map(|key| &key[..key.len() - 9]).collect();
    assert_eq!(nonces.len(), 1, "of one nonce");
    assert_eq!(service.len(), 0, "nothing is remembered here");
}

/// A nonce for a single use has one key to claim. A form without a count whose nonces are reusable
/// has none.
#[test]
fn only_requests_with_something_to_record_need_a_claim() {
    let rfc2069 = || realm().with_rfc2069(true);
    let uncounted = || realm().with_uncounted_form(true);
    let reusable = |realm: Realm| realm.with_reusable_nonces(true);
    for (realm, qop, is_uncounted, claims) in [
        (realm(), Some("auth"), false, 2),
        (realm().with_one_time_nonces(true), Some("auth"), false, 1),
        (rfc2069(), None, false, 1),
        (rfc2069(), Some("auth"), false, 2),
        (reusable(rfc2069()), None, false, 0),
        (reusable(rfc2069()), Some("auth"), false, 2),
        (
            reusable(rfc2069()).with_one_time_nonces(true),
            None,
            false,
            1,
        ),
        (uncounted(), Some("auth"), true, 1),
        (uncounted(), Some("auth"), false, 2),
        (reusable(uncounted()), Some("auth"), true, 0),
        (
            reusable(uncounted()).with_one_time_nonces(true),
            Some("auth"),
            true,
            1,
        ),
    ] {
        let service = Service::new(realm);
        let mut answer = service.answer();
        answer.qop = qop;
        answer.uncounted = is_uncounted;
        let mut keys = HashSet::new();
        for nc in [1, 2] {
            let header = answer.counted(nc).header();
            let target = answer.target();
            match verify(&service, &header, &target).claim() {
                Claim::Granted(grant) => {
                    assert!(!grant.is_counted());
                    assert_eq!(*grant.account(), ha1(answer.algorithm.hash_function()));
                }
                Claim::Pending(pending) => {
                    assert_eq!(pending.count(), (claims == 2).then_some(nc));
                    if pending.count().is_none() {
                        assert_eq!(pending.key(), pending.nonce_key());
                    }
                    keys.insert(pending.key());
                }
            }
        }
        assert_eq!(keys.len(), claims, "{qop:?} at {:?}", service.realm);
    }
    let header = crate::support::basic_header(USER, PASSWORD);
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    let target = Target::new("GET", "/");
    let attempt = service.begin(&header, &target).unwrap();
    let verified = attempt.verify_password(Some(7), |_| (USER, PASSWORD));
    let Claim::Granted(grant) = verified.unwrap().claim() else {
        panic!("Basic has nothing to claim");
    };
    assert_eq!(grant.uri_match(), UriCheck::Unchecked);
    assert_eq!(*grant.account(), 7);
}

/// Whose nonce it is cannot be told from a key, and two accounts never claim the same.
#[test]
fn a_claim_key_reveals_neither_nonce_nor_account() {
    let service = Service::new(realm());
    let answer = service.answer();
    let other = Answer {
        user: "Scar".to_owned(),
        ..answer.clone()
    };
    let keys = [&answer, &other].map(|answer| {
        let header = answer.header();
        let target = answer.target();
        let attempt = service.begin(&header, &target).unwrap();
        let account = (answer.user.as_str(), answer.password.as_str());
        let verified = attempt.verify_password(Some(account), |pair| *pair);
        let Claim::Pending(pending) = verified.unwrap().claim() else {
            panic!("nothing to claim");
        };
        let shown = format!("{pending:?} {pending:#?}");
        for hidden in [&answer.nonce, &answer.user, &answer.password] {
            assert!(!pending.key().contains(hidden));
            assert!(!shown.contains(hidden), "{shown}");
        }
        pending.key()
    });
    assert_ne!(keys[0], keys[1]);
}

/// A store that keeps the counts of a nonce together, such as in a bitmap.
#[test]
fn a_store_may_keep_the_counts_of_a_nonce_together() {
    let service = Service::new(realm());
    let mut bitmaps = std::collections::HashMap::<String, HashSet<u32>>::new();
    let answers = [service.answer(), service.answer()];
    for round in 0..2 {
        for answer in &answers {
            for nc in 1..=10 {
                let header = answer.counted(nc).header();
                let target = answer.target();
                let pending = pending(verify(&service, &header, &target));
                let counts = bitmaps.entry(pending.nonce_key()).or_default();
                let first = counts.insert(pending.count().unwrap());
                assert_eq!(pending.settle(first, START).is_ok(), round == 0);
            }
        }
    }
    assert_eq!(bitmaps.len(), answers.len());
}

/// What a grant of a store says in the response is what one of a memory says.
#[test]
fn a_grant_from_a_store_equals_one_from_memory() {
    let service = Service::new(realm());
    let header = service.answer().header();
    let target = Target::new("GET", "/a?b=c");
    let settled = pending(verify(&service, &header, &target));
    let settled: Grant<'_, Ha1> = settled.settle(true, START).unwrap();
    let verified = verify(&service, &header, &target);
    let admitted = service.nonces.borrow_mut().admit(verified).unwrap();
    let info = |grant: &Grant<'_, Ha1>| grant.authentication_info(EntityBody::Unknown).unwrap();
    assert_eq!(info(&settled), info(&admitted));
    assert_eq!(settled.account(), admitted.account());
}

#[cfg(feature = "std")]
mod machines {
    use super::*;
    use crate::support::server::{Seeded, look_up, nonce_key, nonce_of, texts};
    use countersign::server::{Authenticator, NonceKey};

    /// Machines with one key and generators of their own, and the store that they share.
    struct Cluster {
        machines: [Authenticator; 2],
        store: HashSet<String>,
    }

    impl Cluster {
        fn new() -> Self {
            let hex = nonce_key(1).to_hex();
            Self {
                machines: [1, 2].map(|seed| {
                    let key = NonceKey::from_hex(&hex).unwrap();
                    Authenticator::for_shared_store(realm(), key, &mut Seeded(seed)).unwrap()
                }),
                store: HashSet::new(),
            }
        }

        fn answer(&self, machine: usize) -> Answer {
            let target = Target::new("GET", "/");
            let arrival = Service::new(realm()).arrival();
            let auth = &self.machines[machine];
            let refused = auth.begin(None::<&str>, &target, &arrival);
            Answer::to(&nonce_of(&texts(&auth.refuse(&refused.unwrap_err()))))
        }

        fn take(&mut self, machine: usize, answer: &Answer) -> Result<(), Rejection> {
            let header = answer.header();
            let target = answer.target();
            let auth = &self.machines[machine];
            let store = &mut self.store;
            let arrival = Service::new(realm()).arrival();
            let verified = auth
                .begin([&header], &target, &arrival)
                .and_then(|attempt| {
                    let ha1 = look_up(&attempt);
                    attempt.verify(ha1)
                });
            let mut claim = |pending: PendingClaim<'_, Ha1>| -> Result<(), Rejection> {
                let first = store.insert(pending.key());
                pending.settle(first, START).map(drop).why()
            };
            match verified.why()?.claim() {
                Claim::Granted(_) => panic!("nothing to claim"),
                Claim::Pending(pending) => claim(pending),
            }
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
                    assert_eq!(replay, Err(Rejection::Replayed));
                }
                // A client may change machines at every request.
                for nc in 2..10 {
                    let machine = nc as usize % 2;
                    assert_eq!(cluster.take(machine, &answer.counted(nc)), Ok(()));
                    let replay = cluster.take(1 - machine, &answer.counted(nc));
                    assert_eq!(replay, Err(Rejection::Replayed));
                }
            }
        }
        assert!(cluster.machines.iter().all(Authenticator::is_empty));
    }

    #[test]
    fn machines_never_make_the_same_nonce() {
        let cluster = Cluster::new();
        let nonces: HashSet<_> = (0..10_000).map(|n| cluster.answer(n % 2).nonce).collect();
        assert_eq!(nonces.len(), 10_000);
    }

    /// What the documentation of a pending claim warns of, and what it tells to do.
    #[test]
    fn after_a_loss_of_the_store_the_key_is_rotated_twice() {
        let mut cluster = Cluster::new();
        let captured = cluster.answer(0);
        assert_eq!(cluster.take(0, &captured), Ok(()));
        assert_eq!(cluster.take(1, &captured), Err(Rejection::Replayed));
        cluster.store.clear();
        assert_eq!(cluster.take(1, &captured), Ok(()), "this is the danger");

        cluster.store.clear();
        for number in [2, 3] {
            let rotate = |auth: &Authenticator| auth.rotate(nonce_key(number));
            cluster.machines.iter().for_each(rotate);
        }
        for machine in [0, 1] {
            let replay = cluster.take(machine, &captured);
            assert_eq!(replay, Err(Rejection::NonceForeign));
            let fresh = cluster.answer(machine);
            assert_eq!(cluster.take(1 - machine, &fresh), Ok(()));
        }
        assert_eq!(cluster.store.len(), 2);
    }
}
