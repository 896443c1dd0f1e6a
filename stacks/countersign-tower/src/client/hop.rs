//! A server that a request passes.

use std::sync::Arc;

use countersign::Challenger;
use countersign::client::{Endpoint, Exchange};
use http::{Method, Uri};

use crate::client::settings::Settings;
use crate::client::transport::Outgoing;
use crate::client::trial::{Alone, Trial};
use crate::fields;

/// A server that a request passes.
pub(super) struct Hop {
    pub(super) endpoint: Endpoint,
    pub(super) exchange: Exchange,
    /// This request got the challenge that it answers.
    pub(super) trial: Option<Arc<Trial>>,
    /// The next request goes without an answer.
    pub(super) is_silent: bool,
    /// Held while its answer goes alone.
    pub(super) turn: Option<Alone>,
}

impl Hop {
    fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            exchange: Exchange::new(),
            trial: None,
            is_silent: false,
            turn: None,
        }
    }

    pub(super) fn is_origin(&self) -> bool {
        self.endpoint.challenger() == Challenger::Origin
    }

    /// The hops of a request that this layer answers for, the proxy first. `None` if its origin is
    /// not known.
    pub(super) fn of<C>(request: &impl Outgoing, settings: &Settings<C>) -> Option<Vec<Self>> {
        let uri = request.uri();
        let is_tunnel = *request.method() == Method::CONNECT && uri.path_and_query().is_none();
        // Other requests pass the proxy within a tunnel, if at all.
        let proxy = settings.proxy.as_ref();
        let proxy = proxy.filter(|_| is_tunnel || uri.scheme_str() == Some("http"));
        let mut hops = Vec::with_capacity(1 + usize::from(proxy.is_some()));
        if let Some(proxy) = proxy {
            hops.push(Self::new(settings.as_seen(proxy.clone())));
        }
        if !is_tunnel {
            let endpoint = match origin_of(uri) {
                Some(endpoint) => endpoint,
                None => {
                    let origin = settings.origin.as_ref();
                    origin.filter(|_| uri.host().is_none())?.clone()
                }
            };
            hops.push(Self::new(settings.as_seen(endpoint)));
        }
        // One who sends an Authorization wants no other.
        hops.retain(|hop| {
            let field = fields::credentials(hop.endpoint.challenger());
            !request.headers().contains_key(field)
        });
        Some(hops)
    }
}

/// The origin of a URI, if it names one.
pub(super) fn origin_of(uri: &Uri) -> Option<Endpoint> {
    Endpoint::origin(uri.scheme_str()?, uri.host()?, uri.port_u16()).ok()
}
