//! Answers the challenges in the arguments.

use countersign::Target;
use countersign::client::{Client, Endpoint, Exchange, Next, Policy};

fn main() {
    let challenges: Vec<String> = std::env::args().skip(1).collect();
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng).unwrap();
    let mut exchange = Exchange::new();
    let Next::Login(ask) = client.challenged(&mut exchange, &challenges) else {
        panic!("no challenge that can be used");
    };
    client.login(&ask, "Mufasa", "Circle of Life").unwrap();
    let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
    println!("{}", answer.unwrap().unwrap().to_str().unwrap());
}
