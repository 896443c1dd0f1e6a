//! A server in dialogue with a client that the test plays: the server's clock and generator, and
//! answers that are right unless the test spoils them.

use std::convert::Infallible;
use std::fmt;

use countersign::digest::{
    Algorithm, Challenge, Ha1, Hash, HexDigest, Protection, User, ha2, response, userhash,
};
use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::{Arrival, Attempt, Grant, NonceKey, Rejection, ReplayTable, Server};
use countersign::{Authorization, Body, Channel, Target, Timestamp, challenges};

use super::digest::{body_hash, key};

pub const REALM: &str = "files";
pub const USER: &str = "Mufasa";
pub const PASSWORD: &str = "Circle of Life";

/// When every test begins.
pub const START: Timestamp = Timestamp::from_unix_secs(1_700_000_000);

/// A generator whose numbers are known from its seed: SplitMix64.
#[derive(Clone, Debug)]
pub struct Seeded(pub u64);

impl TryRng for Seeded {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|number| (number >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Ok(mixed ^ (mixed >> 31))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            let number = self.try_next_u64()?.to_le_bytes();
            chunk.copy_from_slice(&number[..chunk.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Seeded {}

/// One of the nonce keys of the tests.
pub fn nonce_key(number: u8) -> NonceKey {
    NonceKey::new([number; 32])
}

/// A server with all defaults.
pub fn server() -> Server {
    Server::new(REALM, nonce_key(1)).expect("a realm")
}

/// The HA1 of the only user.
pub fn ha1(hash: Hash) -> Ha1 {
    Ha1::new(hash, USER, REALM, PASSWORD)
}

/// Looks up the only user, by name or by hashed name.
pub fn look_up(attempt: &Attempt<'_>) -> Option<Ha1> {
    let hash = attempt.hash();
    let known = match attempt.claimed_user() {
        User::Name(name) => name == USER,
        User::Hash(hashed) => hashed == userhash(hash, USER, REALM),
        _ => false,
    };
    known.then(|| ha1(hash))
}

/// A server with one user, a clock that the test sets, and a table.
#[derive(Debug)]
pub struct Service {
    pub server: Server,
    pub replays: ReplayTable,
    pub now: Timestamp,
    pub rng: Seeded,
}

impl Service {
    /// With room for 100 nonces.
    pub fn new(server: Server) -> Self {
        Self {
            server,
            replays: ReplayTable::with_capacity(100),
            now: START,
            rng: Seeded(0),
        }
    }

    pub fn with_capacity(self, nonces: usize) -> Self {
        let replays = ReplayTable::with_capacity(nonces);
        Self { replays, ..self }
    }

    pub fn arrival(&self) -> Arrival<'static> {
        Arrival::new(Channel::Encrypted, self.now)
    }

    pub fn wait(&mut self, secs: u64) {
        self.now = self.now.plus_secs(secs);
    }

    /// What is sent with the 401.
    pub fn challenges(&mut self, rejection: &Rejection) -> Vec<String> {
        let arrival = self.arrival();
        self.server
            .challenges(rejection, &arrival, &mut self.rng)
            .collect()
    }

    /// A nonce, as the first challenge has it.
    pub fn nonce(&mut self) -> String {
        self.nonce_after(&Rejection::NoCredentials)
    }

    /// The same, of the challenges that answer this rejection.
    pub fn nonce_after(&mut self, rejection: &Rejection) -> String {
        let values = self.challenges(rejection);
        digest_challenge(&values[0])
            .nonce()
            .to_str()
            .expect("text")
            .into_owned()
    }

    /// An answer with a nonce of its own.
    pub fn answer(&mut self) -> Answer {
        Answer::to(&self.nonce())
    }

    pub fn begin<'a>(
        &'a self,
        header: &'a (impl AsRef<[u8]> + ?Sized),
        target: &Target<'a>,
    ) -> Result<Attempt<'a>, Rejection> {
        self.server.begin(Some(header), target, &self.arrival())
    }

    /// Takes the request that the answer is for.
    pub fn take(&mut self, answer: &Answer) -> Result<(), Rejection> {
        self.take_header(answer.header(), answer)
    }

    /// Takes the same request with another header.
    pub fn take_header(
        &mut self,
        header: impl AsRef<[u8]>,
        request: &Answer,
    ) -> Result<(), Rejection> {
        let header = header.as_ref().to_vec();
        self.grant(&header, &request.target()).map(|_| ())
    }

    /// What is let in, if it is.
    pub fn grant<'a>(
        &'a mut self,
        header: &'a (impl AsRef<[u8]> + ?Sized),
        target: &Target<'a>,
    ) -> Result<Grant<'a>, Rejection> {
        let arrival = self.arrival();
        let attempt = self.server.begin(Some(header), target, &arrival)?;
        let ha1 = look_up(&attempt);
        self.replays.admit(attempt.verify(ha1.as_ref())?)
    }
}

/// The challenge in a field value.
pub fn digest_challenge(value: &str) -> Challenge<'_> {
    let challenge = challenges([value]).next().expect("a challenge");
    Challenge::try_from(challenge.expect("well formed")).expect("Digest")
}

/// What a client answers with. [`to`](Self::to) gives one that is right; change what you like,
/// and the response is made for that.
#[derive(Clone, Debug)]
pub struct Answer {
    pub user: String,
    pub password: String,
    pub realm: String,
    pub nonce: String,
    pub method: String,
    /// The request-target, and the `uri` parameter.
    pub uri: String,
    pub algorithm: Algorithm,
    /// None for the form of RFC 2069.
    pub qop: Option<&'static str>,
    pub nc: String,
    pub cnonce: String,
    pub body: Vec<u8>,
    /// Made in the overview form: `qop`, `nc` and `cnonce` are sent, but not hashed.
    pub overview: bool,
}

impl Answer {
    pub fn to(nonce: &str) -> Self {
        Self {
            user: USER.to_owned(),
            password: PASSWORD.to_owned(),
            realm: REALM.to_owned(),
            nonce: nonce.to_owned(),
            method: "GET".to_owned(),
            uri: "/a?b=c".to_owned(),
            algorithm: Algorithm::SHA_256,
            qop: Some("auth"),
            nc: "00000001".to_owned(),
            cnonce: "f2/wE4q74E6zIJEt".to_owned(),
            body: Vec::new(),
            overview: false,
        }
    }

    /// The same with another count.
    #[must_use]
    pub fn counted(&self, nc: u32) -> Self {
        let nc = format!("{nc:08x}");
        Self { nc, ..self.clone() }
    }

    /// The request.
    pub fn target(&self) -> Target<'_> {
        Target::new(&self.method, &self.uri).with_body(Body::Bytes(&self.body))
    }

    /// The response, by the public formulas.
    pub fn response(&self) -> HexDigest {
        let hash = self.algorithm.hash();
        let protection = self
            .qop
            .map(|qop| Protection::new(qop, &self.nc, &self.cnonce).expect("a protection"));
        let ha1 = Ha1::new(hash, &self.user, &self.realm, &self.password);
        let key = key(
            self.algorithm,
            &ha1,
            self.nonce.as_bytes(),
            self.cnonce.as_bytes(),
        );
        let body = body_hash(self.algorithm, protection.as_ref(), &self.body);
        let ha2 = ha2(hash, &self.method, &self.uri, body.as_ref());
        let protection = protection.as_ref().filter(|_| !self.overview);
        response(&key, &self.nonce, protection, &ha2)
    }

    /// The parameters, to be spoilt.
    pub fn params(&self) -> Params {
        let mut params = Params::default()
            .with("username", quoted(&self.user))
            .with("realm", quoted(&self.realm))
            .with("nonce", quoted(&self.nonce))
            .with("uri", quoted(&self.uri))
            .with("algorithm", self.algorithm.as_str());
        if let Some(qop) = self.qop {
            params = params
                .with("qop", qop)
                .with("nc", &self.nc)
                .with("cnonce", quoted(&self.cnonce));
        }
        params.with("response", quoted(self.response().as_str()))
    }

    pub fn header(&self) -> String {
        self.params().to_string()
    }
}

/// The parameters of Digest credentials, each value as it is to be written.
#[derive(Clone, Debug, Default)]
pub struct Params(pub Vec<(String, String)>);

impl Params {
    /// With this value for the parameter, in the place of the one it has.
    #[must_use]
    pub fn with(mut self, name: &str, raw: impl Into<String>) -> Self {
        match self.0.iter_mut().find(|(found, _)| found == name) {
            Some((_, value)) => *value = raw.into(),
            None => self.0.push((name.to_owned(), raw.into())),
        }
        self
    }

    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        let before = self.0.len();
        self.0.retain(|(found, _)| found != name);
        assert!(self.0.len() < before, "there is no {name}");
        self
    }

    /// With the parameter under another name.
    #[must_use]
    pub fn renamed(mut self, name: &str, to: &str) -> Self {
        let found = self.0.iter_mut().find(|(found, _)| found == name);
        to.clone_into(&mut found.expect("such a parameter").0);
        self
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest ")?;
        for (index, (name, value)) in self.0.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

/// As a quoted string.
pub fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A header that holds bytes which are no text, and so no [`Answer`] can give: one byte for each
/// character of these parameters, with the response that is then right.
pub fn octets_with_response(params: Params, ha1: &Ha1, target: &Target<'_>) -> Vec<u8> {
    let octets = |params: &Params| -> Vec<u8> {
        let text = params.to_string();
        let octet = |c| u8::try_from(c).expect("a character below U+0100");
        text.chars().map(octet).collect()
    };
    let zeros = "0".repeat(ha1.hash().hex_len());
    let params = params.with("response", quoted(&zeros));
    let draft = octets(&params);
    let Ok(Authorization::Digest(read)) = Authorization::parse(&draft) else {
        panic!("not Digest: {params}");
    };
    let response = read.expected_response(ha1, target).expect("a response");
    octets(&params.with("response", quoted(response.as_str())))
}
