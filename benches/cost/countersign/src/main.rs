//! Answers the challenges in the arguments.

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::{Target, challenges};

fn main() {
    let values: Vec<String> = std::env::args().skip(1).collect();
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng).unwrap();
    let account = Account::new("Mufasa", "Circle of Life");
    let mut client = client.with_account(account).unwrap();
    let mut exchange = Exchange::new();
    let Next::Retry = client.challenged(&mut exchange, challenges(&values)) else {
        panic!("no challenge that can be used");
    };
    let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
    let answer = answer.unwrap().for_new_request().unwrap();
    println!("{}", answer.to_str().unwrap());
}
