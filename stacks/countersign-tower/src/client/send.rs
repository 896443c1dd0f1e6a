//! The sending of one request, until it is answered.

use std::future::poll_fn;

use bytes::Bytes;
use countersign::client::{Error, Exchange, Field, GiveUp, Next};
use countersign::{Challenger, EntityBody, Target};
use http::header::{HeaderName, HeaderValue};
use http::{Method, Request, Response};
use http_body::Body;
use tower_service::Service;

use crate::client::credentials::Credentials;
use crate::client::drain::drain;
use crate::client::error::AuthClientError;
use crate::client::failure::LoginFailure;
use crate::client::hop::Hop;
use crate::client::layer::AuthClientLayer;
use crate::client::replay::Replay;
use crate::client::shared::Shared;

/// How often one request waits for a login, so that a source of ever new wrong passwords comes to
/// an end.
const MAX_LOGINS: u8 = 5;

/// Sends a request, and again as challenges require. `service` is ready.
pub(super) async fn send<S, B, D, C>(
    layer: &AuthClientLayer<C>,
    service: &mut S,
    request: Request<B>,
) -> Result<Response<D>, AuthClientError<S::Error>>
where
    S: Service<Request<B>, Response = Response<D>>,
    B: Replay,
    D: Body,
    C: Credentials,
{
    let AuthClientLayer {
        shared,
        proxy,
        origin,
        ..
    } = layer;
    let since = shared.now();
    let (head, mut body) = request.into_parts();
    let hops = Hop::of(&head, proxy.as_ref(), origin.as_ref());
    let mut hops = hops.ok_or(AuthClientError::UnknownOrigin)?;
    for hop in &mut hops {
        hop.endpoint = layer.as_seen(&hop.endpoint);
    }
    let whole = body.whole();
    let mut logins = 0;
    loop {
        let spare = body.replay();
        let mut request = Request::from_parts(head.clone(), body);
        authorize(shared, &mut hops, &mut request, whole.as_ref())?;
        let response = service.call(request).await;
        let mut response = response.map_err(AuthClientError::Service)?;
        let Some((hop, next)) = received(shared, &mut hops, &head.method, &mut response)? else {
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
                hop.exchange = Exchange::new();
                let ask = ask.clone();
                refused = Some(LoginFailure::GiveUp(why));
                Some(ask)
            }
        };
        let Some(copy) = spare else {
            let why = refused.unwrap_or(LoginFailure::NotRepeatable);
            return Ok(failed(response, why));
        };
        body = copy;
        if let Some(ask) = ask {
            logins += 1;
            if logins > MAX_LOGINS {
                return Ok(failed(response, LoginFailure::TooManyLogins(ask)));
            }
            match shared.login(&ask, since).await {
                None => {}
                Some(LoginFailure::Declined(ask)) => {
                    let why = refused.unwrap_or(LoginFailure::Declined(ask));
                    return Ok(failed(response, why));
                }
                Some(why) => return Ok(failed(response, why)),
            }
        }
        drain(response.into_body()).await;
        poll_fn(|cx| service.poll_ready(cx))
            .await
            .map_err(AuthClientError::Service)?;
    }
}

fn failed<D>(mut response: Response<D>, why: LoginFailure) -> Response<D> {
    response.extensions_mut().insert(why);
    response
}

/// Adds the answers that each hop wants.
fn authorize<B, C, E>(
    shared: &Shared<C>,
    hops: &mut [Hop],
    request: &mut Request<B>,
    body: Option<&Bytes>,
) -> Result<(), AuthClientError<E>> {
    for hop in hops {
        let method = request.method().clone();
        let body = body.map_or(EntityBody::Unknown, |body| EntityBody::Bytes(body));
        let target = Target::new(method.as_str(), &hop.target).with_body(body);
        let mut cache = shared.cache();
        let client = cache.client(&hop.endpoint);
        let answer = match client.authorize(&mut hop.exchange, &target) {
            Ok(Field::Set(answer)) => answer,
            // The request has no such field: see `Hop::of`. An exhausted nonce is replaced by the
            // next challenge.
            Ok(Field::Remove) | Err(Error::NonceExhausted) => continue,
            Err(error) => return Err(AuthClientError::Authorize(error)),
        };
        // Does not fail: an answer has no control bytes.
        if let Ok(mut value) = HeaderValue::from_bytes(answer.as_bytes()) {
            value.set_sensitive(true);
            let field = hop.endpoint.challenger().credentials_field();
            let field = HeaderName::from_static(field);
            request.headers_mut().insert(field, value);
        }
    }
    Ok(())
}

/// Returns the hop that asks for more, and what comes next; `None` if the response is the last.
fn received<'h, D: Body, C, E>(
    shared: &Shared<C>,
    hops: &'h mut [Hop],
    method: &Method,
    response: &mut Response<D>,
) -> Result<Option<(&'h mut Hop, Next)>, AuthClientError<E>> {
    let status = response.status().as_u16();
    // Not by the status, which no proof covers: with HTTP/2 a forged 204 may have a body.
    let size = response.body().size_hint().exact();
    let is_empty = method == Method::HEAD || response.body().is_end_stream() || size == Some(0);
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
