//! The server that a program keeps: its key, its memory and its clock through a whole life, and what
//! cannot be done to it by accident.

mod memory;
mod randomness;
mod realms;

use countersign::digest::Ha1;
use countersign::server::{Arrival, Authenticator, Reason, Refusal, Verified};
use countersign::{Channel, Target, Timestamp};

use crate::support::server::{
    Answer, START, USER, authenticator, ha1, is_stale, look_up, no_field, nonce_of, realm, texts,
};

/// One table, and several.
const CAPACITIES: [usize; 2] = [10, 2000];
const REPLAYED: Result<(), Reason> = Err(Reason::Replayed);
const FOREIGN: Result<(), Reason> = Err(Reason::NonceForeign);

fn at(time: Timestamp) -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, time)
}

fn challenge(auth: &Authenticator, time: Timestamp) -> Refusal {
    let target = Target::new("GET", "/");
    let refused = auth.begin(no_field(), &target, at(time));
    refused.expect_err("no credentials")
}

/// An answer to a nonce of this time.
fn answer(auth: &Authenticator, time: Timestamp) -> Answer {
    Answer::to(&nonce_of(&texts(&challenge(auth, time))))
}

fn verify<'a>(
    auth: &'a Authenticator,
    header: &'a str,
    target: &Target<'a>,
    time: Timestamp,
) -> Result<Verified<'a, Ha1>, Refusal> {
    let attempt = auth.begin([header].into_iter(), target, at(time))?;
    let ha1 = look_up(&attempt);
    attempt.verify(ha1)
}

fn take(auth: &Authenticator, answer: &Answer, time: Timestamp) -> Result<(), Reason> {
    respond(auth, answer, time).map_err(|(why, _)| why)
}

/// The same, with the challenges of a refusal.
fn respond(
    auth: &Authenticator,
    answer: &Answer,
    time: Timestamp,
) -> Result<(), (Reason, Vec<String>)> {
    let header = answer.header();
    let target = answer.target();
    let granted = verify(auth, &header, &target, time).and_then(|verified| auth.admit(verified));
    match granted {
        Ok(grant) => {
            assert_eq!(*grant.account(), ha1(answer.algorithm.hash_function()));
            Ok(())
        }
        Err(rejected) => Err((rejected.reason, texts(&rejected))),
    }
}

/// A refusal that costs an honest client one round trip and no more.
fn costs_a_round_trip(auth: &Authenticator, answer: &Answer, time: Timestamp) -> Reason {
    let (why, challenges) = respond(auth, answer, time).unwrap_err();
    assert!(is_stale(&challenges), "{why}");
    let again = Answer::to(&nonce_of(&challenges));
    assert_eq!(take(auth, &again, time), Ok(()), "after {why}");
    why
}

/// By the clock and the generator of the system.
#[test]
fn constructed_from_common_sources() {
    let auth = Authenticator::from_fresh_seed(realm(), 100, [7; 32]);
    let now = || Arrival::now(Channel::Encrypted);
    let answer = Answer::to(&nonce_of(&texts(&auth.challenge(now()))));
    let (header, target) = (answer.header(), answer.target());
    let attempt = auth.begin([&header].into_iter(), &target, now()).unwrap();
    let account = look_up(&attempt);
    assert!(auth.admit(attempt.verify(account).unwrap()).is_ok());
    #[cfg(feature = "getrandom")]
    assert_eq!(Authenticator::from_os_rng(realm(), 100).unwrap().len(), 0);
}

/// One call for a store that answers at once, with the outcomes of the three steps.
#[test]
fn check_takes_all_steps() {
    let auth = authenticator(realm(), 10);
    let right = answer(&auth, START);
    let wrong = Answer {
        password: "wrong".to_owned(),
        ..answer(&auth, START)
    };
    let unknown = Answer {
        user: "nobody".to_owned(),
        ..answer(&auth, START)
    };
    for (answer, outcome) in [
        (&wrong, Err(Reason::WrongCredentials)),
        (&unknown, Err(Reason::WrongCredentials)),
        (&right, Ok(())),
        (&right, REPLAYED),
    ] {
        let (header, target) = (answer.header(), answer.target());
        let granted = auth.check([&header].into_iter(), &target, at(START), |user, hash| {
            (user.name() == Some(USER)).then(|| ha1(hash))
        });
        match granted {
            Ok(grant) => assert_eq!((outcome, grant.qop().is_some()), (Ok(()), true)),
            Err(refusal) => {
                assert_eq!((outcome, refusal.status), (Err(refusal.reason), 401));
                assert_eq!(is_stale(&texts(&refusal)), refusal.reason.is_stale());
            }
        }
    }
    let target = Target::new("GET", "/");
    let refused = auth.check(no_field(), &target, at(START), |_, _| -> Option<Ha1> {
        panic!("asked for nobody")
    });
    assert_eq!(refused.unwrap_err().reason, Reason::NoCredentials);
}
