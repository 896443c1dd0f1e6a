//! The fields of one hop: between the clients of a proxy or gateway, and itself.

use countersign::Challenger;
use http::{HeaderMap, Response, StatusCode};

/// Removes the credentials from a request that is forwarded (RFC 9110, section 11.7.2). The next
/// server would learn the password from Basic ones, and could guess it offline from a Digest
/// response.
pub(super) fn consume_credentials(challenger: Challenger, headers: &mut HeaderMap) {
    headers.remove(challenger.credentials_field());
}

/// Removes from a response what only the challenger itself may tell its clients.
///
/// A 407 is one of the next hop, to this proxy; likewise a 401 behind a gateway. Passed on, it could
/// make a client drop its login here, or ask its user for another password. Nothing of it is passed
/// on.
pub(super) fn remove_foreign_fields<C: Default>(
    challenger: Challenger,
    response: &mut Response<C>,
) {
    if response.status() == challenger.status() {
        *response = Response::new(C::default());
        *response.status_mut() = StatusCode::BAD_GATEWAY;
    }
    for field in [challenger.challenge_field(), challenger.info_field()] {
        response.headers_mut().remove(field);
    }
}

/// The same for the trailers of a response: a client may take them for header fields. Credentials
/// have no meaning there, and are removed for those that give them one.
pub(super) fn remove_from_trailers(challenger: Challenger, trailers: &mut HeaderMap) {
    for field in [
        challenger.challenge_field(),
        challenger.info_field(),
        challenger.credentials_field(),
    ] {
        trailers.remove(field);
    }
}
