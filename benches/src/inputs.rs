//! The inputs of the measurements: the example of RFC 7616, section 3.9.1, and requests to a
//! server.

use std::convert::Infallible;

use countersign::digest::{Algorithm, BodyHasher, Ha1, QopSet};
use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::wire::{QopParams, ha2, response};
use countersign::{Channel, EntityBody, Target, Timestamp};

pub const REALM: &str = "http-auth@example.org";
pub const USERNAME: &str = "Mufasa";
pub const PASSWORD: &str = "Circle of Life";
pub const METHOD: &str = "GET";
pub const URI: &str = "/dir/index.html";
pub const NONCE: &str = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
pub const CNONCE: &str = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
pub const OPAQUE: &str = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS";

/// One challenge: 186 bytes.
pub const CHALLENGE: &str = concat!(
    r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, "#,
    r#"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#,
    r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
);

/// The same challenge with MD5.
pub const CHALLENGE_MD5: &str = concat!(
    r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, "#,
    r#"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#,
    r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
);

/// Both challenges, and one of Basic: 424 bytes.
pub const CHALLENGES: &str = concat!(
    r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, "#,
    r#"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#,
    r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "#,
    r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, "#,
    r#"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#,
    r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "#,
    r#"Basic realm="http-auth@example.org", charset="UTF-8""#
);

/// The answer to [`CHALLENGE`]: 361 bytes.
pub const AUTHORIZATION: &str = concat!(
    r#"Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", "#,
    r#"algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#,
    r#"nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, "#,
    r#"response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", "#,
    r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
);

/// The example of RFC 7617, section 2.
pub const BASIC: &str = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";
pub const BASIC_USERNAME: &str = "Aladdin";
pub const BASIC_PASSWORD: &str = "open sesame";

const _: () = assert!(CHALLENGE.len() == 186);
const _: () = assert!(CHALLENGES.len() == 424);
const _: () = assert!(AUTHORIZATION.len() == 361);

/// The request that all inputs are for.
pub fn target() -> Target<'static> {
    Target::new(METHOD, URI)
}

/// The time and channel of all requests.
pub fn arrival() -> Arrival<'static> {
    Arrival::new(
        Channel::Encrypted,
        Timestamp::from_unix_millis(1_700_000_000 * 1000),
    )
}

/// What requests with `auth-int` carry: a kilobyte.
pub const BODY: &[u8] = &[b'a'; 1024];

/// A realm and the secret of its one user.
#[derive(Debug)]
pub struct Service {
    pub realm: Realm,
    pub algorithm: Algorithm,
    pub ha1: Ha1,
    /// Whether responses cover the [`BODY`].
    pub auth_int: bool,
}

impl Service {
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            realm: Realm::new(REALM).unwrap().with_algorithms(&[algorithm]),
            algorithm,
            ha1: Ha1::new(algorithm.hash_function(), USERNAME, REALM, PASSWORD),
            auth_int: false,
        }
    }

    pub fn with_auth_int(algorithm: Algorithm) -> Self {
        let service = Self::new(algorithm);
        Self {
            realm: service.realm.with_qop(QopSet::AUTH_INT),
            auth_int: true,
            ..service
        }
    }

    /// The request that its [`requests`](Self::requests) are for.
    pub fn target(&self) -> Target<'static> {
        match self.auth_int {
            true => target().with_body(EntityBody::Bytes(BODY)),
            false => target(),
        }
    }

    /// A service whose nonces live long enough to issue a million of them first.
    pub fn long_lived() -> Self {
        let service = Self::new(Algorithm::SHA_256);
        let realm = service.realm.with_nonce_lifetime(1_000_000);
        Self { realm, ..service }
    }

    /// An authenticator that has used no nonces. All have the same key, so each accepts requests
    /// that were made for another.
    pub fn authenticator(&self, capacity: usize) -> Authenticator {
        Authenticator::from_seed(self.realm.clone(), capacity, *SEED)
    }

    /// The nonce of a refusal.
    pub fn issue(&self, auth: &Authenticator, arrival: Arrival<'_>) -> String {
        let refusal = auth.challenge(arrival);
        nonce_in(refusal.challenges[0].to_str().unwrap()).to_string()
    }

    /// A request with this nonce: with SHA-256 as long as [`AUTHORIZATION`].
    pub fn request(&self, nonce: &str, nc: u32) -> Vec<u8> {
        let nc = format!("{nc:08x}");
        let qop = if self.auth_int { "auth-int" } else { "auth" };
        let protection = QopParams::new(qop, &nc, CNONCE).unwrap();
        let mut hasher = BodyHasher::new(self.algorithm.hash_function());
        hasher.update(BODY);
        let body = Some(hasher.finish()).filter(|_| self.auth_int);
        let ha2 = ha2(self.algorithm.hash_function(), METHOD, URI, body.as_ref());
        let key = match self.algorithm.is_sess() {
            true => self.ha1.session_key(nonce, CNONCE),
            false => self.ha1.clone(),
        };
        let response = response(&key, nonce, Some(&protection), &ha2);
        let Self { algorithm, .. } = self;
        let response = response.as_str();
        format!(
            r#"Digest username="{USERNAME}", realm="{REALM}", uri="{URI}", algorithm={algorithm}, nonce="{nonce}", nc={nc}, cnonce="{CNONCE}", qop={qop}, response="{response}", opaque="{OPAQUE}1234""#
        )
        .into_bytes()
    }

    /// `count` requests with one nonce, whose counts start at 1.
    pub fn requests(&self, count: u32) -> Vec<Vec<u8>> {
        let nonce = self.issue(&self.authenticator(0), arrival());
        (1..=count).map(|nc| self.request(&nonce, nc)).collect()
    }
}

const SEED: &[u8; 32] = b"thirty-two bytes of a secret key";

/// The nonce of a challenge.
pub fn nonce_in(challenge: &str) -> &str {
    let (_, rest) = challenge.split_once("nonce=\"").unwrap();
    rest.split_once('"').unwrap().0
}

/// Numbers that look random, the same in every run (SplitMix64). Not for secrets.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

impl TryRng for Numbers {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes {
            *byte = self.next() as u8;
        }
        Ok(())
    }
}

/// The measured functions require a cryptographic generator. This one is not, and makes no secrets.
impl TryCryptoRng for Numbers {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_as_long_as_the_example() {
        let service = Service::new(Algorithm::SHA_256);
        for request in service.requests(3) {
            assert_eq!(request.len(), AUTHORIZATION.len());
        }
    }
}
