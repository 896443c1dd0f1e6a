//! User names in all the forms they come in, and the stores they are looked up in.

mod names;
mod several_passwords;
mod stores;

use countersign::Target;
use countersign::digest::{Algorithm, User};
use countersign::server::{Realm, Reason};

use crate::support::server::{Service, Why, realm};

const WRONG: Reason = Reason::WrongCredentials;

/// Who claims to send this header, to a server that takes Basic and all of Digest.
fn claimed(header: impl AsRef<[u8]>, uri: &str) -> User<'static> {
    let server = realm()
        .with_basic()
        .with_userhash(true)
        .with_algorithms(Algorithm::ALL);
    let service = Service::new(server);
    let header = header.as_ref().to_vec();
    let target = Target::new("GET", uri);
    let attempt = service.begin(&header, &target);
    attempt.expect("in order").claimed_user().into_owned()
}

/// The outcome of one step on an attempt, with that of the proof as a name.
fn outcome(
    server: &Realm,
    header: &str,
    user: Option<(&str, &str)>,
) -> Result<Option<String>, Reason> {
    let service = Service::new(server.clone());
    let target = Target::new("GET", "/a?b=c");
    let attempt = service.begin(header, &target).why()?;
    let verified = attempt.verify_password(user, |pair| *pair).why()?;
    let grant = service.auth.admit(verified).why()?;
    assert_eq!(Some(*grant.account()), user);
    Ok(grant.claimed_user().name().map(str::to_owned))
}
