//! What a server is to its clients, and which fields it passes between them and its service.

use countersign::Challenger;
use http::header::UPGRADE;
use http::{HeaderMap, Response, StatusCode};

#[cfg(feature = "gateway")]
use crate::server::caches;

/// What a server is to the clients that log in to it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Role {
    /// The origin. The service is a part of it, so all of its fields are left.
    #[default]
    Origin,
    /// The origin, which forwards requests to servers that it does not trust with a login. They have
    /// nothing to ask for.
    #[cfg(feature = "gateway")]
    Gateway,
    /// A proxy. Whether clients log in to origins is not its business.
    Proxy,
}

impl Role {
    pub(super) const fn new(challenger: Challenger) -> Self {
        match challenger {
            Challenger::Origin => Self::Origin,
            Challenger::Proxy => Self::Proxy,
        }
    }

    /// # Panics
    ///
    /// Panics if a proxy is to be a gateway.
    #[cfg(feature = "gateway")]
    pub(super) const fn gateway(challenger: Challenger) -> Self {
        match challenger {
            Challenger::Origin => Self::Gateway,
            Challenger::Proxy => panic!("a realm for_proxy() in a layer for_gateway()"),
        }
    }

    /// The role in another realm.
    ///
    /// # Panics
    ///
    /// Panics if a proxy is to be a gateway.
    pub(super) const fn with(self, challenger: Challenger) -> Self {
        #[cfg(feature = "gateway")]
        if matches!(self, Self::Gateway) {
            return Self::gateway(challenger);
        }
        Self::new(challenger)
    }

    /// The challengers that the servers behind it must not be.
    const fn challengers(self) -> &'static [Challenger] {
        match self {
            Self::Origin => &[],
            #[cfg(feature = "gateway")]
            Self::Gateway => &[Challenger::Origin, Challenger::Proxy],
            Self::Proxy => &[Challenger::Proxy],
        }
    }

    /// The fields by which the servers behind it would speak for it. One of them challenges without a
    /// 401, and one tells the client how to log in (RFC 8053).
    fn foreign_fields(self) -> impl Iterator<Item = &'static str> {
        let of_challenger = |it: &Challenger| [it.challenge_field(), it.info_field()];
        let interactive: &[_] = match self {
            #[cfg(feature = "gateway")]
            Self::Gateway => &["optional-www-authenticate", "authentication-control"],
            Self::Origin | Self::Proxy => &[],
        };
        self.challengers()
            .iter()
            .flat_map(of_challenger)
            .chain(interactive.iter().copied())
    }

    /// Removes the credentials from a request that is forwarded (RFC 9110, section 11.7.2). The
    /// next server would learn the password from Basic ones, and could guess it offline from a
    /// Digest response. Also removes the offers to go on with another protocol than WebSocket:
    /// later requests over HTTP/2 (`h2c`) on the same connection would reach the next server with
    /// their credentials, unseen by this layer.
    ///
    /// Returns whether the request may be answered with 101.
    pub(super) fn consume_credentials(self, headers: &mut HeaderMap) -> bool {
        if matches!(self, Self::Origin) {
            return true;
        }
        for challenger in self.challengers() {
            headers.remove(challenger.credentials_field());
        }
        let may_upgrade = is_websocket(headers);
        if headers.contains_key(UPGRADE) {
            headers.remove("http2-settings");
        }
        if !may_upgrade {
            headers.remove(UPGRADE);
        }
        may_upgrade
    }

    /// Removes from a response what only this server may tell its clients.
    ///
    /// A 407 is one of the next hop, to this proxy; likewise a 401 behind a gateway. Passed on, it
    /// could make a client drop its login here, or ask its user for another password. A 101 that
    /// was not asked for is refused, too: a client whose offer was removed may not look at the
    /// protocol that the 101 names. Nothing of these is passed on.
    pub(super) fn remove_foreign_fields<C: Default>(
        self,
        may_upgrade: bool,
        response: &mut Response<C>,
    ) {
        if matches!(self, Self::Origin) {
            return;
        }
        let is_foreign_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS
            && !(may_upgrade && is_websocket(response.headers()));
        for challenger in self.challengers() {
            if response.status() == challenger.status() || is_foreign_upgrade {
                *response = Response::new(C::default());
                *response.status_mut() = StatusCode::BAD_GATEWAY;
            }
        }
        for field in self.foreign_fields() {
            response.headers_mut().remove(field);
        }
    }

    /// The same for the trailers of a response: a client may take them for header fields.
    /// Credentials have no meaning there, and are removed for those that give them one.
    pub(super) fn remove_from_trailers(self, trailers: &mut HeaderMap) {
        for field in self.foreign_fields() {
            trailers.remove(field);
        }
        for challenger in self.challengers() {
            trailers.remove(challenger.credentials_field());
        }
    }

    /// Keeps a gateway's response to a request with credentials out of shared caches.
    #[cfg(feature = "gateway")]
    pub(super) fn forbid_shared_caches(self, headers: &mut HeaderMap) {
        if matches!(self, Self::Gateway) {
            caches::forbid_shared(headers);
        }
    }
}

/// Returns whether `Upgrade` names WebSocket and nothing else.
fn is_websocket(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(UPGRADE).iter();
    let only = match (values.next(), values.next()) {
        (Some(only), None) => only.as_bytes(),
        _ => return false,
    };
    only.trim_ascii().eq_ignore_ascii_case(b"websocket")
}
