//! The fields of one hop: between the clients of a proxy or gateway, and itself.

use countersign::Challenger;
use http::{HeaderMap, Response, StatusCode};

/// A server that forwards requests to servers that it does not trust with a login.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hop {
    /// Clients log in to it as a proxy. Whether they log in to origins is not its business.
    Proxy,
    /// Clients log in to it as the origin, so the servers behind it have nothing to ask for.
    Gateway,
}

impl Hop {
    /// The challengers that the servers behind it must not be.
    const fn challengers(self) -> &'static [Challenger] {
        match self {
            Self::Proxy => &[Challenger::Proxy],
            Self::Gateway => &[Challenger::Origin, Challenger::Proxy],
        }
    }

    /// Removes the credentials from a request that is forwarded (RFC 9110, section 11.7.2). The
    /// next server would learn the password from Basic ones, and could guess it offline from a
    /// Digest response.
    pub(super) fn consume_credentials(self, headers: &mut HeaderMap) {
        for challenger in self.challengers() {
            headers.remove(challenger.credentials_field());
        }
    }

    /// Removes from a response what only this server may tell its clients.
    ///
    /// A 407 is one of the next hop, to this proxy; likewise a 401 behind a gateway. Passed on, it
    /// could make a client drop its login here, or ask its user for another password. Nothing of it
    /// is passed on.
    pub(super) fn remove_foreign_fields<C: Default>(self, response: &mut Response<C>) {
        for challenger in self.challengers() {
            if response.status() == challenger.status() {
                *response = Response::new(C::default());
                *response.status_mut() = StatusCode::BAD_GATEWAY;
            }
            let headers = response.headers_mut();
            headers.remove(challenger.challenge_field());
            headers.remove(challenger.info_field());
        }
    }

    /// The same for the trailers of a response: a client may take them for header fields.
    /// Credentials have no meaning there, and are removed for those that give them one.
    pub(super) fn remove_from_trailers(self, trailers: &mut HeaderMap) {
        for challenger in self.challengers() {
            trailers.remove(challenger.challenge_field());
            trailers.remove(challenger.info_field());
            trailers.remove(challenger.credentials_field());
        }
    }
}
