//! A server that a request passes.

use std::borrow::Cow;

use countersign::client::{Endpoint, Exchange};
use http::request::Parts;
use http::{Method, Uri};

/// A server that a request passes, and the request-target that it sees.
pub(super) struct Hop {
    pub(super) endpoint: Endpoint,
    pub(super) target: String,
    pub(super) exchange: Exchange,
}

impl Hop {
    fn new(endpoint: Endpoint, target: Cow<'_, str>) -> Self {
        Self {
            endpoint,
            target: target.into_owned(),
            exchange: Exchange::new(),
        }
    }

    /// The hops of a request, the proxy first. `None` if its origin is not known.
    pub(super) fn of(
        head: &Parts,
        proxy: Option<&Endpoint>,
        origin: Option<&Endpoint>,
    ) -> Option<Vec<Self>> {
        let uri = &head.uri;
        let is_tunnel = head.method == Method::CONNECT && uri.path_and_query().is_none();
        // Other requests pass the proxy within a tunnel, if at all.
        let proxy = proxy.filter(|_| is_tunnel || uri.scheme_str() == Some("http"));
        let mut hops = Vec::with_capacity(2);
        if let Some(proxy) = proxy {
            hops.push(Self::new(proxy.clone(), uri.to_string().into()));
        }
        if !is_tunnel {
            let endpoint = match origin_of(uri) {
                Some(endpoint) => endpoint,
                None => origin.filter(|_| uri.host().is_none())?.clone(),
            };
            // `to_string` adds the `/` that `http://host?query` lacks.
            let target = uri.path_and_query().map(ToString::to_string);
            let target = target.unwrap_or_else(|| "/".to_owned());
            hops.push(Self::new(endpoint, target.into()));
        }
        // One who sends an Authorization wants no other.
        hops.retain(|hop| {
            let field = hop.endpoint.challenger().credentials_field();
            !head.headers.contains_key(field)
        });
        Some(hops)
    }
}

fn origin_of(uri: &Uri) -> Option<Endpoint> {
    Endpoint::origin(uri.scheme_str()?, uri.host()?, uri.port_u16()).ok()
}
