//! Answers made by the plain functions: what a client would never send.
use countersign::digest::{Ha1, User};
use countersign::wire::{DigestCredentials, QopParams, ha2, response};
use countersign::{Challenge, FieldValue, Text, challenges};
use loopback::Error;

/// A challenge, and whose answers to make.
pub struct Forger {
    name: &'static str,
    password: &'static str,
    challenge: Vec<u8>,
}

impl Forger {
    pub const fn new(name: &'static str, password: &'static str) -> Self {
        Self {
            name,
            password,
            challenge: Vec::new(),
        }
    }

    /// Answers this challenge from now on.
    pub fn challenged(&mut self, challenge: &[u8]) {
        self.challenge = challenge.to_vec();
    }

    /// The answer with this count.
    pub fn answer(&self, uri: &str, nc: u32) -> Result<FieldValue, Error> {
        let first = challenges([&self.challenge]).next();
        let Some(Ok(Challenge::Digest(challenge))) = first else {
            return Err("no challenge".into());
        };
        let hash = challenge.algorithm().hash_function();
        let ha1 = Ha1::new(hash, self.name, challenge.realm, self.password);
        let nc = format!("{nc:08x}");
        let qop = QopParams::new("auth", &nc, "forged")?;
        let ha2 = ha2(hash, "GET", uri, None);
        let response = response(&ha1, challenge.nonce, Some(&qop), &ha2);
        let (user, uri) = (User::from(self.name), Text::new(uri)?);
        Ok(DigestCredentials::new(&challenge, &user, uri, Some(qop), response)?.to_field_value())
    }
}
