//! Answers the challenges in the arguments.

use countersign::client::{Client, Exchange, Policy};
use countersign::digest::Cnonce;
use countersign::rand_core::UnwrapErr;
use countersign::{Channel, Target};

fn main() {
    let challenges: Vec<String> = std::env::args().skip(1).collect();
    let mut client = Client::new(Channel::Encrypted, Policy::new());
    let mut exchange = Exchange::new();
    let _ = client.challenged(&mut exchange, &challenges);
    client.login("Mufasa", "Circle of Life").unwrap();
    let cnonce = Cnonce::generate(&mut UnwrapErr(getrandom::SysRng));
    let answer = client.authorize(&mut exchange, &Target::new("GET", "/"), &cnonce);
    println!("{}", answer.unwrap().unwrap().to_str().unwrap());
}
