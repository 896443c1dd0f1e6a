//! The server that a program keeps: its key, its memory and its clock through a whole life, and what
//! cannot be done to it by accident.

mod memory;
mod randomness;
mod realms;

use countersign::digest::Ha1;
use countersign::server::{Arrival, Authenticator, Reason};
use countersign::{Channel, Target};

use crate::support::server::{
    Answer, Challenges, Service, USER, Why, ha1, look_up, no_field, realm,
};

/// One table, and several.
const CAPACITIES: [usize; 2] = [10, 2000];
const REPLAYED: Result<(), Reason> = Err(Reason::Replayed);

/// By the clock and the generator of the system.
#[test]
fn constructed_from_common_sources() {
    let auth = Authenticator::from_fresh_seed(realm(), 100, [7; 32]);
    let now = || Arrival::now(Channel::Encrypted);
    let answer = Answer::to(&auth.challenge(now()).nonce());
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
    let service = Service::new(realm());
    let right = service.answer();
    let (mut wrong, mut unknown) = (right.clone(), right.clone());
    wrong.password = "wrong".to_owned();
    unknown.user = "nobody".to_owned();
    let target = Target::new("GET", "/a?b=c");
    for (answer, outcome) in [
        (&wrong, Err(Reason::WrongCredentials)),
        (&unknown, Err(Reason::WrongCredentials)),
        (&right, Ok(())),
        (&right, REPLAYED),
    ] {
        let header = [answer.header()];
        let arrival = service.arrival();
        let granted = service
            .auth
            .check(header.iter(), &target, arrival, |user, hash| {
                (user.name() == Some(USER)).then(|| ha1(hash))
            });
        assert_eq!(granted.map(drop).why(), outcome);
    }
    let refused = service.auth.check(
        no_field(),
        &target,
        service.arrival(),
        |_, _| -> Option<Ha1> { panic!("asked for nobody") },
    );
    assert_eq!(refused.unwrap_err().reason, Reason::NoCredentials);
}
