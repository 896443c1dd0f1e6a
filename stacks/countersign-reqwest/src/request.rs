//! Requests, for the loop of countersign-tower.

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign_tower::client::transport::Outgoing;
use http::{HeaderMap, Method, Uri};
use reqwest::{Request, Url};

/// A request, and its URL in the form in which reqwest sends it.
pub(crate) struct Sendable {
    pub(crate) request: Request,
    uri: Uri,
}

impl Sendable {
    /// `None` if reqwest cannot send a request to the URL.
    pub(crate) fn new(request: Request) -> Option<Self> {
        // As reqwest does it. The serialisation of the URL is what is sent, and not what the
        // program wrote: `/a/../{b}` is sent as `/%7Bb%7D`.
        let uri = request.url().as_str().parse().ok()?;
        Some(Self { request, uri })
    }

    /// The same request for another URL.
    pub(crate) fn to(mut self, url: Url) -> Option<Self> {
        *self.request.url_mut() = url;
        Self::new(self.request)
    }
}

impl Outgoing for Sendable {
    fn method(&self) -> &Method {
        self.request.method()
    }

    fn uri(&self) -> &Uri {
        &self.uri
    }

    fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    fn headers_mut(&mut self) -> &mut HeaderMap {
        self.request.headers_mut()
    }

    fn try_clone(&self) -> Option<Self> {
        Some(Self {
            request: self.request.try_clone()?,
            uri: self.uri.clone(),
        })
    }

    fn body_hash(&self, hash: HashFunction) -> Option<HexDigest> {
        let mut hasher = BodyHasher::new(hash);
        if let Some(body) = self.request.body() {
            hasher.update(body.as_bytes()?);
        }
        Some(hasher.finish())
    }
}
