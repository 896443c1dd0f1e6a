//! The sending of one request, until it is answered.

use std::mem;

use countersign::client::{Error, Exchange, Field, GiveUp, Next, Readiness};
use countersign::digest::HexDigest;
use countersign::{Challenger, EntityBody, Target};
use http::header::HeaderValue;
use http::{Method, StatusCode, Version};

use crate::client::credentials::Credentials;
use crate::client::error::AuthClientError;
use crate::client::failure::LoginFailure;
use crate::client::hop::Hop;
use crate::client::settings::Settings;
use crate::client::shared::Shared;
use crate::client::transport::{Incoming, Outgoing, Transport};
use crate::fields;

/// How often one request waits for a login, so that a source of ever new wrong passwords comes to
/// an end.
const MAX_LOGINS: u8 = 5;

/// How often one request starts again where a redirect has led it, as most browsers allow.
const MAX_REDIRECTS: u8 = 20;

type Result<R, T> = std::result::Result<R, AuthClientError<<T as Transport>::Error>>;

/// Sends a request, and again as challenges require.
pub(super) async fn send<T: Transport, C: Credentials>(
    settings: &Settings<C>,
    transport: &mut T,
    request: T::Request,
) -> Result<T::Response, T> {
    if let Some(probe) = request.probe()
        && !is_logged_in(settings, &request)
    {
        // Boxed: otherwise all requests would take the memory that few need.
        let mut response = Box::pin(exchange(settings, transport, probe)).await?;
        if response.extensions_mut().get::<LoginFailure>().is_some() {
            return Ok(response);
        }
    }
    exchange(settings, transport, request).await
}

/// Returns whether each hop of the request is known to get an answer.
fn is_logged_in<C>(settings: &Settings<C>, request: &impl Outgoing) -> bool {
    let hops = Hop::of(request, settings).unwrap_or_default();
    hops.iter().all(|hop| {
        let readiness = settings
            .shared
            .cache()
            .client(&hop.endpoint)
            .readiness(&hop.target);
        matches!(readiness, Readiness::Answer | Readiness::AnswerOverBody(_))
    })
}

async fn exchange<T: Transport, C: Credentials>(
    settings: &Settings<C>,
    transport: &mut T,
    mut request: T::Request,
) -> Result<T::Response, T> {
    let shared = &*settings.shared;
    let since = shared.now();
    let hops_of = |request: &_| Hop::of(request, settings).ok_or(AuthClientError::UnknownOrigin);
    let mut hops = hops_of(&request)?;
    let method = request.method().clone();
    let (mut logins, mut redirects) = (0, 0);
    let mut body_hash = None;
    let (mut is_challenged, mut has_failed) = (false, false);
    loop {
        let spare = match hops[..] {
            [] => None,
            _ => request.try_clone(),
        };
        authorize::<T, C>(shared, &mut hops, &mut request, &mut body_hash)?;
        let mut response = match transport.send(request).await {
            Ok(response) => response,
            // Some servers close the connection after a challenge, and do not say so.
            Err(error) => match spare {
                Some(copy)
                    if is_challenged
                        && method.is_idempotent()
                        && transport.may_send_again(&error)
                        && !mem::replace(&mut has_failed, true) =>
                {
                    // The answer may have been seen: if it is refused the next time, that says
                    // nothing about the password.
                    hops.iter_mut()
                        .for_each(|hop| hop.exchange = Exchange::new());
                    request = copy;
                    continue;
                }
                _ => return Err(AuthClientError::Service(error)),
            },
        };
        if response.is_redirected() {
            let is_refused = is_refused_redirect(&hops, response.status());
            redirected::<T, C>(shared, &mut hops)?;
            // The caller has credentials of its own.
            if !is_refused || hops.is_empty() {
                return Ok(response);
            }
            let is_known = matches!(method, Method::GET | Method::HEAD);
            let copy = spare.filter(|_| is_known && redirects < MAX_REDIRECTS);
            let Some(next) = copy.and_then(|copy| transport.follow(copy, &response)) else {
                return Ok(failed(response, LoginFailure::Redirected));
            };
            redirects += 1;
            request = next;
            hops = hops_of(&request)?;
            drain(response).await;
            continue;
        }
        let Some((hop, next)) = received::<T, C>(shared, &mut hops, &method, &mut response)? else {
            return Ok(response);
        };
        let mut refused = None;
        let ask = match next {
            Next::Done(_) => return Ok(response),
            Next::Retry => None,
            Next::Login(ask) => Some(ask),
            Next::GiveUp(why) => {
                let GiveUp::WrongCredentials(ask) = &why else {
                    return Ok(failed(response, LoginFailure::GiveUp(why)));
                };
                let ask = ask.clone();
                // Kept for a while, so that the cache keeps the client.
                let exchange = mem::take(&mut hop.exchange);
                refused = Some((LoginFailure::GiveUp(why), exchange));
                Some(ask)
            }
        };
        let Some(copy) = spare else {
            let why = refused.map_or(LoginFailure::NotRepeatable, |(why, _)| why);
            return Ok(failed(response, why));
        };
        request = copy;
        if let Some(ask) = ask {
            logins += 1;
            if logins > MAX_LOGINS {
                return Ok(failed(response, LoginFailure::TooManyLogins(ask)));
            }
            match shared.login(&ask, since).await {
                None => {}
                Some(LoginFailure::Declined(ask)) => {
                    let why = refused.map_or(LoginFailure::Declined(ask), |(why, _)| why);
                    return Ok(failed(response, why));
                }
                Some(why) => return Ok(failed(response, why)),
            }
        }
        drain(response).await;
        is_challenged = true;
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

/// Adds the answers that each hop wants.
fn authorize<T: Transport, C>(
    shared: &Shared<C>,
    hops: &mut [Hop],
    request: &mut T::Request,
    body_hash: &mut Option<HexDigest>,
) -> Result<(), T> {
    for hop in hops {
        let method = request.method().clone();
        let mut authorize = |body| {
            let target = Target::new(method.as_str(), &hop.target).with_body(body);
            let mut cache = shared.cache();
            let client = cache.client(&hop.endpoint);
            match client.authorize(&mut hop.exchange, &target) {
                // Does not fail: an answer has no control bytes.
                Ok(Field::Set(answer)) => Ok(HeaderValue::from_bytes(answer.as_bytes()).ok()),
                // The request has no such field: see `Hop::of`. An exhausted nonce is replaced by
                // the next challenge.
                Ok(Field::Remove) | Err(Error::NonceExhausted) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let answer = match authorize(EntityBody::Deferred) {
            // Hashed here, where the cache is not locked.
            Err(Error::BodyNeeded(hash)) => {
                if body_hash.is_none_or(|known| known.hash_function() != hash) {
                    *body_hash = request.body_hash(hash);
                }
                authorize(body_hash.map_or(EntityBody::Unknown, EntityBody::Hashed))
            }
            answer => answer,
        };
        if let Some(mut value) = answer.map_err(AuthClientError::Authorize)? {
            value.set_sensitive(true);
            let field = fields::credentials(hop.endpoint.challenger());
            request.headers_mut().insert(field, value);
        }
    }
    Ok(())
}

/// Returns whether a redirected request has to be answered for where it was redirected to.
fn is_refused_redirect(hops: &[Hop], status: StatusCode) -> bool {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::PROXY_AUTHENTICATION_REQUIRED => true,
        // To an answer for another request-target (RFC 7616, section 3.4.6).
        StatusCode::BAD_REQUEST => hops.iter().any(|hop| hop.exchange.answer().is_some()),
        _ => false,
    }
}

/// Tells each hop that it has redirected the request.
fn redirected<T: Transport, C>(shared: &Shared<C>, hops: &mut [Hop]) -> Result<(), T> {
    for hop in hops {
        let info = std::iter::empty::<&HeaderValue>();
        let status = StatusCode::FOUND.as_u16();
        let mut cache = shared.cache();
        let client = cache.client(&hop.endpoint);
        client
            .completed(&mut hop.exchange, status, info, EntityBody::Unknown)
            .map_err(AuthClientError::ServerProof)?;
    }
    Ok(())
}

/// Returns the hop that asks for more, and what comes next; `None` if the response is the last.
fn received<'h, T: Transport, C>(
    shared: &Shared<C>,
    hops: &'h mut [Hop],
    method: &Method,
    response: &mut T::Response,
) -> Result<Option<(&'h mut Hop, Next)>, T> {
    let status = response.status().as_u16();
    // Not by the status, which no proof covers: with HTTP/2 a forged 204 may have a body.
    let is_empty = method == Method::HEAD || response.is_empty();
    for hop in hops {
        let body = match is_empty {
            true => EntityBody::Empty,
            false => EntityBody::Unknown,
        };
        let headers = response.headers();
        let next = shared
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
            next => return Ok(Some((hop, next))),
        }
    }
    Ok(None)
}
