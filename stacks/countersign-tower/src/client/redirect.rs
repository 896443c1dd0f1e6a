//! Redirects, followed above the login: each request is answered for its own URL.

use http::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, LOCATION,
    PROXY_AUTHORIZATION, TRANSFER_ENCODING,
};
use http::{Method, StatusCode, Uri};

use crate::client::credentials::Credentials;
use crate::client::drain::drain;
use crate::client::error::AuthClientError;
use crate::client::failure::LoginFailure;
use crate::client::hop::origin_of;
use crate::client::send::send;
use crate::client::settings::Settings;
use crate::client::transport::{Incoming, Outgoing, Redirect, Transport, is_safe};

/// What became of a request.
pub(super) struct Followed<R> {
    pub(super) response: R,
    /// Of the last request.
    pub(super) uri: Uri,
    /// The last request carried an answer.
    pub(super) is_answered: bool,
    /// The response leads on, and no more redirects are followed.
    pub(super) leads_on: bool,
}

/// Sends a request, and again to where at most so many redirects lead. With 0, the first response is
/// the last.
pub(super) async fn follow<T, C>(
    settings: &Settings<C>,
    transport: &mut T,
    mut request: T::Request,
    max: usize,
) -> Result<Followed<T::Response>, AuthClientError<T::Error>>
where
    T: Transport,
    T::Request: Redirect,
    C: Credentials,
{
    let mut followed = 0;
    let mut is_led_away = false;
    loop {
        let has_body = request.is_repeatable();
        let bodiless = (!has_body).then(|| request.without_body());
        // Otherwise each server could let the program change something at another, in its name.
        let may_answer = !is_led_away || is_safe(request.method());
        let mut request_or_copy = Some(request);
        let sent = send(settings, transport, &mut request_or_copy, may_answer, true).await;
        let (mut response, is_answered) = sent?;
        // Does not fail: a request that can be sent again is left.
        let next = bodiless.or(request_or_copy);
        let mut next = next.ok_or(AuthClientError::UnknownOrigin)?;
        if !may_answer && response.status() == StatusCode::UNAUTHORIZED {
            response.extensions_mut().insert(LoginFailure::Redirected);
        }
        let from = next.uri().clone();
        let leads_on = max > 0 && next_request(&mut next, has_body, &response).is_some();
        if !leads_on || followed == max {
            return Ok(Followed {
                response,
                uri: from,
                is_answered,
                leads_on,
            });
        }
        if origin_of(&from) != origin_of(next.uri()) {
            is_led_away = true;
            for name in [AUTHORIZATION, COOKIE, HOST, PROXY_AUTHORIZATION] {
                next.headers_mut().remove(name);
            }
        }
        followed += 1;
        Box::pin(drain(response)).await;
        request = next;
    }
}

/// Makes of a copy the request that follows a response (RFC 9110, section 15.4). `None` if the
/// response leads nowhere, or wants a body again that can be sent only once.
fn next_request(
    request: &mut impl Redirect,
    has_body: bool,
    response: &impl Incoming,
) -> Option<()> {
    let becomes_get = match response.status() {
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => *request.method() == Method::POST,
        StatusCode::SEE_OTHER => true,
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => false,
        _ => return None,
    };
    if !becomes_get && !has_body {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    request.lead(std::str::from_utf8(location.as_bytes()).ok()?)?;
    if becomes_get {
        *request = request.without_body();
        if *request.method() != Method::HEAD {
            request.set_method(Method::GET);
        }
        for name in [
            CONTENT_ENCODING,
            CONTENT_LENGTH,
            CONTENT_TYPE,
            TRANSFER_ENCODING,
        ] {
            request.headers_mut().remove(name);
        }
    }
    Some(())
}
