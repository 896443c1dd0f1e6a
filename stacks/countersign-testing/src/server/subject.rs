//! The server under test.

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy, Quirk, ServerProof};
use countersign::{Challenger, Channel, EntityBody, Target};

use super::ServerCheck;
use crate::answer::{Answer, is_md5};
use crate::clock::Clock;
use crate::message::{Messages, Reply, request};
use crate::outcome::{Outcome, Stop, fail, skip, unless_it_panics};

/// The server, as a function from request to reply.
pub(super) type Serve<'a> = dyn FnMut(http::Request<Vec<u8>>) -> Reply + 'a;

/// The server under test, and a record of what was said.
pub(super) struct Subject<'a> {
    pub(super) check: &'a ServerCheck,
    pub(super) serve: &'a mut Serve<'a>,
    pub(super) messages: Messages,
    /// What is permitted, and why another choice is better.
    pub(super) notes: Vec<String>,
}

impl Subject<'_> {
    /// Sends a request with any credentials, or several.
    pub(super) fn send(
        &mut self,
        to: [&str; 2],
        credentials: &[Vec<u8>],
        body: &[u8],
    ) -> Outcome<Reply> {
        let field = self.check.challenger.credentials_field();
        self.send_in(field, to, credentials, body)
    }

    /// The same, with another field for the credentials.
    pub(super) fn send_in(
        &mut self,
        field: &'static str,
        [method, uri]: [&str; 2],
        credentials: &[Vec<u8>],
        body: &[u8],
    ) -> Outcome<Reply> {
        let Some(request) = request(method, uri, field, credentials, body) else {
            return skip("the http crate has no such request");
        };
        let copy = request.clone();
        let timing = self.check.timing.as_ref();
        let begun = timing.map(Clock::elapsed);
        let mut reply = match unless_it_panics(|| (self.serve)(request)) {
            Ok(reply) => reply,
            Err(stop) => {
                self.messages.0.push((copy, None));
                return Err(stop);
            }
        };
        if let (Some(clock), Some(begun)) = (timing, begun) {
            reply.took = clock.elapsed().saturating_sub(begun);
        }
        self.messages.0.push((copy, Some(reply.clone())));
        Ok(reply)
    }

    /// Sends a GET of the resource with these credentials.
    pub(super) fn get(&mut self, credentials: &[Vec<u8>]) -> Outcome<Reply> {
        let check = self.check;
        self.send(["GET", &check.uri], credentials, b"")
    }

    /// Sends an answer with the request that it is for.
    pub(super) fn answer(&mut self, answer: &Answer) -> Outcome<Reply> {
        self.send(
            [&answer.method, &answer.uri],
            &[answer.write()],
            &answer.body,
        )
    }

    /// Is challenged anew.
    pub(super) fn challenged(&mut self) -> Outcome<Reply> {
        let reply = self.get(&[])?;
        match reply.is_challenge() {
            true => Ok(reply),
            false => skip("there was no challenge"),
        }
    }

    /// A right answer to the first of new Digest challenges that is not MD5, if there is one.
    pub(super) fn fresh_answer(&mut self) -> Outcome<Answer> {
        let reply = self.challenged()?;
        let (user, password) = (&self.check.user, &self.check.password);
        let challenges = reply.digest_challenges();
        let strongest = challenges
            .iter()
            .find(|it| !is_md5(it.algorithm()))
            .or_else(|| challenges.first());
        match strongest {
            Some(challenge) => Ok(Answer::to(challenge, user, password, &self.check.uri)),
            None => Err(Stop::NotOffered("Digest")),
        }
    }

    /// Right answers to four challenges in a row: of two, the nonces may differ by chance where they
    /// are made of the time.
    pub(super) fn fresh_answers(&mut self) -> Outcome<[Answer; 4]> {
        let mut fresh = || self.fresh_answer();
        Ok([fresh()?, fresh()?, fresh()?, fresh()?])
    }

    /// A right answer that was let in.
    pub(super) fn captured(&mut self) -> Outcome<Answer> {
        let answer = self.fresh_answer()?;
        match self.answer(&answer)?.is_granted() {
            true => Ok(answer),
            false => skip("a right answer is refused"),
        }
    }

    /// Adds a note.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Like [`must_refuse`](Self::must_refuse), but a grant is permitted, for this reason.
    pub(super) fn should_refuse(&mut self, what: &str, reply: &Reply, permitted: &str) -> Outcome {
        if !reply.is_granted() {
            return self.must_refuse(what, reply);
        }
        self.note(format!(
            "{what} was answered with {}: {permitted}",
            reply.status
        ));
        Ok(())
    }

    pub(super) fn must_grant(&self, what: &str, reply: &Reply) -> Outcome {
        match reply.is_granted() {
            true => Ok(()),
            false => fail(format!("{what} was answered with {}", reply.status)),
        }
    }

    /// A count or a nonce that the server does not remember is no reason to ask for a password.
    pub(super) fn must_grant_or_renew(&self, what: &str, reply: &Reply) -> Outcome {
        match reply.is_stale() {
            true => Ok(()),
            false => self.must_grant(what, reply),
        }
    }

    pub(super) fn must_refuse(&self, what: &str, reply: &Reply) -> Outcome {
        let status = reply.status;
        if reply.is_granted() || status >= 500 {
            return fail(format!("{what} was answered with {status}"));
        }
        if reply.is_challenge() && reply.challenge_values().is_empty() {
            return fail(format!(
                "{what} was answered with {status} and no challenge"
            ));
        }
        Ok(())
    }

    /// A client of countersign that does what is right on any server.
    pub(super) fn client(&self) -> Outcome<Client> {
        let scheme = match self.check.channel {
            Channel::Encrypted => "https",
            _ => "http",
        };
        let endpoint = match self.check.challenger {
            Challenger::Proxy => Ok(Endpoint::proxy(scheme, "server.example", 3128)),
            Challenger::Origin => {
                // The absolute form names the origin, and SIP's its domain.
                let uri = self.check.uri.parse::<http::Uri>().unwrap_or_default();
                let scheme = match self.check.uri.starts_with("sip:") {
                    true => "sip",
                    false => uri.scheme_str().unwrap_or(scheme),
                };
                let host = uri.host().unwrap_or("server.example");
                Endpoint::origin(scheme, host, uri.port_u16())
            }
        };
        let Ok(endpoint) = endpoint else {
            return skip("the uri has a scheme whose port is unknown");
        };
        let endpoint = endpoint.with_channel(self.check.channel);
        let policy = Policy::new()
            .with_cleartext_basic()
            .with_quirk(Quirk::Rfc2069)
            .with_quirk(Quirk::NoUserhash)
            .with_quirk(Quirk::IgnoreWrongProof);
        Ok(Client::from_seed(endpoint, policy, [7; 32]))
    }

    /// A GET by a client, to the end.
    pub(super) fn visit(&mut self, client: &mut Client) -> Outcome<Visit> {
        let check = self.check;
        let target = Target::new("GET", &check.uri).with_body(EntityBody::Empty);
        let mut exchange = Exchange::new();
        let mut requests = 0;
        loop {
            let answer = match client.authorize(&mut exchange, &target) {
                Ok(answer) => answer.for_new_request().map(|it| it.as_bytes().to_owned()),
                Err(error) => return fail(format!("countersign's client: {error}")),
            };
            let reply = self.get(answer.as_slice())?;
            requests += 1;
            let fields = |name| reply.headers.get_all(name).iter();
            let body = EntityBody::Bytes(&reply.body);
            match client.received(&mut exchange, reply.status, fields, body) {
                Ok(Next::Done(proof)) => {
                    return Ok(Visit {
                        requests,
                        reply,
                        proof,
                    });
                }
                Ok(Next::Retry) => {}
                Ok(Next::Login(ask)) => {
                    let account = Account::new(&check.user, &check.password).with_basic();
                    if let Err(error) = client.login(&ask, &account) {
                        return fail(format!("countersign's client: {error}"));
                    }
                }
                Ok(Next::GiveUp(why)) => return fail(format!("countersign's client: {why}")),
                Err(error) => return fail(format!("countersign's client: {error}")),
            }
        }
    }
}

/// How a visit ended that was not refused.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) requests: usize,
    pub(super) reply: Reply,
    pub(super) proof: ServerProof,
}
