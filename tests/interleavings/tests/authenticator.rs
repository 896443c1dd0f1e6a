//! Every interleaving of threads that share an `Authenticator`.
//!
//! loom replaces the locks and atomics, and runs a test once for each order in which they can be
//! taken and each value that a relaxed load may return.

use std::convert::Infallible;

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::{Arrival, Authenticator, Realm, Reason};
use countersign::wire::{QopParams, ha2, response};
use countersign::{Challenge, Channel, Target, Timestamp, challenges};
use loom::sync::Arc;
use loom::thread;

const REALM: &str = "files";
const START: Timestamp = Timestamp::from_unix_millis(1_700_000_000 * 1000);

fn authenticator(capacity: usize) -> Arc<Authenticator> {
    let realm = Realm::new(REALM).expect("plain text");
    let realm = realm.with_algorithms(&[Algorithm::SHA_256]);
    Arc::new(Authenticator::from_fresh_seed(realm, capacity, [1; 32]))
}

/// What a new key is made of.
struct Twos;

impl TryRng for Twos {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(2)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(2)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(2);
        Ok(())
    }
}

impl TryCryptoRng for Twos {}

fn ha1() -> Ha1 {
    Ha1::new(HashFunction::Sha256, "Mufasa", REALM, "Circle of Life")
}

fn target() -> Target<'static> {
    Target::new("GET", "/")
}

const ARRIVAL: Arrival<'static> = Arrival::new(Channel::Encrypted, START);

/// A new nonce.
fn nonce(auth: &Authenticator) -> String {
    let refusal = auth.challenge(ARRIVAL);
    let Some(Ok(Challenge::Digest(challenge))) = challenges(&refusal.challenges).next() else {
        panic!("no challenge")
    };
    challenge.nonce.to_str().expect("text").into_owned()
}

fn header(nonce: &str, nc: &str) -> String {
    let params = QopParams::new("auth", nc, "c").expect("plain text");
    let ha2 = ha2(HashFunction::Sha256, "GET", "/", None);
    let response = response(&ha1(), nonce, Some(&params), &ha2);
    format!(
        "Digest username=\"Mufasa\", realm=\"{REALM}\", nonce=\"{nonce}\", uri=\"/\", \
         algorithm=SHA-256, qop=auth, nc={nc}, cnonce=\"c\", response=\"{response}\""
    )
}

fn take(auth: &Authenticator, header: &str) -> Result<(), Reason> {
    let attempt = auth.begin([header].into_iter(), &target(), ARRIVAL);
    let verified = attempt.and_then(|attempt| attempt.verify(Some(ha1())));
    let granted = verified.and_then(|verified| auth.admit(verified));
    granted.map(drop).map_err(|rejected| rejected.reason)
}

/// Runs each on a thread of its own.
fn together(runs: Vec<Box<dyn FnOnce() -> Result<(), Reason> + Send>>) -> Vec<Result<(), Reason>> {
    let threads: Vec<_> = runs.into_iter().map(thread::spawn).collect();
    let outcomes = threads
        .into_iter()
        .map(|thread| thread.join().expect("no panic"));
    outcomes.collect()
}

/// Takes each request on another thread.
fn race(auth: &Arc<Authenticator>, headers: &[String]) -> Vec<Result<(), Reason>> {
    together(headers.iter().map(|header| taking(auth, header)).collect())
}

fn taking(
    auth: &Arc<Authenticator>,
    header: &str,
) -> Box<dyn FnOnce() -> Result<(), Reason> + Send> {
    let (auth, header) = (auth.clone(), header.to_owned());
    Box::new(move || take(&auth, &header))
}

fn is_forgotten(outcome: &Result<(), Reason>) -> bool {
    matches!(outcome, Err(Reason::NonceForgotten { .. }))
}

#[test]
fn a_captured_header_is_granted_to_one_thread() {
    // Of three threads, those with at most two preemptions: all would take minutes.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let auth = authenticator(2);
        let header = header(&nonce(&auth), "00000001");
        let outcomes = race(&auth, &[(); 3].map(|()| header.clone()));
        for (outcome, count) in [(Ok(()), 1), (Err(Reason::Replayed), 2)] {
            let found = outcomes.iter().filter(|it| **it == outcome).count();
            assert_eq!(found, count, "{outcomes:?}");
        }
    });
}

#[test]
fn two_counts_of_a_nonce_are_both_granted() {
    loom::model(|| {
        let auth = authenticator(2);
        let nonce = nonce(&auth);
        let headers = ["00000001", "00000002"].map(|nc| header(&nonce, nc));
        assert_eq!(race(&auth, &headers), [Ok(()), Ok(())]);
        for header in headers {
            assert_eq!(take(&auth, &header), Err(Reason::Replayed));
        }
    });
}

/// A table with one place, which the threads take from each other.
#[test]
fn eviction_admits_no_replay_and_locks_nobody_out() {
    loom::model(|| {
        let auth = authenticator(1);
        let headers = [(); 2].map(|()| header(&nonce(&auth), "00000001"));
        let outcomes = race(&auth, &headers);
        assert!(outcomes.iter().any(Result::is_ok), "{outcomes:?}");
        assert!(outcomes.iter().all(|it| it.is_ok() || is_forgotten(it)));
        for (header, outcome) in headers.iter().zip(&outcomes) {
            let again = take(&auth, header);
            assert!(again.is_err() || outcome.is_err(), "granted twice");
        }
        // A new nonce is good, although the floor was raised meanwhile.
        assert_eq!(take(&auth, &header(&nonce(&auth), "00000001")), Ok(()));
    });
}

/// The key changes while a request is under way: the nonce is the previous key's, and good.
#[test]
fn a_rotation_refuses_nobody_and_forgets_nothing() {
    loom::model(|| {
        let auth = authenticator(2);
        let header = header(&nonce(&auth), "00000001");
        let rotating = auth.clone();
        let rotate = Box::new(move || {
            assert!(rotating.rotate(&mut Twos).is_ok());
            Ok(())
        });
        let outcomes = together(vec![taking(&auth, &header), rotate]);
        assert_eq!(outcomes, [Ok(()), Ok(())]);
        assert_eq!(take(&auth, &header), Err(Reason::Replayed));
    });
}

/// A nonce that is issued while another thread evicts is granted, or refused once as forgotten.
#[test]
fn a_nonce_issued_during_an_eviction_is_good_at_the_second_try() {
    loom::model(|| {
        let auth = authenticator(1);
        let first = header(&nonce(&auth), "00000001");
        assert_eq!(take(&auth, &first), Ok(()));
        let second = header(&nonce(&auth), "00000001");
        let other = auth.clone();
        let issue = Box::new(move || {
            let outcome = take(&other, &header(&nonce(&other), "00000001"));
            if is_forgotten(&outcome) {
                return take(&other, &header(&nonce(&other), "00000001"));
            }
            outcome
        });
        let outcomes = together(vec![taking(&auth, &second), issue]);
        assert_eq!(outcomes[1], Ok(()));
        assert!(take(&auth, &first).is_err(), "granted again");
    });
}
