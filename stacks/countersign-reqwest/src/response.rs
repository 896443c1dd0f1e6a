//! Responses, for the loop of countersign-tower.

use std::time::Duration;

use countersign_tower::client::transport::Incoming;
use http::{Extensions, HeaderMap, StatusCode, Version};
use reqwest::{Response, Url};

/// As much of the body of a challenge is read so that its connection can be used again.
const MAX_DRAINED: usize = 64 << 10;
/// For so long.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A response, and whether it is that of another URL than the request's.
pub(crate) struct Received {
    pub(crate) response: Response,
    is_redirected: bool,
    is_of_another_origin: bool,
}

impl Received {
    /// The response to a request to this URL.
    pub(crate) fn new(response: Response, mut url: Url) -> Self {
        // reqwest sends no fragment.
        url.set_fragment(None);
        let mut last = response.url().clone();
        last.set_fragment(None);
        Self {
            is_redirected: last != url,
            is_of_another_origin: last.origin() != url.origin(),
            response,
        }
    }
}

impl Incoming for Received {
    fn status(&self) -> StatusCode {
        self.response.status()
    }

    fn version(&self) -> Version {
        self.response.version()
    }

    fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        self.response.extensions_mut()
    }

    fn is_empty(&self) -> bool {
        self.response.content_length() == Some(0)
    }

    fn is_redirected(&self) -> bool {
        self.is_redirected
    }

    fn is_of_another_origin(&self) -> bool {
        self.is_of_another_origin
    }

    async fn drain(mut self) {
        let drained = async {
            let mut left = MAX_DRAINED;
            while let Ok(Some(piece)) = self.response.chunk().await {
                left = match left.checked_sub(piece.len()) {
                    Some(left) => left,
                    None => return,
                };
            }
        };
        // One that stalls is dropped, which closes its connection.
        let _ = tokio::time::timeout(DRAIN_TIME, drained).await;
    }
}
