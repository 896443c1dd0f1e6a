//! Responses, for the loop of countersign-tower.

use countersign_tower::client::drain_body;
use countersign_tower::client::transport::Incoming;
use http::{Extensions, HeaderMap, StatusCode, Version};
use reqwest::Response;

pub(crate) struct Received(pub(crate) Response);

impl Incoming for Received {
    type Inner = Response;

    fn into_inner(self) -> Response {
        self.0
    }

    fn status(&self) -> StatusCode {
        self.0.status()
    }

    fn version(&self) -> Version {
        self.0.version()
    }

    fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        self.0.extensions_mut()
    }

    fn is_empty(&self) -> bool {
        self.0.content_length() == Some(0)
    }

    async fn drain(self) {
        drain_body(http::Response::from(self.0).into_body()).await;
    }
}
