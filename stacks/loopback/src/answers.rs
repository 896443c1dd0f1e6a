//! What authentication adds to the responses of the `http` crate.
use countersign::EntityBody;
use countersign::server::{Grant, Refusal};
use hyper::Response;

/// The response to a request that is let in, with the server's own proof.
pub fn granted<A>(grant: &Grant<'_, A>, text: String) -> Response<String> {
    let mut response = Response::builder();
    if let Some(info) = grant.authentication_info(EntityBody::Bytes(text.as_bytes())) {
        response = response.header(grant.info_field(), info.as_bytes());
    }
    response.body(text).unwrap()
}

/// The response to one that is not, with the challenges.
pub fn refused<B: Default>(refusal: &Refusal) -> Response<B> {
    let mut response = Response::builder().status(refusal.status);
    for challenge in &refusal.challenges {
        response = response.header(refusal.field, challenge.as_bytes());
    }
    response.body(B::default()).unwrap()
}
