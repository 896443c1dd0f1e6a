//! The form of what a server sends with a 401: one challenge for each algorithm, and nonces that
//! need no quoting.

use std::collections::BTreeSet;

use countersign::Timestamp;
use countersign::digest::Algorithm;
#[cfg(feature = "md5")]
use countersign::digest::QopSet;
#[cfg(feature = "md5")]
use countersign::server::Reason;

#[cfg(feature = "md5")]
use crate::support::server::Answer;
use crate::support::server::{Service, digest_challenge, realm};

const SHA_256: Algorithm = Algorithm::SHA_256;
const SHA_512_256: Algorithm = Algorithm::SHA_512_256;

/// RFC 7616, section 3.7: of several Digest challenges, each uses a different algorithm.
#[test]
fn algorithms_are_offered_once_in_the_order_given_with_one_nonce() {
    let reversed: Vec<_> = Algorithm::ALL.iter().rev().copied().collect();
    for (given, offered) in [
        (Algorithm::ALL, Algorithm::ALL),
        (&reversed, &reversed),
        (&[SHA_256, SHA_256], &[SHA_256]),
        (
            &[SHA_256, SHA_512_256, SHA_256, SHA_256],
            &[SHA_256, SHA_512_256],
        ),
        // These are two algorithms of one hash.
        (
            &[SHA_256, Algorithm::SHA_256_SESS, SHA_256],
            &[SHA_256, Algorithm::SHA_256_SESS],
        ),
    ] {
        let service = Service::new(realm().with_algorithms(given));
        let values = service.challenges();
        let read: Vec<_> = values.iter().map(|value| digest_challenge(value)).collect();
        let algorithms: Vec<_> = read.iter().map(|it| it.algorithm()).collect();
        assert_eq!(algorithms, offered, "given {given:?}");
        assert!(read.iter().all(|it| it.nonce == read[0].nonce));
    }
}

/// Two bodies of one MD5, which an attacker can make, share every response. So where the body must be
/// covered, MD5 is neither offered nor accepted.
#[cfg(feature = "md5")]
#[test]
fn md5_is_not_offered_where_the_body_must_be_covered() {
    let algorithms = [Algorithm::MD5, SHA_256, Algorithm::MD5_SESS];
    for (qop, offered) in [(QopSet::AUTH_INT, 1), (QopSet::BOTH, 3)] {
        let service = Service::new(realm().with_algorithms(&algorithms).with_qop(qop));
        assert_eq!(service.challenges().len(), offered, "{qop:?}");
        for algorithm in algorithms {
            let answer = Answer {
                algorithm,
                qop: Some("auth-int"),
                ..service.answer()
            };
            let is_taken = offered == 3 || algorithm == SHA_256;
            let expected = is_taken.then_some(()).ok_or(Reason::AlgorithmNotOffered);
            assert_eq!(service.take(&answer), expected, "{algorithm} {qop:?}");
        }
    }
}

/// RFC 7616, section 3.3, recommends base64 or hexadecimal digits. Ours are base64url without
/// padding: also a token, so that a client which drops the quotes still returns it whole.
#[test]
fn a_nonce_is_forty_characters_of_base64url() {
    let mut service = Service::new(realm());
    let mut seen = BTreeSet::new();
    let mut nonces = BTreeSet::new();
    for number in 0..10_000 {
        // Times from the epoch up to and beyond the last that a nonce can carry.
        service.now = Timestamp::from_unix_millis(number << 36);
        let text = service.nonce();
        assert_eq!(text.len(), 40, "{text}");
        for byte in text.bytes() {
            let in_alphabet = byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            assert!(in_alphabet, "{text}");
            seen.insert(byte);
        }
        assert!(nonces.insert(text.clone()), "{text} was minted twice");
    }
    assert_eq!(seen.len(), 64, "all of the alphabet is in use");
}
