//! A client, for `weight`: the loop of the README over arguments in place of a connection.

use std::env;
use std::error::Error;

use countersign::client::{Account, Client, Endpoint, Exchange, Field, Next, Policy};
use countersign::{EntityBody, Target};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().collect();
    let [_, host, user, password, uri, challenge] = &arguments[..] else {
        return Err("host, user, password, target, challenge".into());
    };
    let endpoint = Endpoint::origin("https", host, None)?;
    let client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
    let mut client = client.with_account(Account::new(user, password))?;
    let (target, mut exchange) = (Target::new("GET", uri), Exchange::new());
    loop {
        let status = match client.authorize(&mut exchange, &target)? {
            Field::Set(value) => {
                println!("{}", value.to_str()?);
                200
            }
            Field::Remove => 401,
        };
        let fields = |name| {
            (name == "www-authenticate")
                .then_some(challenge)
                .into_iter()
        };
        match client.received(&mut exchange, status, fields, EntityBody::Unknown)? {
            Next::Done(proof) => {
                println!("{proof:?}");
                return Ok(());
            }
            Next::GiveUp(why) => return Err(why.to_string().into()),
            _ => {}
        }
    }
}
