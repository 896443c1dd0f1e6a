//! The form of what a server sends with a 401: one challenge for each algorithm, and nonces that
//! need no quoting.

use std::collections::BTreeSet;

use countersign::Timestamp;
use countersign::digest::Algorithm;
#[cfg(feature = "md5")]
use countersign::digest::QopSet;
use countersign::server::Reason;

use crate::support::server::{Answer, Service, digest_challenge, nonce_of, realm, texts};

const SHA_256: Algorithm = Algorithm::SHA_256;
const SHA_512_256: Algorithm = Algorithm::SHA_512_256;

/// RFC 7616, section 3.7: of several Digest challenges, each uses a different algorithm.
#[test]
fn an_algorithm_given_twice_is_offered_once() {
    let given_and_offered: [(&[Algorithm], &[Algorithm]); 4] = [
        (&[SHA_256, SHA_256], &[SHA_256]),
        (
            &[SHA_512_256, SHA_256, SHA_512_256],
            &[SHA_512_256, SHA_256],
        ),
        (
            &[SHA_256, SHA_512_256, SHA_256, SHA_256],
            &[SHA_256, SHA_512_256],
        ),
        // These are two algorithms of one hash.
        (
            &[SHA_256, Algorithm::SHA_256_SESS, SHA_256],
            &[SHA_256, Algorithm::SHA_256_SESS],
        ),
    ];
    for (given, offered) in given_and_offered {
        let service = Service::new(realm().with_algorithms(given));
        let answer = Answer {
            algorithm: given[0],
            ..service.answer()
        };
        assert_eq!(service.take(&answer), Ok(()));
        let replayed = service.respond(answer.header(), &answer).unwrap_err();
        assert_eq!(replayed.why, Reason::Replayed);
        for values in [service.challenges(), texts(&replayed.refusal)] {
            let algorithms: Vec<_> = values
                .iter()
                .map(|value| digest_challenge(value).algorithm())
                .collect();
            assert_eq!(algorithms, offered, "given {given:?}");
        }
    }
}

/// Two bodies of one MD5, which an attacker can make, share every response. So where the body must be
/// covered, MD5 is neither offered nor accepted.
#[cfg(feature = "md5")]
#[test]
fn md5_is_not_offered_where_the_body_must_be_covered() {
    let with = |algorithms: &[Algorithm], qop| realm().with_algorithms(algorithms).with_qop(qop);
    let both = [Algorithm::MD5, SHA_256, Algorithm::MD5_SESS];
    for (algorithms, qop, offered) in [
        (&both[..], QopSet::AUTH_INT, 1),
        (&both, QopSet::BOTH, 3),
        (&both, QopSet::AUTH, 3),
        (&both[..1], QopSet::AUTH_INT, 0),
    ] {
        let service = Service::new(with(algorithms, qop));
        assert_eq!(
            service.challenges().len(),
            offered,
            "{algorithms:?} {qop:?}"
        );
    }
    let strict = Service::new(with(&both, QopSet::AUTH_INT));
    let lax = Service::new(with(&both, QopSet::BOTH));
    for algorithm in both {
        let answer = |service: &Service, qop| Answer {
            algorithm,
            qop: Some(qop),
            ..service.answer()
        };
        let outcome = strict.take(&answer(&strict, "auth-int"));
        let expected = match algorithm {
            SHA_256 => Ok(()),
            _ => Err(Reason::AlgorithmNotOffered),
        };
        assert_eq!(outcome, expected, "{algorithm}");
        let weaker = strict.take(&answer(&strict, "auth"));
        assert_eq!(weaker, Err(Reason::QopNotOffered), "{algorithm}");
        assert_eq!(lax.take(&answer(&lax, "auth-int")), Ok(()), "{algorithm}");
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
        let text = nonce_of(&service.challenges());
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
