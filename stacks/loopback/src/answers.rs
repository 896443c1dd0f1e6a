//! What authentication adds to the responses of the `http` crate.
use countersign::EntityBody;
use countersign::server::{Grant, Refusal};
use hyper::header::HeaderValue;
use hyper::{Method, Response, StatusCode};

/// Adds the server's own proof to the response to a request that is let in, of this method.
pub fn granted<A>(
    grant: &Grant<'_, A>,
    method: &Method,
    mut response: Response<String>,
) -> Response<String> {
    let body = received_body(method, response.status(), response.body());
    if let Some(info) = grant.authentication_info(body) {
        let info = HeaderValue::from_bytes(info.as_bytes()).unwrap();
        response.headers_mut().insert(grant.info_field(), info);
    }
    response
}

/// The response to one that is not, with the challenges.
pub fn refused<B: Default>(refusal: &Refusal) -> Response<B> {
    let mut response = Response::builder().status(refusal.status);
    for challenge in &refusal.challenges {
        response = response.header(refusal.field, challenge.as_bytes());
    }
    response.body(B::default()).unwrap()
}

/// The body that the client receives, which the proof of `auth-int` covers: empty in the response to
/// HEAD, and with status 204 or 304, where hyper sends none.
pub(crate) fn received_body<'a>(
    method: &Method,
    status: StatusCode,
    text: &'a str,
) -> EntityBody<'a> {
    let is_empty = method == Method::HEAD
        || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&status);
    EntityBody::Bytes(if is_empty { b"" } else { text.as_bytes() })
}
