//! A server in dialogue with a client that the test plays: the server's clock and generator, and
//! answers that are right unless the test spoils them.

use std::convert::Infallible;
use std::fmt;

use countersign::digest::{Algorithm, BodyHasher, Ha1, HashFunction, HexDigest, User, userhash};
use countersign::rand_core::{TryCryptoRng, TryRng};
use countersign::server::{
    Arrival, Attempt, Authenticator, Grant, NonceKeys, Realm, Reason, Refusal, SharedStore,
    StoreReply, Use,
};
use countersign::wire::{DigestChallenge, QopParams, ha2, response};
use countersign::{Authorization, Challenge, Channel, EntityBody, Target, Timestamp, challenges};

use super::digest::{body_hash, hex_len, key};

pub const REALM: &str = "files";
pub const USER: &str = "Mufasa";
pub const PASSWORD: &str = "Circle of Life";

/// When every test begins.
pub const START: Timestamp = Timestamp::from_unix_millis(1_700_000_000 * 1000);

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

/// Some of the nonce keys of the tests, of which the first issues nonces.
pub fn nonce_keys(numbers: &[u8]) -> NonceKeys {
    let word = |number| format!("{number:02x}").repeat(32);
    let words: Vec<_> = numbers.iter().map(word).collect();
    words.join("\n").parse().expect("keys")
}

/// A realm with all defaults.
pub fn realm() -> Realm {
    Realm::new(REALM).expect("a realm")
}

/// The reason alone.
pub trait Why<T> {
    fn why(self) -> Result<T, Reason>;
}

impl<T> Why<T> for Result<T, Refusal> {
    fn why(self) -> Result<T, Reason> {
        self.map_err(|rejected| rejected.reason)
    }
}

/// The HA1 of the only user.
pub fn ha1(hash: HashFunction) -> Ha1 {
    Ha1::new(hash, USER, REALM, PASSWORD)
}

/// Looks up the only user, by name or by hashed name.
pub fn look_up(attempt: &Attempt<'_>) -> Option<Ha1> {
    let hash = attempt.hash_function();
    let known = match attempt.claimed_user() {
        User::Name(name) => name == USER,
        User::Hash(hashed) => hashed == userhash(hash, USER, REALM),
        _ => false,
    };
    known.then(|| ha1(hash))
}

/// A server with one user, and a clock that the test sets.
#[derive(Debug)]
pub struct Service {
    pub realm: Realm,
    pub auth: Authenticator,
    pub now: Timestamp,
    pub channel: Channel,
}

impl Service {
    /// With room for 100 nonces.
    pub fn new(realm: Realm) -> Self {
        Self {
            auth: authenticator(realm.clone(), 100),
            realm,
            now: START,
            channel: Channel::Encrypted,
        }
    }

    #[must_use]
    pub fn with_capacity(self, nonces: usize) -> Self {
        let auth = authenticator(self.realm.clone(), nonces);
        Self { auth, ..self }
    }

    pub fn arrival(&self) -> Arrival<'static> {
        Arrival::new(self.channel, self.now)
    }

    pub fn wait(&mut self, secs: u64) {
        self.now = self.now.plus_millis(1000 * secs);
    }

    /// How many nonces are remembered.
    pub fn len(&self) -> usize {
        self.auth.len()
    }

    /// What is sent to a request without credentials.
    pub fn challenges(&self) -> Vec<String> {
        self.challenges_at(self.arrival())
    }

    /// The same to a request that came otherwise.
    pub fn challenges_at(&self, arrival: Arrival<'_>) -> Vec<String> {
        let target = Target::new("GET", "/");
        let rejected = self.begin_at(None::<&str>, &target, arrival);
        texts(&rejected.expect_err("no credentials"))
    }

    /// A nonce, as the first challenge has it.
    pub fn nonce(&self) -> String {
        nonce_of(&self.challenges())
    }

    /// An answer with a nonce of its own.
    pub fn answer(&self) -> Answer {
        Answer::to(&self.nonce())
    }

    pub fn begin_at<'a>(
        &'a self,
        value: Option<&'a (impl AsRef<[u8]> + ?Sized)>,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        let values = value.into_iter();
        self.auth.begin_as(&self.realm, values, target, arrival)
    }

    pub fn begin<'a>(
        &'a self,
        header: &'a (impl AsRef<[u8]> + ?Sized),
        target: &Target<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        self.begin_at(Some(header), target, self.arrival())
    }

    /// Takes the request that the answer is for.
    pub fn take(&self, answer: &Answer) -> Result<(), Reason> {
        self.take_header(answer.header(), answer)
    }

    /// Takes the same request with another header.
    pub fn take_header(&self, header: impl AsRef<[u8]>, request: &Answer) -> Result<(), Reason> {
        self.respond(header, request).why()
    }

    /// Takes the same request, and says how it is refused if it is.
    pub fn respond(&self, header: impl AsRef<[u8]>, request: &Answer) -> Result<(), Refusal> {
        self.grant(&header, &request.target()).map(drop)
    }

    /// What is let in, if it is.
    pub fn grant<'a>(
        &'a self,
        header: &'a (impl AsRef<[u8]> + ?Sized),
        target: &Target<'a>,
    ) -> Result<Grant<'a, Ha1>, Refusal> {
        let attempt = self.begin(header, target)?;
        let ha1 = look_up(&attempt);
        let verified = attempt.verify(ha1)?;
        self.auth.admit(verified)
    }
}

/// What the challenges of a refusal say.
pub trait Challenges {
    fn nonce(&self) -> String;
}

impl Challenges for Refusal {
    fn nonce(&self) -> String {
        nonce_of(&texts(self))
    }
}

/// The challenges of a refusal as text.
pub fn texts(refusal: &Refusal) -> Vec<String> {
    let text = |value: &countersign::FieldValue| value.to_str().expect("text").to_owned();
    refusal.challenges.iter().map(text).collect()
}

/// Whether the Digest challenges, which must agree on it, say `stale`.
pub fn is_stale(challenges: &[String]) -> bool {
    let digest = challenges.iter().filter(|it| it.starts_with("Digest "));
    let mut stale: Vec<_> = digest.map(|it| digest_challenge(it).stale).collect();
    stale.dedup();
    assert!(stale.len() <= 1, "{challenges:?}");
    stale.first() == Some(&true)
}

/// A server with the key of the tests, and this much room.
pub fn authenticator(realm: Realm, capacity: usize) -> Authenticator {
    Authenticator::from_fresh_seed(realm, capacity, [1; 32])
}

/// A server with this key whose counts are in a store.
pub fn shared(realm: Realm, number: u8) -> Authenticator<SharedStore> {
    let made = Authenticator::for_shared_store(realm, &nonce_keys(&[number]), &mut Seeded(0));
    made.expect("numbers that do not fail")
}

/// The reply of a plain store that has set the key, or has not.
pub fn reply(is_first: bool, now: Timestamp) -> StoreReply {
    StoreReply {
        used: if is_first { Use::First } else { Use::Seen },
        now,
        lost_until: None,
    }
}

/// The earliest time that a new nonce of this server may have, which is in the first characters of
/// each.
pub fn issue_floor<S>(auth: &Authenticator<S>) -> Timestamp {
    let refusal = auth.challenge(Arrival::new(
        Channel::Encrypted,
        Timestamp::from_unix_millis(0),
    ));
    let nonce = nonce_of(&texts(&refusal));
    let digit = |c| {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        alphabet.iter().position(|&it| it == c).expect("base64url") as u64
    };
    let millis = nonce.bytes().take(8).fold(0, |sum, c| sum << 6 | digit(c));
    Timestamp::from_unix_millis(millis)
}

/// The response to an answer under a key of these digits, which need not be an HA1.
pub fn response_by_digits(digits: &str, answer: &Answer) -> String {
    let hash = answer.algorithm.hash_function();
    let ha2 = ha2(hash, &answer.method, &answer.uri, None);
    let (nonce, nc, cnonce) = (&answer.nonce, &answer.nc, &answer.cnonce);
    let mut hasher = BodyHasher::new(hash);
    hasher.update(format!("{digits}:{nonce}:{nc}:{cnonce}:auth:{ha2}").as_bytes());
    hasher.finish().as_str().to_owned()
}

/// No credentials field.
pub fn no_field() -> std::iter::Empty<&'static str> {
    std::iter::empty()
}

/// The nonce in the first of these challenges.
pub fn nonce_of(challenges: &[String]) -> String {
    let nonce = digest_challenge(&challenges[0]).nonce;
    nonce.to_str().expect("text").into_owned()
}

/// The challenge in a field value.
pub fn digest_challenge(value: &str) -> DigestChallenge<'_> {
    match challenges([value]).next() {
        Some(Ok(Challenge::Digest(challenge))) => challenge,
        other => panic!("{other:?}"),
    }
}

/// What a client answers with. [`to`](Self::to) gives one that is right; change what you like,
/// and the response is made for that.
#[derive(Clone, Debug, PartialEq)]
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
    /// Made in the uncounted form: `qop`, `nc` and `cnonce` are sent, but not hashed.
    pub uncounted: bool,
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
            uncounted: false,
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
        Target::new(&self.method, &self.uri).with_body(EntityBody::Bytes(&self.body))
    }

    /// The response, by the public formulas.
    pub fn response(&self) -> HexDigest {
        let hash = self.algorithm.hash_function();
        let protection = self
            .qop
            .map(|qop| QopParams::new(qop, &self.nc, &self.cnonce).expect("a protection"));
        let ha1 = Ha1::new(hash, &self.user, &self.realm, &self.password);
        let key = key(
            self.algorithm,
            &ha1,
            self.nonce.as_bytes(),
            self.cnonce.as_bytes(),
        );
        let body = body_hash(self.algorithm, protection.as_ref(), &self.body);
        let ha2 = ha2(hash, &self.method, &self.uri, body.as_ref());
        let protection = protection.as_ref().filter(|_| !self.uncounted);
        response(&key, &self.nonce, protection, &ha2)
    }

    /// The parameters, to be spoilt.
    pub fn params(&self) -> Params {
        let mut params = Params::default()
            .with("username", quoted(&self.user))
            .with("realm", quoted(&self.realm))
            .with("nonce", quoted(&self.nonce))
            .with("uri", quoted(&self.uri))
            .with("algorithm", self.algorithm.to_string());
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
    let zeros = "0".repeat(hex_len(ha1.hash_function()));
    let params = params.with("response", quoted(&zeros));
    let draft = octets(&params);
    let Ok(Authorization::Digest(read)) = Authorization::parse(&draft) else {
        panic!("not Digest: {params}");
    };
    let uri = read.uri.to_bytes();
    let target = Target::new(target.method, &*uri).with_body(target.body);
    let response = read.expected_response(ha1, &target).expect("a response");
    octets(&params.with("response", quoted(response.as_str())))
}
