//! `qop=auth-int` and `Authentication-Info`: bodies on both ways, the server's own proof, and the
//! nonce to use next.

mod bodies;
mod next_nonce;
mod proof;

use countersign::digest::{Algorithm, BodyHasher, HashFunction, HexDigest, QopSet};

use crate::support::server::{Answer, Service, realm};

fn hashed(hash: HashFunction, chunks: &[&[u8]]) -> HexDigest {
    let mut hasher = BodyHasher::new(hash);
    chunks.iter().for_each(|chunk| hasher.update(chunk));
    hasher.finish()
}

/// A server of both qop values, and an answer whose response covers a body.
fn with_body(algorithm: Algorithm, body: &[u8]) -> (Service, Answer) {
    let server = realm().with_algorithms(&[algorithm]);
    let service = Service::new(server.with_qop(QopSet::BOTH));
    let answer = Answer {
        algorithm,
        qop: Some("auth-int"),
        body: body.to_vec(),
        method: "POST".to_owned(),
        ..service.answer()
    };
    (service, answer)
}
