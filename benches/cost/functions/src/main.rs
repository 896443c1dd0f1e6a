//! Answers the best Digest challenge in the arguments without a client: what it keeps of one
//! challenge for the next is left to the caller.

use countersign::digest::{Algorithm, Ha1, User};
use countersign::wire::{DigestChallenge, DigestCredentials, QopParams, ha2, response};
use countersign::{Text, raw_challenges};

fn main() {
    let values: Vec<String> = std::env::args().skip(1).collect();
    let rank = |challenge: &DigestChallenge<'_>| {
        let mut all = Algorithm::ALL.iter();
        all.position(|algorithm| *algorithm == challenge.algorithm())
    };
    let challenge = raw_challenges(&values)
        .flatten()
        .filter_map(|challenge| DigestChallenge::try_from(challenge).ok())
        .min_by_key(rank)
        .unwrap();
    let hash = challenge.algorithm().hash_function();
    let realm = challenge.realm.to_bytes();
    let nonce = challenge.nonce.to_bytes();
    let cnonce = format!("{:016x}", getrandom::u64().unwrap());
    let ha1 = Ha1::new(hash, "Mufasa", realm, "Circle of Life");
    let protection = QopParams::new("auth", "00000001", &cnonce).unwrap();
    let response = response(&ha1, nonce, Some(&protection), &ha2(hash, "GET", "/", None));
    let (user, uri) = (User::from("Mufasa"), Text::new("/").unwrap());
    let answer = DigestCredentials::new(&challenge, &user, uri, Some(protection), response);
    let answer = answer.unwrap();
    println!("{}", answer.to_field_value().to_str().unwrap());
}
