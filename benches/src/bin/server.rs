//! A server, for `weight`: `check` of the README over arguments in place of a request.

use std::env;
use std::error::Error;

use countersign::digest::User;
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Channel, EntityBody, Target};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().collect();
    let [_, name, user, password, uri, fields @ ..] = &arguments[..] else {
        return Err("realm, user, password, target, credentials".into());
    };
    let realm = Realm::new(name)?;
    let auth = Authenticator::from_fresh_seed(realm, 1000, [7; 32]);
    let find = |claimed: &User<'_>, hash| {
        (claimed.name() == Some(user)).then(|| auth.realm().ha1(hash, user, password))
    };
    let target = Target::new("GET", uri);
    match auth.check(
        fields.iter(),
        &target,
        Arrival::now(Channel::Encrypted),
        find,
    ) {
        Ok(grant) => println!("{:?}", grant.authentication_info(EntityBody::Unknown)),
        Err(refusal) => println!("{} {refusal} {:?}", refusal.status, refusal.challenges),
    }
    Ok(())
}
