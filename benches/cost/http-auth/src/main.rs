//! Answers the challenges in the arguments.

use http_auth::{PasswordClient, PasswordParams};

fn main() {
    let mut builder = PasswordClient::builder();
    for challenges in std::env::args().skip(1) {
        builder = builder.challenges(&challenges);
    }
    let mut client = builder.build().unwrap();
    let answer = client.respond(&PasswordParams {
        username: "Mufasa",
        password: "Circle of Life",
        uri: "/",
        method: "GET",
        body: None,
    });
    println!("{}", answer.unwrap());
}
