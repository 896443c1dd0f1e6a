//! A server of one realm, and what it says of one request.
#![forbid(unsafe_code)]

use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, QopSet};
use countersign::server::{
    Arrival, Attempt, Authenticator, Realm, Receipt, Refusal, UriCheck, Verdict,
};
use countersign::wire::BasicCredentials;
use countersign::{Channel, EntityBody, FieldValue, Target, Timestamp};

use crate::flags::{
    CS_AUTH_INT, CS_BASIC, CS_CLEARTEXT_BASIC, CS_DECODED, CS_ENCRYPTED, CS_PROXY, Flags, hash,
    number,
};

/// A server of one realm. Threads may share it.
#[derive(Clone)]
pub struct Server(Arc<Authenticator>);

/// A request, as far as the server looks at it.
pub(crate) struct Question<'a> {
    pub(crate) method: &'a [u8],
    pub(crate) uri: &'a [u8],
    pub(crate) body: Option<&'a [u8]>,
    /// All fields, by name and value.
    pub(crate) fields: &'a [(&'a [u8], &'a [u8])],
    pub(crate) flags: u32,
}

/// What the store of users says.
pub(crate) enum Found {
    Ha1(Ha1),
    Nobody,
    /// The store has no answer now.
    Failed,
}

/// What is said of a request.
pub(crate) struct Outcome {
    pub(crate) status: u16,
    pub(crate) reason: &'static str,
    pub(crate) is_guess: bool,
    pub(crate) user: Option<String>,
    pub(crate) field: &'static str,
    pub(crate) values: Vec<FieldValue>,
    pub(crate) receipt: Option<Receipt>,
}

/// What the caller looks up before a request is decided.
pub(crate) struct Pending {
    server: Server,
    method: Vec<u8>,
    uri: Vec<u8>,
    body: Option<Vec<u8>>,
    values: Vec<Vec<u8>>,
    arrival: (Channel, Timestamp),
    pub(crate) user: Option<String>,
    /// Wiped when it is dropped.
    pub(crate) basic: Option<BasicCredentials>,
    pub(crate) hash: i32,
    pub(crate) needs_body: bool,
}

impl Server {
    pub(crate) fn new(
        realm: &str, algorithms: &str, capacity: usize, lifetime: u32, flags: u32,
    ) -> Result<Self, String> {
        let known = CS_BASIC | CS_CLEARTEXT_BASIC | CS_PROXY | CS_AUTH_INT | CS_DECODED;
        let flags = Flags::new(flags, known)?;
        let names = algorithms.split(',').map(str::trim);
        let algorithms: Result<Vec<Algorithm>, _> = names
            .filter(|name| !name.is_empty())
            .map(|name| {
                name.parse()
                    .map_err(|_| format!("no algorithm is called {name:?}"))
            })
            .collect();
        let algorithms = algorithms?;
        if algorithms.is_empty() && !flags.has(CS_BASIC) {
            return Err(
                "no algorithm of Digest is named, and no CS_BASIC: nothing to offer".into(),
            );
        }
        if !algorithms.is_empty() && capacity == 0 {
            return Err("capacity is 0, and Digest remembers each nonce that is in use".into());
        }
        let realm = Realm::new(realm).map_err(|why| why.to_string())?;
        let mut realm = realm.with_algorithms(&algorithms);
        if lifetime != 0 {
            realm = realm.with_nonce_lifetime(lifetime);
        }
        if flags.has(CS_BASIC) {
            realm = realm.with_basic();
        }
        if flags.has(CS_CLEARTEXT_BASIC) {
            realm = realm.with_cleartext_basic();
        }
        if flags.has(CS_PROXY) {
            realm = realm.for_proxy();
        }
        if flags.has(CS_DECODED) {
            realm = realm.with_uri_check(UriCheck::Decoded);
        }
        if flags.has(CS_AUTH_INT) {
            realm = realm.with_qop(QopSet::BOTH);
        }
        let server = Authenticator::from_os_rng(realm, capacity);
        let server = server.map_err(|why| format!("no random numbers: {why}"))?;
        Ok(Self(Arc::new(server)))
    }

    /// Makes the server of a forked process a server of its own.
    pub(crate) fn rekey(&self) -> Result<(), String> {
        let done = self.0.void_nonces(&mut getrandom::SysRng);
        done.map_err(|why| format!("no random numbers: {why}"))
    }

    pub(crate) fn ha1(&self, user: &str, password: &str, number: i32) -> Result<Ha1, String> {
        Ok(self.0.realm().ha1(hash(number)?, user, password))
    }

    pub(crate) fn check(
        &self, question: &Question<'_>, find: impl FnOnce(Option<&str>, i32) -> Found,
    ) -> Result<Outcome, String> {
        let (channel, target) = question.read()?;
        let arrival = Arrival::now(channel);
        let values = self.credentials(question.fields);
        let outcome = match self.0.begin(values.iter().copied(), &target, arrival) {
            Err(refusal) => Outcome::refused(refusal),
            Ok(attempt) => {
                let user = attempt.claimed_user();
                let found = find(user.name(), number(attempt.hash_function()));
                self.verify(attempt, found)
            }
        };
        Ok(outcome)
    }

    pub(crate) fn begin(
        &self, question: &Question<'_>,
    ) -> Result<Result<Pending, Outcome>, String> {
        let (channel, target) = question.read()?;
        let now = Timestamp::now();
        let values = self.credentials(question.fields);
        let arrival = Arrival::new(channel, now);
        let attempt = match self.0.begin(values.iter().copied(), &target, arrival) {
            Err(refusal) => return Ok(Err(Outcome::refused(refusal))),
            Ok(attempt) => attempt,
        };
        Ok(Ok(Pending {
            server: self.clone(),
            method: question.method.into(),
            uri: question.uri.into(),
            body: question.body.map(Into::into),
            values: values.iter().map(|&value| value.into()).collect(),
            arrival: (channel, now),
            user: attempt.claimed_user().name().map(Into::into),
            basic: attempt.basic().cloned(),
            hash: number(attempt.hash_function()),
            needs_body: attempt.required_body_hash_function().is_some(),
        }))
    }

    fn credentials<'a>(&self, fields: &[(&'a [u8], &'a [u8])]) -> Vec<&'a [u8]> {
        let name = self.0.realm().challenger().credentials_field().as_bytes();
        let is_named = |field: &&(&[u8], &[u8])| field.0.eq_ignore_ascii_case(name);
        fields
            .iter()
            .filter(is_named)
            .map(|field| field.1)
            .collect()
    }

    fn verify(&self, attempt: Attempt<'_>, found: Found) -> Outcome {
        let ha1 = match found {
            Found::Ha1(ha1) => Some(ha1),
            Found::Nobody => None,
            Found::Failed => return Outcome::failed("store-failed"),
        };
        self.end(
            attempt
                .verify(ha1)
                .and_then(|verified| self.0.admit(verified)),
        )
    }

    fn end<A>(&self, granted: Result<countersign::server::Grant<'_, A>, Refusal>) -> Outcome {
        let grant = match granted {
            Ok(grant) => grant,
            Err(refusal) => return Outcome::refused(refusal),
        };
        let user = grant.claimed_user().name().map(Into::into);
        let (_, receipt) = grant.into_parts();
        Outcome {
            status: 200,
            reason: "granted",
            is_guess: false,
            user,
            field: receipt.info_field(),
            values: receipt
                .authentication_info(EntityBody::Unknown)
                .into_iter()
                .collect(),
            receipt: Some(receipt),
        }
    }
}

impl<'a> Question<'a> {
    fn read(&self) -> Result<(Channel, Target<'a>), String> {
        let flags = Flags::new(self.flags, CS_ENCRYPTED)?;
        let channel = match flags.has(CS_ENCRYPTED) {
            true => Channel::Encrypted,
            false => Channel::Cleartext,
        };
        let body = self.body.map_or(EntityBody::Unknown, EntityBody::Bytes);
        Ok((channel, Target::new(self.method, self.uri).with_body(body)))
    }
}

impl Pending {
    /// Decides by the HA1 of the user. A body that was not known before comes with it.
    pub(crate) fn verify(&self, found: Found, body: Option<&[u8]>) -> Outcome {
        self.decide_by(body, |attempt| self.server.verify(attempt, found))
    }

    /// Decides a request with Basic by the caller's own check of the password.
    pub(crate) fn decide(&self, is_right: bool) -> Outcome {
        let verdict = match is_right {
            true => Verdict::Right(()),
            false => Verdict::Wrong,
        };
        self.decide_by(None, |attempt| {
            let server = &self.server;
            server.end(
                attempt
                    .decide(verdict)
                    .and_then(|verified| server.0.admit(verified)),
            )
        })
    }

    /// Begins once more, as of the time of the first, because an attempt borrows the request.
    fn decide_by(
        &self, body: Option<&[u8]>, decide: impl FnOnce(Attempt<'_>) -> Outcome,
    ) -> Outcome {
        let body = body
            .or(self.body.as_deref())
            .map_or(EntityBody::Unknown, EntityBody::Bytes);
        let target = Target::new(&self.method, &self.uri).with_body(body);
        let arrival = Arrival::new(self.arrival.0, self.arrival.1);
        match self.server.0.begin(self.values.iter(), &target, arrival) {
            Ok(attempt) => decide(attempt),
            Err(refusal) => Outcome::refused(refusal),
        }
    }
}

impl Outcome {
    fn refused(refusal: Refusal) -> Self {
        Self {
            status: refusal.status,
            reason: refusal.reason.name(),
            is_guess: refusal.reason.is_guess(),
            user: None,
            field: refusal.field,
            values: refusal.challenges,
            receipt: None,
        }
    }

    /// The server, and not the client, is at fault.
    pub(crate) const fn failed(reason: &'static str) -> Self {
        Self {
            status: 500,
            reason,
            is_guess: false,
            user: None,
            field: "",
            values: Vec::new(),
            receipt: None,
        }
    }
}
