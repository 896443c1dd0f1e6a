//! The head of a request in the types of `http` 1: those of actix-web are of `http` 0.2.

use actix_web::HttpMessage;
use actix_web::dev::ServiceRequest;
use countersign::Channel;
use countersign_tower::server::{ClientAddress, ClientUri};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request, Uri};

/// `None` if the request has a method or field that the other version of `http` refuses, which none
/// has that actix-web accepts.
pub(crate) fn head_of(request: &ServiceRequest) -> Option<Parts> {
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = request.method().as_str().parse().ok()?;
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_ref()).ok()?;
        let value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
        head.headers.append(name, value);
    }
    let text = request.uri().to_string();
    match text.parse::<Uri>() {
        Ok(uri) => head.uri = uri,
        Err(_) => {
            head.extensions.insert(ClientUri::from_target(text));
        }
    }
    let address = request.peer_addr().map(|peer| peer.ip());
    head.extensions.insert(ClientAddress(address));
    // What the program has said by a middleware around this one.
    let said = request.extensions();
    if let Some(channel) = said.get::<Channel>() {
        head.extensions.insert(*channel);
    }
    if let Some(uri) = said.get::<ClientUri>() {
        head.extensions.insert(uri.clone());
    }
    if let Some(address) = said.get::<ClientAddress>() {
        head.extensions.insert(*address);
    }
    Some(head)
}
