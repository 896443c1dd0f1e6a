//! Answers the best Digest challenge in the arguments without a client: what it keeps of one
//! challenge for the next is left to the caller.

use countersign::digest::{
    Algorithm, Challenge, Cnonce, Credentials, Ha1, QopParams, Username, ha2, response,
};
use countersign::{Text, challenges};

fn main() {
    let values: Vec<String> = std::env::args().skip(1).collect();
    let rank = |challenge: &Challenge<'_>| {
        let mut all = Algorithm::ALL.iter();
        all.position(|algorithm| *algorithm == challenge.algorithm())
    };
    let challenge = challenges(&values)
        .raw()
        .flatten()
        .filter_map(|challenge| Challenge::try_from(challenge).ok())
        .min_by_key(rank)
        .unwrap();
    let hash = challenge.algorithm().hash_function();
    let realm = challenge.realm().to_bytes();
    let nonce = challenge.nonce().to_bytes();
    let cnonce = Cnonce::generate(&mut getrandom::SysRng).unwrap();
    let ha1 = Ha1::new(hash, "Mufasa", realm, "Circle of Life");
    let protection = QopParams::new("auth", "00000001", cnonce.as_str()).unwrap();
    let response = response(&ha1, nonce, Some(&protection), &ha2(hash, "GET", "/", None));
    let (name, uri) = (Username::new("Mufasa").unwrap(), Text::new("/").unwrap());
    let answer = Credentials::new(&challenge, name, uri, Some(protection), response);
    println!("{}", answer.to_field_value().to_str().unwrap());
}
