//! A server that a request passes.
use countersign::InvalidText;
use countersign::client::{Endpoint, Exchange};
use reqwest::Url;
use url::Position;

/// A server that a request passes, and what stands on its request line.
pub(crate) struct Hop {
    pub(crate) endpoint: Endpoint,
    pub(crate) uri: String,
    pub(crate) exchange: Exchange,
}

impl Hop {
    pub(crate) fn origin(url: &Url) -> Result<Self, InvalidText> {
        let host = url.host_str().unwrap_or_default();
        Ok(Self {
            endpoint: Endpoint::origin(url.scheme(), host, url.port())?,
            uri: url[Position::BeforePath..Position::AfterQuery].to_owned(),
            exchange: Exchange::new(),
        })
    }

    pub(crate) fn proxy(endpoint: &Endpoint, url: &Url) -> Self {
        Self {
            endpoint: endpoint.clone(),
            uri: url[..Position::AfterQuery].to_owned(),
            exchange: Exchange::new(),
        }
    }
}
