use std::net::IpAddr;

use axum::extract::Request;
use countersign::Channel;
use http::HeaderMap;
use http::request::Parts;

/// For `axum::middleware::map_request`, around the `AuthLayer`.
async fn channel(mut request: Request) -> Request {
    let channel = match last(request.headers(), "x-forwarded-proto") {
        Some("https") => Channel::Encrypted,
        _ => Channel::Cleartext,
    };
    request.extensions_mut().insert(channel);
    request
}

/// For `Limiter::new`.
fn client_address(head: &Parts) -> Option<IpAddr> {
    last(&head.headers, "x-forwarded-for")?.parse().ok()
}

/// What the proxy next to this server has said: all before it may be of the client.
fn last<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get_all(name).iter().next_back()?;
    value.to_str().ok()?.rsplit(',').next().map(str::trim)
}
