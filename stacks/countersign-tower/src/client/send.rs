//! The sending of one request, until it is answered.

use std::mem;
use std::sync::Arc;

use countersign::client::{Error, Exchange, Field, GiveUp, Next};
use countersign::digest::HexDigest;
use countersign::{Challenge, EntityBody, Target, challenges};
use http::Method;
use http::header::HeaderValue;

use crate::client::credentials::Credentials;
use crate::client::drain::drain;
use crate::client::error::AuthClientError;
use crate::client::failure::LoginFailure;
use crate::client::hop::Hop;
use crate::client::logins::Logins;
use crate::client::settings::Settings;
use crate::client::transport::{Incoming, Outgoing, Transport, is_safe};
use crate::client::trial::{Trial, Turn};
use crate::fields;
use crate::target::request_target;

/// How often one request waits for a login, so that a source of ever new wrong passwords comes to
/// an end.
const MAX_LOGINS: u8 = 5;

type Result<R, T> = std::result::Result<R, AuthClientError<<T as Transport>::Error>>;

/// Sends a request, and again as challenges require; if it `may_answer`, also those of the origin.
/// Takes the request when it is sent for the last time, but `keeps` a copy of one that can be sent
/// again if the caller wants that. Returns the response, and whether that request had an answer for
/// the origin.
pub(super) async fn send<T: Transport, C: Credentials>(
    settings: &Settings<C>,
    transport: &mut T,
    request: &mut Option<T::Request>,
    may_answer: bool,
    keeps: bool,
) -> Result<(T::Response, bool), T> {
    let mut sending = Sending::new::<T>(settings, request)?;
    sending.keeps = keeps;
    sending.hops.retain(|hop| may_answer || !hop.is_origin());
    let response = sending.run(transport, request).await?;
    Ok((response, sending.is_answered))
}

/// What is known of a request that is being sent.
struct Sending<'s, C> {
    settings: &'s Settings<C>,
    since: u64,
    method: Method,
    hops: Vec<Hop>,
    body_hash: Option<HexDigest>,
    logins: u8,
    has_failed: bool,
    keeps: bool,
    /// The last request had an answer for the origin.
    is_answered: bool,
}

impl<'s, C> Sending<'s, C> {
    fn new<T: Transport>(
        settings: &'s Settings<C>,
        request: &Option<T::Request>,
    ) -> Result<Self, T> {
        let request = request.as_ref().ok_or(AuthClientError::UnknownOrigin)?;
        let hops = Hop::of(request, settings);
        Ok(Self {
            settings,
            since: settings.shared.logins.now(),
            method: request.method().clone(),
            hops: hops.ok_or(AuthClientError::UnknownOrigin)?,
            body_hash: None,
            logins: 0,
            has_failed: false,
            keeps: false,
            is_answered: false,
        })
    }

    /// The request with the answers that each hop wants. Leaves a copy to send again, if there is a
    /// hop that might want that.
    fn next<T: Transport>(&mut self, request: &mut Option<T::Request>) -> Result<T::Request, T> {
        let copy = request.as_ref();
        let copy = copy.filter(|_| self.keeps || !self.hops.is_empty());
        let copy = copy.and_then(Outgoing::try_clone);
        let next = mem::replace(request, copy);
        // Does not fail: without a copy, no request is sent again.
        let mut next = next.ok_or(AuthClientError::UnknownOrigin)?;
        for hop in &mut self.hops {
            if mem::take(&mut hop.is_silent) {
                continue;
            }
            let uri = request_target(next.uri(), hop.endpoint.challenger());
            let mut authorize = |body| {
                let target = Target::new(self.method.as_str(), &*uri).with_body(body);
                let mut cache = self.settings.shared.cache();
                let client = cache.client(&hop.endpoint);
                match client.authorize(&mut hop.exchange, &target) {
                    // Does not fail: an answer has no control bytes.
                    Ok(Field::Set(answer)) => Ok(HeaderValue::from_bytes(answer.as_bytes()).ok()),
                    // The request has no such field: see `Hop::of`. An exhausted nonce is replaced
                    // by the next challenge.
                    Ok(Field::Remove) => Ok(None),
                    Err(error) => Err(error),
                }
            };
            let answer = match authorize(EntityBody::Deferred) {
                // Hashed here, where the cache is not locked.
                Err(Error::BodyNeeded(hash)) => {
                    let known = &mut self.body_hash;
                    if known.is_none_or(|known| known.hash_function() != hash) {
                        *known = next.body_hash(hash);
                    }
                    authorize(known.map_or(EntityBody::Unknown, EntityBody::Hashed))
                }
                answer => answer,
            };
            if let Some(mut value) = answer.map_err(AuthClientError::Authorize)? {
                value.set_sensitive(true);
                let field = fields::credentials(hop.endpoint.challenger());
                next.headers_mut().insert(field, value);
            }
        }
        Ok(next)
    }

    /// Returns whether to send the request again after an error. Some servers close the connection
    /// after a challenge, and do not say so.
    fn starts_again<T: Transport>(&mut self, transport: &T, error: &T::Error) -> bool {
        let starts_again = self.hops.iter().any(|hop| hop.trial.is_some())
            && (self.method.is_idempotent() || is_safe(&self.method))
            && transport.may_send_again(error)
            && !mem::replace(&mut self.has_failed, true);
        if starts_again {
            // The answer may have been seen: if it is refused the next time, that says nothing
            // about the password.
            for hop in &mut self.hops {
                hop.exchange = Exchange::new();
            }
        }
        starts_again
    }

    /// Returns the hop that asks for more, and what comes next; `None` if the response is the last.
    fn received<T: Transport>(
        &mut self,
        response: &mut T::Response,
    ) -> Result<Option<(usize, Next)>, T> {
        let status = response.status().as_u16();
        // Not by the status, which no proof covers: with HTTP/2 a forged 204 may have a body.
        let is_empty = self.method == Method::HEAD || response.is_empty();
        for (at, hop) in self.hops.iter_mut().enumerate() {
            if status == hop.endpoint.challenger().status() && hop.exchange.answer().is_none() {
                let trial = trial_of(&self.settings.shared.logins, response, hop);
                if let Some(ask) = trial.refused_since(self.since) {
                    // Not for the client: others would volunteer the login that it makes of this.
                    return Ok(Some((at, Next::GiveUp(GiveUp::WrongCredentials(ask)))));
                }
            }
            let body = match is_empty {
                true => EntityBody::Empty,
                false => EntityBody::Unknown,
            };
            let headers = response.headers();
            let next = self
                .settings
                .shared
                .cache()
                .client(&hop.endpoint)
                .received(
                    &mut hop.exchange,
                    status,
                    |field| headers.get_all(field).iter(),
                    body,
                )
                .map_err(AuthClientError::ServerProof)?;
            let turn = hop.turn.take();
            match &next {
                Next::Done(_) if hop.exchange.answer().is_some() => {
                    hop.trial.iter().for_each(|trial| trial.accepted());
                }
                Next::GiveUp(GiveUp::WrongCredentials(ask)) => {
                    let logins = &self.settings.shared.logins;
                    let trial = trial_of(logins, response, hop);
                    match turn {
                        Some(_) => trial.refused(logins.now(), ask),
                        // Others sent theirs, too: one of those may have voided the nonce.
                        None => trial.start_again(),
                    }
                }
                _ => {}
            }
            // The others see what came of it.
            drop(turn);
            match next {
                Next::Done(proof) if hop.is_origin() => {
                    response.extensions_mut().insert(proof);
                }
                Next::Done(_) => {}
                next => return Ok(Some((at, next))),
            }
        }
        Ok(None)
    }
}

impl<C: Credentials> Sending<'_, C> {
    async fn run<T: Transport>(
        &mut self,
        transport: &mut T,
        request: &mut Option<T::Request>,
    ) -> Result<T::Response, T> {
        if self.settings.shared.logins.are_under_way() {
            for hop in &mut self.hops {
                let others = self
                    .settings
                    .shared
                    .logins
                    .others(&hop.endpoint, self.since);
                hop.is_silent = Box::pin(others).await;
            }
        }
        loop {
            let next = self.next::<T>(request)?;
            let is_answer = |hop: &Hop| hop.is_origin() && hop.exchange.answer().is_some();
            self.is_answered = self.hops.iter().any(is_answer);
            let mut response = match transport.send(next).await {
                Ok(response) => response,
                Err(error) if request.is_some() && self.starts_again(transport, &error) => continue,
                Err(error) => return Err(AuthClientError::Service(error)),
            };
            let Some((hop, next)) = self.received::<T>(&mut response)? else {
                return Ok(response);
            };
            let is_repeatable = request.is_some();
            let challenged = self.challenged(hop, next, response, is_repeatable);
            if let Some(response) = Box::pin(challenged).await {
                return Ok(response);
            }
        }
    }

    /// Prepares for the next request, and waits for a login if that needs one. Returns the response
    /// if there is no next one.
    async fn challenged<R: Incoming>(
        &mut self,
        at: usize,
        mut next: Next,
        response: R,
        is_repeatable: bool,
    ) -> Option<R> {
        let shared = &self.settings.shared;
        let hop = self.hops.get_mut(at)?;
        let logins = &shared.logins;
        let trial = trial_of(logins, &response, hop);
        loop {
            let mut refused = None;
            let ask = match next {
                Next::Done(_) => return Some(response),
                Next::Retry => None,
                Next::Login(ask) => Some(ask),
                Next::GiveUp(why) => {
                    let GiveUp::WrongCredentials(ask) = &why else {
                        return Some(failed(response, LoginFailure::GiveUp(why)));
                    };
                    let ask = ask.clone();
                    // Kept for a while, so that the cache keeps the client.
                    let exchange = mem::take(&mut hop.exchange);
                    refused = Some((LoginFailure::GiveUp(why), exchange));
                    Some(ask)
                }
            };
            if !is_repeatable {
                let why = refused.map_or(LoginFailure::NotRepeatable, |(why, _)| why);
                return Some(failed(response, why));
            }
            if let Some(ask) = ask {
                self.logins += 1;
                if self.logins > MAX_LOGINS {
                    return Some(failed(response, LoginFailure::TooManyLogins(ask)));
                }
                match shared.login(&ask, self.since, &trial).await {
                    None => {}
                    Some(LoginFailure::Declined(ask)) => {
                        let why = refused.map_or(LoginFailure::Declined(ask), |(why, _)| why);
                        return Some(failed(response, why));
                    }
                    Some(why) => return Some(failed(response, why)),
                }
            }
            match trial.turn(self.since, &logins.under_way).await {
                Turn::Alone(turn) => hop.turn = Some(turn),
                Turn::Free => {}
                Turn::Refused(ask) => {
                    next = Next::GiveUp(GiveUp::WrongCredentials(ask));
                    continue;
                }
            }
            hop.trial = Some(trial);
            drain(response).await;
            return None;
        }
    }
}

fn failed<R: Incoming>(mut response: R, why: LoginFailure) -> R {
    response.extensions_mut().insert(why);
    response
}

/// The login to the realm that a response asks for first.
fn trial_of(logins: &Logins, response: &impl Incoming, hop: &Hop) -> Arc<Trial> {
    let field = hop.endpoint.challenger().challenge_field();
    let values = response.headers().get_all(field);
    let realm = challenges(values).find_map(|challenge| match challenge {
        Ok(Challenge::Basic { realm, .. }) => Some(realm),
        Ok(Challenge::Digest(challenge)) => Some(challenge.realm),
        _ => None,
    });
    let realm = realm.map_or_else(Vec::new, |realm| realm.to_bytes().into_owned());
    logins.of(&hop.endpoint).trial(&realm)
}
