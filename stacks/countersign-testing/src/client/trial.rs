//! A client under test, in one scenario.

use countersign::digest::Ha1;
use countersign::server::{Realm, Reason, UriCheck};
use countersign::wire::DigestCredentials;
use countersign::{Authorization, HeaderError, Target};
use http::{HeaderValue, Response};

use super::ClientCheck;
use super::network::Network;
use crate::clock::Clock;
use crate::core::Core;
use crate::message::request;
use crate::outcome::{Outcome, fail, skip, unless_it_panics};

/// How a request ended for the client: with the status that it returned, or why it gave up.
pub(super) type End = Result<u16, String>;

/// The client under test, which is called with requests. Without one, it is made anew.
pub(super) type Call<'a> = dyn FnMut(Option<http::Request<Vec<u8>>>) -> Option<End> + 'a;

/// A client under test and the server that it talks to.
pub(super) struct Trial<'a> {
    pub(super) check: &'a ClientCheck,
    pub(super) call: &'a mut Call<'a>,
    pub(super) network: Network,
    pub(super) clock: Clock,
    /// What is permitted, and why another choice is better.
    pub(super) notes: Vec<String>,
}

/// Changes the values of a field that the server sends.
pub(super) type Alter = fn(&mut Vec<String>);

impl Trial<'_> {
    /// Adds a note.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(super) fn realm(&self) -> Outcome<Realm> {
        self.realm_called(self.check.realm.as_deref().unwrap_or("files"))
    }

    pub(super) fn realm_called(&self, name: &str) -> Outcome<Realm> {
        let realm = self.plain_realm(name)?;
        Ok(match self.check.challenger {
            countersign::Challenger::Proxy => realm.for_proxy(),
            countersign::Challenger::Origin => realm,
        })
    }

    /// A realm of an origin.
    pub(super) fn plain_realm(&self, name: &str) -> Outcome<Realm> {
        match Realm::new(name) {
            // Clients of HTTP may name the resource by its path or in full.
            Ok(realm) => Ok(realm
                .with_algorithms(&[self.check.algorithm])
                .with_uri_check(UriCheck::PathAndQuery)),
            Err(_) => skip("no such realm"),
        }
    }

    /// Puts a server with this realm at the end of the network.
    pub(super) fn serve(&self, realm: Realm) -> Core {
        self.serve_altered(realm, |_| {}, |_| {})
    }

    /// The same, and changes its challenges and its `Authentication-Info` on their way.
    pub(super) fn serve_altered(&self, realm: Realm, challenges: Alter, info: Alter) -> Core {
        let check = self.check;
        let core = self.core(realm, [&check.user, &check.password]);
        self.play(&core, challenges, info);
        core
    }

    /// Puts a server there that knows another user only.
    pub(super) fn serve_nobody(&self, realm: Realm, challenges: Alter) -> Core {
        let core = self.core(realm, ["nobody", "no password"]);
        self.play(&core, challenges, |_| {});
        core
    }

    fn core(&self, realm: Realm, user: [&str; 2]) -> Core {
        Core::new(realm, self.check.channel, &self.clock, user)
    }

    fn play(&self, core: &Core, challenges: Alter, info: Alter) {
        let (server, challenger) = (core.clone(), self.check.challenger);
        self.network.play(Box::new(move |request| {
            let mut response = server.serve(request);
            replace(&mut response, challenger.challenge_field(), challenges);
            replace(&mut response, challenger.info_field(), info);
            response
        }));
    }

    /// Has the client make a request, and returns how that ended.
    pub(super) fn get(&mut self) -> Outcome<End> {
        self.request("GET", &self.check.uri, b"")
    }

    pub(super) fn request(&mut self, method: &str, uri: &str, body: &[u8]) -> Outcome<End> {
        let field = self.check.challenger.credentials_field();
        let Some(request) = request(method, uri, field, &[], body) else {
            return skip("the http crate has no such request");
        };
        self.network.begin();
        let end = unless_it_panics(|| (self.call)(Some(request)))?;
        let most = self.network.most();
        match (self.network.requests(), end) {
            (sent, Some(end)) if (1..=most).contains(&sent) => Ok(end),
            (0, _) => fail("the client sent no request"),
            _ => fail(format!("the client sent more than {most} requests")),
        }
    }

    /// Goes on with a new client.
    pub(super) fn renew(&mut self) {
        (self.call)(None);
    }

    /// Has the client make a GET that must be granted without a refusal but for another nonce.
    pub(super) fn must_get(&mut self, core: &Core) -> Outcome {
        self.must_be_let_in(core, "GET")
    }

    /// The same with another method.
    pub(super) fn must_be_let_in(&mut self, core: &Core, method: &str) -> Outcome {
        let (rejected, granted) = (core.reasons().len(), core.granted());
        let end = self.request(method, &self.check.uri, b"")?;
        no_wrong_answer(&core.reasons()[rejected..])?;
        match end {
            Ok(_) if core.granted() > granted => Ok(()),
            Ok(status) => fail(format!("the client returned {status} and was not let in")),
            Err(error) => fail(format!("the client gave up: {error}")),
        }
    }

    /// Has the client make a request that must be granted, or not answered at all.
    pub(super) fn must_get_or_leave(&mut self, core: &Core, method: &str, body: &[u8]) -> Outcome {
        let end = self.request(method, &self.check.uri, body)?;
        self.no_wrong_answer(core)?;
        let answered = !self.network.credentials().is_empty();
        match end {
            Err(error) if core.granted() > 0 => fail(format!("the client gave up: {error}")),
            _ if answered && core.granted() == 0 => fail("the answer was refused"),
            _ => Ok(()),
        }
    }

    /// Fails for every refusal but those that ask for another nonce.
    pub(super) fn no_wrong_answer(&self, core: &Core) -> Outcome {
        no_wrong_answer(&core.reasons())
    }

    /// Fails unless the last answer is right by what it says itself.
    pub(super) fn must_be_right(&self) -> Outcome {
        let (user, password) = (&self.check.user, &self.check.password);
        let is_right = self.last_digest(|it| {
            let hash = it.algorithm().hash_function();
            let ha1 = Ha1::new(hash, &**user, &*it.realm.to_bytes(), &**password);
            let uri = it.uri.to_bytes();
            let uri = String::from_utf8_lossy(&uri);
            let expected = it.expected_response(&ha1, &Target::new("GET", &*uri));
            expected == Some(it.response)
        })?;
        match is_right {
            true => Ok(()),
            false => fail("the response is wrong"),
        }
    }

    /// The credentials of the last call.
    pub(super) fn credentials(&self) -> Vec<Vec<u8>> {
        self.network.credentials()
    }

    /// Reads the last Digest credentials of the last call.
    pub(super) fn last_digest<T>(
        &self,
        read: impl FnOnce(&DigestCredentials<'_>) -> T,
    ) -> Outcome<T> {
        let all = self.credentials();
        let Some(last) = all.last() else {
            return fail("the client sent no credentials");
        };
        match Authorization::parse(last) {
            Ok(Authorization::Digest(credentials)) => Ok(read(&credentials)),
            Ok(_) => fail("the credentials are not Digest"),
            Err(error) => unreadable(&error),
        }
    }
}

fn unreadable<T>(error: &HeaderError) -> Outcome<T> {
    fail(format!(
        "the field with the credentials can not be read: {error}"
    ))
}

/// Fails for every refusal but those that ask for another nonce.
fn no_wrong_answer(reasons: &[Reason]) -> Outcome {
    let wrong = reasons
        .iter()
        .find(|it| !it.is_stale() || **it == Reason::Replayed);
    match wrong {
        None => Ok(()),
        // There is one user, and the name and the password are right.
        Some(Reason::WrongCredentials) => fail("the name or the response of an answer is wrong"),
        Some(Reason::UriMismatch) => {
            fail("uri in an answer is not what stands on the request line")
        }
        Some(Reason::Header(error)) => unreadable(error),
        Some(reason) => fail(format!("an answer was refused: {reason}")),
    }
}

/// Replaces the values of a field.
fn replace(
    response: &mut Response<Vec<u8>>,
    field: &'static str,
    alter: impl FnOnce(&mut Vec<String>),
) {
    let values = response.headers().get_all(field);
    let values = values
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()));
    let mut values: Vec<_> = values.map(String::from).collect();
    alter(&mut values);
    response.headers_mut().remove(field);
    for value in values {
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            response.headers_mut().append(field, value);
        }
    }
}
