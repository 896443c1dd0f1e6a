//! The sending of one request, until it is answered.

use std::mem;

use countersign::client::{Error, Exchange, Field, GiveUp, Next};
use countersign::digest::HexDigest;
use countersign::{Challenge, Challenger, EntityBody, Target, challenges};
use http::header::HeaderValue;
use http::{Method, StatusCode, Version};

use crate::client::credentials::Credentials;
use crate::client::error::AuthClientError;
use crate::client::failure::LoginFailure;
use crate::client::hop::Hop;
use crate::client::settings::Settings;
use crate::client::transport::{Incoming, Outgoing, Transport, is_safe};
use crate::fields;
use crate::target::request_target;

/// How often one request waits for a login, so that a source of ever new wrong passwords comes to
/// an end.
const MAX_LOGINS: u8 = 5;

/// How often one request starts again where a redirect has led it, as most browsers allow.
const MAX_REDIRECTS: u8 = 20;

type Result<R, T> = std::result::Result<R, AuthClientError<<T as Transport>::Error>>;

/// Sends a request, and again as challenges require. Takes it when it is sent for the last time.
pub(super) async fn send<T: Transport, C: Credentials>(
    settings: &Settings<C>,
    transport: &mut T,
    request: &mut Option<T::Request>,
) -> Result<T::Response, T> {
    let mut sending = Sending::new::<T>(settings, request)?;
    sending.run(transport, request).await
}

/// What is known of a request that is being sent.
struct Sending<'s, C> {
    settings: &'s Settings<C>,
    since: u64,
    method: Method,
    hops: Vec<Hop>,
    body_hash: Option<HexDigest>,
    logins: u8,
    redirects: u8,
    has_failed: bool,
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
            since: settings.shared.now(),
            method: request.method().clone(),
            hops: hops.ok_or(AuthClientError::UnknownOrigin)?,
            body_hash: None,
            logins: 0,
            redirects: 0,
            has_failed: false,
        })
    }

    /// The request with the answers that each hop wants. Leaves a copy to send again, if there is a
    /// hop that might want that.
    fn next<T: Transport>(&mut self, request: &mut Option<T::Request>) -> Result<T::Request, T> {
        let copy = request.as_ref().filter(|_| !self.hops.is_empty());
        let copy = copy.and_then(Outgoing::try_clone);
        let next = mem::replace(request, copy);
        // Does not fail: without a copy, no request is sent again.
        let mut next = next.ok_or(AuthClientError::UnknownOrigin)?;
        for hop in &mut self.hops {
            let uri = request_target(&hop.uri, hop.endpoint.challenger());
            let mut authorize = |body| {
                let target = Target::new(self.method.as_str(), &*uri).with_body(body);
                let mut cache = self.settings.shared.cache();
                let client = cache.client(&hop.endpoint);
                match client.authorize(&mut hop.exchange, &target) {
                    // Does not fail: an answer has no control bytes.
                    Ok(Field::Set(answer)) => Ok(HeaderValue::from_bytes(answer.as_bytes()).ok()),
                    // The request has no such field: see `Hop::of`. An exhausted nonce is replaced
                    // by the next challenge.
                    Ok(Field::Remove) | Err(Error::NonceExhausted) => Ok(None),
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
        let starts_again = self.hops.iter().any(|hop| hop.is_challenged)
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

    /// Tells each hop that it has redirected the request. Returns whether where it was redirected
    /// to wants another answer.
    fn redirected<T: Transport>(&mut self, response: &T::Response) -> Result<bool, T> {
        let is_refused = match response.status() {
            // Without a hop, the caller has credentials of its own.
            StatusCode::UNAUTHORIZED | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                !self.hops.is_empty()
            }
            // To an answer for another request-target (RFC 7616, section 3.4.6).
            StatusCode::BAD_REQUEST => {
                !response.is_of_another_origin() && self.hops.iter().any(is_answered_by_digest)
            }
            _ => false,
        };
        self.completed::<T>(StatusCode::FOUND)?;
        Ok(is_refused)
    }

    /// Tells each hop of a response that is not at hand.
    fn completed<T: Transport>(&mut self, status: StatusCode) -> Result<(), T> {
        for hop in &mut self.hops {
            let info = std::iter::empty::<&HeaderValue>();
            let mut cache = self.settings.shared.cache();
            let client = cache.client(&hop.endpoint);
            client
                .completed(
                    &mut hop.exchange,
                    status.as_u16(),
                    info,
                    EntityBody::Unknown,
                )
                .map_err(AuthClientError::ServerProof)?;
        }
        Ok(())
    }

    /// Makes a request for where one was redirected to.
    fn follow<T: Transport>(
        &mut self,
        transport: &T,
        response: &T::Response,
        copy: Option<T::Request>,
    ) -> Result<Option<T::Request>, T> {
        // A 303 to the result of a QUERY wants a GET.
        let may = matches!(self.method.as_str(), "GET" | "HEAD" | "PROPFIND")
            && !response.is_of_another_origin()
            && self.redirects < MAX_REDIRECTS;
        let copy = copy.filter(|_| may);
        let next = copy.and_then(|copy| transport.follow(copy, response));
        if let Some(next) = &next {
            self.redirects += 1;
            self.hops = Hop::of(next, self.settings).ok_or(AuthClientError::UnknownOrigin)?;
        }
        Ok(next)
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
            match next {
                Next::Done(proof) if hop.endpoint.challenger() == Challenger::Origin => {
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
        loop {
            let next = self.next::<T>(request)?;
            let mut response = match transport.send(next).await {
                Ok(response) => response,
                Err(error) if request.is_some() && self.starts_again(transport, &error) => continue,
                Err(error) => return Err(AuthClientError::Service(error)),
            };
            if response.is_redirected() {
                if !self.redirected::<T>(&response)? {
                    return Ok(response);
                }
                *request = self.follow(transport, &response, request.take())?;
                if request.is_none() {
                    return Ok(failed(response, LoginFailure::Redirected));
                }
                Box::pin(drain(response)).await;
                continue;
            }
            if transport.may_redirect() && self.is_maybe_done(&response) {
                // Forgets the nonce, and nothing else: the refusal may be that of another request.
                // The response is an error already.
                let _ = self.completed::<T>(StatusCode::FORBIDDEN);
                return Ok(failed(response, LoginFailure::MaybeDone));
            }
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

    /// Returns whether a refused answer may have been accepted before, and then been refused with
    /// the request that a redirect made of this one. What is called stale was not accepted, unless
    /// the server has just given the nonce.
    fn is_maybe_done<R: Incoming>(&self, response: &R) -> bool {
        let is_stale = |challenge| match challenge {
            Ok(Challenge::Digest(challenge)) => challenge.stale,
            _ => false,
        };
        let is_refused = |hop: &Hop| {
            let challenger = hop.endpoint.challenger();
            let values = response.headers().get_all(challenger.challenge_field());
            response.status() == challenger.status()
                && is_answered_by_digest(hop)
                && (hop.is_challenged || !challenges(values).any(is_stale))
        };
        !is_safe(&self.method) && self.hops.iter().any(is_refused)
    }

    /// Prepares for the next request, and waits for a login if that needs one. Returns the response
    /// if there is no next one.
    async fn challenged<R: Incoming>(
        &mut self,
        hop: usize,
        next: Next,
        response: R,
        is_repeatable: bool,
    ) -> Option<R> {
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
                let exchange = self.hops.get_mut(hop);
                let exchange = exchange.map(|hop| mem::take(&mut hop.exchange));
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
            match self.settings.shared.login(&ask, self.since).await {
                None => {}
                Some(LoginFailure::Declined(ask)) => {
                    let why = refused.map_or(LoginFailure::Declined(ask), |(why, _)| why);
                    return Some(failed(response, why));
                }
                Some(why) => return Some(failed(response, why)),
            }
        }
        drain(response).await;
        if let Some(hop) = self.hops.get_mut(hop) {
            hop.is_challenged = true;
        }
        None
    }
}

fn failed<R: Incoming>(mut response: R, why: LoginFailure) -> R {
    response.extensions_mut().insert(why);
    response
}

/// Reads the body of a challenge to its end. With HTTP/2, dropping it costs no connection.
async fn drain(response: impl Incoming) {
    if response.version() < Version::HTTP_2 {
        response.drain().await;
    }
}

fn is_answered_by_digest(hop: &Hop) -> bool {
    let answer = hop.exchange.answer();
    answer.is_some_and(|answer| answer.as_bytes().starts_with(b"Digest "))
}
