//! The inputs of the measurements: the example of RFC 7616, section 3.9.1, and requests to a
//! server.

use countersign::digest::{Algorithm, BodyHasher, Ha1, QopSet};
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

macro_rules! digest_challenge {
    ($algorithm:literal) => {
        concat!(
            r#"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm="#,
            $algorithm,
            r#", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#,
            r#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
        )
    };
}

/// One challenge: 186 bytes.
pub const CHALLENGE: &str = digest_challenge!("SHA-256");

/// Both challenges, and one of Basic: 424 bytes.
pub const CHALLENGES: &str = concat!(
    digest_challenge!("SHA-256"),
    ", ",
    digest_challenge!("MD5"),
    r#", Basic realm="http-auth@example.org", charset="UTF-8""#
);

/// The same challenge with this algorithm.
pub fn challenge(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::MD5 => digest_challenge!("MD5"),
        _ => CHALLENGE,
    }
}

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

    /// An authenticator that has used no nonces. All have the same key, so each accepts requests
    /// that were made for another.
    pub fn authenticator(&self, capacity: usize) -> Authenticator {
        Authenticator::from_fresh_seed(self.realm.clone(), capacity, *SEED)
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
        let requests = (1..=count).map(|nc| self.request(&nonce, nc));
        let requests: Vec<_> = requests.collect();
        let like_example = self.algorithm == Algorithm::SHA_256 && !self.auth_int;
        assert!(!like_example || requests[0].len() == AUTHORIZATION.len());
        requests
    }

    /// The service and `count` requests, for operations that live as long as the program.
    pub fn leak(self, count: u32) -> (&'static Self, &'static [Vec<u8>]) {
        let service = Box::leak(Box::new(self));
        (service, service.requests(count).leak())
    }
}

const SEED: &[u8; 32] = b"thirty-two bytes of a secret key";

/// The nonce of a challenge.
pub fn nonce_in(challenge: &str) -> &str {
    let (_, rest) = challenge.split_once("nonce=\"").unwrap();
    rest.split_once('"').unwrap().0
}

/// Header values for which work that grows faster than the length would show: the name of each,
/// its start, and the piece that is repeated after it.
pub const SHAPES: [(&str, &str, &str); 7] = [
    ("commas", "", ","),
    ("blanks", "", " "),
    ("escapes", "Digest response=\"", "\\a"),
    ("unclosed quote", "Digest realm=\"", "a"),
    ("parameters", "Digest a=b", ", abcdefgh=ijklmno"),
    ("faults in one challenge", "A ", "@,"),
    ("challenges", "", ", A b=c"),
];

/// A value of 64 KiB.
pub fn hostile_value(start: &str, repeated: &str) -> String {
    let room = 64 * 1024 - start.len();
    format!("{start}{}", repeated.repeat(room / repeated.len()))
}
