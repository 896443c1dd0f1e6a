//! The fields of a proxy, which concern one hop: the one between its clients and itself.

use http::header::{HeaderMap, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION};
use http::{Response, StatusCode};

const PROXY_AUTHENTICATION_INFO: HeaderName = HeaderName::from_static("proxy-authentication-info");

/// Removes the credentials from a request that is forwarded (RFC 9110, section 11.7.2). An origin
/// would learn the password from Basic ones, and could guess it offline from a Digest response.
pub(super) fn consume_credentials(headers: &mut HeaderMap) {
    headers.remove(PROXY_AUTHORIZATION);
}

/// Removes from a response what only the proxy itself may tell its clients.
///
/// A 407 is one of the next hop, to this proxy. Passed on, it could make a client drop its login
/// here, or ask its user for another password. Nothing of it is passed on.
pub(super) fn remove_foreign_fields<C: Default>(response: &mut Response<C>) {
    if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        *response = Response::new(C::default());
        *response.status_mut() = StatusCode::BAD_GATEWAY;
    }
    for field in [PROXY_AUTHENTICATE, PROXY_AUTHENTICATION_INFO] {
        response.headers_mut().remove(field);
    }
}

/// The same for the trailers of a response: a client may take them for header fields.
/// `Proxy-Authorization` has no meaning there, and is removed for those that give it one.
pub(super) fn remove_from_trailers(trailers: &mut HeaderMap) {
    for field in [
        PROXY_AUTHENTICATE,
        PROXY_AUTHENTICATION_INFO,
        PROXY_AUTHORIZATION,
    ] {
        trailers.remove(field);
    }
}
