//! The server that a program keeps: its key, its memory and its clock through a whole life, and what
//! cannot be done to it by accident.

mod memory;
mod randomness;
mod realms;

use countersign::Target;
use countersign::digest::Ha1;
use countersign::server::Reason;

use crate::support::server::{Service, USER, Why, ha1, no_field, realm};

/// One table, and several.
const CAPACITIES: [usize; 2] = [10, 2000];
const REPLAYED: Result<(), Reason> = Err(Reason::Replayed);

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
